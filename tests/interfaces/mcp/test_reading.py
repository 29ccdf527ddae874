"""What an agent reads over MCP: tools, resources and the prompt, on a real store over real pipes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.cli import Machine
from tests.support.mcp_peer import Message, Peer
from tests.support.world import World

LINT = "run-make-lint-before-every-push"
RUSSIAN = "выкладка-останавливается-по-пятницам"
PLACES = ["Alder", "Birch", "Cedar", "Maple", "Rowan", "Willow"]
MEMORIES = 9
OLD_VERSIONS = ["2024-11-05", "2025-03-26"]
NEW_VERSIONS = ["2025-06-18", "2025-11-25"]


@pytest.fixture
def world(home: Any) -> World:
    world = World(home).with_store()
    world.save("Run make lint before every push.", type="rule")
    world.save("Выкладка останавливается по пятницам.", type="rule")
    world.save("Staging runs in the second region. " * 40, type="knowledge")
    for place in PLACES:
        world.save(f"Region note of {place}: lorem ipsum.", type="knowledge")
    assert len(world.memories()) == MEMORIES
    return world


@pytest.fixture
def server(world: World) -> Iterator[Peer]:
    with Peer(cwd=world.project) as peer:
        peer.shake_hands()
        yield peer


def text(result: Message) -> str:
    told: str = result["content"][0]["text"]
    return told


def data(result: Message) -> Message:
    told: Message = result["structuredContent"]["data"]
    return told


@pytest.mark.contract("T1", "S1", "S2")
@pytest.mark.parametrize("modern", [False, True])
def test_a_load_gives_the_text_and_names_what_was_chosen(server: Peer, modern: bool) -> None:
    result = server.call("engram_load", modern=modern, query="what must happen before a push")

    assert "Run make lint before every push." in text(result)
    envelope = result["structuredContent"]
    assert set(envelope) == {"contract_version", "ok", "data", "diagnostics"}
    assert envelope["ok"] is True
    told = data(result)
    assert told["selected_keys"] == [f"workspace:{LINT}"]
    assert told["body_keys"] == [f"workspace:{LINT}"]
    assert told["card_ids"] == told["omitted_ids"] == []
    assert 0 < told["tokens"] < 400


@pytest.mark.contract("T1")
@pytest.mark.parametrize("arguments", [{}, {"query": " "}, {"query": "", "id": ""}])
def test_a_load_of_nothing_says_what_is_needed(server: Peer, arguments: Message) -> None:
    refused = server.call("engram_load", **arguments)

    assert refused["isError"]
    assert "query" in text(refused)
    assert "id" in text(refused)


@pytest.mark.contract("T1")
def test_an_unrelated_task_loads_nothing(server: Peer) -> None:
    result = server.call("engram_load", query="translate a poem about rivers")
    assert data(result)["selected_keys"] == []
    assert text(result) == "No memory matches this task."


@pytest.mark.contract("T10")
def test_a_budget_bounds_the_whole_answer_and_means_nothing_with_an_id(server: Peer) -> None:
    id = next(iter(data(server.call("engram_search", query="staging region"))["entries"]))["id"]

    small = server.call("engram_load", query="staging second region", budget_tokens=60)
    whole = server.call("engram_load", id=id, budget_tokens=1)

    assert data(small)["tokens"] <= 60
    assert text(whole).count("Staging runs in the second region.") == 40
    for wrong in (0, -1, 100_001, "60", 1.5, True):
        assert server.call("engram_load", query="x", budget_tokens=wrong)["isError"]


@pytest.mark.contract("T10", "T11")
def test_disclosure_decides_between_bodies_and_cards(server: Peer) -> None:
    asked: Message = {"query": "region note lorem ipsum"}
    tiered = data(server.call("engram_load", **asked))
    cards = data(server.call("engram_load", disclosure="cards", **asked))
    bodies = data(server.call("engram_load", disclosure="bodies", **asked))
    full = data(server.call("engram_load", full=True, **asked))

    assert cards["body_keys"] == []
    assert len(cards["card_ids"]) == len(cards["selected_keys"]) > 3
    assert len(bodies["body_keys"]) == len(bodies["selected_keys"])
    assert len(full["body_keys"]) >= len(tiered["body_keys"]) > 0
    assert server.call("engram_load", disclosure="everything", **asked)["isError"]


def test_an_explanation_names_why_each_was_chosen(server: Peer) -> None:
    result = server.call("engram_load", query="before a push", explain=True)
    assert "Chosen:" in text(result)
    assert "Not chosen:" in text(result)


@pytest.mark.contract("T2", "T3", "S3")
def test_route_and_search_give_entries_with_id_type_scope_and_score(server: Peer) -> None:
    routed = data(server.call("engram_route", query="fix the lint before a push"))
    found = data(server.call("engram_search", query="lint push"))
    narrow = data(server.call("engram_search", query="region", type="rule"))
    one = data(server.call("engram_search", query="region", limit=1))

    for told in (routed, found):
        first = told["entries"][0]
        assert {"id", "type", "scope", "score"} <= first.keys()
        assert (first["id"], first["type"], first["scope"]) == (LINT, "rule", "workspace")
        assert first["score"] > 0
    assert routed["task_type"]
    assert narrow["entries"] == []
    assert len(one["entries"]) == 1


@pytest.mark.contract("S3")
def test_route_is_in_load_order_with_prerequisites_first(server: Peer, world: World) -> None:
    world.run(
        "save-session",
        text=f"TYPE: skill | TEXT: Push the docs with make push-docs. | DEPENDS_ON: {LINT}",
        force=True,
    )
    ids = [
        each["id"] for each in data(server.call("engram_route", query="push the docs"))["entries"]
    ]
    assert ids.index(LINT) < ids.index("push-the-docs-with-make-push-docs")


@pytest.mark.contract("T4")
def test_status_and_verify_report(server: Peer) -> None:
    status, verified = server.call("engram_status"), server.call("engram_verify")

    assert data(status)["stores"][0]["memories"] == MEMORIES
    assert data(verified)["checked"] == MEMORIES
    assert data(verified)["findings"] == []
    assert f"{MEMORIES} memories checked" in text(verified)


@pytest.mark.contract("S4")
@pytest.mark.parametrize("version", [*OLD_VERSIONS, *NEW_VERSIONS])
def test_older_clients_get_what_their_version_has(world: World, version: str) -> None:
    with Peer(cwd=world.project) as peer:
        peer.shake_hands(version)
        tools = peer.result("tools/list")["tools"]
        result = peer.call("engram_search", query="lint")

    knows = version in NEW_VERSIONS
    assert ("structuredContent" in result) == knows
    assert all(("title" in each) == knows for each in tools)
    assert not any("outputSchema" in each for each in tools)


@pytest.mark.contract("S5")
def test_structure_and_text_hold_the_same(server: Peer) -> None:
    calls: tuple[tuple[str, Message], ...] = (
        ("engram_load", {"query": "lint before a push"}),
        ("engram_search", {"query": "lint"}),
        ("engram_status", {}),
        ("engram_save", {"text": "Deploys stop on Fridays."}),
    )
    for tool, arguments in calls:
        result = server.call(tool, **arguments)
        assert data(result)["text"] == text(result)
    refused = server.call("engram_search", query=" ")
    assert refused["isError"]
    assert "Say what to look for." in text(refused)


@pytest.mark.contract("T7", "T12")
def test_roles_and_variants_are_set_and_ask_for_a_reload(server: Peer) -> None:
    role = server.call("engram_set_role", roles=["backend"])
    variant = server.call("engram_set_rule_variant", variant="strict")

    assert "Agent action:" in text(role).splitlines()[-1]
    assert "Agent action:" in text(variant).splitlines()[-1]
    assert server.call("engram_set_rule_variant", variant="loud")["isError"]


def test_an_unknown_argument_is_refused_with_the_nearest(server: Peer) -> None:
    refused = server.call("engram_load", querry="x")
    assert refused["isError"]
    assert "query" in text(refused)


@pytest.mark.contract("F2")
@pytest.mark.parametrize("modern", [False, True])
def test_the_index_lists_cards_and_a_memory_reads_as_the_load_gives_it(
    server: Peer, modern: bool
) -> None:
    index = server.result("resources/read", {"uri": "engram://index"}, modern=modern)
    memory = server.result("resources/read", {"uri": f"engram://memory/{LINT}"}, modern=modern)

    lines = index["contents"][0]["text"].splitlines()
    assert len(lines) == MEMORIES
    assert memory["contents"][0]["text"] == text(server.call("engram_load", id=LINT))


@pytest.mark.contract("F2")
def test_a_memory_of_any_script_is_read_by_its_escaped_name(server: Peer) -> None:
    uri = f"engram://memory/{quote(RUSSIAN)}"
    assert "пятницам" in server.result("resources/read", {"uri": uri})["contents"][0]["text"]


@pytest.mark.contract("F2")
@pytest.mark.parametrize(
    "uri",
    [
        "engram://memory/none",
        "engram://memory/",
        "engram://other",
        "engram://memory/%4",
        "engram://memory/%",
        "engram://memory/%zz",
        "engram://memory/%ff",
        "x",
        "%",
    ],
)
def test_a_resource_that_is_not_there_is_an_error(server: Peer, uri: str) -> None:
    assert server.error("resources/read", {"uri": uri})["code"] in (-32002, -32602)


@pytest.mark.contract("F2", "F3")
def test_reading_counts_and_the_list_has_the_most_used_first(server: Peer) -> None:
    for _ in range(3):
        server.result("resources/read", {"uri": f"engram://memory/{quote(RUSSIAN)}"})

    listed = server.result("resources/list")["resources"]

    assert listed[0]["uri"] == "engram://index"
    assert listed[1]["uri"] == f"engram://memory/{quote(RUSSIAN)}"
    assert len(listed) == MEMORIES + 1
    templates = server.result("resources/templates/list")["resourceTemplates"]
    assert [each["uriTemplate"] for each in templates] == ["engram://memory/{id}"]


@pytest.mark.contract("F3")
@pytest.mark.parametrize(("limit", "expected"), [(0, 1), (3, 4)])
def test_the_setting_bounds_the_list(world: World, limit: int, expected: int) -> None:
    world.run("config", action="set", key="mcp.resource_limit", value=str(limit))
    variables = {"XDG_CONFIG_HOME": str(world.home / ".config")}
    with Peer(cwd=world.project, variables=variables) as peer:
        peer.shake_hands()
        assert len(peer.result("resources/list")["resources"]) == expected


@pytest.mark.contract("F4")
@pytest.mark.parametrize("modern", [False, True])
def test_the_one_prompt_teaches_the_protocol(server: Peer, modern: bool) -> None:
    listed = server.result("prompts/list", modern=modern)["prompts"]
    told = server.result("prompts/get", {"name": "propose"}, modern=modern)

    assert [each["name"] for each in listed] == ["propose"]
    taught = told["messages"][0]["content"]["text"]
    assert "TYPE: rule | TEXT:" in taught
    assert "Never approve for the person" in taught


def test_the_command_lines_json_is_the_structured_content(world: World, server: Peer) -> None:
    machine = Machine(world.home.parent)
    machine.project.mkdir(exist_ok=True)
    run = machine.engram("search", "lint push", "--json", cwd=world.project)

    told = json.loads(run.out)
    over_mcp = server.call("engram_search", query="lint push")["structuredContent"]
    assert told["data"]["entries"] == over_mcp["data"]["entries"]
    assert set(told) == set(over_mcp)


def test_without_a_store_an_agent_is_told_who_sets_it_up(home: Any) -> None:
    world = World(home)
    with Peer(cwd=world.project) as peer:
        peer.shake_hands()
        result = peer.call("engram_load", query="x y z")

    assert "engram inject" in str(result["structuredContent"]["diagnostics"])
    assert any("engram inject" in each["text"] for each in result["content"])
    assert list(world.project.iterdir()) == []
