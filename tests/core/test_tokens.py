"""The estimate is near the count for the languages that memories are written in, and keeps budgets."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from engram.core.tokens import FAMILIES, estimate

FOLDER = Path(__file__).parents[2] / "benchmarks" / "tokens"
KINDS = ("english", "russian", "chinese", "japanese", "german", "python", "typescript")


@pytest.fixture(scope="module")
def measure() -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / "run.py"))


@pytest.fixture(scope="module")
def kinds(measure: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = measure["by_kind"](measure["samples"]())
    return found


def test_each_family_of_models_has_its_table() -> None:
    assert FAMILIES == ("claude", "claude-3", "o200k")
    with pytest.raises(KeyError):
        estimate("text", "another")


def test_nothing_costs_nothing_and_the_least_text_costs_one() -> None:
    assert estimate("") == 0
    assert estimate(" ") == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_letters_that_are_seldom_one_token_cost_more(family: str) -> None:
    def cost(letter: str) -> int:
        return estimate(letter * 100, family)

    assert cost(" ") < cost("a") < cost("A")
    assert cost("a") < cost("9")
    assert cost("a") < cost("д") < cost("数") < cost("🚀")
    assert cost("a") < cost("é") < cost("ü")


@pytest.mark.parametrize("text", ["\ud800", "\x00", "👩\u200d💻", "数\udfff"])
def test_text_that_is_no_valid_unicode_has_its_cost_too(text: str) -> None:
    assert estimate(text) > 0


def test_the_samples_are_of_seven_kinds(kinds: dict[str, Any]) -> None:
    assert tuple(kinds) == KINDS
    assert all(len(of) >= 40 for of in kinds.values())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_error_is_at_most_eight_in_a_hundred(
    measure: dict[str, Any], kinds: dict[str, Any], kind: str, family: str
) -> None:
    assert measure["error"](kinds[kind], family).mean <= 0.08


@pytest.mark.contract("T10")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_filled_as_a_briefing_is_exceeds_its_budget_once_in_a_hundred_at_most(
    measure: dict[str, Any], kinds: dict[str, Any], kind: str, family: str
) -> None:
    assert measure["exceeding"](kinds[kind], family) <= 0.01


def test_the_committed_results_are_those_that_are_measured(measure: dict[str, Any]) -> None:
    assert (FOLDER / "RESULTS.md").read_text(encoding="utf-8") == measure["report"]()
