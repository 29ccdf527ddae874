"""Dialogs: the form of each version, every kind of answer, and states that only their call opens."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.interfaces.mcp import dialog, eras
from engram.interfaces.mcp.calls import Call
from engram.interfaces.mcp.dialog import (
    ACCEPT,
    CANCEL,
    DECLINE,
    ERROR,
    INVALID,
    NUMBER,
    ONE_OF,
    SOME_OF,
    TEXT,
    TIMEOUT,
    YES_NO,
    Answer,
    Dialog,
    Form,
    FormField,
    read_answer,
    schema,
)
from engram.interfaces.mcp.eras import Caller
from engram.interfaces.mcp.registry import Registry, Tool
from engram.interfaces.mcp.seal import Seal
from tests.support.mcp_fixture import FORM, registry
from tests.support.mcp_inside import Inside
from tests.support.mcp_peer import Message, an_envelope

FLAT, LISTS = "2025-06-18", "2025-11-25"
VERSIONS = [FLAT, LISTS, *eras.MODERN]
FILLED: Message = {"name": "n", "count": 2, "sure": True, "scope": "here", "numbers": ["2"]}
FLAT_FILLED = {**FILLED, "numbers_1": False, "numbers_2": True}
del FLAT_FILLED["numbers"]
UNREADABLE: list[object] = [
    None,
    [],
    "accept",
    {},
    {"action": "yes"},
    {"action": None},
    {"action": "accept"},
    {"action": "yes", "content": FILLED},
    {"action": "accept", "content": []},
    {"action": "accept", "content": ["name"]},
    {"action": "accept", "content": {}},
    *(
        {"action": "accept", "content": {**FILLED, **change}}
        for change in (
            {"name": 5},
            {"name": None},
            {"count": "2"},
            {"count": True},
            {"sure": "yes"},
            {"sure": 1},
            {"scope": "everywhere"},
            {"scope": ["here"]},
            {"numbers": "1"},
            {"numbers": ["3"]},
            {"numbers": [1]},
            {"numbers": [["1"]]},
            {"numbers": ["1", "1"]},
            {"numbers": {"1": True}},
        )
    ),
]


# The form


@pytest.mark.contract("E2")
def test_a_version_with_lists_gets_titled_choices_and_nothing_chosen() -> None:
    assert schema(FORM, Caller(LISTS)) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Any name."},
            "count": {"type": "number", "title": "Count"},
            "sure": {"type": "boolean", "title": "Sure?", "default": False},
            "scope": {
                "type": "string",
                "title": "Scope",
                "oneOf": [
                    {"const": "none", "title": "Nowhere"},
                    {"const": "here", "title": "Here"},
                ],
            },
            "numbers": {
                "type": "array",
                "title": "Which",
                "items": {
                    "anyOf": [
                        {"const": "1", "title": "ADD one"},
                        {"const": "2", "title": "UPDATE two"},
                    ]
                },
            },
        },
        "required": ["name", "sure", "scope"],
    }
    assert schema(FORM, Caller(eras.MODERN[0])) == schema(FORM, Caller(LISTS))


@pytest.mark.contract("E2")
def test_a_version_without_lists_gets_a_yes_or_no_for_each_choice() -> None:
    properties = schema(FORM, Caller(FLAT))["properties"]
    assert properties["scope"] == {
        "type": "string",
        "title": "Scope",
        "enum": ["none", "here"],
        "enumNames": ["Nowhere", "Here"],
    }
    assert "numbers" not in properties
    assert properties["numbers_1"] == {"type": "boolean", "title": "ADD one", "default": False}
    assert properties["numbers_2"] == {"type": "boolean", "title": "UPDATE two", "default": False}


# The answer


@pytest.mark.parametrize("content", [FILLED, FLAT_FILLED, {**FILLED, "stray": 5}])
def test_an_accepted_form_gives_its_fields_alone(content: Message) -> None:
    assert read_answer(FORM, {"action": "accept", "content": content}) == Answer(ACCEPT, FILLED)


@pytest.mark.contract("E2")
def test_choices_that_were_left_alone_are_none() -> None:
    content = {"name": "n", "sure": False, "scope": "none"}
    told = read_answer(FORM, {"action": "accept", "content": content})
    assert told == Answer(ACCEPT, {**content, "numbers": []})


@pytest.mark.parametrize("action", [DECLINE, CANCEL])
@pytest.mark.parametrize("more", [{}, {"content": FILLED}, {"content": 5}])
def test_who_declines_or_closes_a_form_says_nothing_else(action: str, more: Message) -> None:
    assert read_answer(FORM, {"action": action, **more}) == Answer(action)


@pytest.mark.contract("E4")
@pytest.mark.parametrize("result", UNREADABLE)
def test_an_answer_that_the_form_does_not_allow_is_invalid(result: object) -> None:
    assert read_answer(FORM, result) == Answer(INVALID)


@pytest.mark.parametrize("part", [{"numbers_1": "yes"}, {"numbers_2": None}])
def test_a_part_of_a_choice_is_yes_or_no(part: Message) -> None:
    content = {**FLAT_FILLED, **part}
    assert read_answer(FORM, {"action": "accept", "content": content}) == Answer(INVALID)


def test_a_form_without_fields_needs_no_content() -> None:
    assert read_answer(Form("?", ()), {"action": "accept"}) == Answer(ACCEPT)
    assert schema(Form("?", ()), Caller(LISTS))["properties"] == {}


FIELDS = st.builds(
    FormField,
    st.sampled_from("abc"),
    st.sampled_from([TEXT, NUMBER, YES_NO, ONE_OF, SOME_OF]),
    choices=st.just((("1", "one"), ("2", "two"))),
    required=st.booleans(),
)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["1", "2", "3"])
    | st.lists(st.sampled_from(["1", "2", "3"]))
)
NAMES = st.sampled_from(["a", "b", "c", "a_1", "a_2", "b_1", "b_2"])


@given(
    st.lists(FIELDS, max_size=3, unique_by=lambda field: field.name),
    st.dictionaries(NAMES, VALUES, max_size=7),
)
def test_what_is_accepted_keeps_to_the_form(fields: list[FormField], content: Message) -> None:
    answer = read_answer(Form("?", tuple(fields)), {"action": "accept", "content": content})
    assert answer.action in (ACCEPT, INVALID)
    if answer.action == ACCEPT:
        kinds: dict[str, Any] = {
            TEXT: str,
            NUMBER: (int, float),
            YES_NO: bool,
            ONE_OF: str,
            SOME_OF: list,
        }
        for field in fields:
            if field.required:
                assert field.name in answer.content
            if field.name in answer.content:
                assert isinstance(answer.content[field.name], kinds[field.kind])


# Legacy: the call waits


def answering(inside: Inside, **response: Any) -> None:
    def answer(question: Message) -> None:
        inside.send({"jsonrpc": "2.0", "id": question["id"], **response})

    inside.meanwhile = answer


@pytest.mark.contract("E6")
@pytest.mark.parametrize(("version", "content"), [(FLAT, FLAT_FILLED), (LISTS, FILLED)])
def test_a_legacy_client_is_asked_and_waited_for(version: str, content: Message) -> None:
    inside = Inside()
    inside.shake_hands(version, elicitation={})
    answering(inside, result={"action": "accept", "content": content})
    told = inside.call("ask")
    assert told["structuredContent"] == {"action": ACCEPT, "content": FILLED, "kept": None}
    question = inside.written[-2]
    assert question["method"] == "elicitation/create"
    assert question["params"]["requestedSchema"] == schema(FORM, Caller(version))
    assert inside.waits == [(dialog.SECONDS, True)]


@pytest.mark.contract("E4", "E5")
@pytest.mark.parametrize(
    ("response", "action"),
    [
        ({"result": {"action": "decline"}}, DECLINE),
        ({"result": {"action": "cancel"}}, CANCEL),
        ({"result": {"action": "accept", "content": {"name": 5}}}, INVALID),
        ({"result": None}, INVALID),
        ({"error": {"code": -1, "message": "no dialogs here"}}, ERROR),
        ({"error": None, "result": {"action": "accept", "content": FILLED}}, ERROR),
    ],
)
def test_every_other_answer_of_a_legacy_client_is_told_apart(
    response: Message, action: str
) -> None:
    inside = Inside()
    inside.shake_hands(elicitation={})
    answering(inside, **response)
    told = inside.call("ask")["structuredContent"]
    assert (told["action"], told["content"]) == (action, {})


@pytest.mark.contract("E5")
def test_a_legacy_dialog_that_nobody_answers_times_out_and_is_closed() -> None:
    inside = Inside()
    inside.shake_hands(elicitation={})
    assert inside.call("ask")["structuredContent"]["action"] == TIMEOUT
    question, closed, _ = inside.written[-3:]
    assert closed["params"]["requestId"] == question["id"]


@pytest.mark.contract("E9")
@pytest.mark.parametrize(
    ("version", "capabilities"),
    [(LISTS, {}), (LISTS, {"elicitation": {"url": {}}}), ("2025-03-26", {"elicitation": {}})],
)
def test_a_client_without_forms_is_not_asked(version: str, capabilities: Message) -> None:
    inside = Inside()
    inside.shake_hands(version, **capabilities)
    assert inside.call("ask")["content"][0]["text"] == "no dialog"


@pytest.mark.contract("I3")
def test_nobody_is_asked_where_dialogs_are_off() -> None:
    inside = Inside(registry(dialogs=False))
    inside.shake_hands(elicitation={})
    assert inside.call("ask")["content"][0]["text"] == "no dialog"
    assert modern(inside)["content"][0]["text"] == "no dialog"


# Modern: the call comes a second time


def request(arguments: Message | None = None, **more: Any) -> Message:
    params: Message = {"name": "ask", "arguments": arguments or {}, **more}
    params["_meta"] = an_envelope(elicitation={"form": {}})
    return params


def modern(inside: Inside, arguments: Message | None = None, **more: Any) -> Message:
    result: Message = inside.result("tools/call", request(arguments, **more), modern=True)
    return result


def given_answer(asked: Message, **result: Any) -> Message:
    (name,) = asked["inputRequests"]
    return {"requestState": asked["requestState"], "inputResponses": {name: result}}


@pytest.mark.contract("E7")
def test_a_modern_client_is_asked_and_calls_again_with_the_answer() -> None:
    inside = Inside()
    asked = modern(inside)
    assert asked["resultType"] == "input_required"
    (question,) = asked["inputRequests"].values()
    assert question["params"]["mode"] == "form"
    assert question["params"]["requestedSchema"] == schema(FORM, Caller(eras.MODERN[0]))
    told = modern(inside, **given_answer(asked, action="accept", content=FILLED))
    assert told["structuredContent"] == {
        "action": ACCEPT,
        "content": FILLED,
        "kept": {"token": "kept in the process"},
    }
    assert inside.waits == []


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    ("result", "action"),
    [
        ({"action": "decline"}, DECLINE),
        ({"action": "cancel"}, CANCEL),
        ({"action": "accept", "content": {}}, INVALID),
        ({"action": "?"}, INVALID),
    ],
)
def test_every_other_answer_of_a_modern_client_is_told_apart(result: Message, action: str) -> None:
    inside = Inside()
    told = modern(inside, **given_answer(modern(inside), **result))
    assert told["structuredContent"]["action"] == action


@pytest.mark.parametrize("responses", [{}, {"another": {"action": "accept"}}])
def test_a_modern_call_that_brings_no_answer_is_asked_again(responses: Message) -> None:
    inside = Inside()
    asked = modern(inside)
    again = modern(inside, requestState=asked["requestState"], inputResponses=responses)
    assert again["resultType"] == "input_required"
    assert again["requestState"] != asked["requestState"]


def test_answers_without_a_state_are_to_no_question() -> None:
    answers = {"answer": {"action": "accept", "content": FILLED}}
    assert modern(Inside(), inputResponses=answers)["resultType"] == "input_required"


def test_answers_that_are_no_object_are_refused() -> None:
    inside = Inside()
    state = modern(inside)["requestState"]
    params = request(requestState=state, inputResponses=[1])
    assert inside.error("tools/call", params, modern=True)["code"] == -32602


def test_an_answer_to_another_question_of_the_same_call_is_asked_anew() -> None:
    seal, kept = Seal(), iter(["first", "second", "second"])

    def run(_arguments: object, call: Call) -> Message:
        answer = Dialog(call, seal, "w", offered=True).ask(FORM, {"digest": next(kept)})
        return {"content": [{"type": "text", "text": answer.action}]}

    offered = Registry("", {"tools": {}}, tools=lambda: [Tool("ask", "", {}, run)])
    inside = Inside(offered)
    asked = modern(inside)
    again = modern(inside, **given_answer(asked, action="decline"))
    assert again["resultType"] == "input_required"
    told = modern(inside, **given_answer(again, action="decline"))
    assert told["content"][0]["text"] == DECLINE


@pytest.mark.contract("E8")
@pytest.mark.parametrize("case", ["forged", "foreign arguments", "foreign tool", "used", "junk"])
def test_a_state_that_does_not_belong_to_the_call_is_refused(case: str) -> None:
    inside = Inside()
    asked = modern(inside)
    params = request(**given_answer(asked, action="accept", content=FILLED))
    if case == "forged":
        params["requestState"] = "x" + params["requestState"]
    if case == "foreign arguments":
        params["arguments"] = {"text": "another"}
    if case == "foreign tool":
        params["name"] = "ask_there"
        inside.methods.tools()["ask_there"] = inside.methods.tools()["ask"]
    if case == "used":
        inside.result("tools/call", params, modern=True)
    if case == "junk":
        params["requestState"] = {"not": "text"}
    refused = inside.error("tools/call", params, modern=True)
    assert (refused["code"], refused["data"]) == (-32602, {"reason": "invalid_request_state"})


@pytest.mark.contract("E8")
def test_a_state_that_is_too_old_is_refused() -> None:
    inside = Inside(registry(late=True))
    params = request(**given_answer(modern(inside), action="accept", content=FILLED))
    assert inside.error("tools/call", params, modern=True)["code"] == -32602


def test_a_legacy_call_brings_no_state() -> None:
    inside = Inside()
    inside.shake_hands()
    params = {"name": "ask", "requestState": "x", "inputResponses": []}
    assert inside.result("tools/call", params)["content"][0]["text"] == "no dialog"
