"""The person's editor: which one, on what, and what happens when it fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engram.errors import Unavailable
from engram.record import replace
from engram.system.editor import edited
from engram.system.environment import Environment
from tests.support.world import World


def with_editor(tmp_path: Path, script: str, variable: str = "EDITOR") -> Environment:
    program = tmp_path / "my editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return replace(World(tmp_path).environment, variables={variable: f"'{program}' --wait"})


@pytest.mark.parametrize("variable", ["EDITOR", "VISUAL"])
def test_the_text_comes_back_as_the_person_left_it(tmp_path: Path, variable: str) -> None:
    environment = with_editor(
        tmp_path, 'printf "more\\r\\n" >> "$2"; basename "$2" >> "$2"', variable
    )
    assert edited(environment, "старый\n", "a.md") == "старый\nmore\r\na.md\n"


def test_an_editor_that_fails_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as refused:
        edited(with_editor(tmp_path, "exit 3"), "x", "a.md")
    assert "status 3" in refused.value.message


def test_an_editor_that_is_not_there_is_named(tmp_path: Path) -> None:
    gone = replace(World(tmp_path).environment, variables={"EDITOR": str(tmp_path / "gone")})
    with pytest.raises(Unavailable) as refused:
        edited(gone, "x", "a.md")
    assert "gone" in refused.value.message


def test_a_usual_editor_is_taken_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nano"
    program.write_text('#!/bin/sh\nprintf "typed" > "$1"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program) if name == "nano" else None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert edited(World(tmp_path).environment, "x", "a.md") == "typed"


def test_no_editor_at_all_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Unavailable) as refused:
        edited(World(tmp_path).environment, "x", "a.md")
    assert "EDITOR" in refused.value.hint
