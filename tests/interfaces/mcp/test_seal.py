"""Sealed states: ours alone, for the same call alone, once, and not for long."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.interfaces.mcp.seal import LIFETIME_SECONDS, MOST_OPEN, Seal
from engram.interfaces.mcp.wire import INVALID_PARAMS, Refusal
from engram.store.seal import Key

BOUND = {
    "method": "tools/call",
    "tool": "engram_save",
    "workspace": "w",
    "arguments": {"text": "a secret text"},
}
KEPT = {"digest": "kept here alone"}


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def refused(seal: Seal, state: object, bound: dict[str, Any] | None = None) -> bool:
    with pytest.raises(Refusal) as raised:
        seal.open(state, bound or BOUND)
    assert raised.value.code == INVALID_PARAMS
    assert raised.value.data == {"reason": "invalid_request_state"}
    return True


@pytest.mark.contract("E7")
def test_a_state_gives_back_what_was_kept_once() -> None:
    seal = Seal()
    state = seal.seal(BOUND, KEPT)
    assert seal.open(state, dict(reversed(BOUND.items()))) == KEPT
    assert refused(seal, state)


@pytest.mark.contract("E7")
def test_a_client_reads_nothing_of_the_call_or_of_what_is_kept() -> None:
    state = Seal().seal(BOUND, KEPT)
    claims = json.loads(base64.urlsafe_b64decode(state.partition(".")[0]))
    assert claims.keys() == {"v", "name", "expires"}
    assert "secret" not in state
    assert state.isascii()


@pytest.mark.contract("E8")
@pytest.mark.parametrize(
    "change",
    [
        {"tool": "engram_note"},
        {"workspace": "elsewhere"},
        {"arguments": {"text": "another"}},
        {"arguments": {}},
        {"method": "prompts/get"},
    ],
)
def test_a_state_of_another_call_is_refused_and_stays_good_for_its_own(
    change: dict[str, Any],
) -> None:
    seal = Seal()
    state = seal.seal(BOUND, KEPT)
    assert refused(seal, state, BOUND | change)
    assert seal.open(state, BOUND) == KEPT


@pytest.mark.contract("E8")
def test_a_state_holds_until_its_time_is_over() -> None:
    clock = Clock()
    seal = Seal(now=clock)
    first, second = seal.seal(BOUND, KEPT), seal.seal(BOUND, KEPT)
    clock.now += LIFETIME_SECONDS - 1
    assert seal.open(first, BOUND) == KEPT
    clock.now += 1
    assert refused(seal, second)


@pytest.mark.contract("E8")
def test_a_state_of_another_process_is_refused_even_with_the_same_key() -> None:
    key = Key(b"k" * 32)
    assert refused(Seal(), Seal().seal(BOUND, KEPT))
    assert refused(Seal(key), Seal(key).seal(BOUND, KEPT))


@pytest.mark.contract("E8")
@pytest.mark.parametrize("state", [None, 5, True, [], {}, "", ".", "x", "x.y", "é.ü", "a.b.c"])
def test_what_was_never_a_state_is_refused(state: object) -> None:
    assert refused(Seal(), state)


SEALED = Seal(Key(b"k" * 32))
STATE = SEALED.seal(BOUND, KEPT)


@pytest.mark.contract("E8")
@given(st.integers(0, len(STATE) - 1), st.characters(codec="utf-8"))
def test_no_letter_of_a_state_can_be_changed(at: int, letter: str) -> None:
    forged = STATE[:at] + letter + STATE[at + 1 :]
    if forged != STATE:
        assert refused(SEALED, forged)


def test_the_oldest_of_too_many_open_states_is_dropped() -> None:
    seal = Seal()
    states = [seal.seal(BOUND, {"n": n}) for n in range(MOST_OPEN + 1)]
    assert refused(seal, states[0])
    assert [seal.open(state, BOUND)["n"] for state in states[1:]] == list(range(1, MOST_OPEN + 1))
