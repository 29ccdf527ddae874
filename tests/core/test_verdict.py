"""What writing a candidate would do: pure, the same for the same input, in any language."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.candidate import Candidate
from engram.core.verdict import (
    ADD,
    NOOP,
    SUPERSEDE,
    UPDATE,
    Neighbour,
    Verdict,
    judge,
    merged_text,
    neighbour_terms,
)
from engram.errors import InvalidRequest

TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


def a_candidate(text: str, type: str = "knowledge", **fields: Any) -> Candidate:
    return Candidate(1, type, text, **fields)


def a_memory(text: str, id: str = "known", type: str = "knowledge", **fields: Any) -> Neighbour:
    return Neighbour(id, type, "workspace", fields.pop("title", text), text, **fields)


def verdict(new: str, *old: str, **fields: Any) -> Verdict:
    neighbours = [a_memory(text, f"known-{at}") for at, text in enumerate(old, 1)]
    return judge(a_candidate(new, **fields), neighbours)


@pytest.mark.contract("A6")
@pytest.mark.parametrize(
    ("given_verdict", "line"),
    [
        (Verdict(ADD), "Verdict: ADD"),
        (Verdict(UPDATE, "a"), "Verdict: UPDATE a"),
        (Verdict(SUPERSEDE, "a"), "Verdict: SUPERSEDE a"),
        (Verdict(NOOP, "a"), "Verdict: NOOP duplicate of a"),
    ],
)
def test_the_line_that_every_surface_shows(given_verdict: Verdict, line: str) -> None:
    assert given_verdict.line == line


@pytest.mark.parametrize(
    ("new", "old", "action"),
    [
        ("Staging runs in eu-west-1.", "Staging runs in eu-west-1.", NOOP),
        ("Staging runs in eu-west-1", "staging runs in eu-west-1!", NOOP),
        ("The upload limit is 50 MB.", "The upload limit is 20 MB.", SUPERSEDE),
        ("Do not use pnpm for installs.", "Use pnpm for installs.", SUPERSEDE),
        ("Use uv instead of pip for installs.", "Use pip for installs.", SUPERSEDE),
        ("Run make lint before every push, because CI rejects unformatted code.",
         "Run make lint before every push.", UPDATE),
        ("The docs run on Node 20.", "The web services run on Go.", ADD),
        ("Лимит загрузки — 50 МБ.", "Лимит загрузки — 20 МБ.", SUPERSEDE),
        ("上传上限是 50 MB。", "上传上限是 20 MB。", SUPERSEDE),
        ("Das Upload-Limit beträgt 50 MB.", "Das Upload-Limit beträgt 20 MB.", SUPERSEDE),
    ],
)  # fmt: skip
def test_a_candidate_against_one_memory(new: str, old: str, action: str) -> None:
    assert verdict(new, old).action == action


def test_what_holds_elsewhere_contradicts_nothing() -> None:
    told = verdict(
        "On staging the upload limit is 50 MB.", "In production the upload limit is 20 MB."
    )
    assert (told.action, told.deferred) == (ADD, "")


def test_a_change_of_a_part_is_held_back_with_what_to_do() -> None:
    told = verdict(
        "A build takes at most nine minutes.",
        "A build takes at most six minutes. CI restores the cache by the lock file.",
    )
    assert told.action == ADD
    assert "UPDATE: id rewrites one" in told.deferred
    assert told.related == (("known-1", "conflicts"),)


def test_what_is_like_several_memories_is_held_back() -> None:
    told = verdict(
        "The upload limit is 50 MB.", "The upload limit is 20 MB.", "The upload limit is 30 MB."
    )
    assert "similar to several" in told.deferred


def test_what_builds_on_a_memory_is_held_back_until_it_says_so() -> None:
    old = a_memory("Rotate the key with make rotate.", "rotate-key", title="Rotate the key")
    text = "This requires rotate-key first: restart the workers."
    assert "build on what is known" in judge(a_candidate(text), [old]).deferred
    said = judge(a_candidate(text, depends_on=("rotate-key",)), [old])
    assert said.deferred == ""


def test_another_type_is_never_changed_unasked() -> None:
    old = a_memory("The upload limit is 20 MB.", type="rule")
    told = judge(a_candidate("The upload limit is 50 MB."), [old])
    assert told.action == ADD
    assert told.deferred


@pytest.mark.parametrize(("field", "action"), [("update", UPDATE), ("supersedes", SUPERSEDE)])
def test_a_named_memory_is_changed_as_the_candidate_says(field: str, action: str) -> None:
    told = judge(a_candidate("Something else.", **{field: "known"}), [a_memory("The old text.")])
    assert (told.action, told.target, told.reason) == (action, "known", "The candidate names it.")


def test_naming_a_memory_to_say_the_same_is_nothing_new_unless_a_field_is() -> None:
    old = a_memory("The old text.", tags=("a",))
    assert judge(a_candidate("The old text.", update="known"), [old]).action == NOOP
    assert judge(a_candidate("The old text.", update="known", tags=("b",)), [old]).action == UPDATE
    more = a_candidate("The old text.", update="known", context="why")
    assert judge(more, [old]).action == UPDATE


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidRequest) as refused:
        judge(a_candidate("x", update="knwon"), [], {"known"})
    assert refused.value.hint == "Did you mean known?"
    with pytest.raises(InvalidRequest) as lost:
        judge(a_candidate("x", supersedes="zzz"), [])
    assert "engram search" in lost.value.hint


def test_an_update_changes_no_type_that_was_given() -> None:
    old = a_memory("The old text.", type="rule")
    with pytest.raises(InvalidRequest) as refused:
        judge(a_candidate("New.", update="known"), [old])
    assert refused.value.code == "candidate.other_type"
    detected = a_candidate("New.", update="known", type_detected=True)
    assert judge(detected, [old]).action == UPDATE


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        ("One.", "Two.", "One. Two."),
        ("One", "Two.", "One. Two."),
        ("- One.\n- Two.", "Three.", "- One.\n- Two.\n- Three."),
        ("Lint before a push.", "Lint before a push, because CI is strict.",
         "Lint before a push, because CI is strict."),
        ("One. Two.", "two.", "One. Two."),
        ("一。", "二。", "一。二。"),
        ("一", "二。", "一。二。"),
        ("```\nmake\n```", "Then wait.", "```\nmake\n```\nThen wait."),
        ("One:", "Two.", "One: Two."),
    ],
)  # fmt: skip
def test_an_update_loses_nothing(old: str, new: str, merged: str) -> None:
    assert merged_text(old, new) == merged


@given(TEXTS, st.lists(TEXTS, max_size=4), st.randoms(use_true_random=False))
def test_any_texts_are_judged_and_the_order_of_memories_does_not_matter(
    new: str, old: list[str], chance: random.Random
) -> None:
    neighbours = [a_memory(text, f"known-{at}") for at, text in enumerate(old)]
    told = judge(a_candidate(new), neighbours)
    chance.shuffle(neighbours)
    assert judge(a_candidate(new), neighbours) == told
    assert told.action in (ADD, UPDATE, SUPERSEDE, NOOP)


@given(TEXTS, TEXTS)
def test_merging_any_texts_raises_nothing(old: str, new: str) -> None:
    assert isinstance(merged_text(old, new), str)


def test_the_terms_that_find_neighbours_come_from_text_tags_and_triggers() -> None:
    terms = neighbour_terms(a_candidate("Lint it.", tags=("ci",), triggers=("push",)))
    assert {"lint", "ci", "push"} <= set(terms)
