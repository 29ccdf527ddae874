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


def test_a_rare_word_is_enough() -> None:
    assert loadable([a_hit("a", ["pnpm"], rare=["pnpm"])], a_task()) == ["a"]
    assert loadable([a_hit("a", ["pnpm"])], a_task()) == []


def chores(*words: str, count: int = 5) -> list[Hit]:
    """Memories that all hold some words of every project in their texts."""
    return [a_hit(f"other-{n}", words) for n in range(count)]


def test_words_of_every_project_alone_are_not_enough() -> None:
    named = a_hit("a", ["commit", "push"], in_title=["push"], rare=["commit", "push"])

    ranked = rank([named, *chores("commit", "push")], a_task("commit and push"))

    assert {each.below for each in ranked} == {"matches only words of every project"}
    assert "a" in loadable([a_hit("a", ["push", "pnpm"])], a_task("push pnpm install"))
    assert loadable([a_hit("a", ["4", "12"], rare=["4"])], a_task("bump 4 12 pnpm")) == []


def test_where_few_hold_such_a_word_it_tells_what_a_memory_is_named_for() -> None:
    named = a_hit("a", ["push"], in_title=["push"], rare=["push"])
    other = a_hit("b", ["push"], rare=["push"])
    task = a_task("what must happen push")

    assert loadable([named, other], task) == ["a"]
    assert loadable([named, *chores("push")], task) == []
    three = [a_hit(f"m{n}", ["push"], in_title=["push"], rare=["push"]) for n in range(3)]
    assert loadable(three, task) == []


@pytest.mark.parametrize(("automatic", "loaded"), [(False, ["a"]), (True, [])])
def test_a_task_whose_every_word_is_in_the_title_is_named_by_who_asks(
    automatic: bool, loaded: list[str]
) -> None:
    hit = a_hit("a", ["run", "test"], in_title=["run", "test"], score=9.0)
    others = chores("run", "test")

    assert loadable([hit, *others], a_task("run test", automatic=automatic)) == loaded
    assert loadable([hit, *others], a_task("run test twice")) == []


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
