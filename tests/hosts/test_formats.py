"""One placement in one file: how it stands, and what putting it there leaves alone."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from engram.errors import Damaged
from engram.hosts import formats
from engram.hosts.catalogue import HOSTS
from engram.hosts.formats import ABSENT, ALTERED, CURRENT, STALE, put, remove, state, vector
from engram.hosts.placement import (
    BLOCK,
    ENTRY,
    FILE,
    GATE,
    HOOK,
    INSTRUCTIONS,
    ITEM,
    SERVER,
    TABLE,
    Context,
    Launch,
    Placement,
    group,
    nested,
    one_vector,
    plain,
    table,
    text_of,
    two_shells,
)

CONTEXT = Context(
    Launch(("engram-mcp",)),
    Launch(("engram", "agent-hook", "claude")),
    "1.2.3",
    {INSTRUCTIONS: "Call engram_load."},
)
PINNED = Context(
    Launch(("uvx", "--from", "engram-protocol==2", "engram-mcp")), CONTEXT.hook, "2", CONTEXT.texts
)
SERVER_AT = Placement(SERVER, ENTRY, "x.json", ("mcpServers", "engram"), plain)
TABLE_AT = Placement(SERVER, TABLE, "x.toml", ("mcp_servers", "engram"), table)
GATE_AT = Placement(GATE, ENTRY, "x.json", ("permission", "engram_engram_commit"), lambda _: "ask")
HOOK_AT = Placement(HOOK, ITEM, "x.json", ("hooks", "SessionStart"), group(10))
NAMED_AT = Placement(
    HOOK, ENTRY, "x.json", ("engram",), lambda c: {"SessionStart": [{"command": c.hook.line}]}
)
BLOCK_AT = Placement(INSTRUCTIONS, BLOCK, "X.md", (), text_of(INSTRUCTIONS))
FILE_AT = Placement(INSTRUCTIONS, FILE, "x.md", (), text_of(INSTRUCTIONS))
BARE_AT = Placement(SERVER, FILE, "plugin.json", (), lambda c: f'{{"version": "{c.version}"}}')


def entry(**value: Any) -> bytes:
    return json.dumps({"mcpServers": {"engram": value}}).encode()


@pytest.mark.parametrize(
    ("content", "stands"),
    [
        (None, ABSENT),
        (b"", ABSENT),
        (b"{}", ABSENT),
        (entry(command="engram-mcp", args=[]), CURRENT),
        (entry(command="engram-mcp"), CURRENT),
        (entry(command="engram-mcp", args=[], env={"A": "b"}, disabled=True), CURRENT),
        (entry(command="engram-mcp", args=["--no-elicitation"]), CURRENT),
        (entry(command="/old/bin/engram-mcp", args=[]), STALE),
        (entry(command="C:\\x\\Engram-MCP.exe"), STALE),
        (entry(command="uvx", args=["--from", "engram-protocol==1", "engram-mcp"]), STALE),
        (entry(command="npx", args=["-y", "engram-mcp"]), STALE),
        (entry(command="other"), ALTERED),
        (entry(command="other", args="engram-mcp"), ALTERED),
        (entry(url="https://example.org"), ALTERED),
        (b'{"mcpServers": {"engram": 7}}', ALTERED),
    ],
)
def test_how_a_servers_entry_stands(content: bytes | None, stands: str) -> None:
    assert state(content, SERVER_AT, CONTEXT) == stands


@pytest.mark.parametrize("shape", [plain, nested, one_vector])
def test_a_renewed_entry_keeps_what_a_person_added(shape: Any) -> None:
    at = Placement(SERVER, ENTRY, "x.json", ("s", "engram"), shape)
    content = put(b'{"s": {}}', at, CONTEXT)
    grown = json.loads(content)
    grown["s"]["engram"]["mine"] = {"kept": [1, 2]}
    inner = grown["s"]["engram"].get("transport", grown["s"]["engram"])
    if isinstance(inner["command"], list):
        inner["command"].append("--no-elicitation")
    else:
        inner["args"].append("--no-elicitation")

    renewed = put(json.dumps(grown).encode(), at, PINNED)

    value = json.loads(renewed)["s"]["engram"]
    assert value["mine"] == {"kept": [1, 2]}
    assert vector(value) == [*PINNED.server.words, "--no-elicitation"]
    assert state(renewed, at, PINNED) == CURRENT


@pytest.mark.parametrize("value", [None, 7, [], {}, {"command": 7}, {"command": "x", "args": 7}])
def test_what_starts_nothing_has_no_command_line(value: object) -> None:
    assert vector(value) == []


@pytest.mark.parametrize(
    ("mode", "stands"),
    [("prompt", CURRENT), (None, STALE), ("approve", ALTERED), ("auto", ALTERED)],
)
def test_how_a_table_stands_depends_on_who_is_asked(mode: str | None, stands: str) -> None:
    text = '[mcp_servers.engram]\ncommand = "engram-mcp"\nargs = []\nmine = 1\n'
    if mode:
        text += f'[mcp_servers.engram.tools.engram_commit]\napproval_mode = "{mode}"\n'
    assert state(text.encode(), TABLE_AT, CONTEXT) == stands

    renewed = tomllib.loads(put(text.encode(), TABLE_AT, PINNED).decode())
    server = renewed["mcp_servers"]["engram"]
    assert server["mine"] == 1
    assert server["tools"]["engram_commit"]["approval_mode"] == "prompt"
    assert [server["command"], *server["args"]] == list(PINNED.server.words)


def test_a_table_that_is_somebody_elses_is_replaced_whole() -> None:
    text = b'[mcp_servers.engram]\nurl = "https://example.org"\n'
    assert state(text, TABLE_AT, CONTEXT) == ALTERED
    assert "url" not in put(text, TABLE_AT, CONTEXT).decode()
    assert state(b"", TABLE_AT, CONTEXT) == ABSENT
    assert remove(text, TABLE_AT, CONTEXT) == b""


@pytest.mark.parametrize(
    ("permission", "stands"),
    [
        ({}, ABSENT),
        ({"engram_engram_commit": "ask"}, CURRENT),
        ({"engram_engram_commit": "deny"}, CURRENT),
        ({"engram_engram_commit": "allow"}, ALTERED),
    ],
)
def test_how_a_gate_stands(permission: dict[str, str], stands: str) -> None:
    content = json.dumps({"permission": permission}).encode()
    assert state(content, GATE_AT, CONTEXT) == stands


def test_a_gate_that_has_no_place_is_refused() -> None:
    with pytest.raises(Damaged) as refused:
        put(b'{"permission": "allow"}', GATE_AT, CONTEXT)
    assert refused.value.code == "host.shape"


OURS = {"type": "command", "command": "engram agent-hook claude", "timeout": 10}
MINE = {"type": "command", "command": "mine"}


def hooks(*items: object) -> bytes:
    return json.dumps({"hooks": {"SessionStart": list(items)}}).encode()


@pytest.mark.parametrize(
    ("content", "stands"),
    [
        (b"{}", ABSENT),
        (hooks(), ABSENT),
        (hooks("odd", 7, {"hooks": 7}, {"hooks": [MINE]}), ABSENT),
        (hooks({"hooks": [OURS]}), CURRENT),
        (hooks({"matcher": "x", "hooks": [MINE, {**OURS, "timeout": 99}]}), CURRENT),
        (hooks({"hooks": [{**OURS, "command": "/old/engram agent-hook claude"}]}), STALE),
        (hooks({"hooks": [OURS]}, {"hooks": [OURS]}), STALE),
        (hooks({"hooks": [{**OURS, "command": "engram agent-hook codex"}]}), ABSENT),
    ],
)
def test_how_a_hook_stands(content: bytes, stands: str) -> None:
    assert state(content, HOOK_AT, CONTEXT) == stands


def test_a_hook_twice_becomes_one_and_a_persons_own_stay() -> None:
    old = {**OURS, "command": "'/old place/engram' agent-hook claude", "timeout": 3}
    content = hooks({"hooks": [MINE, old]}, "odd", {"hooks": [OURS]}, {"hooks": [MINE]})

    renewed = json.loads(put(content, HOOK_AT, CONTEXT))["hooks"]["SessionStart"]

    expected = {**old, "command": "engram agent-hook claude"}
    assert renewed == [{"hooks": [MINE, expected]}, "odd", {"hooks": [MINE]}]
    left = remove(content, HOOK_AT, CONTEXT)
    assert left is not None
    assert json.loads(left)["hooks"]["SessionStart"] == [
        {"hooks": [MINE]},
        "odd",
        {"hooks": [MINE]},
    ]


def test_a_group_of_ours_is_renewed_in_place() -> None:
    old = {**OURS, "command": "/old/engram agent-hook claude"}
    renewed = json.loads(put(hooks({"matcher": "x", "hooks": [old]}), HOOK_AT, CONTEXT))
    assert renewed["hooks"]["SessionStart"] == [{"matcher": "x", "hooks": [OURS]}]


def test_a_command_that_stands_alone_is_renewed_in_place() -> None:
    at = Placement(HOOK, ITEM, "x.json", ("hooks", "a"), two_shells(10))
    old = {"bash": "/old/engram agent-hook claude", "mine": 1}
    renewed = json.loads(put(json.dumps({"hooks": {"a": [old]}}).encode(), at, CONTEXT))
    assert renewed["hooks"]["a"] == [
        {
            "bash": "engram agent-hook claude",
            "mine": 1,
            "powershell": "engram agent-hook claude",
        }
    ]


def test_text_that_only_mentions_the_hook_is_not_ours() -> None:
    content = hooks("engram agent-hook claude", {"hooks": ["engram agent-hook claude"]})
    assert state(content, HOOK_AT, CONTEXT) == ABSENT
    assert remove(content, HOOK_AT, CONTEXT) == content


def test_an_entry_without_arguments_gets_none_it_does_not_need() -> None:
    renewed = put(entry(command="/old/engram-mcp"), SERVER_AT, CONTEXT)
    assert json.loads(renewed)["mcpServers"]["engram"] == {"command": "engram-mcp"}


def test_a_list_that_is_none_is_refused() -> None:
    with pytest.raises(Damaged):
        put(b'{"hooks": {"SessionStart": {"mine": 1}}}', HOOK_AT, CONTEXT)
    assert state(b'{"hooks": {"SessionStart": {"mine": 1}}}', HOOK_AT, CONTEXT) == ABSENT


def test_hooks_under_a_name_are_known_by_what_they_run() -> None:
    content = put(None, NAMED_AT, CONTEXT)
    assert state(content, NAMED_AT, CONTEXT) == CURRENT
    older = content.replace(b"engram agent-hook", b"/old/engram agent-hook")
    assert state(older, NAMED_AT, CONTEXT) == STALE
    assert state(b'{"engram": {"mine": 1}}', NAMED_AT, CONTEXT) == ALTERED


def test_how_a_block_stands() -> None:
    content = put(b"# Mine\n", BLOCK_AT, CONTEXT)
    assert state(b"# Mine\n", BLOCK_AT, CONTEXT) == ABSENT
    assert state(content, BLOCK_AT, CONTEXT) == CURRENT
    assert state(content.replace(b"Call", b"Never call"), BLOCK_AT, CONTEXT) == ALTERED
    other = Context(CONTEXT.server, CONTEXT.hook, "2", {INSTRUCTIONS: "Other."})
    assert state(content, BLOCK_AT, other) == STALE
    assert remove(content, BLOCK_AT, CONTEXT) == b"# Mine\n"


def test_how_a_whole_file_stands() -> None:
    content = put(None, FILE_AT, CONTEXT)
    assert state(None, FILE_AT, CONTEXT) == ABSENT
    assert state(content, FILE_AT, CONTEXT) == CURRENT
    assert state(content.replace(b"\n", b"\r\n"), FILE_AT, CONTEXT) == CURRENT
    assert state(content + b"more\n", FILE_AT, CONTEXT) == ALTERED
    other = Context(CONTEXT.server, CONTEXT.hook, "2", {INSTRUCTIONS: "Other."})
    assert state(content, FILE_AT, other) == STALE
    assert remove(content, FILE_AT, CONTEXT) is None
    bare = put(None, BARE_AT, CONTEXT)
    assert state(bare, BARE_AT, CONTEXT) == CURRENT
    assert state(bare, BARE_AT, PINNED) == STALE


def test_a_new_file_starts_with_its_seed() -> None:
    seeded = Placement(HOOK, ITEM, "x.json", ("hooks", "a"), group(1), seed={"version": 1})
    assert json.loads(put(None, seeded, CONTEXT))["version"] == 1
    assert "version" not in json.loads(put(b"{}", seeded, CONTEXT))


def test_only_json_has_containers_to_take_out_again() -> None:
    assert formats.containers(None, BLOCK_AT) == ()
    assert formats.containers(b"{}", SERVER_AT) == (("mcpServers",),)
    assert formats.containers(b"", HOOK_AT) == ((), ("hooks",), ("hooks", "SessionStart"))


@pytest.mark.parametrize("windows", [False, True])
def test_a_command_line_is_quoted_for_its_shell(windows: bool) -> None:
    line = Launch(("/a b/engram", "agent-hook", "claude"), windows).line
    assert line == ('"/a b/engram"' if windows else "'/a b/engram'") + " agent-hook claude"


@pytest.mark.parametrize(
    ("program", "line"), [("C:/a b/engram.exe", '& "C:/a b/engram.exe" x'), ("engram", "engram x")]
)
def test_powershell_is_told_to_run_a_quoted_program(program: str, line: str) -> None:
    assert Launch((program, "x"), windows=True).powershell == line


def test_every_value_of_the_catalogue_can_be_put_and_reads_back() -> None:
    texts = {
        "instructions": "I.",
        "skill": "---\nname: x\n---\nS.",
        "slash command": "---\n---\n$ARGUMENTS",
    }
    for host in HOSTS:
        hook = Launch(("engram", "agent-hook", host.name))
        context = Context(CONTEXT.server, hook, "1", texts)
        for placement in (*host.workspace, *host.personal):
            content = put(None, placement, context)
            assert state(content, placement, context) == CURRENT, (host.name, placement.path)
            assert b"\r" not in content
            assert not content.startswith(b"\xef\xbb\xbf")
