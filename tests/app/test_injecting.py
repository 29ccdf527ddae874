"""Setting up: what is made, what is asked, and that doing it again changes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from engram.app.injecting import inject
from engram.app.inputs import Inject
from engram.errors import InvalidRequest
from engram.record import replace
from tests.support.home import everything_below
from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.variables.update(PATH="", XDG_CONFIG_HOME=str(tmp_path / "config"))
    return world


def asked(world: World, *answers: str, **how: Any) -> tuple[str, list[str]]:
    """Inject at a terminal where these are typed; the text, and the questions."""
    typed = list(answers)
    questions: list[str] = []

    def ask(question: str) -> str:
        questions.append(question)
        return typed.pop(0)

    result = inject(replace(world.engram(), ask=ask), Inject(**how))
    return result.text, questions


def test_it_makes_the_workspace_and_again_nothing(world: World) -> None:
    first = world.run("inject")
    made = {
        path: Path(world.home, path).stat().st_mtime_ns for path in everything_below(world.home)
    }
    again = world.run("inject")

    assert "memory set up in" in first.text
    assert "already set up in" in again.text
    assert made == {
        path: Path(world.home, path).stat().st_mtime_ns for path in everything_below(world.home)
    }
    assert Path(world.layout.root, ".gitignore").is_file()


def test_without_a_terminal_no_personal_folder_is_made(world: World) -> None:
    world.run("inject")
    assert not (world.home / ".engram").exists()


def test_a_personal_folder_is_made_where_it_is_named_and_remembered(
    world: World, tmp_path: Path
) -> None:
    world.run("inject", global_path="~/mine")

    assert (world.home / "mine" / ".gitignore").is_file()
    assert world.engram().settings.text("global_path") == str(world.home / "mine")
    assert "already set up" in world.run("inject").text
    assert (tmp_path / "config").exists()


def test_only_the_personal_folder(world: World) -> None:
    world.run("inject", global_only=True, global_path=str(world.home / "mine"))
    assert not world.layout.exists()
    with pytest.raises(InvalidRequest):
        world.run("inject", global_only=True, no_global=True)


def test_only_a_personal_folder_that_nobody_names_is_refused(world: World) -> None:
    with pytest.raises(InvalidRequest) as refused:
        world.run("inject", global_only=True)
    assert "--global-path" in refused.value.hint
    assert not world.layout.exists()


@pytest.mark.parametrize(
    ("answer", "folder"), [("", ".engram"), ("~/mine", "mine"), ("n", ""), ("No", "")]
)
def test_at_a_terminal_the_personal_folder_is_asked_for(
    world: World, answer: str, folder: str
) -> None:
    text, questions = asked(world, answer)

    assert "Folder [~/.engram" in questions[0]
    assert ("global: memory set up" in text) == bool(folder)
    if folder:
        assert (world.home / folder).is_dir()


def test_what_is_decided_already_is_not_asked(world: World) -> None:
    _, none = asked(world, no_global=True)
    _, named = asked(world, global_path="~/mine")
    _, known = asked(world)
    assert none == named == known == []


@pytest.mark.parametrize(("answer", "linked"), [("", True), ("y", True), ("n", False)])
def test_at_a_terminal_the_agents_used_here_can_be_connected(
    world: World, answer: str, linked: bool
) -> None:
    (world.project / ".cursor").mkdir()

    text, questions = asked(world, answer, no_global=True)

    assert questions == ["Connect Cursor? [Y/n] "]
    assert (world.project / ".cursor" / "mcp.json").exists() == linked
    assert ("engram link cursor" in text) == (not linked)


def test_without_a_terminal_connecting_is_only_named(world: World) -> None:
    (world.project / ".cursor").mkdir()

    assert "Connect your coding agents with: engram link cursor" in world.run("inject").text
    assert "engram link" not in world.run("inject", no_link=True).text
    assert list((world.project / ".cursor").iterdir()) == []


def test_in_a_subfolder_a_worktree_and_a_submodule_the_store_is_found(tmp_path: Path) -> None:
    git = ["git", "-c", "protocol.file.allow=always"]
    main = tmp_path / "main"
    main.mkdir()
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    world = World(tmp_path / "w")
    world.project = main
    world.run("inject", no_global=True)
    subprocess.run([*git, "-C", str(main), "add", "-A"], check=True)
    subprocess.run([*git, "-C", str(main), "commit", "-qm", "x"], check=True)
    subprocess.run(
        [*git, "-C", str(main), "worktree", "add", "-q", str(tmp_path / "tree")], check=True
    )
    outer = tmp_path / "outer"
    subprocess.run([*git, "init", "-q", str(outer)], check=True)
    subprocess.run([*git, "-C", str(outer), "submodule", "add", "-q", str(main), "sub"], check=True)

    for folder, root in (
        (main / "deep" / "down", main),
        (tmp_path / "tree", tmp_path / "tree"),
        (outer / "sub" / "deep", outer / "sub"),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        world.project = folder
        assert world.engram().project == str(root)
