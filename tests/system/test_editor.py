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


@pytest.mark.parametrize(
    ("script", "said"),
    [('rm "$2"', "No such file"), ("printf '\\377\\376' > \"$2\"", "not text in UTF-8")],
)
def test_an_editor_that_leaves_no_text_changes_nothing(
    tmp_path: Path, script: str, said: str
) -> None:
    with pytest.raises(Unavailable) as refused:
        edited(with_editor(tmp_path, script), "x", "a.md")
    assert said in refused.value.message
    assert "Nothing was changed" in refused.value.hint


def test_an_editor_named_with_half_a_quote_is_refused(tmp_path: Path) -> None:
    half = replace(World(tmp_path).environment, variables={"EDITOR": "'vi"})
    with pytest.raises(Unavailable) as refused:
        edited(half, "x", "a.md")
    assert "The editor 'vi did not work" in refused.value.message


def test_a_blank_variable_names_no_editor(tmp_path: Path) -> None:
    environment = with_editor(tmp_path, 'printf "typed" > "$2"')
    blank = replace(environment, variables={"VISUAL": " ", **environment.variables})
    assert edited(blank, "x", "a.md") == "typed"


def test_any_text_comes_back_as_it_was_when_nothing_is_typed(tmp_path: Path) -> None:
    text = "\ufeffeins\r\nzwei\rdrei\n\ud83d \x00"
    assert edited(with_editor(tmp_path, ":"), text, "a.md") == text


def test_on_windows_a_backslash_is_a_part_of_the_path(tmp_path: Path) -> None:
    named = {"EDITOR": r'"C:\Program Files\ed.exe" --wait'}
    windows = replace(World(tmp_path).environment, variables=named, platform="win32")
    with pytest.raises(Unavailable) as refused:
        edited(windows, "x", "a.md")
    assert r"The editor C:\Program Files\ed.exe did not work" in refused.value.message


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
