"""The registration clauses of the contract, host by host: which file, which key, which words."""

from __future__ import annotations

import json
import subprocess
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from engram import __version__
from engram.app.engram import compose
from engram.app.inputs import Link
from engram.app.operations import operation
from engram.app.results import Result
from engram.errors import InvalidRequest
from engram.record import replace
from tests.support.world import World

PINNED = ["--from", f"engram-protocol=={__version__}", "engram-mcp"]
PLAIN = {"command": "engram-mcp", "args": []}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A person with `engram` and `engram-mcp` on the PATH, and nothing else."""
    world = World(tmp_path)
    on_the_path(world, tmp_path, "engram", "engram-mcp")
    world.variables["XDG_STATE_HOME"] = str(tmp_path / "state")
    return world


def on_the_path(world: World, tmp_path: Path, *names: str) -> None:
    programs = tmp_path / "bin"
    programs.mkdir(exist_ok=True)
    for name in names:
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    world.variables["PATH"] = str(programs)


def link(world: World, *hosts: str, own: bool = False, **how: Any) -> Result:
    return world.run("link", hosts=hosts, global_=own, **how)


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.contract("R1")
def test_the_distribution_installs_two_programs() -> None:
    installed = entry_points(group="console_scripts")
    ours = {each.name for each in installed if each.dist and each.dist.name == "engram-protocol"}
    assert ours == {"engram", "engram-mcp"}


@pytest.mark.contract("R3")
@pytest.mark.parametrize("host", ["claude", "copilot", "mcp"])
def test_hosts_that_read_mcp_json_get_their_server_there(world: World, host: str) -> None:
    link(world, host)

    entry = read(world.project / ".mcp.json")["mcpServers"]["engram"]
    assert entry["command"] == "engram-mcp"


@pytest.mark.contract("R4", "R8")
@pytest.mark.parametrize("own", [False, True])
def test_gemini_has_its_server_in_its_settings(world: World, own: bool) -> None:
    link(world, "gemini", own=own)

    settings = read((world.home if own else world.project) / ".gemini" / "settings.json")
    assert settings["mcpServers"]["engram"] == PLAIN
    (group,) = settings["hooks"]["BeforeAgent"]
    assert group["hooks"][0]["timeout"] == 10_000  # milliseconds there


@pytest.mark.contract("R5")
def test_cursor_has_its_server_in_its_own_file(world: World) -> None:
    link(world, "cursor")

    assert read(world.project / ".cursor" / "mcp.json")["mcpServers"]["engram"] == PLAIN
    hooks = read(world.project / ".cursor" / "hooks.json")
    assert hooks["version"] == 1
    assert hooks["hooks"]["sessionStart"][0]["timeout"] == 10  # seconds there


@pytest.mark.contract("R6")
def test_opencode_has_its_server_under_mcp(world: World) -> None:
    link(world, "opencode")

    config = read(world.project / "opencode.json")
    assert config["mcp"]["engram"] == {
        "type": "local",
        "command": ["engram-mcp"],
        "args": [],
        "enabled": True,
    }
    assert config["permission"]["engram_engram_commit"] == "ask"
    assert next(iter(config)) == "$schema"


@pytest.mark.contract("R6", "R14")
def test_opencode_gets_the_whole_launcher_in_command(world: World) -> None:
    world.variables["PATH"] = ""

    link(world, "opencode")

    entry = read(world.project / "opencode.json")["mcp"]["engram"]
    assert entry["command"] == ["uvx", *PINNED]
    assert "args" not in entry
    assert entry["timeout"] >= 30_000


@pytest.mark.contract("R6", "R11")
@pytest.mark.parametrize("own", [False, True])
def test_opencode_jsonc_is_edited_where_it_exists(world: World, own: bool) -> None:
    folder = world.home / ".config" / "opencode" if own else world.project
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opencode.json").write_text("{}")
    (folder / "opencode.jsonc").write_text("{\n  // mine\n}\n")

    link(world, "opencode", own=own)

    assert (folder / "opencode.json").read_text() == "{}"
    assert "// mine" in (folder / "opencode.jsonc").read_text()
    assert '"engram"' in (folder / "opencode.jsonc").read_text()


@pytest.mark.contract("R7")
def test_global_claude_is_told_a_command_and_no_server_file_is_written(world: World) -> None:
    result = link(world, "claude", own=True)

    assert "claude mcp add --scope user engram -- engram-mcp" in result.text
    assert not (world.home / ".claude.json").exists()
    assert not (world.home / ".claude" / "mcp.json").exists()
    assert "mcpServers" not in read(world.home / ".claude" / "settings.json")


@pytest.mark.contract("R9")
def test_global_codex_has_a_table_whose_commit_asks_a_person(world: World) -> None:
    link(world, "codex", own=True)

    config = tomllib.loads((world.home / ".codex" / "config.toml").read_text())
    server = config["mcp_servers"]["engram"]
    assert server["command"] == "engram-mcp"
    assert server["startup_timeout_sec"] == 60
    assert server["tools"]["engram_commit"]["approval_mode"] == "prompt"
    assert not (world.project / ".mcp.json").exists()


@pytest.mark.contract("R9")
def test_the_table_is_found_by_what_it_is_after_codex_moved_it(world: World) -> None:
    link(world, "codex", own=True)
    path = world.home / ".codex" / "config.toml"
    moved = '[mcp_servers.other]\ncommand = "true"\n\n' + path.read_text().replace(
        "[mcp_servers.engram]", '[mcp_servers."engram"]'
    )
    path.write_text(moved + '\n[projects."/p"]\ntrust_level = "trusted"\n')

    assert link(world, "codex", own=True).data["files"] == []
    world.run("unlink", hosts=("codex",), global_=True)

    left = tomllib.loads(path.read_text())
    assert left == {
        "mcp_servers": {"other": {"command": "true"}},
        "projects": {"/p": {"trust_level": "trusted"}},
    }


@pytest.mark.contract("R10")
def test_global_antigravity_has_its_server_without_a_type(world: World) -> None:
    link(world, "antigravity", own=True)

    entry = read(world.home / ".gemini" / "config" / "mcp_config.json")["mcpServers"]["engram"]
    assert Path(entry["command"]).name == "engram-mcp"
    assert "type" not in entry


@pytest.mark.contract("R12")
def test_global_cursor_is_a_local_plugin(world: World) -> None:
    link(world, "cursor", own=True)

    plugin = world.home / ".cursor" / "plugins" / "local" / "engram"
    assert read(plugin / ".cursor-plugin" / "plugin.json")["author"] == {"name": "Engram"}
    entry = read(plugin / "mcp.json")["mcpServers"]["engram"]
    assert Path(entry["command"]).name == "engram-mcp"
    assert read(plugin / "hooks" / "hooks.json")["version"] == 1


@pytest.mark.contract("R13")
def test_windsurf_has_a_server_for_the_person_and_none_in_a_workspace(world: World) -> None:
    link(world, "windsurf", own=True)
    here = link(world, "windsurf")

    config = read(world.home / ".codeium" / "windsurf" / "mcp_config.json")
    assert Path(config["mcpServers"]["engram"]["command"]).name == "engram-mcp"
    assert "Windsurf documents only user-level MCP configuration" in here.text
    assert not (world.project / ".windsurf" / "mcp_config.json").exists()


@pytest.mark.contract("R13")
def test_the_successor_of_windsurf_is_written_where_it_is_there(world: World) -> None:
    folder = world.home / ".config" / "devin"
    assert "devin" not in link(world, "windsurf", own=True).text
    folder.mkdir(parents=True)

    result = link(world, "windsurf", own=True)

    assert ".config/devin/mcp_config.json" in result.text
    assert "engram" in read(folder / "mcp_config.json")["mcpServers"]


@pytest.mark.contract("R14")
def test_without_the_program_a_pinned_launcher_is_registered(world: World) -> None:
    world.variables["PATH"] = ""

    link(world, "mcp", "codex")

    entry = read(world.project / ".mcp.json")["mcpServers"]["engram"]
    assert (entry["command"], entry["args"][:3]) == ("uvx", PINNED)
    table = tomllib.loads((world.project / ".codex" / "config.toml").read_text())
    assert table["mcp_servers"]["engram"]["args"] == PINNED


@pytest.mark.contract("R14", "R18")
@pytest.mark.parametrize("how", ["link", "upgrade"])
def test_an_old_pin_is_renewed_and_what_a_person_added_stays(world: World, how: str) -> None:
    world.variables["PATH"] = ""
    path = world.project / ".mcp.json"
    old = {
        "command": "uvx",
        "args": ["--from", "engram-protocol==0.0.1", "engram-mcp", "--no-elicitation"],
        "env": {"ENGRAM_GLOBAL_DIR": "/mine"},
    }
    path.write_text(json.dumps({"mcpServers": {"engram": old}}))

    if how == "link":
        link(world, "mcp")
    else:
        world.run("upgrade")

    entry = read(path)["mcpServers"]["engram"]
    assert entry == {**old, "args": [*PINNED, "--no-elicitation"]}


@pytest.mark.contract("R18")
def test_an_entry_that_is_somebody_elses_is_replaced_by_force_alone(world: World) -> None:
    path = world.project / ".mcp.json"
    path.write_text('{"mcpServers": {"engram": {"command": "my-own-memory"}}}')
    before = path.read_bytes()

    result = link(world, "mcp")
    world.run("upgrade")
    world.run("unlink", hosts=("mcp",))

    assert "changed by hand" in result.text
    assert path.read_bytes() == before
    link(world, "mcp", force=True)
    assert read(path)["mcpServers"]["engram"]["command"] == "engram-mcp"


def test_an_upgrade_adds_nothing_that_nobody_linked(world: World) -> None:
    (world.project / ".mcp.json").write_text(
        '{"mcpServers": {"engram": {"command": "engram-mcp"}}}'
    )

    result = world.run("upgrade")

    assert "Nothing to change" in result.text
    assert [path.name for path in world.project.iterdir()] == [".mcp.json"]


@pytest.mark.contract("R17")
@pytest.mark.parametrize(
    ("hosts", "no_hook", "expected"),
    [
        (("mcp",), False, True),
        (("copilot",), False, True),
        (("claude",), False, False),
        (("claude",), True, True),
        (("mcp", "claude"), False, False),
    ],
)
def test_always_load_stands_in_for_the_hook(
    world: World, hosts: tuple[str, ...], no_hook: bool, expected: bool
) -> None:
    link(world, *hosts, no_hook=no_hook)

    arguments = read(world.project / ".mcp.json")["mcpServers"]["engram"]["args"]
    assert ("--always-load" in arguments) == expected


@pytest.mark.contract("R17")
def test_always_load_is_not_added_where_the_hook_is_installed_already(world: World) -> None:
    link(world, "claude", own=True)

    link(world, "mcp")

    assert read(world.project / ".mcp.json")["mcpServers"]["engram"]["args"] == []


@pytest.mark.contract("R17")
def test_the_printed_command_has_always_load_without_the_hook_and_nobody_else_has_it(
    world: World,
) -> None:
    told = link(world, "claude", own=True, no_hook=True)
    link(world, "codex", "cursor", "gemini", "windsurf", own=True, no_hook=True)
    link(world, "codex", "cursor", "gemini", "opencode", no_hook=True)

    assert "-- engram-mcp --always-load" in told.text
    files = [path for path in world.home.rglob("*") if path.is_file()]
    assert [path for path in files if "--always-load" in path.read_text("utf-8")] == []


def test_two_hosts_that_share_a_file_let_go_of_it_only_together(world: World) -> None:
    link(world, "claude", "copilot")

    world.run("unlink", hosts=("claude",))
    assert "engram" in read(world.project / ".mcp.json")["mcpServers"]

    world.run("unlink", hosts=("copilot",))
    assert not (world.project / ".mcp.json").exists()


def test_a_hook_is_known_wherever_the_program_lies(world: World) -> None:
    path = world.project / ".claude" / "settings.json"
    path.parent.mkdir()
    old = {"type": "command", "command": "'/old place/engram' agent-hook claude", "timeout": 7}
    mine = {"type": "command", "command": "mine"}
    path.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [mine, old]}]}}))

    link(world, "claude")
    link(world, "claude")

    (group,) = read(path)["hooks"]["SessionStart"]
    assert group["hooks"] == [mine, {**old, "command": "engram agent-hook claude; exit 0"}]
    world.run("unlink", hosts=("claude",))
    assert read(path)["hooks"]["SessionStart"] == [{"hooks": [mine]}]


def test_hooks_of_a_person_and_ours_stand_side_by_side(world: World) -> None:
    path = world.project / ".codex" / "hooks.json"
    path.parent.mkdir()
    mine = {"hooks": [{"type": "command", "command": "mine"}]}
    path.write_text(json.dumps({"hooks": {"SessionStart": [mine, "odd"], "Stop": [mine]}}))

    link(world, "codex")

    hooks = read(path)["hooks"]
    assert hooks["SessionStart"][:2] == [mine, "odd"]  # ours comes last: trust goes by position
    assert len(hooks["SessionStart"]) == 3
    assert hooks["Stop"] == [mine]


def test_an_unknown_host_is_named_with_the_nearest(world: World) -> None:
    with pytest.raises(InvalidRequest) as refused:
        link(world, "cladue")
    assert "claude" in refused.value.hint


@pytest.mark.parametrize(("alias", "host"), [("devin", "windsurf"), ("vscode", "copilot")])
def test_other_names_lead_to_the_same_host(world: World, alias: str, host: str) -> None:
    assert host in link(world, alias, plan=True).text


def test_the_list_shows_every_host_and_how_it_stands(world: World) -> None:
    link(world, "claude")

    told = world.run("link", hosts=("list",))

    rows = {each["host"]: each for each in told.data["hosts"]}  # type: ignore[attr-defined]
    assert rows["claude"]["workspace"] == "current"
    assert rows["codex"]["workspace"] == "absent"
    assert rows["mcp"]["global"] == "none"
    assert all(each["source"] and each["checked"] for each in rows.values())
    assert world.run("link").text == told.text


def test_all_takes_the_hosts_that_are_used_here(world: World) -> None:
    (world.project / ".cursor").mkdir()

    result = link(world, "all", plan=True)

    hosts = {row["host"] for row in result.data["rows"]}  # type: ignore[attr-defined]
    assert hosts == {"cursor", "mcp"}


@pytest.mark.contract("R2")
def test_all_and_back_leaves_a_project_as_it_was(world: World) -> None:
    for name, text in {
        "AGENTS.md": "# Agents",
        "CLAUDE.md": "# Claude\r\n",
        ".mcp.json": '{"mcpServers":{"x":{"command":"y"}}}',
        ".vscode/mcp.json": '{\n\t"servers": {} // mine\n}\n',
        ".cursor/mcp.json": '{\n    "mcpServers": {}\n}\n',
    }.items():
        (world.project / name).parent.mkdir(exist_ok=True)
        (world.project / name).write_bytes(text.encode())
    before = {p: p.read_bytes() for p in world.project.rglob("*") if p.is_file()}

    link(world, "all")
    assert {p: p.read_bytes() for p in world.project.rglob("*") if p.is_file()} != before
    world.run("unlink", hosts=("all",))

    assert {p: p.read_bytes() for p in world.project.rglob("*") if p.is_file()} == before
    assert sorted(p.name for p in world.project.iterdir() if p.is_dir()) == [".cursor", ".vscode"]


def test_a_file_in_the_place_of_a_folder_is_passed_over_with_its_reason(world: World) -> None:
    (world.project / ".clinerules").write_text("mine")

    result = link(world, "cline")

    assert result.exit_status == 0
    (row,) = [row for row in result.data["rows"] if row["purpose"] == "instructions"]  # type: ignore[attr-defined]
    assert row["action"] == "skip"
    assert (world.project / ".clinerules").read_text() == "mine"


def test_a_gate_that_finds_no_place_is_passed_over_with_its_reason(world: World) -> None:
    (world.project / "opencode.json").write_text('{"permission": "ask"}')

    result = link(world, "opencode")

    assert result.exit_status == 0
    (row,) = [row for row in result.data["rows"] if row["purpose"] == "gate"]  # type: ignore[attr-defined]
    assert row["action"] == "skip"
    config = read(world.project / "opencode.json")
    assert config["permission"] == "ask"
    assert "engram" in config["mcp"]


def test_an_edit_that_does_not_read_back_is_not_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.hosts.formats.put", lambda content, *_: content or b"{}")

    result = link(world, "mcp")

    assert result.exit_status != 0
    assert "does not read back" in result.text
    assert not (world.project / ".mcp.json").exists()


def test_unlinking_refuses_a_file_that_it_cannot_read_and_takes_the_others(world: World) -> None:
    link(world, "claude")
    broken = world.project / ".mcp.json"
    broken.write_text("{")

    result = world.run("unlink", hosts=("claude",))

    assert result.exit_status != 0
    assert broken.read_text() == "{"
    assert not (world.project / ".claude").exists()


def test_unlinking_refuses_a_shape_that_leaves_no_safe_place(world: World) -> None:
    path = world.project / ".codex" / "config.toml"
    path.parent.mkdir()
    text = (
        'mcp_servers = { engram = { command = "engram-mcp", args = [], '
        'tools = { engram_commit = { approval_mode = "prompt" } } }, x = { command = "y" } }\n'
    )
    path.write_text(text)

    result = world.run("unlink", hosts=("codex",))

    assert result.exit_status != 0
    assert path.read_text() == text


def test_a_file_of_ours_that_somebody_only_touched_goes_all_the_same(world: World) -> None:
    link(world, "mcp", "gemini", "opencode")
    for name in (".mcp.json", ".gemini/settings.json", "opencode.json", "GEMINI.md"):
        path = world.project / name
        path.write_text(path.read_text() + "\n")

    world.run("unlink", hosts=("all",))

    assert [path for path in world.project.rglob("*") if path.is_file()] == []


def test_a_record_that_lacks_the_way_back_deletes_nothing(world: World, tmp_path: Path) -> None:
    path = world.project / ".mcp.json"
    path.write_text('{"mcpServers": {"x": {"command": "y"}}}')
    link(world, "mcp")
    ledger = tmp_path / "state" / "engram" / "links.json"
    told = read(ledger)
    for each in told["files"].values():
        each.pop("patch", None)
    ledger.write_text(json.dumps(told))

    world.run("unlink", hosts=("mcp",))

    assert read(path) == {"mcpServers": {"x": {"command": "y"}}}


@pytest.mark.parametrize("content", ["{", "[]", '{"files": {"/x": 7}}', '{"files": {"/x": {}}}'])
def test_a_broken_record_is_no_record(world: World, tmp_path: Path, content: str) -> None:
    link(world, "mcp")
    (tmp_path / "state" / "engram" / "links.json").write_text(content)

    world.run("unlink", hosts=("mcp",))

    assert read(world.project / ".mcp.json") == {"mcpServers": {}}


def test_without_a_place_for_the_record_linking_still_works(world: World) -> None:
    world.variables.pop("XDG_STATE_HOME")
    nowhere = replace(world.environment, home="", variables={"PATH": world.variables["PATH"]})
    engram = compose(nowhere)
    chosen = operation("link", "cli")

    chosen.run(engram, Link(("mcp",)))

    assert "engram" in read(world.project / ".mcp.json")["mcpServers"]


def test_an_unreadable_host_stands_so_in_the_list(world: World) -> None:
    link(world, "claude")
    (world.project / ".mcp.json").write_text("{")
    path = world.project / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"engram": {"command": "other"}}}')

    rows = {each["host"]: each for each in link(world, "list").data["hosts"]}  # type: ignore[attr-defined]

    assert rows["claude"]["workspace"] == "unreadable"
    assert rows["cursor"]["workspace"] == "altered"


@pytest.mark.parametrize(
    ("host", "file"),
    [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
    ],
)
@pytest.mark.parametrize("engram", ["", "echo usage >&2; exit 2"], ids=["missing", "another"])
def test_a_hook_s_command_succeeds_without_a_program_that_knows_it(
    world: World, tmp_path: Path, host: str, file: str, engram: str
) -> None:
    link(world, host)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if engram:
        (folder / "engram").write_text(f"#!/bin/sh\n{engram}\n")
        (folder / "engram").chmod(0o755)

    for (group,) in read(world.project / file)["hooks"].values():
        command = ["/bin/sh", "-c", group["hooks"][0]["command"]]
        ended = subprocess.run(command, env={"PATH": str(folder)}, capture_output=True, check=False)

        assert ended.returncode == 0  # any other status can stop a person's prompt
        assert ended.stderr  # it was the program's place that was empty, or taken


def test_codex_gets_a_line_of_its_own_for_the_other_shell(world: World) -> None:
    link(world, "codex")
    (group,) = read(world.project / ".codex" / "hooks.json")["hooks"]["SessionStart"]
    assert group["hooks"][0]["commandWindows"] == "engram agent-hook codex"


@pytest.mark.contract("R7", "R15")
def test_unlinking_claude_names_the_command_for_what_only_claude_may_write(world: World) -> None:
    link(world, "claude", own=True)
    told = world.run("unlink", hosts=("claude",), global_=True)
    assert "claude mcp remove --scope user engram" in told.text
    link(world, "claude")
    assert "claude mcp" not in world.run("unlink", hosts=("claude",)).text
    assert "claude mcp" not in world.run("unlink", hosts=("claude",), global_=True).text
