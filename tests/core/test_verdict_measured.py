"""The verdicts on the labelled candidates, held to their floors and to the published figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.verdicts import run
from engram.core.verdict import SUPERSEDE, UPDATE

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
