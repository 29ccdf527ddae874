"""A store that the earlier edition wrote works as it is, and reading rewrites nothing of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.cli import Machine

STORES = Path(__file__).parents[1] / "data" / "stores"


def machine_with(store: str, folder: Path) -> Machine:
    machine = Machine(folder)
    shutil.copytree(STORES / store, machine.store)
    return machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_with("earlier", tmp_path)


@pytest.fixture
def windows(tmp_path: Path) -> Machine:
    """A store from a machine where editors and Git chose other line ends, one file by hand."""
    return machine_with("windows", tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("task", "id", "text"),
    [
        ("the invoice job fails", "retry-invoices", "Retry the invoice job three times"),
        ("ротация ключа подписи", "ротация-ключа", "make rotate-key"),
        ("lint before a push", "lint-first", "Run make lint before every push."),
    ],
)
def test_memories_of_every_schema_load(machine: Machine, task: str, id: str, text: str) -> None:
    run = machine.engram("load", task)
    assert run.exit == 0
    assert id in run.out
    assert text in run.out
    assert "changed since approval" not in run.out
    assert "not approved here" not in run.out


def test_reading_leaves_every_byte(machine: Machine) -> None:
    before = contents(machine.store)
    for words in (
        ["load", "lint"],
        ["search", "ключа"],
        ["list"],
        ["graph"],
        ["status"],
        ["verify"],
    ):
        assert machine.engram(*words).exit == 0
    assert contents(machine.store) == before


def test_what_was_approved_there_is_approved_here(machine: Machine) -> None:
    assert "3 memories checked, all as approved." in machine.engram("verify").out
    assert "old-way" in machine.engram("list", "--archived").out
    assert "old-way" not in machine.engram("list").out


def test_a_variant_and_a_prerequisite_of_the_old_files_hold(machine: Machine) -> None:
    machine.engram("set-rule-variant", "strict")
    assert "Never push before make lint has passed." in machine.engram("load", "lint push").out
    assert "ротация-ключа depends on retry-invoices" in machine.engram("graph").out


def test_a_save_goes_on_from_there_and_keeps_what_was_approved(machine: Machine) -> None:
    machine.engram("save", "--force", "Staging runs in the second region.")

    assert "4 memories checked, all as approved." in machine.engram("verify").out
    assert (machine.store / "memory.sha256").is_file()


def test_an_upgrade_turns_the_record_of_approvals_and_a_plan_only_says_so(machine: Machine) -> None:
    planned = machine.engram("upgrade", "--plan")
    assert "would be in" in planned.out
    assert not (machine.store / "memory.sha256").exists()

    done = machine.engram("upgrade")

    assert "what was approved is now in" in done.out
    assert "3 memories checked, all as approved." in machine.engram("verify").out
    assert (machine.store / "memory.hashes.json").is_file()
    assert "approved" not in machine.engram("upgrade").out


# Files with other line ends, byte-order marks and YAML by hand

LOADED = [
    ("sign the installer", "crlf", "Sign every installer with the release key."),
    ("name a branch after its ticket", "mark", "Branches carry the ticket's number."),
    ("restore the backup", "mark-crlf", "Run restore.ps1, then compare the row counts."),
    ("where is the printer queue", "mixed", "The printer queue lives on host nine."),
    ("licence server port", "no-end", "The licence server answers on port 27000."),
    ("read the old archive", "carriage", "The old archive is read by tape only."),
    ("calibrate the scanner", "by-hand", "Calibrate the scanner before every batch."),
]


@pytest.mark.parametrize(("task", "id", "text"), LOADED)
def test_a_memory_loads_and_is_found_whatever_its_line_ends(
    windows: Machine, task: str, id: str, text: str
) -> None:
    loaded = windows.engram("load", task)
    assert loaded.exit == 0
    assert text in loaded.out
    assert "\r" not in loaded.out
    assert "\ufeff" not in loaded.out
    assert "changed since approval" not in loaded.out
    found = json.loads(windows.engram("search", "--json", task).out)
    assert found["data"]["entries"][0]["id"] == id


def test_an_approval_holds_for_a_text_with_other_line_ends(windows: Machine) -> None:
    verified = windows.engram("verify")
    assert verified.exit == 0
    assert "7 memories checked, all as approved." in verified.out


def test_reading_leaves_every_byte_of_other_line_ends(windows: Machine) -> None:
    before = contents(windows.store)
    for words in (["load", "scanner"], ["search", "queue"], ["list"], ["graph"], ["verify"]):
        assert windows.engram(*words).exit == 0
    assert contents(windows.store) == before


def test_yaml_by_hand_counts_as_if_engram_had_written_it(windows: Machine) -> None:
    assert "by-hand depends on crlf" in windows.engram("graph").out
    for tag in ("nightly", "weekly"):
        found = json.loads(windows.engram("search", "--json", tag).out)["data"]["entries"]
        assert [(each["id"], each["type"]) for each in found] == [("by-hand", "skill")]


@pytest.mark.parametrize("converted", ["true", "input", "false"])
def test_a_checkout_with_converted_line_ends_is_as_approved(
    machine: Machine, tmp_path: Path, converted: str
) -> None:
    def git(*words: str, cwd: Path) -> None:
        subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True, env=os.environ)

    git("init", "-q", cwd=machine.project)
    git("add", "-A", cwd=machine.project)
    git("commit", "-qm", "Memories", cwd=machine.project)
    elsewhere = Machine(tmp_path / "elsewhere")
    elsewhere.project.rmdir()
    conversion = f"core.autocrlf={converted}"
    git("clone", "-q", "-c", conversion, str(machine.project), "project", cwd=elsewhere.home)
    crlf = b"\r\n" in (elsewhere.store / "rules" / "retry-invoices.md").read_bytes()
    assert crlf == (converted == "true")

    assert "3 memories checked, all as approved." in elsewhere.engram("verify").out
    assert "Run make lint before every push." in elsewhere.engram("load", "lint a push").out


def test_a_malformed_file_is_named_with_its_line_and_hides_no_other(windows: Machine) -> None:
    place = windows.store / "skills" / "by-hand.md"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace("type: skill ", "type: law "), encoding="utf-8")
    verified = windows.engram("verify")
    assert verified.exit != 0
    assert "skills/by-hand.md" in verified.out + verified.err
    assert "line 5" in verified.out + verified.err
    assert "Sign every installer" in windows.engram("load", "sign the installer").out
