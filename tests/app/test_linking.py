"""Connecting agents: which are used here, how ours is started, and how a host stands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from engram import __version__
from engram.app.inputs import Link
from engram.app.linking import PARTIAL, detected, link, standing, surroundings
from engram.hosts.catalogue import HOSTS
from engram.hosts.formats import ABSENT, ALTERED, CURRENT, STALE
from engram.hosts.placement import HOOK, INSTRUCTIONS, SERVER, WORKSPACE
from engram.hosts.surroundings import KEEP, REFUSE, Row
from engram.record import replace
from tests.support.world import World

PINNED = ("uvx", "--from", f"engram-protocol=={__version__}")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project on a machine with no program on the PATH."""
    world = World(tmp_path)
    (tmp_path / "bin").mkdir()
    world.variables.update(PATH=str(tmp_path / "bin"), XDG_STATE_HOME=str(tmp_path / "state"))
    return world


def install(world: World, *names: str) -> Path:
    folder = Path(world.variables["PATH"])
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def names(world: World) -> list[str]:
    engram = world.engram()
    return [host.name for host in detected(engram, surroundings(engram))]


def row(purpose: str, state: str, action: str = KEEP) -> Row:
    return Row("claude", WORKSPACE, purpose, "/p", state, action)


def test_nothing_is_used_on_an_empty_machine(world: World) -> None:
    assert names(world) == []


def test_a_host_is_used_here_when_its_program_or_one_of_its_files_is_there(world: World) -> None:
    install(world, "codex")
    (world.project / ".cursor").mkdir()
    assert {"codex", "cursor"} <= set(names(world))
    assert "gemini" not in names(world)


@pytest.mark.parametrize("host", [each for each in HOSTS if each.programs], ids=lambda h: h.name)
def test_every_host_with_a_program_is_found_by_it(world: World, host: Any) -> None:
    install(world, host.programs[0])
    assert host.name in names(world)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row(SERVER, ABSENT), row(HOOK, ABSENT)], ABSENT),
        ([row(SERVER, ABSENT), row(INSTRUCTIONS, CURRENT)], ABSENT),
        ([row(SERVER, CURRENT), row(HOOK, CURRENT)], CURRENT),
        ([row(SERVER, CURRENT), row(HOOK, ABSENT)], PARTIAL),
        ([row(SERVER, CURRENT), row(INSTRUCTIONS, ABSENT)], PARTIAL),
        ([row(SERVER, CURRENT), row(INSTRUCTIONS, STALE)], STALE),
        ([row(SERVER, STALE), row(HOOK, ALTERED)], ALTERED),
        ([row(SERVER, CURRENT), row(HOOK, "", REFUSE)], "unreadable"),
        ([row(INSTRUCTIONS, CURRENT)], CURRENT),
        ([row(INSTRUCTIONS, ABSENT)], ABSENT),
        ([], ABSENT),
    ],
)
def test_how_a_host_stands_follows_from_its_server_and_its_hook(
    rows: list[Row], expected: str
) -> None:
    assert standing(rows) == expected


@pytest.mark.contract("R14")
def test_programs_on_the_path_are_started_by_name_and_by_path_where_no_path_is_known(
    world: World,
) -> None:
    folder = install(world, "engram", "engram-mcp")

    around = surroundings(world.engram())

    assert around.server.words == ("engram-mcp",)
    assert around.hook.words == ("engram",)
    assert around.server_by_path.words == (str(folder / "engram-mcp"),)
    assert around.hook_by_path.words == (str(folder / "engram"),)


@pytest.mark.contract("R14")
def test_without_them_a_launcher_pinned_to_this_version_starts_them(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "elsewhere" / "python"))

    bare = surroundings(world.engram())
    folder = install(world, "uvx")
    with_launcher = surroundings(world.engram())

    assert bare.server.words == (*PINNED, "engram-mcp")
    assert bare.server_by_path.words == (*PINNED, "engram-mcp")
    assert with_launcher.hook.words == (*PINNED, "engram")
    assert with_launcher.hook_by_path.words == (str(folder / "uvx"), *PINNED[1:], "engram")


@pytest.mark.contract("R14")
def test_a_program_beside_the_interpreter_is_started_by_its_path(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = tmp_path / "venv"
    beside.mkdir()
    (beside / "engram-mcp").write_text("#!/bin/sh\n")
    monkeypatch.setattr(sys, "executable", str(beside / "python"))

    around = surroundings(world.engram())

    assert around.server_by_path.words == (os.path.join(beside, "engram-mcp"),)
    assert around.server.words == (*PINNED, "engram-mcp")


def test_windows_is_told_to_those_who_start_a_program(world: World) -> None:
    engram = world.engram()
    windows = replace(engram, environment=replace(engram.environment, platform="win32"))
    assert (surroundings(windows).server.windows, surroundings(engram).server.windows) == (
        True,
        False,
    )


def test_no_hosts_and_the_word_list_show_the_table(world: World) -> None:
    engram = world.engram()
    bare, listed = link(engram, Link()), link(engram, Link(("list",)))
    assert bare == listed
    assert [line.split()[0] for line in listed.text.splitlines()[1:-2]] == [h.name for h in HOSTS]


@pytest.mark.parametrize("files", [[".cursor"], [".cursor", ".gemini"]])
def test_all_links_what_is_used_here_and_what_every_agent_reads(
    world: World, files: list[str]
) -> None:
    for name in files:
        (world.project / name).mkdir()

    rows: Any = world.run("link", hosts=("all",)).data["rows"]

    linked = {each["host"] for each in rows if each["action"] == "add"}
    general = {host.name for host in HOSTS if host.is_general}
    assert linked == {name.removeprefix(".") for name in files} | general
