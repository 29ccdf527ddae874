"""Every host in every scope on every starting file: linked whole, unlinked to the byte."""

from __future__ import annotations

import errno
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engram.app.linking import surroundings
from engram.app.results import Result
from engram.errors import Conflict, EngramError
from engram.hosts import json_file
from engram.hosts.catalogue import HOSTS
from engram.hosts.linker import Linker
from engram.hosts.placement import BLOCK, FILE, GLOBAL, TABLE, WORKSPACE, Host
from engram.hosts.registration import carry_out
from engram.system import files
from tests.support.world import World

Case = tuple[str, str]
CASES = [
    (host.name, scope) for host in HOSTS for scope in (WORKSPACE, GLOBAL) if host.placements(scope)
]
JSON_STARTS = {
    "empty": b"",
    "others": b'{\n  "mcpServers": {\n    "x": { "command": "y", "env": {}, "args": [] }\n  },\n'
    b'  "servers": {},\n  "n": 1.50e3\n}\n',
    "hooks of others": b'{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]'
    b', "sessionStart": [{"command": "mine"}]}}',
    "comments": b'// top\n{\n  // mine, with "quotes" and {\n  "a": [1, 2,], /* x */\n}\n// end\n',
    "windows": b'{\r\n  "a": {\r\n    "b": "\\u00e9,}"\r\n  }\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{ "a": 1 }\n',
    "tabs": b'{\n\t"mcpServers": {\n\t\t"x": {\n\t\t\t"command": "y"\n\t\t}\n\t}\n}',
    "one line": b'{"mcpServers":{"x":{"command":"y"}},"permission":{"bash":"ask"}}',
    "twice": b'{"mcpServers": {"x": 1}, "a": 0, "mcpServers": {"y": 2}}\n',
}
TOML_STARTS = {
    "empty": b"",
    "others": b'model = "m"\n\n[mcp_servers.x]\ncommand = "y" # mine\n\n[projects."/p"]\ntrust_level = "t"\n',
    "quoted": b'["mcp_servers"."x"]\ncommand = "y"\n',
    "windows": b'a = 1\r\n\r\n[b]\r\nc = """x\r\ny"""\r\n',
    "byte order mark": b"\xef\xbb\xbfa = 1\n",
    "no last line end": b"# only this",
}
MARKDOWN_STARTS = {
    "empty": b"",
    "text": b"# Mine\n\n- be kind\n",
    "windows": b"# Mine\r\n\r\nText.\r\n",
    "byte order mark": b"\xef\xbb\xbf# Mine\n",
    "no last line end": b"# Mine",
    "a fence": b"# Mine\n\n```\n<!-- engram:begin 0 -->\n```\n\n\n",
}


def named(name: str) -> Host:
    return next(host for host in HOSTS if host.name == name)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("engram", "engram-mcp"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    world.variables.update(PATH=str(programs), XDG_STATE_HOME=str(tmp_path / "state"))
    return world


def link(world: World, case: Case, **how: Any) -> Result:
    return world.run("link", hosts=(case[0],), global_=case[1] == GLOBAL, **how)


def unlink(world: World, case: Case, **how: Any) -> Result:
    return world.run("unlink", hosts=(case[0],), global_=case[1] == GLOBAL, **how)


def shared_files(world: World, case: Case) -> dict[str, str]:
    """The files of a host that are not ours alone, with their format."""
    around = surroundings(world.engram())
    return {
        around.place(each): each.format
        for each in named(case[0]).placements(case[1])
        if each.format != FILE and (not each.when or around.exists(each.when))
    }


def starts(format: str) -> dict[str, bytes]:
    return {BLOCK: MARKDOWN_STARTS, TABLE: TOML_STARTS}.get(format, JSON_STARTS)


def tree(root: Path) -> dict[str, bytes | None]:
    """Everything below a folder, files with their bytes."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
    }


def without_ours(format: str, content: bytes) -> object:
    """What a file means besides what is ours."""
    if format == TABLE:
        read = tomllib.loads(content.removeprefix(b"\xef\xbb\xbf").decode())
        read.get("mcp_servers", {}).pop("engram", None)
        return {name: value for name, value in read.items() if value != {}}
    if format == BLOCK:
        return content.decode("utf-8-sig").partition("<!-- engram:begin ")[0].split()
    read = json_file.get(content, ())
    for key in ("mcpServers", "servers", "mcp", "permission", "hooks"):
        ours = read.get(key)
        if isinstance(ours, dict):
            ours.pop("engram", None)
            ours.pop("engram_engram_commit", None)
            for event, items in list(ours.items()):
                if isinstance(items, list):
                    ours[event] = [each for each in items if "agent-hook" not in json.dumps(each)]
                if ours[event] == []:
                    del ours[event]
    read.pop("engram", None)
    return {key: value for key, value in read.items() if value != {}}


@pytest.mark.contract("R2", "R15")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_linked_from_nothing_and_back(world: World, case: Case) -> None:
    before = tree(world.home)

    result = link(world, case)

    assert result.exit_status == 0
    assert {row["action"] for row in result.data["rows"]} <= {"add", "skip", "keep"}  # type: ignore[attr-defined]
    once = tree(world.home)
    assert once != before
    assert link(world, case).data["files"] == []
    assert tree(world.home) == once
    unlink(world, case)
    assert tree(world.home) == before


def formats_of(case: Case) -> set[str]:
    """The formats of a host's shared files."""
    placements = named(case[0]).placements(case[1])
    return {each.format for each in placements if not each.when} - {FILE}


STARTS = [
    (case, start)
    for case in CASES
    for start in dict.fromkeys([*JSON_STARTS, *TOML_STARTS, *MARKDOWN_STARTS])
    if any(start in starts(format) for format in formats_of(case))
]
SHARING = [case for case in CASES if formats_of(case)]


@pytest.mark.contract("R15")
@pytest.mark.parametrize(("case", "start"), STARTS, ids=str)
def test_every_byte_of_a_persons_file_survives(world: World, case: Case, start: str) -> None:
    given = {
        path: (format, starts(format)[start])
        for path, format in shared_files(world, case).items()
        if start in starts(format)
    }
    for path, (_, content) in given.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)
        Path(path).chmod(0o640)
    before = tree(world.home)

    result = link(world, case)

    assert result.exit_status == 0, result.text
    for path, (format, content) in given.items():
        now = Path(path).read_bytes()
        assert now != content
        if content:
            assert without_ours(format, now) == without_ours(format, content)
        assert now.startswith(b"\xef\xbb\xbf") == content.startswith(b"\xef\xbb\xbf")
        if b"\r\n" in content:
            assert now.count(b"\n") == now.count(b"\r\n")
        assert Path(path).stat().st_mode & 0o777 == 0o640
    once = tree(world.home)
    assert link(world, case).data["files"] == []
    assert tree(world.home) == once
    unlink(world, case)
    assert tree(world.home) == before


@pytest.mark.contract("R15")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_unlinking_without_the_record_of_the_link_takes_only_what_is_ours(
    world: World, case: Case, tmp_path: Path
) -> None:
    shared = shared_files(world, case)
    for path, format in shared.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(starts(format)["text" if format == BLOCK else "others"])
    before = {path: Path(path).read_bytes() for path in shared}
    link(world, case)
    (tmp_path / "state" / "engram" / "links.json").unlink()

    unlink(world, case)

    for path, format in shared.items():
        now = Path(path).read_bytes()
        assert b"engram" not in now
        assert without_ours(format, now) == without_ours(format, before[path])


@pytest.mark.contract("R15")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_what_a_person_adds_after_the_link_survives_the_unlink(world: World, case: Case) -> None:
    shared = shared_files(world, case)
    for path, format in shared.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(starts(format)["text" if format == BLOCK else "others"])
    link(world, case)
    for path, format in shared.items():
        content = Path(path).read_bytes()
        if format == BLOCK:
            content += b"\nMine, later.\n"
        elif format == TABLE:
            content += b"\n[later]\nmine = true\n"
        else:
            content = json_file.set_entry(content, ("later",), {"mine": True})
        Path(path).write_bytes(content)

    unlink(world, case)

    for path in shared:
        now = Path(path).read_bytes()
        assert b"later" in now
        assert b"engram" not in now


@pytest.mark.parametrize("case", SHARING, ids=" ".join)
def test_a_file_that_cannot_be_read_refuses_the_host_whole(world: World, case: Case) -> None:
    shared = shared_files(world, case)
    path, format = list(shared.items())[-1]
    bad = {
        BLOCK: b"<!-- engram:begin 0 -->\nno end\n",
        TABLE: b"[a\nb = 1\n",
    }.get(format, b'{\n  "a": 1\n  "b": 2\n}\n')
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(bad)
    before = tree(world.home)

    result = link(world, case)

    assert result.exit_status != 0
    assert tree(world.home) == before
    (row,) = [each for each in result.data["rows"] if each["action"] == "refuse"]  # type: ignore[attr-defined]
    assert row["path"] == path
    assert "ine " in row["reason"]  # which line


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_file_behind_a_symbolic_link_is_edited_there_and_stays_linked(
    world: World, case: Case, tmp_path: Path
) -> None:
    for number, (path, format) in enumerate(shared_files(world, case).items()):
        real = tmp_path / "dotfiles" / str(number)
        real.parent.mkdir(exist_ok=True)
        real.write_bytes(starts(format)["empty"])
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).symlink_to(real)
    before = tree(tmp_path / "dotfiles")

    link(world, case)

    for path in shared_files(world, case):
        assert Path(path).is_symlink()
        assert Path(path).read_bytes() != b""
    unlink(world, case)
    assert tree(tmp_path / "dotfiles") == before
    assert all(Path(path).is_symlink() for path in shared_files(world, case))


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_plan_shows_each_edit_and_writes_nothing(world: World, case: Case) -> None:
    before = tree(world.home)

    result = link(world, case, plan=True)

    assert tree(world.home) == before
    assert result.text.count("\n+++ ") == len(result.data["files"])  # type: ignore[arg-type]
    assert "Nothing was written" in result.text


def test_a_file_that_changed_since_the_plan_is_not_overwritten(world: World) -> None:
    around = surroundings(world.engram())
    plan = Linker(around, WORKSPACE, force=False).plan([named("claude")])
    changed = world.project / ".mcp.json"
    changed.write_text('{"mine": true}')
    before = tree(world.home)

    with pytest.raises(Conflict):
        carry_out(around, plan)

    assert tree(world.home) == before


def test_a_disk_that_fails_half_way_leaves_every_file_as_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world.project / "AGENTS.md").write_text("# Mine\n")
    before = {path: data for path, data in tree(world.home).items() if data is not None}

    def step(kind: str, path: str) -> None:
        if kind == "replace" and path.endswith("SKILL.md"):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "on_step", step)
    with pytest.raises(EngramError):
        world.run("link", hosts=("codex",))

    assert {path: data for path, data in tree(world.home).items() if data is not None} == before
