"""The verdicts on the labelled candidates, held to their floors and to the published figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.verdicts import run
from engram.core.verdict import ADD, NOOP, SUPERSEDE, UPDATE

RESULTS = Path(run.__file__).parent / "RESULTS.md"


@pytest.mark.parametrize("half", run.HALVES)
def test_a_wrong_change_of_a_memory_is_rarer_than_one_in_a_hundred(half: str) -> None:
    outcomes = run.outcomes(half)
    wrong = [
        each for each in outcomes if each.verdict.action in (UPDATE, SUPERSEDE) and not each.right
    ]
    assert len(outcomes) > 200
    assert len(wrong) / len(outcomes) < 0.01


@pytest.mark.parametrize("half", run.HALVES)
def test_no_memory_of_any_other_subject_is_changed_wrongly(half: str) -> None:
    outcomes = run.outcomes_among_all(half)
    assert len(run.changing(outcomes)) > 60
    assert len(run.harmful(outcomes)) / len(run.changing(outcomes)) < 0.01


@pytest.mark.parametrize("half", run.HALVES)
def test_a_verdict_that_changes_or_refuses_is_right_and_an_add_loses_nothing(half: str) -> None:
    outcomes = run.outcomes(half)
    for action in (UPDATE, SUPERSEDE, NOOP):
        assert run.precision(outcomes, action) > 0.99
    assert run.recall(outcomes, UPDATE) > 0.9
    assert run.recall(outcomes, SUPERSEDE) > 0.8
    assert run.recall(outcomes, NOOP) > 0.5
    assert run.recall(outcomes, ADD) > 0.99


@pytest.mark.parametrize("half", run.HALVES)
@pytest.mark.contract("A2")
def test_what_is_labelled_so_is_held_back_and_nothing_that_was_judged_rightly(half: str) -> None:
    outcomes = run.outcomes(half)
    labelled = [each for each in outcomes if each.case.deferred]
    assert sum(bool(each.verdict.deferred) for each in labelled) / len(labelled) > 0.9
    needless = [
        each.case.candidate.text
        for each in outcomes
        if each.verdict.deferred and each.right and not each.case.deferred
    ]
    assert needless == []


@pytest.mark.parametrize("half", run.HALVES)
def test_four_of_five_paraphrases_that_are_added_name_the_memory(half: str) -> None:
    added = [
        each
        for each in run.outcomes(half)
        if each.case.kind == "paraphrase" and each.verdict.action == ADD
    ]
    assert sum(each.names_target for each in added) / len(added) >= 0.8


@pytest.mark.parametrize("half", run.HALVES)
def test_a_half_is_varied_and_shares_no_subject_with_the_other(half: str) -> None:
    cases = run.cases(half)
    others = {each.subject for each in run.cases(*(set(run.HALVES) - {half}))}
    assert {each.language for each in cases} == {"de", "en", "es", "ru", "zh"}
    assert len({each.subject for each in cases}) >= 16
    assert {each.subject for each in cases}.isdisjoint(others)
    assert len({(each.subject, each.candidate.text) for each in cases}) == len(cases)


@pytest.mark.parametrize(
    ("wrong", "given", "share"), [(0, 77, 0.038), (1, 100, 0.047), (5, 5, 1.0)]
)
def test_the_bound_of_a_share_is_that_of_the_binomial(wrong: int, given: int, share: float) -> None:
    assert run.bound(wrong, given) == pytest.approx(share, abs=0.0005)


@pytest.mark.parametrize("half", run.HALVES)
def test_unrelated_facts_about_one_component_are_not_held_back(half: str) -> None:
    held = [
        each.case.candidate.text
        for each in run.outcomes(half)
        if each.case.kind in ("component", "related", "environment", "language")
        and each.verdict.deferred
        and not each.case.deferred
    ]
    assert held == []


def test_the_published_figures_are_those_of_a_run() -> None:
    assert RESULTS.read_text("utf-8") == run.page()
