"""Each method in both eras, through a server inside the test's process; the schemas judge along."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engram.errors import EngramError, InvalidRequest, Unavailable
from engram.interfaces.mcp.registry import Argument, Prompt, Registry, Resource, Tool
from engram.interfaces.mcp.tools import failed
from tests.support.mcp_inside import Inside
from tests.support.mcp_peer import KEY, Message, a_request, an_envelope
from tests.support.mcp_schemas import LEGACY, MODERN

ERAS = [False, True]
FIRST, ANNOTATED, STRUCTURED, NEWEST = LEGACY


@pytest.fixture
def inside() -> Inside:
    return Inside()


# The handshake and the discovery


@pytest.mark.contract("P1", "P8")
@pytest.mark.parametrize("version", [*LEGACY, MODERN, "1999-01-01"])
def test_initialize_answers_the_version_that_is_spoken_from_then_on(
    inside: Inside, version: str
) -> None:
    told = inside.shake_hands(version)
    assert told["protocolVersion"] == (version if version in LEGACY else NEWEST)
    assert told["serverInfo"]["name"] == "engram"
    assert told["instructions"] == "A fixture."
    assert inside.call("echo", text="x")["content"] == [{"type": "text", "text": "x"}]
    assert inside.methods.legacy.version == told["protocolVersion"]


def test_a_second_handshake_replaces_the_first(inside: Inside) -> None:
    inside.shake_hands(FIRST, sampling={})
    inside.shake_hands(NEWEST)
    assert inside.methods.legacy.version == NEWEST
    assert inside.methods.legacy.capabilities == {}


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 5, "capabilities": []}])
def test_a_sparse_handshake_is_one(inside: Inside, params: Message) -> None:
    assert inside.result("initialize", params)["protocolVersion"] == NEWEST


@pytest.mark.contract("P2", "P4", "I1")
def test_discover_tells_the_modern_versions_and_what_is_offered(inside: Inside) -> None:
    told = inside.result("server/discover", modern=True)
    assert told["supportedVersions"] == [MODERN]
    assert told["instructions"] == inside.shake_hands()["instructions"]
    assert told["capabilities"]["resources"] == {}, "nothing is listened to"
    assert told["resultType"] == "complete"
    assert told["_meta"][KEY + "serverInfo"]["version"] == "1.0"


@pytest.mark.contract("P6")
@pytest.mark.parametrize("method", ["ping", "initialize", "echo", "logging/setLevel", "no/such"])
def test_the_modern_era_knows_no_method_of_the_legacy_one(inside: Inside, method: str) -> None:
    assert inside.error(method, {"level": "info"}, modern=True)["code"] == -32601
    assert inside.methods.legacy.version == NEWEST


@pytest.mark.contract("P6")
def test_discover_without_its_envelope_lacks_parameters(inside: Inside) -> None:
    assert inside.error("server/discover")["code"] == -32602
    assert inside.error("subscriptions/listen")["code"] == -32602
    assert inside.error("subscriptions/listen", modern=True)["code"] == -32601


def test_the_legacy_era_is_served_before_and_without_a_handshake(inside: Inside) -> None:
    assert inside.result("ping") == {}
    assert inside.result("tools/list")["tools"][0]["name"] == "echo"


@pytest.mark.contract("P2", "P11")
def test_neither_era_leaves_a_trace_in_the_other(inside: Inside) -> None:
    inside.shake_hands(FIRST, elicitation={})
    modern = inside.call("echo", modern=True, text="x")
    assert modern["structuredContent"]["version"] == MODERN
    legacy = inside.call("echo", text="x")
    assert legacy == {"content": [{"type": "text", "text": "x"}]}
    assert inside.methods.legacy.version == FIRST
    no_forms = inside.call("ask", modern=True)
    assert no_forms["content"][0]["text"] == "no dialog"


# What stands behind a capability


@pytest.mark.parametrize("modern", ERAS)
@pytest.mark.parametrize(
    "method",
    [
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "completion/complete",
    ],
)
def test_a_method_whose_capability_is_not_offered_is_not_found(
    method: str, *, modern: bool
) -> None:
    inside = Inside(Registry("", {}))
    assert inside.error(method, modern=modern)["code"] == -32601
    assert inside.error("no/such", modern=modern)["code"] == -32601


@pytest.mark.parametrize("modern", ERAS)
def test_an_empty_registry_lists_nothing_and_reads_nothing(*, modern: bool) -> None:
    inside = Inside(Registry("", {"tools": {}, "resources": {}, "prompts": {}}))
    for method, member in (
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ):
        assert inside.result(method, modern=modern)[member] == []
    missing = inside.error("resources/read", {"uri": "x://y"}, modern=modern)
    assert missing["code"] == (-32602 if modern else -32002)
    assert missing["data"] == {"uri": "x://y"}


def test_further_methods_are_served_by_name(inside: Inside) -> None:
    assert inside.result("logging/setLevel", {"level": "debug"}) == {}
    assert inside.result("completion/complete", modern=True)["completion"]["values"] == []
    assert inside.result("resources/subscribe", {"uri": "x://y"}) == {}
    assert inside.error("resources/subscribe", {"uri": "x://y"}, modern=True)["code"] == -32601


# Lists


@pytest.mark.parametrize("modern", ERAS)
@pytest.mark.parametrize(
    "method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
)
def test_a_list_is_whole_and_a_cursor_is_none_of_ours(
    inside: Inside, method: str, *, modern: bool
) -> None:
    whole = inside.result(method, modern=modern)
    assert "nextCursor" not in whole
    assert inside.result(method, {"cursor": None}, modern=modern) == whole
    for cursor in ("", "x", 0, [1]):
        refused = inside.error(method, {"cursor": cursor}, modern=modern)
        assert (refused["code"], "cursor" in refused["message"]) == (-32602, True)


def test_the_registry_is_asked_for_its_tools_and_prompts_once() -> None:
    asked: list[str] = []

    def tools() -> list[Tool]:
        asked.append("tools")
        return []

    def prompts() -> list[Prompt]:
        asked.append("prompts")
        return []

    offered = Registry("", {"tools": {}, "prompts": {}}, tools=tools, prompts=prompts)
    inside = Inside(offered)
    inside.shake_hands()
    inside.result("server/discover", modern=True)
    assert asked == []
    for _ in range(2):
        inside.result("tools/list")
        inside.error("tools/call", {"name": "x"})
        inside.result("prompts/list")
        inside.error("prompts/get", {"name": "x"})
    assert asked == ["tools", "prompts"]


def test_a_tool_tells_all_that_it_has_and_nothing_empty() -> None:
    schema = {"type": "object"}
    full = Tool(
        "full",
        "Does.",
        schema,
        lambda _a, _c: {},
        title="Full",
        annotations={"readOnlyHint": False},
        meta={"own": 1},
        output_schema=schema,
    )
    assert full.described() == {
        "name": "full",
        "title": "Full",
        "description": "Does.",
        "inputSchema": schema,
        "outputSchema": schema,
        "annotations": {"readOnlyHint": False},
        "_meta": {"own": 1},
    }
    bare = Resource("x://y", "y")
    assert bare.described() == {"uri": "x://y", "name": "y"}
    assert Argument("a", required=True).described() == {"name": "a", "required": True}
    assert Argument("a").described() == {"name": "a"}


# Tools


@pytest.mark.contract("P10")
@pytest.mark.parametrize("modern", ERAS)
@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({}, "“name” must be text"),
        ({"name": 5}, "“name” must be text"),
        ({"name": "no_such"}, "Unknown tool: no_such"),
        ({"name": "echo", "arguments": []}, "“arguments” must be an object"),
        ({"name": "echo", "arguments": "x"}, "“arguments” must be an object"),
    ],
)
def test_a_malformed_tool_call_is_refused(
    inside: Inside, params: Message, told: str, *, modern: bool
) -> None:
    refused = inside.error("tools/call", params, modern=modern)
    assert refused["code"] == -32602
    assert told in refused["message"]


@pytest.mark.parametrize("params", [{"name": "echo"}, {"name": "echo", "arguments": None}])
def test_a_tool_needs_no_arguments(inside: Inside, params: Message) -> None:
    assert inside.result("tools/call", params)["content"] == [{"type": "text", "text": ""}]


@pytest.mark.parametrize("modern", ERAS)
def test_what_a_model_can_mend_is_a_result_that_says_so(inside: Inside, *, modern: bool) -> None:
    result = inside.call("wrong", modern=modern)
    assert result["isError"] is True
    assert result["content"][0]["text"] == "It is wrong.\nhint: Mend it."


@pytest.mark.parametrize("modern", ERAS)
@pytest.mark.parametrize(
    ("tool", "where"),
    [("bug", "mcp_fixture.py:"), ("leave", "mcp_fixture.py:"), ("endless", "encoder.py:")],
)
def test_a_bug_is_an_internal_error_without_its_details(
    inside: Inside, capfd: pytest.CaptureFixture[str], tool: str, where: str, *, modern: bool
) -> None:
    refused = inside.error("tools/call", {"name": tool}, modern=modern)
    assert refused == {"code": -32603, "message": "Internal error; see engram-mcp's log."}
    logged = capfd.readouterr().err
    assert logged.startswith("engram-mcp: unexpected error in tools/call: ")
    assert where in logged
    assert inside.call("echo", text="goes on")["content"][0]["text"] == "goes on"


def test_half_a_surrogate_pair_of_a_tool_leaves_as_a_replacement(inside: Inside) -> None:
    (block,) = inside.call("half")["content"]
    assert block["text"] == "half a pair: \ufffd, a whole one: \U0001f600"


@pytest.mark.contract("S4")
@pytest.mark.parametrize("version", LEGACY)
def test_a_tools_list_holds_what_its_version_knows(inside: Inside, version: str) -> None:
    inside.shake_hands(version)
    tools = {each["name"]: each for each in inside.result("tools/list")["tools"]}
    assert ("title" in tools["ask"]) is (version >= STRUCTURED)
    assert "outputSchema" not in tools["odd_schema"]
    result = inside.call("blocks")
    assert "structuredContent" not in result
    kinds = [block["type"] for block in result["content"]]
    assert (
        kinds
        == {
            FIRST: ["text", "text", "text"],
            ANNOTATED: ["text", "audio", "text"],
            STRUCTURED: ["text", "audio", "resource_link"],
            NEWEST: ["text", "audio", "resource_link"],
        }[version]
    )


# A bare call


@pytest.mark.contract("P9")
@pytest.mark.parametrize("version", LEGACY)
def test_a_bare_call_returns_plain_text(inside: Inside, version: str) -> None:
    inside.shake_hands(version)
    assert inside.result("echo", {"text": "Grüße", "_meta": {"progressToken": 1}}) == "Grüße"
    assert inside.result("blocks") == "blocks"


def test_a_bare_call_hands_over_no_meta() -> None:
    handed: list[Any] = []

    def run(arguments: Any, _call: object) -> Message:
        handed.append(dict(arguments))
        return {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}

    inside = Inside(Registry("", {"tools": {}}, tools=lambda: [Tool("t", "", {}, run)]))
    assert inside.result("t", {"a": 1, "_meta": {}}) == "a\n\nb"
    assert handed == [{"a": 1}]


@pytest.mark.contract("P9", "P10")
@pytest.mark.parametrize(
    ("code", "number"), [("input.unknown", -32602), ("store.locked", -32000), ("", -32000)]
)
def test_a_bare_call_that_fails_is_an_error_with_the_tools_text(
    inside: Inside, code: str, number: int
) -> None:
    refused = inside.error("wrong", {"text": code})
    assert refused["code"] == number
    assert refused["message"] == "It is wrong.\nhint: Mend it."
    assert refused["data"]["code"] == code


def test_a_bare_call_that_fails_without_a_structured_result_has_no_data() -> None:
    def run(_arguments: object, _call: object) -> Message:
        return {"content": [{"type": "text", "text": "No."}], "isError": True}

    inside = Inside(Registry("", {"tools": {}}, tools=lambda: [Tool("t", "", {}, run)]))
    assert inside.error("t") == {"code": -32000, "message": "No."}


# Prompts


@pytest.mark.parametrize("modern", ERAS)
def test_a_prompt_is_filled_in(inside: Inside, *, modern: bool) -> None:
    params = {"name": "test_prompt_with_arguments", "arguments": {"arg1": "a", "arg2": "b"}}
    (message,) = inside.result("prompts/get", params, modern=modern)["messages"]
    assert message["content"]["text"] == "arg1='a', arg2='b'"


@pytest.mark.parametrize("modern", ERAS)
@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({}, "“name” must be text"),
        ({"name": "no_such"}, "Unknown prompt"),
        ({"name": "test_prompt_with_arguments", "arguments": {"arg1": "a"}}, "“arg2” is missing"),
        ({"name": "test_simple_prompt", "arguments": {"extra": 5}}, "are texts"),
        ({"name": "test_simple_prompt", "arguments": [1]}, "must be an object"),
    ],
)
def test_a_malformed_prompt_request_is_refused(
    inside: Inside, params: Message, told: str, *, modern: bool
) -> None:
    refused = inside.error("prompts/get", params, modern=modern)
    assert (refused["code"], told in refused["message"]) == (-32602, True)


def test_a_prompt_of_sound_is_told_in_words_where_there_is_no_sound(inside: Inside) -> None:
    kinds = []
    for version in LEGACY:
        inside.shake_hands(version)
        (message,) = inside.result("prompts/get", {"name": "audible"})["messages"]
        kinds.append(message["content"]["type"])
    assert kinds == ["text", "audio", "audio", "audio"]


# Resources


@pytest.mark.parametrize("modern", ERAS)
def test_a_resource_is_read(inside: Inside, *, modern: bool) -> None:
    uri = "test://template/7/data"
    (content,) = inside.result("resources/read", {"uri": uri}, modern=modern)["contents"]
    assert content["uri"] == uri
    assert json.loads(content["text"])["id"] == "7"


@pytest.mark.parametrize("modern", ERAS)
def test_a_resource_that_is_not_there_is_named(inside: Inside, *, modern: bool) -> None:
    refused = inside.error("resources/read", {"uri": "test://none"}, modern=modern)
    assert refused["code"] == (-32602 if modern else -32002)
    assert refused["data"] == {"uri": "test://none"}
    assert inside.error("resources/read", {}, modern=modern)["code"] == -32602


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (InvalidRequest("a.b", "It is broken.", hint="Mend it."), -32602, "It is broken. Mend it."),
        (Unavailable("a.b", "The disk is away."), -32603, "The disk is away."),
    ],
)
def test_what_fails_on_purpose_outside_a_tool_is_told_with_its_hint(
    failure: EngramError, code: int, told: str
) -> None:
    def fail(*_: object) -> Any:
        raise failure

    inside = Inside(
        Registry(
            "",
            {"resources": {}, "prompts": {}},
            prompts=lambda: [Prompt("p", fail)],
            resources=fail,
            read=fail,
        )
    )
    for method, params in (
        ("resources/list", {}),
        ("resources/read", {"uri": "x://y"}),
        ("prompts/get", {"name": "p"}),
    ):
        refused = inside.error(method, params)
        assert refused == {"code": code, "message": told, "data": {"code": "a.b"}}


def test_a_failed_tool_says_all_in_its_text() -> None:
    assert failed(InvalidRequest("a.b", "No."))["content"] == [{"type": "text", "text": "No."}]


# The envelope, end to end


@pytest.mark.contract("P3", "P5")
@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({KEY + "protocolVersion": MODERN}, -32602),
        (an_envelope(7), -32602),
        (an_envelope("1999-01-01"), -32022),
    ],
)
def test_a_wrong_envelope_is_answered_before_the_method_is_looked_at(
    inside: Inside, meta: Message, code: int
) -> None:
    for method in ("tools/list", "no/such", "ping"):
        assert inside.error(method, {"_meta": meta})["code"] == code


def test_progress_goes_forward_only_and_with_words_where_they_are_known(inside: Inside) -> None:
    inside.shake_hands(FIRST)
    request = a_request(99, "tools/call", {"name": "steps", "_meta": {"progressToken": "t"}})
    *told, _ = inside.send(request)
    assert [each["params"] for each in told] == [
        {"progressToken": "t", "progress": done, "total": 100} for done in (0, 50, 100)
    ]
    inside.shake_hands(ANNOTATED)
    *told, _ = inside.send(request)
    assert told[0]["params"]["message"] == "step 0"
    *told, _ = inside.send(a_request(9, "tools/call", request["params"], modern=True))
    assert [each["params"]["progress"] for each in told] == [0, 50, 100]


@pytest.mark.parametrize("meta", [None, [], {}, {"progressToken": True}, {"progressToken": [1]}])
def test_no_progress_is_told_to_who_did_not_ask_for_it(inside: Inside, meta: object) -> None:
    assert len(inside.send(a_request(1, "tools/call", {"name": "steps", "_meta": meta}))) == 1
