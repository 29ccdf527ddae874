"""Which version a request speaks, and what an answer may hold for it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.interfaces.mcp import eras
from engram.interfaces.mcp.eras import Caller, Request
from engram.interfaces.mcp.wire import INVALID_PARAMS, INVALID_REQUEST, Refusal
from tests.support.mcp_peer import KEY, Message, an_envelope

FIRST, ANNOTATED, STRUCTURED, NEWEST = eras.LEGACY
MODERN = eras.MODERN[0]


NO_VERSION: Message = {KEY + "clientCapabilities": {}}


def a_request(method: str = "tools/list", /, **meta: Any) -> Request:
    return Request(7, method, {"_meta": meta} if meta else {})


def refused(request: Request) -> Refusal:
    with pytest.raises(Refusal) as raised:
        eras.modern_caller(request)
    return raised.value


@pytest.mark.contract("P10")
@pytest.mark.parametrize(
    ("message", "id"),
    [
        (None, None),
        (7, None),
        ("text", None),
        ([], None),
        ({}, None),
        ({"jsonrpc": "1.0", "id": 3, "method": "ping"}, 3),
        ({"id": "x", "method": "ping"}, "x"),
        ({"jsonrpc": "2.0", "id": 3}, 3),
        ({"jsonrpc": "2.0", "id": 3, "method": 7}, 3),
        ({"jsonrpc": "2.0", "method": None}, None),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 1.0, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": []}, 3),
        ({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": "x"}, 3),
    ],
)
def test_what_is_no_request_object_is_refused_under_its_id_where_it_has_one(
    message: object, id: object
) -> None:
    with pytest.raises(Refusal) as raised:
        eras.request_of(message)
    assert (raised.value.code, raised.value.id) == (INVALID_REQUEST, id)


@pytest.mark.parametrize("params", [{}, {"params": None}, {"params": {}}])
@pytest.mark.parametrize("id", [0, -5, "", "x"])
def test_a_request_needs_no_params(id: str | int, params: Message) -> None:
    message = {"jsonrpc": "2.0", "id": id, "method": "ping", **params}
    assert eras.request_of(message) == Request(id, "ping", {})


def test_a_message_without_an_id_is_a_notification_whatever_it_holds() -> None:
    assert eras.request_of({"jsonrpc": "2.0", "method": "anything", "params": []}) is None


@pytest.mark.contract("P2", "P6")
@pytest.mark.parametrize(
    ("request_", "modern"),
    [
        (a_request(), False),
        (a_request(progressToken=1), False),
        (a_request(**an_envelope()), True),
        (a_request(**an_envelope("1999-01-01")), True),
        (a_request(**an_envelope(None)), True),
        (a_request(**NO_VERSION), False),
        (a_request("server/discover"), True),
        (a_request("subscriptions/listen"), True),
        (Request(1, "tools/list", {"_meta": [KEY + "protocolVersion"]}), False),
    ],
)
def test_the_envelope_or_a_modern_method_makes_a_request_modern(
    request_: Request, *, modern: bool
) -> None:
    assert eras.is_modern(request_) is modern


@pytest.mark.contract("P3", "P5", "P6")
@pytest.mark.parametrize(
    ("meta", "code", "told"),
    [
        ({}, INVALID_PARAMS, "protocolVersion"),
        ({KEY + "protocolVersion": "1999-01-01"}, INVALID_PARAMS, "clientCapabilities"),
        ({KEY + "clientCapabilities": {}}, INVALID_PARAMS, "protocolVersion"),
        (an_envelope(20260728), INVALID_PARAMS, "must be text"),
        (an_envelope(None), INVALID_PARAMS, "must be text"),
        ({**an_envelope(), KEY + "clientCapabilities": []}, INVALID_PARAMS, "must be an object"),
        (
            {**an_envelope("1999-01-01"), KEY + "clientCapabilities": []},
            INVALID_PARAMS,
            "must be an object",
        ),
        (an_envelope("1999-01-01"), -32022, "Unsupported"),
        (an_envelope(NEWEST), -32022, "Unsupported"),
        (an_envelope(""), -32022, "Unsupported"),
        ({**an_envelope(), KEY + "logLevel": "loud"}, INVALID_PARAMS, "logLevel"),
        ({**an_envelope(), KEY + "logLevel": []}, INVALID_PARAMS, "logLevel"),
    ],
)
def test_the_envelope_is_checked_keys_first_then_types_then_the_version(
    meta: Message, code: int, told: str
) -> None:
    refusal = refused(a_request("server/discover", **meta))
    assert (refusal.code, refusal.id) == (code, 7)
    assert told in refusal.message


def test_an_unsupported_version_is_told_with_those_that_are_supported() -> None:
    refusal = refused(a_request(**an_envelope("1999-01-01")))
    assert refusal.data == {"supported": [MODERN], "requested": "1999-01-01"}


def test_a_modern_caller_brings_its_own_capabilities_and_log_level() -> None:
    meta = {**an_envelope(sampling={}), KEY + "logLevel": "warning"}
    assert eras.modern_caller(a_request(**meta)) == Caller(MODERN, {"sampling": {}}, "warning")
    assert eras.modern_caller(a_request(**an_envelope())).log_level == ""


@pytest.mark.contract("P1")
@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        *((version, version) for version in eras.LEGACY),
        (MODERN, NEWEST),
        ("1999-01-01", NEWEST),
        ("", NEWEST),
        (None, NEWEST),
        (20241105, NEWEST),
        ([FIRST], NEWEST),
    ],
)
def test_a_known_legacy_version_is_taken_and_any_other_answered_with_the_newest(
    asked: object, answered: str
) -> None:
    assert eras.legacy_caller({"protocolVersion": asked}).version == answered


@pytest.mark.parametrize(
    ("capabilities", "kept"), [({"roots": {}}, {"roots": {}}), (None, {}), ([], {}), ("x", {})]
)
def test_capabilities_that_are_no_object_are_none(capabilities: object, kept: Message) -> None:
    assert eras.legacy_caller({"capabilities": capabilities}).capabilities == kept


@pytest.mark.contract("E9")
@pytest.mark.parametrize(
    ("version", "capabilities", "shown"),
    [
        (NEWEST, {"elicitation": {}}, True),
        (NEWEST, {"elicitation": {"form": {}}}, True),
        (NEWEST, {"elicitation": {"url": {}}}, False),
        (NEWEST, {"elicitation": {"form": {}, "url": {}}}, True),
        (NEWEST, {"elicitation": True}, False),
        (NEWEST, {"elicitation": None}, False),
        (NEWEST, {}, False),
        (STRUCTURED, {"elicitation": {}}, True),
        (ANNOTATED, {"elicitation": {}}, False),
        (FIRST, {"elicitation": {}}, False),
        (MODERN, {"elicitation": {}}, True),
        (MODERN, {"elicitation": {"url": {}}}, False),
        (MODERN, {"sampling": {}}, False),
    ],
)
def test_forms_are_shown_by_clients_that_declare_them_in_a_version_that_has_them(
    version: str, capabilities: Message, *, shown: bool
) -> None:
    assert Caller(version, capabilities).shows_forms is shown


SCHEMA = {"type": "object"}
TOOLS: dict[str, list[Message]] = {
    "tools": [
        {
            "name": "a",
            "title": "A",
            "icons": [],
            "outputSchema": SCHEMA,
            "annotations": {"title": "stays"},
            "_meta": {"key": 1},
        },
        {"name": "b"},
    ]
}


@pytest.mark.contract("S4")
@pytest.mark.parametrize(
    ("version", "gone"),
    [
        (FIRST, {"title", "icons", "outputSchema"}),
        (ANNOTATED, {"title", "icons", "outputSchema"}),
        (STRUCTURED, {"icons"}),
        (NEWEST, set()),
    ],
)
def test_a_tool_loses_what_its_version_does_not_have(version: str, gone: set[str]) -> None:
    kept = eras.answer("tools/list", TOOLS, Caller(version), {})["tools"]
    assert kept[0].keys() == TOOLS["tools"][0].keys() - gone
    assert kept[1] == {"name": "b"}


@pytest.mark.parametrize(
    ("method", "result", "path"),
    [
        ("resources/list", {"resources": [{"uri": "a", "title": "A"}]}, ("resources", 0)),
        (
            "resources/templates/list",
            {"resourceTemplates": [{"uriTemplate": "a", "title": "A"}]},
            ("resourceTemplates", 0),
        ),
        (
            "prompts/list",
            {"prompts": [{"name": "a", "arguments": [{"name": "x", "title": "X"}]}]},
            ("prompts", 0, "arguments", 0),
        ),
        ("initialize", {"serverInfo": {"name": "a", "title": "A"}}, ("serverInfo",)),
    ],
)
def test_titles_come_with_2025_06_18(
    method: str, result: Message, path: tuple[str | int, ...]
) -> None:
    for version in eras.LEGACY:
        holder: Any = eras.answer(method, result, Caller(version), {})
        for step in path:
            holder = holder[step]
        assert ("title" in holder) is (version >= STRUCTURED)


def test_what_the_server_says_of_itself_grows_with_the_versions() -> None:
    result = {
        "serverInfo": {"name": "a", "title": "A", "description": "…", "websiteUrl": "…"},
        "capabilities": {"tools": {}, "completions": {}},
    }
    said = {v: eras.answer("initialize", result, Caller(v), {}) for v in eras.LEGACY}
    assert said[FIRST] == {"serverInfo": {"name": "a"}, "capabilities": {"tools": {}}}
    assert "completions" in said[ANNOTATED]["capabilities"]
    assert said[STRUCTURED]["serverInfo"] == {"name": "a", "title": "A"}
    assert said[NEWEST] == result


def test_members_of_other_methods_of_the_same_name_stay() -> None:
    result = {"contents": [], "title": "kept", "tools": []}
    assert eras.answer("resources/read", result, Caller(FIRST), {}) == result


LINK = {"type": "resource_link", "uri": "x://y", "name": "why"}
SOUND = {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}
LINK_TOLD = {"type": "text", "text": "why: x://y"}
SOUND_TOLD = {"type": "text", "text": "[audio, audio/wav]"}


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (FIRST, [SOUND_TOLD, LINK_TOLD]),
        (ANNOTATED, [SOUND, LINK_TOLD]),
        (STRUCTURED, [SOUND, LINK]),
        (NEWEST, [SOUND, LINK]),
    ],
)
def test_a_block_that_a_version_does_not_know_is_told_in_words(
    version: str, told: list[Message]
) -> None:
    caller = Caller(version)
    assert eras.answer("tools/call", {"content": [SOUND, LINK]}, caller, {}) == {"content": told}
    messages = [{"role": "user", "content": block} for block in (SOUND, LINK)]
    got = eras.answer("prompts/get", {"messages": messages}, caller, {})
    assert [each["content"] for each in got["messages"]] == told


@pytest.mark.parametrize("structured", [[1], "text", 7, None, True])
def test_no_legacy_client_gets_a_structured_result_that_is_no_object(structured: object) -> None:
    result = {"content": [], "structuredContent": structured}
    assert eras.answer("tools/call", result, Caller(NEWEST), {}) == {"content": []}
    assert eras.answer("tools/call", result, Caller(MODERN), {})["structuredContent"] == structured


@pytest.mark.parametrize("schema", [{}, {"type": "array"}, {"anyOf": []}])
def test_no_legacy_client_gets_an_output_schema_that_is_no_object(schema: Message) -> None:
    tools = {"tools": [{"name": "a", "outputSchema": schema}]}
    assert eras.answer("tools/list", tools, Caller(NEWEST), {}) == {"tools": [{"name": "a"}]}


@pytest.mark.contract("P4")
@pytest.mark.parametrize("method", sorted(eras.KEPT_MILLISECONDS))
def test_a_modern_list_or_reading_says_how_long_it_holds_and_for_whom(method: str) -> None:
    got = eras.answer(method, {"a": 1}, Caller(MODERN), {"name": "engram"})
    assert got == {
        "resultType": "complete",
        "a": 1,
        "ttlMs": eras.KEPT_MILLISECONDS[method],
        "cacheScope": "private",
        "_meta": {KEY + "serverInfo": {"name": "engram"}},
    }


def test_what_comes_from_the_stores_may_not_be_kept() -> None:
    assert eras.KEPT_MILLISECONDS["resources/read"] == 0
    assert eras.KEPT_MILLISECONDS["resources/list"] == 0


def test_a_modern_answer_that_is_no_list_says_nothing_of_keeping() -> None:
    result = {"content": [], "_meta": {"own": 1}}
    assert eras.answer("tools/call", result, Caller(MODERN), {}) == {
        "resultType": "complete",
        "content": [],
        "_meta": {"own": 1, KEY + "serverInfo": {}},
    }


def test_a_question_says_nothing_of_keeping() -> None:
    asked = {"resultType": "input_required", "requestState": "x"}
    got = eras.answer("resources/read", asked, Caller(MODERN), {})
    assert got == {**asked, "_meta": {KEY + "serverInfo": {}}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.sampled_from([*eras.LEGACY, MODERN]), st.sampled_from(["tools/call", "ping"]), JSON)
def test_an_answer_is_made_without_touching_what_it_was_made_from(
    version: str, method: str, inner: Any
) -> None:
    result = {"content": [LINK], "structuredContent": inner, "other": inner}
    before = copy.deepcopy(result)
    got = eras.answer(method, result, Caller(version), {})
    assert result == before
    assert got["other"] == inner
