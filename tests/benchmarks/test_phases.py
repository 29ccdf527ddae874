"""Where the time of a load goes, measured on twenty memories."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import bench, phases
from benchmarks.scratch import Scratch, scratch

SCRIPTS = Path(sys.executable).parent


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scratch:
    monkeypatch.setattr(bench, "SETTLING_SECONDS", 0.0)
    made = scratch(tmp_path / "place")
    bench.fill(made, 20)
    return made


def test_every_step_of_a_load_is_measured_and_lies_within_it(place: Scratch) -> None:
    found = phases.warm(SCRIPTS, place, 1)
    assert list(found) == [*(name for name, *_ in phases.STEPS), phases.LOAD]
    assert min(found.values()) > 0
    outer = [ms for name, ms in found.items() if name != phases.LOAD and name[0] != " "]
    assert sum(outer) <= found[phases.LOAD]


def test_the_processes_of_a_cold_load_are_measured(place: Scratch) -> None:
    found = phases.cold(SCRIPTS, place, 1)
    assert next(iter(found)) == "python -c pass"
    assert list(found)[-1] == "engram load"
    assert min(found.values()) > 0


def test_figures_are_shown_as_a_table() -> None:
    assert phases.table("a load", {"open": 1.26, "  search": 0.5}) == (
        "| a load | ms |\n|---|--:|\n| open | 1.3 |\n| &emsp;search | 0.5 |\n"
    )
