"""Completion scripts: complete in every command, and sound in the shells that are here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from engram.app.completion import WRITERS, completion
from engram.app.inputs import Completion
from engram.app.operations import shown_on
from engram.app.parameters import parameters

SHELLS = tuple(WRITERS)


def script(shell: str) -> str:
    return completion(None, Completion(shell)).text  # type: ignore[arg-type]


def test_there_is_a_script_for_every_shell_that_can_be_asked_for() -> None:
    (shell,) = parameters(Completion)
    assert shell.choices == SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_option_and_choice_is_in_the_script(shell: str) -> None:
    text = script(shell)
    for each in shown_on("cli"):
        assert each.name in text
        for p in parameters(each.input, "cli"):
            spelled = "" if p.positional else p.spelled("cli")
            assert spelled.lstrip("-") in text
            assert all(choice in text for choice in p.choices)


def bash(script_end: str) -> str:
    ended = subprocess.run(
        ["bash", "--norc", "-c", f"{script('bash')}\n{script_end}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert ended.stderr == ""
    return ended.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("engram lo", ["load"]),
        ("engram set-r", ["set-role", "set-rule-variant", "set-read"]),
        ("engram load --disc", ["--disclosure"]),
        ("engram load --disclosure ca", ["cards"]),
        ("engram ss --fo", ["--force"]),
        ("engram config se", ["set"]),
        ("engram completion z", ["zsh"]),
        ("engram help conf", ["config"]),
        ("engram load --wor", ["--workspace"]),
    ],
)
def test_bash_completes(words: str, expected: list[str]) -> None:
    quoted = " ".join(f"'{word}'" for word in words.split(" "))
    count = len(words.split(" ")) - 1
    told = bash(
        f"COMP_WORDS=({quoted}); COMP_CWORD={count}; _engram; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    assert told.split() == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("engram load --disclosure ca", "cards"),
        ("engram load --disc", "--disclosure"),
        ("engram set-rul", "set-rule-variant\tChoose how strictly rules are worded"),
    ],
)
def test_fish_completes(words: str, expected: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        ["fish", "--no-config", "-c", f"{script('fish')}\ncomplete -C '{words}'"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    assert ended.stdout.splitlines() == [expected]


@pytest.mark.parametrize(
    ("shell", "check"),
    [
        ("bash", ["bash", "-n"]),
        ("zsh", ["zsh", "-n"]),
        ("fish", ["fish", "--no-execute"]),
    ],
)
def test_a_shell_can_read_its_script(
    shell: str, check: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if shutil.which(check[0]) is None:
        pytest.skip(f"{check[0]} is not here")
    path = tmp_path_factory.mktemp("script") / "script"
    path.write_text(script(shell), encoding="utf-8")
    ended = subprocess.run(
        [*check, str(path)], capture_output=True, text=True, check=False, timeout=30
    )
    assert (ended.returncode, ended.stderr) == (0, "")
