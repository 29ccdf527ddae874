"""The doctor: each check is provoked once, and silent where all is well."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from engram.app.doctoring import FAIL, INFO, OK, WARN
from engram.errors import Unavailable
from engram.hosts import json_file
from tests.support.world import World

SERVER = "import sys; from engram.interfaces.mcp.server import main; sys.exit(main())"
Told = dict[str, list[tuple[str, str]]]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with memory, and the programs on the PATH as an installation puts them there."""
    world = World(tmp_path).with_store()
    world.variables.update(
        XDG_STATE_HOME=str(tmp_path / "state"), XDG_CACHE_HOME=str(tmp_path / "cache")
    )
    programs(
        world, tmp_path, **{"engram-mcp": f'exec "{sys.executable}" -c "{SERVER}"', "engram": ":"}
    )
    return world


def programs(world: World, tmp_path: Path, **scripts: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    world.variables["PATH"] = str(folder)


def link(world: World, *hosts: str, own: bool = False) -> None:
    world.run("link", hosts=hosts, global_=own)


def checks(world: World, **how: Any) -> Told:
    """The checks by id, each with its status and text."""
    result = world.run("doctor", **how)
    found: Told = {}
    for each in result.data["checks"]:  # type: ignore[attr-defined]
        found.setdefault(each["id"], []).append(
            (each["status"], f"{each['message']} {each['mend']}")
        )
        assert f"{each['status']:<5} {each['id']}" in result.text
    return found


def put(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def test_a_sound_project_with_a_linked_host_is_well(world: World) -> None:
    link(world, "claude")

    found = checks(world)

    assert {status for told in found.values() for status, _ in told} == {OK}
    assert set(found) == {"store.workspace", "manifest.ok", "index.ok", "host.server"}
    assert "answers in" in found["host.server"][0][1]
    result = world.run("doctor", strict=True)
    assert result.exit_status == 0
    assert result.text.endswith("All is well.")


def test_no_memory_and_no_host_are_told_with_what_to_run(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.variables["PATH"] = ""

    found = checks(world)

    assert found["store.none"] == [(WARN, "There is no memory here. engram inject")]
    assert found["host.none"][0][0] == INFO
    assert world.run("doctor").exit_status == 0
    assert world.run("doctor", strict=True).exit_status == 1


def test_what_differs_from_what_was_approved_is_named(world: World) -> None:
    world.save("Run make lint before every push.", type="rule")
    world.save("Staging runs in the second region.")
    changed, gone = (Path(world.layout.root, path) for path in sorted(world.memories()))
    changed.write_text(changed.read_text("utf-8") + "\n- More.\n")
    (changed.parent / "planted.md").write_text("---\ntype: rule\n---\n\n# New\n\n- New.\n")
    (changed.parent / "broken.md").write_text("---\ntype: [\n---\n\n# B\n")
    (changed.parent / changed.name).rename(changed)
    gone.unlink()

    found = checks(world)

    assert {"manifest.changed", "manifest.unreviewed", "manifest.missing"} <= set(found)
    assert "line" in found["store.malformed"][0][1]
    assert "engram verify --accept" in found["manifest.changed"][0][1]


def test_two_memories_of_one_name_are_named(world: World) -> None:
    world.save("Run make lint before every push.", type="rule")
    ((path, text),) = world.memories().items()
    twin = Path(world.layout.root, "knowledge", Path(path).name)
    twin.parent.mkdir(exist_ok=True)
    twin.write_text(text)

    assert "store.duplicate" in checks(world)


def test_waiting_proposals_are_told(world: World) -> None:
    world.run("save", text="Run make lint before every push.")

    assert checks(world)["store.waiting"] == [(INFO, "1 proposals wait. engram review")]


def test_an_index_that_cannot_be_kept_is_told(world: World, tmp_path: Path) -> None:
    world.save("Run make lint before every push.")
    (tmp_path / "file").write_text("")
    world.variables["XDG_CACHE_HOME"] = str(tmp_path / "file")

    assert checks(world)["index.fallback"][0][0] == WARN


def test_a_program_that_is_gone_is_told(world: World, tmp_path: Path) -> None:
    link(world, "claude")
    (tmp_path / "bin" / "engram-mcp").unlink()

    found = checks(world)

    assert found["host.command_missing"][0][0] == FAIL
    assert "engram-mcp is not on the PATH" in found["host.command_missing"][0][1]
    assert "host.stale_pin" in found
    assert world.run("doctor").exit_status == 1


@pytest.mark.parametrize("script", ["exit 1", "echo nonsense", "echo '{}'"])
def test_a_server_that_does_not_answer_is_told(world: World, tmp_path: Path, script: str) -> None:
    link(world, "claude")
    programs(world, tmp_path, **{"engram-mcp": script})

    assert checks(world)["host.no_answer"][0][0] == FAIL


def test_an_old_pin_and_a_changed_entry_are_told(world: World) -> None:
    link(world, "claude")
    path = world.project / ".mcp.json"
    old = {"command": "uvx", "args": ["--from", "engram-protocol==0.0.1", "engram-mcp"]}
    put(path, {"mcpServers": {"engram": old}})
    block = world.project / "AGENTS.md"
    block.write_text(block.read_text("utf-8").replace("Never approve", "Always approve"))

    found = checks(world)

    assert found["host.stale_pin"][0][1].endswith("engram upgrade")
    assert found["host.altered"][0][0] == INFO
    assert "--force" in found["host.altered"][0][1]


def test_a_file_that_cannot_be_read_is_told_with_its_line(world: World) -> None:
    link(world, "claude")
    (world.project / ".claude" / "settings.json").write_text('{\n  "a": 1\n  "b": 2\n}')

    found = checks(world)["host.unreadable"]

    assert found[0][0] == FAIL
    assert "Line 3" in found[0][1]


@pytest.mark.contract("R16")
@pytest.mark.parametrize("own", [False, True])
def test_trust_in_geminis_entry_is_told(world: World, own: bool) -> None:
    link(world, "gemini", own=own)
    assert "host.gemini_trust" not in checks(world)
    path = (world.home if own else world.project) / ".gemini" / "settings.json"
    trusting = ("mcpServers", "engram", "trust")
    path.write_bytes(json_file.set_entry(path.read_bytes(), trusting, True))  # noqa: FBT003

    found = checks(world)

    assert found["host.gemini_trust"][0][0] == WARN
    assert world.run("doctor", strict=True).exit_status == 1


@pytest.mark.contract("R9")
def test_codex_that_needs_nobody_is_told(world: World) -> None:
    link(world, "codex", own=True)
    assert "host.codex_auto_approve" not in checks(world)
    path = world.home / ".codex" / "config.toml"
    path.write_text(path.read_text().replace('"prompt"', '"approve"'))

    assert checks(world)["host.codex_auto_approve"][0][0] == WARN

    world.run("link", hosts=("codex",), global_=True, force=True)
    assert "host.codex_auto_approve" not in checks(world)


def test_hooks_that_codex_does_not_trust_are_told(world: World) -> None:
    link(world, "codex")
    hooks = world.project / ".codex" / "hooks.json"
    assert str(hooks) in checks(world)["host.untrusted_hook"][0][1]
    config = world.home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text("broken = [\n")
    assert "host.untrusted_hook" not in checks(world), "another check tells of such a file"

    config.write_text(f'[hooks.state."{hooks}:session_start:0:0"]\ntrusted_hash = "sha256:0"\n')

    assert "host.untrusted_hook" not in checks(world)


ALLOWING: dict[str, tuple[str, object]] = {
    "permissions": (".claude/settings.json", {"permissions": {"allow": ["mcp__engram"]}}),
    "one tool": (
        ".claude/settings.local.json",
        {"permissions": {"allow": ["Bash", "mcp__engram__engram_commit"]}},
    ),
    "a dialog that answers itself": (
        ".claude/settings.json",
        {"hooks": {"Elicitation": [{"hooks": []}]}},
    ),
    "opencode": ("opencode.json", {"permission": {"engram_*": "allow"}}),
    "opencode everything": ("opencode.jsonc", {"permission": "allow"}),
    "every tool in the editor": (".vscode/settings.json", {"chat.tools.autoApprove": True}),
    "a sandbox": (".vscode/mcp.json", {"servers": {"engram": {"sandboxEnabled": True}}}),
    "a list in the entry": (
        ".cursor/mcp.json",
        {"mcpServers": {"engram": {"command": "engram-mcp", "autoApprove": ["engram_commit"]}}},
    ),
}
INNOCENT: dict[str, tuple[str, object]] = {
    "other tools": (
        ".claude/settings.json",
        {"permissions": {"allow": ["mcp__engram__engram_load"]}},
    ),
    "asking": ("opencode.json", {"permission": {"engram_*": "ask", "bash": "allow"}}),
    "no hook": (".claude/settings.json", {"hooks": {"Elicitation": []}}),
    "reading only": (
        ".cursor/mcp.json",
        {"mcpServers": {"engram": {"command": "engram-mcp", "autoApprove": ["engram_load"]}}},
    ),
    "not a list": (".claude/settings.json", {"permissions": {"allow": "mcp__engram"}}),
}


@pytest.mark.contract("A7")
@pytest.mark.parametrize("name", ALLOWING)
def test_whatever_would_approve_a_commit_unasked_is_told(world: World, name: str) -> None:
    path, content = ALLOWING[name]
    put(world.project / path, content)

    found = checks(world)["host.allow_listed_commit"]

    assert found[0][0] == WARN
    assert str(world.project / path) in found[0][1]


@pytest.mark.parametrize("name", INNOCENT)
def test_what_approves_no_commit_is_not_told(world: World, name: str) -> None:
    path, content = INNOCENT[name]
    put(world.project / path, content)

    assert "host.allow_listed_commit" not in checks(world)


def test_a_store_that_cannot_be_written_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)

    assert checks(world)["store.read_only"][0][0] == WARN


def test_proposals_that_cannot_be_checked_are_told(world: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    world.variables["XDG_STATE_HOME"] = str(tmp_path / "file")

    assert checks(world)["store.pending"][0][0] == FAIL


def test_a_python_that_cannot_search_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> object:
        raise Unavailable("index.no_search", "This Python's SQLite cannot search text.")

    monkeypatch.setattr("engram.app.stores.open_index", refused)

    assert checks(world)["index.unusable"] == [(FAIL, "This Python's SQLite cannot search text. ")]
