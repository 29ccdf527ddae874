"""The command line: every answer, every exit status, as a real process where that matters."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import engram
from engram import __version__
from engram.app.operations import OPERATIONS, shown_on
from engram.app.parameters import parameters
from engram.errors import EngramError
from engram.interfaces.bugs import LOG_LIMIT, bug
from engram.interfaces.cli import main
from engram.system.environment import Environment
from tests.support.cli import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path).set_up()


@pytest.fixture
def inside(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine, with this process in it."""
    for name in list(os.environ):
        if name.startswith(("ENGRAM_", "XDG_", "CLAUDE_")) or name in ("NO_COLOR", "TERM"):
            monkeypatch.delenv(name)
    for name, value in machine.variables.items():
        if not name.startswith("COVERAGE_"):
            monkeypatch.setenv(name, value)
    monkeypatch.chdir(machine.project)
    return machine


Captured = pytest.CaptureFixture[str]


@pytest.mark.usefixtures("inside")
class TestAnswers:
    def test_alone_it_says_what_it_is_and_the_next_step(
        self, inside: Machine, capsys: Captured
    ) -> None:
        assert main([]) == 0
        told = capsys.readouterr().out
        assert str(inside.store) in told
        assert "Next: engram status" in told
        assert len(told.splitlines()) <= 16
        inside.store.rmdir()
        main([])
        assert "Next: engram inject" in capsys.readouterr().out

    def test_alone_it_knows_the_personal_memory(self, inside: Machine, capsys: Captured) -> None:
        inside.store.rmdir()
        main(["config", "set", "global_path", str(inside.home)])
        main([])
        assert "Your personal memory is ready." in capsys.readouterr().out

    def test_alone_it_answers_as_data_too(self, capsys: Captured) -> None:
        assert main(["--json"]) == 0
        assert "engram inject" in json.loads(capsys.readouterr().out)["data"]["text"]

    @pytest.mark.parametrize("word", ["--version", "-V", "version"])
    def test_the_version_is_told(self, word: str, capsys: Captured) -> None:
        assert main([word]) == 0
        assert capsys.readouterr().out == f"engram {__version__}\n"

    @pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"]])
    def test_help_lists_every_command(self, words: list[str], capsys: Captured) -> None:
        assert main(words) == 0
        told = capsys.readouterr().out
        for each in shown_on("cli"):
            assert f"\n  {each.name} " in told
        assert max(map(len, told.splitlines())) <= 88

    @pytest.mark.parametrize("name", [each.name for each in shown_on("cli")])
    def test_the_help_of_a_command_names_all_that_it_takes(
        self, name: str, capsys: Captured
    ) -> None:
        (each,) = (row for row in OPERATIONS if row.name == name)
        assert main([name, "--help"]) == main(["help", name]) == 0
        told = capsys.readouterr().out
        assert each.example in told
        for p in parameters(each.input, "cli"):
            assert p.spelled("cli") in told
            assert p.help.split()[0] in told
        assert "--workspace" in told

    def test_an_answer_as_data_is_the_envelope(self, capsys: Captured) -> None:
        assert main(["config", "get", "load.limit", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["ok"] is True
        assert (told["data"]["value"], told["data"]["text"]) == (8, "8")

    @pytest.mark.parametrize(
        ("words", "status", "code"),
        [
            (["lod"], 2, "operation.unknown"),
            (["load", "--bugdet"], 2, "input.unknown"),
            (["--bogus"], 2, "input.unknown"),
            (["load", "x", "--budget-tokens", "0"], 2, "input.bounds"),
            (["route"], 2, "input.missing"),
            (["config", "set", "read", "auto", "--scope", "global"], 3, "store.none"),
            (["help", "lod"], 2, "operation.unknown"),
        ],
    )
    def test_a_failure_has_its_status_and_a_hint_on_both_forms(
        self, words: list[str], status: int, code: str, capsys: Captured
    ) -> None:
        assert main(words) == status
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith("engram: ")
        assert "\nhint: " in told.err
        assert main(["--json", *words]) == status
        told = capsys.readouterr()
        assert told.err == ""
        answer = json.loads(told.out)
        assert answer["ok"] is False
        assert answer["error"]["code"] == code

    def test_a_text_that_asks_for_json_is_no_request_for_json(self, capsys: Captured) -> None:
        assert main(["lod", "--", "--json"]) == 2
        assert capsys.readouterr().out == ""

    def test_what_is_wrong_with_the_settings_is_told_beside_the_answer(
        self, inside: Machine, capsys: Captured
    ) -> None:
        (inside.store / "engram.config.json").write_text('{"load": {"limit": 99}}')
        assert main(["config", "get", "load.limit"]) == 0
        told = capsys.readouterr()
        assert told.out == "8\n"
        assert told.err.startswith("warning: ")
        main(["config", "get", "load.limit", "--json"])
        (remark,) = json.loads(capsys.readouterr().out)["diagnostics"]
        assert remark["id"] == "setting.value"

    def test_another_project_can_be_named(self, inside: Machine, capsys: Captured) -> None:
        other = inside.home / "other"
        (other / ".agents" / ".engram").mkdir(parents=True)
        main(["--workspace", str(other), "set-role", "qa"])
        assert str(other) in capsys.readouterr().out

    def test_a_text_that_is_not_utf_8_is_refused(self, capsys: Captured) -> None:
        assert main(["route", "caf\udce9"]) == 2
        assert "UTF-8" in capsys.readouterr().err

    def test_without_an_input_there_is_nothing_to_read(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.setattr("sys.stdin", None)
        assert main(["search", "-"]) == 2
        assert "look for" in capsys.readouterr().err


def test_what_standard_input_holds_is_taken_for_a_dash(machine: Machine) -> None:
    told = machine.engram("route", "-", stdin="fix the failing test\n")
    assert told.exit == 0
    assert told == machine.engram("route", "fix", "the", "failing", "test")
    assert machine.engram("route", "-", stdin=b"caf\xe9").exit == 2


def test_standard_input_has_a_bound(machine: Machine) -> None:
    told = machine.engram("route", "-", stdin=b"x" * 10_000_001)
    assert told.exit == 2
    assert "more than 10,000,000 bytes" in told.err


def test_letters_of_any_script_come_out_on_any_locale(machine: Machine) -> None:
    told = machine.engram("config", "set", "global_path", "/память/記憶", PYTHONIOENCODING="ascii")
    assert told.exit == 0
    assert machine.engram("config", "get", "global_path", LC_ALL="C").out == "/память/記憶\n"


def test_the_module_is_the_command(machine: Machine) -> None:
    assert machine.engram("--version").out == f"engram {__version__}\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes end otherwise there")
def test_a_reader_who_leaves_early_sees_no_complaint(machine: Machine) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "engram", "help"],
        cwd=machine.project,
        env=machine.variables,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_an_output_that_cannot_be_written_is_a_failure(machine: Machine) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "engram", "--version"],
            cwd=machine.project,
            env=machine.variables,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 8
    assert b"Traceback" not in ended.stderr
    assert ended.stderr.startswith(b"engram: ")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise there")
def test_an_interrupt_ends_it_quietly(machine: Machine) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "engram", "route", "-"],
        cwd=machine.project,
        env=machine.variables | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdin is not None
    # More than a pipe holds: when this returns, the program is reading its input.
    running.stdin.write(b"x" * (1 << 20))
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, b"", b"")


def broken(*_: object) -> int:
    raise ZeroDivisionError("deep inside")


class TestFaults:
    def test_a_fault_is_one_line_and_a_log(
        self, inside: Machine, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.setattr("engram.interfaces.cli._dispatch", broken)
        assert main(["load"]) == 70
        told = capsys.readouterr()
        log = inside.home / ".cache" / "engram" / "cli.log"
        assert told.err.splitlines() == [
            "engram: Engram met a fault of its own (ZeroDivisionError).",
            f"hint: What happened is in {log}; it helps in a report.",
        ]
        assert "deep inside" in log.read_text()
        assert main(["load", "--json"]) == 70
        assert json.loads(capsys.readouterr().out)["error"]["code"] == "bug"
        assert log.read_text().count("deep inside") == 4

    def test_the_details_are_shown_when_asked_for(
        self, inside: Machine, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.setattr("engram.interfaces.cli._dispatch", broken)
        monkeypatch.setenv("ENGRAM_DEBUG", "1")
        assert main(["load"]) == 70
        assert "deep inside" in capsys.readouterr().err
        assert not (inside.home / ".cache").exists()

    def test_a_log_that_grew_long_starts_anew(self, tmp_path: Path) -> None:
        log = tmp_path / "engram" / "cli.log"
        log.parent.mkdir()
        log.write_bytes(b"x" * (LOG_LIMIT + 1))
        fault(tmp_path)
        assert log.stat().st_size < LOG_LIMIT

    def test_where_no_log_can_be_written_the_way_to_see_more_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "engram").write_text("in the way")
        assert "ENGRAM_DEBUG" in fault(tmp_path).hint
        assert "ENGRAM_DEBUG" in fault(None).hint


def fault(cache: Path | None) -> EngramError:
    variables = {"XDG_CACHE_HOME": str(cache)} if cache else {}
    environment = Environment(variables, "", "", platform="linux")
    return bug(ZeroDivisionError("deep inside"), environment)


def imported(words: list[str], machine: Machine) -> set[str]:
    """The modules that a command line imports, beyond those of a bare interpreter."""
    script = (
        "import sys; before = set(sys.modules); from engram.interfaces.cli import main; "
        f"main({words!r}); sys.stderr.write('\\n'.join(set(sys.modules) - before))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=machine.project,
        env={name: value for name, value in machine.variables.items() if "COVERAGE" not in name},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {name.partition(".")[0] for name in ended.stderr.splitlines()}


def test_a_short_command_imports_next_to_nothing(machine: Machine) -> None:
    told = imported(["config", "get", "load.limit"], machine)
    heavy = {"argparse", "json", "re", "typing", "dataclasses", "pathlib", "enum", "subprocess"}
    assert not told & heavy


def test_nothing_heavy_is_imported_before_a_command_is_known() -> None:
    source = Path(engram.__file__).parent / "interfaces" / "cli.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in top for alias in node.names]
    assert names == ["annotations", "sys"]


def test_a_process_without_standard_error_still_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("engram ")
