"""Real hosts read what `engram link` writes: the server, the hook, and nothing after `unlink`.

Each test has an empty home, a project under git and a model on the loopback; no login, no network.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts_real.agents import AGENTS, COMMIT, GLOBAL, LOAD, WORKSPACE, Agent, flags_of
from tests.hosts_real.lab import PROMPT, PROPOSED, RULE, START, Lab
from tests.hosts_real.model import SAID

pytestmark = pytest.mark.slow

everywhere = pytest.mark.parametrize(
    ("agent", "scope"),
    [(name, scope) for name in AGENTS for scope in (WORKSPACE, GLOBAL)],
    indirect=["agent"],
)
every_agent = pytest.mark.parametrize("agent", AGENTS, indirect=True)


def has_answered(agent: Agent, *flags: str) -> None:
    """One prompt goes through to the model's answer."""
    said = agent.turn(PROMPT, *flags)
    assert said.status == 0, said
    assert SAID in said.out, said


def foreign(agent: Agent) -> list[str]:
    """What git sees besides what the host makes by itself."""
    return [line for line in agent.lab.changes if line[3:] not in agent.writes]


# The server


@pytest.mark.contract("R1", "R2", "R3", "R4", "R6", "R7", "R8", "R9", "R11")
@everywhere
def test_a_linked_host_lists_the_server(agent: Agent, scope: str) -> None:
    assert not agent.is_connected()
    agent.link(scope)
    assert agent.is_connected(), agent.listed()
    if scope == GLOBAL:
        assert foreign(agent) == []


def test_claude_waits_for_a_person_before_it_starts_a_project_s_server(lab: Lab) -> None:
    claude = AGENTS["claude"](lab)
    lab.engram("link", "claude")
    assert "engram: engram-mcp  - ⏸ Pending approval" in claude.listed()


@pytest.mark.contract("T1", "S5")
@everywhere
def test_a_tool_that_the_model_asks_for_brings_it_a_memory(agent: Agent, scope: str) -> None:
    agent.link(scope)
    agent.lab.model.will_ask_for(LOAD, query=PROMPT)
    has_answered(agent, *agent.to_load)
    assert agent.sees + LOAD in agent.lab.model.offered
    assert RULE in agent.lab.model.results[-1]


# The gate


@pytest.mark.contract("A5", "A7", "R9")
@pytest.mark.parametrize(
    ("agent", "scope", "flags", "refusal"),
    [
        ("claude", WORKSPACE, "", "MCPTool requires permission."),
        ("claude", GLOBAL, "", "MCPTool requires permission."),
        ("claude", WORKSPACE, "--permission-mode bypassPermissions", "requires permission"),
        ("claude", WORKSPACE, "--allowedTools mcp__engram__*", "requires permission"),
        ("codex", WORKSPACE, "", "requires approval, but approval policy is never"),
        ("codex", GLOBAL, "", "requires approval, but approval policy is never"),
        ("gemini", GLOBAL, "", "requires user confirmation"),
        ("gemini", GLOBAL, "--allowed-mcp-server-names engram", "requires user confirmation"),
        ("gemini", GLOBAL, "--yolo", "requires user confirmation"),
        ("opencode", WORKSPACE, "", "The user rejected permission"),
        ("opencode", GLOBAL, "", "The user rejected permission"),
        ("copilot", WORKSPACE, "", "Permission denied"),
        ("copilot", GLOBAL, "", "Permission denied"),
    ],
    indirect=["agent"],
)
def test_a_commit_that_the_model_asks_for_is_not_run(
    agent: Agent, scope: str, flags: str, refusal: str
) -> None:
    agent.link(scope)
    before = agent.lab.memories
    with agent.lab.proposed() as (peer, token):
        agent.lab.model.will_ask_for(COMMIT, approval_token=token, approve=[1])
        said = agent.turn(PROMPT, *flags.split())

        assert agent.lab.model.asked, said
        assert refusal in said.out + said.err + "".join(agent.lab.model.results)
        assert agent.lab.memories == before
        # It was the host that stood in the way: the token is as good as before.
        peer.call("engram_commit", approval_token=token, approve=[1])
        assert PROPOSED in "".join(map(bytes.decode, agent.lab.memories.values()))


@pytest.mark.contract("R9")
def test_what_codex_calls_approve_asks_nobody(lab: Lab) -> None:
    """Why `link` writes another word than the one that was specified."""
    codex = AGENTS["codex"](lab)
    codex.link(GLOBAL)
    file = lab.home / ".codex" / "config.toml"
    file.write_text(file.read_text("utf-8").replace('"prompt"', '"approve"'), "utf-8")
    with lab.proposed() as (_, token):
        lab.model.will_ask_for(COMMIT, approval_token=token, approve=[1])
        has_answered(codex)
    assert PROPOSED in "".join(map(bytes.decode, lab.memories.values())), lab.model.results


def test_gemini_offers_no_tool_of_a_server_unless_it_is_told_to(lab: Lab) -> None:
    gemini = AGENTS["gemini"](lab)
    gemini.link(WORKSPACE)
    lab.model.will_ask_for(COMMIT)
    has_answered(gemini)
    assert not any("engram" in name for name in lab.model.offered)


def test_without_the_person_s_policy_gemini_commits_where_the_server_is_allowed(lab: Lab) -> None:
    """Why linking globally writes that policy, and linking a project tells of it."""
    gemini = AGENTS["gemini"](lab)
    told = gemini.link(WORKSPACE)
    with lab.proposed() as (_, token):
        lab.model.will_ask_for(COMMIT, approval_token=token, approve=[1])
        said = gemini.turn(PROMPT, *gemini.to_load)
    assert PROPOSED in "".join(map(bytes.decode, lab.memories.values())), (said, lab.model.results)
    assert "engram link gemini --global" in told.out


def test_gemini_takes_numbers_for_the_choice_of_a_commit_and_no_word(lab: Lab) -> None:
    gemini = AGENTS["gemini"](lab)
    gemini.link(WORKSPACE)
    lab.model.will_ask_for(COMMIT, approval_token="0" * 48, approve="all")
    has_answered(gemini, *gemini.to_load)
    assert "params/approve must be array" in lab.model.results[-1]


# The hook


@pytest.mark.contract("N5")
@everywhere
def test_the_hook_s_text_is_in_the_request_once(agent: Agent, scope: str) -> None:
    agent.link(scope)
    has_answered(agent)
    texts = [json.dumps(f"\n- {each}")[1:-1] for each in (START, RULE)]
    assert [agent.lab.model.most(text) for text in texts] == [1, 1]


def test_codex_runs_no_hook_that_the_person_has_not_trusted(lab: Lab) -> None:
    codex = AGENTS["codex"](lab)
    told = codex.link(WORKSPACE).out
    said = codex.run("codex", "exec", PROMPT)
    assert SAID in said.out, said
    assert lab.model.most(RULE) == 0
    assert "trust the hooks in /hooks" in told


@pytest.mark.parametrize(
    "script",
    [
        "",
        "echo oops >&2; exit 1",
        "echo oops >&2; exit 2",
        "echo '{ this is no JSON'",
        "kill -9 $$",
    ],
    ids=["is missing", "fails", "is another program", "speaks nonsense", "dies"],
)
@every_agent
def test_a_hook_that_fails_stands_in_nobody_s_way(agent: Agent, script: str) -> None:
    agent.link(WORKSPACE)
    agent.lab.breaks(script)
    has_answered(agent)
    assert agent.lab.model.most(RULE) == 0


def test_the_plugin_gives_up_a_hook_that_never_ends(lab: Lab) -> None:
    opencode = AGENTS["opencode"](lab)
    opencode.link(WORKSPACE)
    lab.breaks("exec sleep 600")
    has_answered(opencode)


# Afterwards


@pytest.mark.contract("R15")
@everywhere
def test_a_host_that_was_unlinked_knows_nothing_of_it(agent: Agent, scope: str) -> None:
    lab = agent.lab
    places = planned(lab, agent.name, scope)
    before = {place: content(place) for place in places}
    agent.link(scope)
    has_answered(agent)  # the host may write into these files as well
    again = lab.engram("link", agent.name, *flags_of(scope))
    assert "Nothing to change." in again.out

    agent.unlink(scope)

    assert {place: content(place) for place in places} == before
    assert foreign(agent) == []
    assert "engram" not in agent.listed().replace(str(lab.home), "")
    lab.model.will_ask_for(LOAD, query=PROMPT)
    has_answered(agent, *agent.to_load)
    assert not lab.model.asked
    assert lab.model.most(RULE) == 0


def planned(lab: Lab, host: str, scope: str) -> list[str]:
    """The files that linking would write."""
    told = lab.engram("link", host, "--plan", "--json", *flags_of(scope)).out
    files: list[str] = json.loads(told)["data"]["files"]
    assert files
    return files


def content(place: str) -> bytes | None:
    path = Path(place)
    return path.read_bytes() if path.exists() else None
