"""The measures of a ranking."""

from __future__ import annotations

from engram.core.measures import Outcome, measure, recall, reciprocal_rank


def test_recall_is_the_share_of_what_was_expected() -> None:
    assert recall(["a", "b"], ["a", "c"]) == 0.5
    assert recall(["a"], []) == 1.0


def test_the_rank_of_the_first_expected_one_counts() -> None:
    assert reciprocal_rank(["x", "a", "b"], ["a", "b"]) == 0.5
    assert reciprocal_rank(["x"], ["a"]) == 0.0


def test_measures_are_taken_over_the_cases_that_they_are_about() -> None:
    found = measure(
        [
            Outcome(("a", "b"), ("a",), ("b",), tokens=100),
            Outcome(("x", "c"), ("c", "d"), tokens=50),
            Outcome((), ()),
            Outcome(("y",), (), tokens=30),
        ]
    )
    assert vars(found) == {
        "cases": 4,
        "recall": 0.75,
        "mrr": 0.75,
        "nothing": 0.5,
        "forbidden": 1,
        "tokens": 45.0,
    }


def test_no_cases_fail_nothing() -> None:
    assert vars(measure([])) == {
        "cases": 0,
        "recall": 1.0,
        "mrr": 1.0,
        "nothing": 1.0,
        "forbidden": 0,
        "tokens": 0.0,
    }
