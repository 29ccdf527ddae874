"""The scan keeps to its targets on the labelled texts of benchmarks/scan, and RESULTS.md is true."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "scan"
HALVES = ("tune", "held-out")


@pytest.fixture(scope="module")
def measure() -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / "measure.py"))


@pytest.fixture(scope="module")
def measured(measure: dict[str, Any]) -> dict[str, Any]:
    return {name: list(measure["samples"](name)) for name in measure["SETS"]}


@pytest.mark.parametrize(("name", "least", "kinds"), [
    ("secrets", 150, 40), ("planted", 100, 9), ("lookalikes", 150, 5), ("imperatives", 150, 8), ("personal", 30, 5),
])  # fmt: skip
def test_a_set_is_large_and_varied_enough(
    measured: dict[str, Any], name: str, least: int, kinds: int
) -> None:
    assert len(measured[name]) >= least
    assert len({sample.kind for sample in measured[name]}) >= kinds
    assert len({sample.id for sample in measured[name]}) == len(measured[name])


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize(
    ("name", "target"), [("secrets", 0.98), ("planted", 0.90), ("personal", 0.90)]
)
def test_recall_reaches_its_target(
    measure: dict[str, Any], measured: dict[str, Any], half: str, name: str, target: float
) -> None:
    assert measure["count"](measured[name], half).share >= target


@pytest.mark.parametrize("half", HALVES)
def test_at_most_one_innocent_text_in_a_hundred_is_refused(
    measure: dict[str, Any], measured: dict[str, Any], half: str
) -> None:
    innocent = [sample for name in measure["INNOCENT"] for sample in measured[name]]
    assert measure["count"](innocent, half).share <= 0.01


def test_close_calls_stand_in_a_set_of_their_own(measure: dict[str, Any]) -> None:
    close = list(measure["samples"](measure["CLOSE"]))
    assert len(close) >= 200
    assert measure["count"](close).share <= 0.25


def test_the_cost_page_names_import_and_warm_scans(
    measure: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(measure["cost"].__globals__, "_timed", lambda _call: 0.001)
    told = measure["cost"]()
    page = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    for title in ("import of", "first scan", "warm scan of English documentation"):
        assert title in told
        assert title in page


def test_the_results_page_says_what_is_measured(
    measure: dict[str, Any], measured: dict[str, Any]
) -> None:
    page = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    assert page.endswith(measure["tables"](measured))


def test_no_line_of_the_sets_holds_a_whole_secret(measured: dict[str, Any]) -> None:
    lines = (FOLDER / "secrets.jsonl").read_text(encoding="utf-8").splitlines()
    for sample, line in zip(measured["secrets"], lines, strict=True):
        assert sample.text not in line
