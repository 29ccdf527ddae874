"""Whatever comes on a line: at most one reply, a valid one, and the server lives."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.mcp_fixture import OWN
from tests.support.mcp_inside import Inside
from tests.support.mcp_peer import KEY, a_request
from tests.support.mcp_schemas import RESULTS, VERSIONS

STOPS = {"hold"}  # goes on until another thread ends it
IDS: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just([])
)
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["\ud83d", "\ude00"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
METHODS = st.sampled_from([*RESULTS, "notifications/cancelled", *(OWN.keys() - STOPS), "ask", ""])
TOOLS = st.sampled_from([*(OWN.keys() - STOPS), "ask", "test_sampling", "no_such"])
META: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        KEY + "protocolVersion": st.sampled_from([*VERSIONS, "2026-07-28", None, 5]),
        KEY + "clientCapabilities": st.sampled_from([{}, {"elicitation": {}}]) | JUNK,
        KEY + "logLevel": st.sampled_from(["debug", "loud", None]),
        "progressToken": st.sampled_from(["t", 1, None, []]),
    },
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "_meta": META | JUNK,
        "name": TOOLS | JUNK,
        "arguments": st.fixed_dictionaries({"text": JUNK}) | JUNK,
        "uri": st.sampled_from(["test://static-text", "test://broken"]) | JUNK,
        "cursor": JUNK,
        "protocolVersion": st.sampled_from(VERSIONS) | JUNK,
        "capabilities": st.just({"elicitation": {}}) | JUNK,
        "requestState": JUNK,
        "inputResponses": JUNK,
        "requestId": IDS,
        "level": st.sampled_from(["info"]),
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": METHODS},
    optional={"id": IDS, "params": PARAMS | JUNK, "result": JUNK, "error": JUNK},
)
ANY = MESSAGES | JUNK
LINES = (ANY | st.lists(ANY, max_size=3)).map(lambda message: json.dumps(message).encode())


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A line with some bytes cut out, put in or exchanged."""
    line = bytearray(draw(LINES))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(line).replace(b"\n", b" ")


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """Let the log of the bugs that are provoked here go nowhere."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    yield
    os.dup2(kept, 2)
    os.close(kept)
    os.close(nothing)


def replies(inside: Inside, line: bytes) -> list[Any]:
    """What answers a line: not what the server says or asks in the meantime."""
    return [each for each in inside.line(line) if isinstance(each, list) or "method" not in each]


def lives(inside: Inside) -> bool:
    """Whether the server still answers, and answers this request."""
    return replies(inside, json.dumps(a_request("alive", "ping")).encode()) == [
        {"jsonrpc": "2.0", "id": "alive", "result": {}}
    ]


@pytest.mark.contract("P10")
@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=4))
def test_any_messages_get_at_most_one_valid_reply_each(lines: list[bytes]) -> None:
    inside = Inside()
    for line in lines:
        assert len(replies(inside, line)) <= 1
    assert lives(inside)


@pytest.mark.contract("P10")
@settings(max_examples=200, deadline=None)
@given(st.lists(mutated(), min_size=1, max_size=4))
def test_any_mutated_lines_get_at_most_one_valid_reply_each(lines: list[bytes]) -> None:
    inside = Inside()
    for line in lines:
        assert len(replies(inside, line)) <= 1
    assert lives(inside)


@pytest.mark.contract("P10")
@settings(deadline=None)
@given(st.binary(max_size=100))
def test_any_bytes_get_at_most_one_valid_reply(line: bytes) -> None:
    inside = Inside()
    assert len(replies(inside, line.replace(b"\n", b""))) <= 1
    assert lives(inside)


@pytest.mark.contract("P10")
@settings(max_examples=100, deadline=None)
@given(METHODS.filter(bool), PARAMS)
def test_a_well_formed_request_is_answered_exactly_once(method: str, params: Any) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()
    strict = b"NaN" not in line and b"Infinity" not in line
    (reply,) = replies(Inside(), line)
    assert reply["id"] == (7 if strict else None)
