"""The order of hits, the anchor and the floor."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.memory import Hit
from engram.core.ranking import Ranked, rank
from engram.core.routing import Task
from tests.support.builders import a_hit, an_entry


def a_task(terms: str = "pnpm install lockfile", **fields: Any) -> Task:
    return Task(**{"query": terms, "terms": tuple(terms.split()), "today": "2026-12-01", **fields})


def ids(ranked: tuple[Ranked, ...]) -> list[str]:
    return [each.entry.id for each in ranked]


def loadable(hits: list[Hit], task: Task) -> list[str]:
    return ids(tuple(each for each in rank(hits, task) if not each.below))


def test_the_stronger_match_comes_first() -> None:
    hits = [
        a_hit("weak", ["pnpm", "install"], score=1.0),
        a_hit("strong", ["pnpm", "install"], score=3.0),
    ]

    assert ids(rank(hits, a_task())) == ["strong", "weak"]


def test_meeting_more_of_the_task_outweighs_one_rarer_word() -> None:
    hits = [
        a_hit("one-word", ["lockfile"], score=2.1),
        a_hit("all-words", ["pnpm", "install", "lockfile"], score=2.0),
    ]

    assert ids(rank(hits, a_task()))[0] == "all-words"


def test_a_small_store_in_which_every_word_is_common_still_has_an_order() -> None:
    hits = [a_hit("one", ["pnpm"], score=0.0), a_hit("two", ["pnpm", "install"], score=0.0)]

    assert ids(rank(hits, a_task())) == ["two", "one"]


def test_stores_of_different_size_are_compared_by_what_they_cover() -> None:
    hits = [
        a_hit(an_entry("here"), ["pnpm", "install", "lockfile"], score=1.5),
        a_hit(an_entry("elsewhere", scope="global"), ["pnpm"], score=9.0),
    ]

    assert ids(rank(hits, a_task())) == ["here", "elsewhere"]


def test_a_hit_that_shares_no_meaningful_term_is_dropped_even_without_a_floor() -> None:
    assert rank([a_hit("stray", ["the"])], a_task(), floor=False) == ()


def test_a_task_without_meaningful_terms_finds_nothing() -> None:
    assert rank([a_hit()], a_task("")) == ()


def test_equal_hits_are_ordered_by_key() -> None:
    hits = [a_hit(id, ["pnpm", "install"]) for id in ("b", "c", "a")]

    assert ids(rank(hits, a_task())) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("better", "worse", "task"),
    [
        ({"task_types": ("testing",)}, {}, {"task_type": "testing"}),
        ({"tags": ("task_type:testing",)}, {}, {"task_type": "testing"}),
        ({"roles": ("Backend",)}, {}, {"roles": ("backend",)}),
        ({}, {"scope": "global"}, {}),
        ({"updated": "2026-11-30"}, {"updated": "2024-01-01"}, {}),
        ({"updated": "2026-11-30"}, {"updated": "long ago"}, {}),
        ({"uses": 20}, {"uses": 1}, {}),
    ],
    ids=["task type", "task type tag", "role", "workspace", "recent", "undated", "used"],
)
def test_a_boost_decides_between_equal_matches(
    better: dict[str, Any], worse: dict[str, Any], task: dict[str, Any]
) -> None:
    hits = [
        a_hit(an_entry("a", **worse), ["pnpm", "install"]),
        a_hit(an_entry("b", **better), ["pnpm", "install"]),
    ]

    assert ids(rank(hits, a_task(**task))) == ["b", "a"]


@pytest.mark.parametrize("place", ["in_title", "in_labels"])
def test_a_match_in_title_or_labels_decides_between_equal_matches(place: str) -> None:
    hits = [
        a_hit("a", ["pnpm", "install"]),
        a_hit("b", ["pnpm", "install"], **{place: ["pnpm"]}),  # type: ignore[arg-type]
    ]

    assert ids(rank(hits, a_task())) == ["b", "a"]


def test_all_boosts_together_do_not_lift_a_memory_about_something_else() -> None:
    boosted = an_entry(
        "boosted", roles=("qa",), task_types=("testing",), uses=10_000, updated="2026-12-01"
    )
    plain = an_entry("plain", scope="global", updated="")
    hits = [
        a_hit(boosted, ["pnpm"], score=1.0, in_title=["pnpm"], in_labels=["pnpm"]),
        a_hit(plain, ["pnpm", "install", "lockfile"], score=3.0),
    ]

    ranked = rank(hits, a_task(roles=("qa",), task_type="testing"))

    assert ids(ranked)[0] == "plain"


def test_an_unknown_task_type_boosts_nothing() -> None:
    hits = [a_hit(an_entry("b", task_types=("unknown",))), a_hit(an_entry("a"))]

    assert ids(rank(hits, a_task(task_type="unknown"))) == ["a", "b"]


def test_the_reasons_tell_a_person_what_made_the_score() -> None:
    entry = an_entry("a", roles=("qa",), task_types=("testing",), uses=3)
    hit = a_hit(entry, ["install", "pnpm"], in_title=["pnpm"], in_labels=["install"])

    (ranked,) = rank([hit], a_task(roles=("qa",), task_type="testing"))

    assert ranked.reasons == (
        "matches pnpm, install (2 of 3 terms)",
        "in title: pnpm",
        "in tags or triggers: install",
        "task type testing",
        "role qa",
        "fetched 3 times",
    )


def test_one_accidental_word_of_a_longer_task_is_below_the_floor() -> None:
    hits = [a_hit("accident", ["install"]), a_hit("other", ["install"])]

    assert [each.below for each in rank(hits, a_task())] == ["matches only 1 of 3 terms"] * 2


def test_two_words_of_a_longer_task_are_enough() -> None:
    assert loadable([a_hit("a", ["install", "pnpm"])], a_task()) == ["a"]


@pytest.mark.parametrize("place", ["in_title", "in_labels"])
def test_a_rare_word_in_title_or_labels_is_enough(place: str) -> None:
    hit = a_hit("a", ["pnpm"], **{place: ["pnpm"]})  # type: ignore[arg-type]

    assert loadable([hit], a_task()) == ["a"]


def test_a_word_in_the_titles_of_many_memories_is_not_enough() -> None:
    hits = [a_hit(f"m{n}", ["install"], in_title=["install"]) for n in range(5)]

    assert loadable(hits, a_task()) == []


def test_an_identifier_in_the_titles_of_many_memories_is_enough() -> None:
    hits = [a_hit(f"m{n}", ["err_42"], in_title=["err_42"]) for n in range(5)]

    assert len(loadable(hits, a_task("fix err_42 crash"))) == 5


@pytest.mark.parametrize("terms", ["pnpm", "pnpm install"])
def test_a_short_task_that_somebody_asked_needs_one_word(terms: str) -> None:
    assert loadable([a_hit("a", ["pnpm"])], a_task(terms)) == ["a"]


@pytest.mark.parametrize("terms", ["pnpm", "pnpm install"])
def test_a_short_prompt_that_nobody_asked_about_loads_nothing_by_accident(terms: str) -> None:
    assert loadable([a_hit("a", ["pnpm"])], a_task(terms, automatic=True)) == []


def test_what_scores_far_below_the_best_is_below_the_floor() -> None:
    terms = "a b c d e f g h"
    hits = [a_hit("best", terms.split(), score=10.0), a_hit("faint", ["a", "b"], score=0.4)]

    ranked = rank(hits, a_task(terms))

    assert [each.below for each in ranked] == ["", "far below the best match"]


def test_without_a_floor_nothing_is_marked() -> None:
    hits = [a_hit("a", ["install"]), a_hit("b", ["pnpm"])]

    assert [each.below for each in rank(hits, a_task(), floor=False)] == ["", ""]


TERMS = ("alpha", "beta", "gamma", "delta", "v2")
hits_of_terms = st.lists(
    st.builds(
        a_hit,
        st.builds(
            an_entry,
            st.sampled_from([f"m{n}" for n in range(9)]),
            scope=st.sampled_from(["workspace", "global"]),
            uses=st.integers(0, 1000),
        ),
        st.frozensets(st.sampled_from([*TERMS, "stray"])),
        score=st.floats(0, 50),
        in_title=st.frozensets(st.sampled_from(TERMS)),
    ),
    max_size=12,
    unique_by=lambda hit: hit.entry.key,
)


@given(hits_of_terms, st.lists(st.sampled_from(TERMS), unique=True))
def test_the_order_does_not_depend_on_how_the_hits_arrive(
    hits: list[Hit], terms: list[str]
) -> None:
    task = a_task(" ".join(terms))

    ranked = rank(hits, task)

    assert ranked == rank(list(reversed(hits)), task)
    assert [each.score for each in ranked] == sorted((e.score for e in ranked), reverse=True)
    assert all(each.score >= 0 and each.matched <= set(terms) for each in ranked)
