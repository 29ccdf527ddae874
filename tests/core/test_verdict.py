"""What writing a candidate would do: pure, the same for the same input, in any language."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engram.core import likeness
from engram.core.candidate import Candidate
from engram.core.statements import language_of, spans
from engram.core.verdict import (
    ADD,
    CONFLICT,
    DUPLICATE,
    MOST_RELATED,
    NOOP,
    PREREQUISITE,
    SUPERSEDE,
    UPDATE,
    Neighbour,
    Verdict,
    judge,
    merged_text,
    neighbour_terms,
)
from engram.errors import InvalidRequest
from engram.record import replace

TYPES = ("rule", "skill", "knowledge")
TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)
SLOTS = (
    ("", "Never ", "Always ", "Do not ", "On staging "),
    ("run lint", "squash commits", "use C++", "use C", "keep logs", "提交前运行测试"),
    (" before a push", " for 3 days", " for 5 days", " instead of npm", " at 10:00"),
    ("", ", because CI is strict", ", then tag it", " or wait", ", but only alone"),
    (".", "!", "。", ""),
)
FORMS = st.tuples(*(st.sampled_from(slot) for slot in SLOTS))
SENTENCES = FORMS.map("".join)
CONTENTS = st.one_of(
    st.lists(SENTENCES, max_size=4).map(" ".join),
    st.lists(SENTENCES, max_size=4).map(lambda each: "\n".join(f"- {one}" for one in each)),
    st.lists(SENTENCES, max_size=2).map(lambda each: "```sh\n" + "\n".join(each) + "\n```"),
    TEXTS,
)
TWISTS = st.integers(0, len(SLOTS) - 1).flatmap(
    lambda at: st.tuples(st.just(at), st.sampled_from(SLOTS[at]))
)
PAIRS = st.builds(  # two sentences that differ in one place
    lambda form, twist: (
        "".join(form),
        "".join((*form[: twist[0]], twist[1], *form[twist[0] + 1 :])),
    ),
    FORMS,
    TWISTS,
)
CANDIDATES = st.builds(
    Candidate,
    st.just(1),
    st.sampled_from(TYPES),
    CONTENTS,
    depends_on=st.sampled_from([(), ("known-1",)]),
)


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


@pytest.mark.contract("A2")
def test_what_is_like_several_memories_is_held_back() -> None:
    told = verdict(
        "The upload limit is 50 MB.", "The upload limit is 20 MB.", "The upload limit is 30 MB."
    )
    assert "similar to several" in told.deferred


@pytest.mark.contract("A2")
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


def test_a_memory_of_another_type_that_says_it_is_known_all_the_same() -> None:
    told = judge(a_candidate("Use pnpm."), [a_memory("Use pnpm.", type="rule")])
    assert (told.action, told.target) == (NOOP, "known")
    longer = judge(a_candidate("Use pnpm. Lock it."), [a_memory("Use pnpm.", type="rule")])
    assert (longer.action, longer.related) == (ADD, (("known", DUPLICATE),))


def test_the_title_of_a_memory_is_known_too() -> None:
    old = a_memory("Run `make rotate`, then restart.", title="Rotate the signing key")
    assert judge(a_candidate("Rotate the signing key."), [old]).action == NOOP


def test_two_facts_about_one_subject_are_not_merged_unseen() -> None:
    """The earlier edition merged what shared a quarter of its words, here "the billing service"."""
    told = verdict(
        "The billing service stores its invoices in S3.",
        "The billing service sends its invoices by mail.",
    )
    assert (told.action, told.deferred, told.related) == (ADD, "", (("known-1", DUPLICATE),))


def test_words_beside_the_content_of_a_memory_do_not_make_it_alike() -> None:
    """The earlier edition compared the whole file, front matter and all."""
    old = a_memory("Wait a day.", title="Keys", tags=("upload", "limit"), depends_on=("upload",))
    assert judge(a_candidate("The upload limit is 50 MB."), [old]).related == ()


def test_at_most_five_memories_are_named_the_nearest_first_then_by_id() -> None:
    same = [a_memory(f"The upload limit is checked by part {word}.", f"known-{word}")
            for word in ("gamma", "beta", "delta", "alpha", "zeta", "eta")]  # fmt: skip
    near = a_memory("The upload limit is checked.", "near")
    told = judge(a_candidate("The upload limit is checked: nightly."), [*same, near])
    ids = [id for id, _ in told.related]
    assert [told.target, *ids] == [
        "near", "known-alpha", "known-beta", "known-delta", "known-eta", "known-gamma",
    ]  # fmt: skip


@pytest.mark.contract("A2")
def test_a_dependence_is_told_by_id_or_by_title() -> None:
    old = a_memory("Run make rotate.", "rotate-key", title="Rotate the signing key")
    by_id = judge(a_candidate("Restart the workers; depends on rotate-key."), [old])
    by_title = judge(a_candidate("Restart; depends on rotating the signing key."), [old])
    neither = judge(a_candidate("Restart; depends on rotate-key-later."), [old])
    assert by_id.related == by_title.related == (("rotate-key", PREREQUISITE),)
    assert (neither.deferred, neither.related) == ("", ())


def test_a_declared_parent_or_prerequisite_holds_nothing_back() -> None:
    old = a_memory("The upload limit is 20 MB. CI keeps caches.")
    new = a_candidate("The upload limit is 50 MB.")
    assert judge(new, [old]).related == (("known", CONFLICT),)
    for settled in (replace(new, parent=("known",)), replace(new, depends_on=("known",))):
        told = judge(settled, [old])
        assert (told.action, told.deferred, told.related) == (ADD, "", ())


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


@pytest.mark.parametrize(
    "text", ["Use pnpm for installs!", "Always use pnpm for installs.", "Use pnpm."]
)
def test_a_named_update_may_change_the_wording_alone(text: str) -> None:
    old = a_memory("Use pnpm for installs.", title="Use pnpm")
    assert judge(a_candidate(text), [old]).action == NOOP
    assert judge(a_candidate(text, update="known"), [old]).action == UPDATE


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
        ("", "Two.", "Two."),
        ("One.", "", "One."),
        ("One 🚀", "Two.", "One 🚀. Two."),
        ("하나", "Two.", "하나. Two."),
        ("One.", "```\nmake\n```\nTwo.", "One.\n```\nmake\n```\nTwo."),
        ("- One.", "```\nmake\n```\nTwo.", "- One.\n```\nmake\n```\n- Two."),
        ("One.", "👍 👍", "One. 👍 👍"),
        ("One. 👍 👍", "👍 👍", "One. 👍 👍"),
        ("One.", "Two. Two.", "One. Two."),
        ("# Pushing\n\nLint before a push.\n\n1. Tag it.",
         "Lint before a push, because CI is strict. Then wait.",
         "# Pushing\n\nLint before a push, because CI is strict.\n\n1. Tag it. Then wait."),
        ("Use C++.", "Use C, and format it.", "Use C++. Use C, and format it."),
    ],
)  # fmt: skip
def test_an_update_loses_nothing(old: str, new: str, merged: str) -> None:
    assert merged_text(old, new) == merged


@given(CANDIDATES, st.lists(CONTENTS, max_size=6), st.randoms(use_true_random=False))
def test_the_verdict_is_the_same_each_time_and_in_any_order_of_memories(
    new: Candidate, old: list[str], chance: random.Random
) -> None:
    neighbours = [a_memory(text, f"known-{at}", TYPES[at % 3]) for at, text in enumerate(old)]
    told = judge(new, neighbours)
    assert judge(new, neighbours) == told
    chance.shuffle(neighbours)
    assert judge(new, neighbours) == told


@given(CANDIDATES, st.lists(CONTENTS, max_size=6))
def test_a_verdict_is_whole(new: Candidate, old: list[str]) -> None:
    neighbours = [a_memory(text, f"known-{at}", TYPES[at % 3]) for at, text in enumerate(old)]
    told = judge(new, neighbours)
    types = {each.id: each.type for each in neighbours}
    assert (told.action == ADD) == (told.target == "")
    assert told.action in (ADD, NOOP) or types[told.target] == new.type
    assert not told.deferred or told.action == ADD
    assert told.target not in dict(told.related)
    assert len(dict(told.related)) == len(told.related) <= MOST_RELATED
    assert 0.0 <= told.score <= 1.0


@given(TEXTS, TEXTS)
def test_merging_any_texts_keeps_each_span_or_one_that_says_it(old: str, new: str) -> None:
    assert_kept(old, new, merged_text(old, new))


@given(st.one_of(PAIRS, st.tuples(CONTENTS, CONTENTS)))
def test_merging_loses_no_sentence_and_no_word_of_either_text(texts: tuple[str, str]) -> None:
    merged = merged_text(*texts)
    assert_kept(*texts, merged)
    assert words_of("\n".join(texts)) <= words_of(merged)


@given(PAIRS)
def test_a_sentence_that_differs_in_one_place_is_known_only_where_the_place_is_empty(
    texts: tuple[str, str],
) -> None:
    told = verdict(texts[0], texts[1])
    if told.action == NOOP:
        assert words_of(texts[0]) <= words_of(texts[1])


@given(CONTENTS, CONTENTS)
def test_merging_a_second_time_adds_nothing(old: str, new: str) -> None:
    assume(words_of(old))  # a lone sign before a text makes one statement with it
    merged = merged_text(old, new)
    assert words_of(merged_text(merged, new)) == words_of(merged)
    assert len(spans(merged_text(merged, new))) == len(spans(merged))


def assert_kept(old: str, new: str, merged: str) -> None:
    """Each statement of both texts stands in the merged one, or one that says it and goes on."""
    language = language_of(f"{old}\n{new}")
    parts = [likeness.read(merged[start:end], language) for start, end in spans(merged)]
    for text in (old, new):
        for start, end in spans(text):
            said = likeness.read(text[start:end], language)
            kinds = {likeness.kind_of(part, said) for part in parts}
            kinds |= {likeness.kind_of(said, part) for part in parts} & {likeness.SAME}
            assert text[start:end] in merged or kinds & {likeness.SAME, likeness.EXTENDS}


def words_of(text: str) -> set[str]:
    """The words of meaning that the generated sentences are made of."""
    plain = text.casefold().replace("do not", "never")
    return set(re.findall(r"[\w+]+", plain)) - {"run", "use", "always"}


def test_the_terms_that_find_neighbours_come_from_text_tags_and_triggers() -> None:
    terms = neighbour_terms(a_candidate("Lint it.", tags=("ci",), triggers=("push",)))
    assert {"lint", "ci", "push"} <= set(terms)
