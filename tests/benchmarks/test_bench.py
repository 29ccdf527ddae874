"""The benchmark's pieces, on a store of twenty memories."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks import bench, generate
from benchmarks.scratch import answered, paired, scratch, timed

SCRIPTS = Path(sys.executable).parent


def test_a_small_store_is_measured_in_every_respect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "SETTLING_SECONDS", 0.0)
    monkeypatch.setattr(bench, "WARM_CALLS", 5)
    monkeypatch.setattr(bench, "EDITS", 2)
    asked = Namespace(generator=None, rounds=2, peer=f"{SCRIPTS / 'engram'} --version")
    figures = bench._measured(20, tmp_path / "20", SCRIPTS, asked)
    assert figures.size == 20
    assert figures.load.least_ratio > 1
    assert figures.reply.least > 0
    assert figures.peer is not None
    assert 0 < figures.warm[0] <= figures.warm[1]
    assert min(figures.build, figures.edit, figures.load_peak, figures.server_peak) > 0
    page = bench._page([figures], SCRIPTS)
    assert "| 20 |" in page
    assert "cold load at 20, × python" in page
    assert str(tmp_path) not in page


COLD = bench.Cold(10.0, 12.0, 2.0, 2.5, 2.2)


def figures(size: int, load: float) -> bench.Figures:
    cold = COLD._replace(median_ratio=load)
    return bench.Figures(size, 900.0, cold, COLD, None, 30.0, (6.0, 9.0), 20.0, 22.0)


def test_targets_are_judged_where_their_sizes_were_measured() -> None:
    rows = bench._judged([figures(100, 2.0), figures(1_000, 2.5), figures(10_000, 3.0)])
    assert "| cold load from 100 to 10,000 memories, times | ≤ 1.3 | 1.50 | MISSED |" in rows
    assert "| first MCP reply from 100 to 10,000 memories, times | ≤ 1.3 | 1.00 | met |" in rows
    assert "| warm p50 at 1,000, ms | ≤ 5 | 6.00 | MISSED |" in rows
    assert "| warm p50 at 10,000, ms | ≤ 20 | 6.00 | met |" in rows
    assert "| first load at 1,000, ms | ≤ 1000 | 900.00 | met |" in rows
    assert "| load after one edit at 10,000, ms | ≤ 150 | 30.00 | met |" in rows
    small = bench._judged([figures(20, 2.5), figures(bench.LARGE, 9.0)])
    assert small == [
        "| cold load at 20, × python | ≤ 5 | 2.50 | met |",
        "| first MCP reply at 20, × python | ≤ 4 | 2.50 | met |",
    ]


def test_a_failing_command_ends_the_measurement(tmp_path: Path) -> None:
    place = scratch(tmp_path / "a")
    with pytest.raises(SystemExit, match="exit 3"):
        timed([sys.executable, "-c", "raise SystemExit(3)"], place)
    with pytest.raises(SystemExit, match="no reply"):
        answered([sys.executable, "-c", "input()"], b"{}\n", place)


def test_measurements_take_turns(tmp_path: Path) -> None:
    place = scratch(tmp_path / "a")
    one, two = (lambda word=word: timed(["echo", word], place) for word in ("one", "two"))
    runs = paired(2, one, two)
    assert [[run.output for run in turn] for turn in runs] == [[b"one\n", b"two\n"]] * 2


def test_a_store_is_made_alike_each_time_and_all_of_it_approved(tmp_path: Path) -> None:
    for name in ("a", "b"):
        generate.write(tmp_path / name, 12)
    texts = [
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "a", tmp_path / "b")
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 13
    assert len(texts[0][Path("memory.sha256")].splitlines()) == 12
