"""Time the installed product against a bare Python, size by size, and write the figures down.

usage: python -m benchmarks.bench [--sizes N,N] [--large] [--rounds N] [--generator FILE]
                                  [--peer 'COMMAND'] [--output FILE]

Every cold figure is a whole process of a compiled install, measured in turn with
`python -c pass` of the same environment, so that noise falls on both.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks import generate
from benchmarks.installed import ROOT, install
from benchmarks.machine import processor
from benchmarks.scratch import Run, Scratch, answered, paired, scratch, timed

SIZES = (100, 1_000, 10_000)
LARGE = 100_000
WARM_CALLS = 200
EDITS = 5
BUILDS = SERVERS = 3  # the least of so many is told
SETTLING_SECONDS = 3.0  # a file changed so shortly before an index was made is read again each time

LOAD_TARGET, FIRST_REPLY_TARGET, FLAT_TARGET = 5.0, 4.0, 1.3  # times
WARM_TARGETS = {1_000: 5.0, 10_000: 20.0}  # ms, median
EDIT_TARGET = 150.0  # ms, at 10,000
BUILD_TARGETS = {1_000: 1_000.0, 10_000: 6_000.0}  # ms

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


class Cold(NamedTuple):
    """A cold process against a bare Python: milliseconds, and how many times as long."""

    least: float
    median: float
    least_ratio: float
    median_ratio: float
    cpu_ratio: float  # medians of processor time


class Figures(NamedTuple):
    """What was measured at one size; milliseconds and MB."""

    size: int
    build: float
    load: Cold
    reply: Cold
    peer: Cold | None
    edit: float
    warm: tuple[float, float]  # p50, p95
    load_peak: float
    server_peak: float


def main() -> None:
    asked = _asked()
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as name:
        folder = Path(name)
        scripts = install(folder)
        figures = []
        for size in (*asked.sizes, LARGE) if asked.large else asked.sizes:
            figures.append(_measured(size, folder / str(size), scripts, asked))
            print(_row(figures[-1]), flush=True)
            shutil.rmtree(folder / str(size))
        page = _page(figures, scripts)
    Path(asked.output).write_text(page, encoding="utf-8")
    print(page)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="100,1000,10000 when absent")
    parser.add_argument("--large", action="store_true", help=f"also {LARGE:,} memories, once")
    parser.add_argument("--rounds", type=int, default=20, help="cold runs of each (default 20)")
    parser.add_argument("--generator", help="another generator: called with --root DIR -n COUNT")
    parser.add_argument("--peer", help="a command to time beside `engram load`, in the project")
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "RESULTS.md"))
    return parser.parse_args()


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _measured(size: int, folder: Path, scripts: Path, asked: argparse.Namespace) -> Figures:
    place = scratch(folder)
    fill(place, size, asked.generator)
    tasks = generate.tasks(WARM_CALLS)
    bare = [str(scripts / "python"), "-c", "pass"]
    load = [str(scripts / "engram"), "load", tasks[0]]
    serve = [str(scripts / "engram-mcp")]
    line = json.dumps(INITIALIZE).encode() + b"\n"
    rounds = 3 if size == LARGE else asked.rounds

    build = min(_built(load, place) for _ in range(1 if size == LARGE else BUILDS))
    timed(bare, place), answered(serve, line, place)
    measured = [
        lambda: timed(bare, place),
        lambda: timed(load, place),
        lambda: answered(serve, line, place),
    ]
    if asked.peer:
        measured.append(lambda: timed(shlex.split(asked.peer), place))
    times = paired(rounds, *measured)
    warm, peak = min(_warm(serve, tasks, place) for _ in range(SERVERS))
    return Figures(
        size,
        build,
        cold(times, 1),
        cold(times, 2),
        cold(times, 3) if asked.peer else None,
        _after_an_edit(load, place),
        warm,
        timed(load, place).peak_bytes / 1e6,
        peak,
    )


def fill(place: Scratch, size: int, generator: str | None = None) -> None:
    """Write `size` memories and let them settle."""
    if generator:
        command = [sys.executable, generator, "--root", str(place.store), "-n", str(size)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    else:
        generate.write(place.store, size)
    time.sleep(SETTLING_SECONDS)  # a project whose files are older than seconds


def _built(load: list[str], place: Scratch) -> float:
    """A load that finds no index and makes one, milliseconds."""
    shutil.rmtree(place.cache, ignore_errors=True)
    return timed(load, place).seconds * 1000


def cold(rounds: list[list[Run]], which: int) -> Cold:
    """One measurement of each round against the first of the same round."""
    took = [each[which].seconds * 1000 for each in rounds]
    bare = [each[0].seconds * 1000 for each in rounds]
    cpu, bare_cpu = (median(each[n].cpu_seconds for each in rounds) for n in (which, 0))
    ratios = [one / other for one, other in zip(took, bare, strict=True)]
    return Cold(min(took), median(took), min(took) / min(bare), median(ratios), cpu / bare_cpu)


def _after_an_edit(load: list[str], place: Scratch) -> float:
    """The median of a load right after one memory was edited by hand."""
    took = []
    files = sorted(place.store.glob("rules/*.md"))
    for path in files[:: max(1, len(files) // EDITS)][:EDITS]:
        with path.open("a", encoding="utf-8") as memory:
            memory.write("- One more line.\n")
        took.append(timed(load, place).seconds * 1000)
    return median(took)


def _warm(serve: list[str], tasks: list[str], place: Scratch) -> tuple[tuple[float, float], float]:
    """p50 and p95 of `engram_load` in a running server, milliseconds; its peak memory, MB."""
    running = subprocess.Popen(
        serve,
        cwd=place.project,
        env=place.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    took = []
    for number, message in enumerate([INITIALIZE, *map(_call, tasks)]):
        began = time.perf_counter()
        running.stdin.write(json.dumps({**message, "id": number}).encode() + b"\n")
        running.stdin.flush()
        reply = json.loads(running.stdout.readline())
        took.append((time.perf_counter() - began) * 1000)
        if reply.get("result", {}).get("isError", "error" in reply):
            raise SystemExit(f"engram-mcp: {reply}")
    running.stdin.close()
    running.stdout.close()
    _, _, usage = os.wait4(running.pid, 0)
    running.returncode = 0
    calls = sorted(took[2:])  # the first call opens the index
    p50, p95 = calls[len(calls) // 2], calls[len(calls) * 95 // 100]
    return (p50, p95), usage.ru_maxrss * 1024 / 1e6


def _call(task: str) -> dict[str, object]:
    params = {"name": "engram_load", "arguments": {"query": task}}
    return {"jsonrpc": "2.0", "method": "tools/call", "params": params}


def _page(figures: list[Figures], scripts: Path) -> str:
    version = python_version(scripts)
    command = (
        shlex.join(["make", "bench"])
        if len(sys.argv) == 1
        else shlex.join(["python", "-m", "benchmarks.bench", *sys.argv[1:]])
    )
    header = (
        "| memories | first load, builds the index | cold load | against python | "
        "first MCP reply | against python | load after an edit | warm engram_load p50 / p95 | "
        "peak MB load / server |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    return "\n".join(
        [
            "# Results",
            "",
            about(command, version),
            "",
            header,
            *map(_row, figures),
            "",
            "## Targets",
            "",
            "| what | target | measured | |",
            "|---|--:|--:|---|",
            *_judged(figures),
            *_peers(figures),
            "",
        ]
    )


def python_version(scripts: Path) -> str:
    """The version of an environment's Python."""
    told = subprocess.run([scripts / "python", "-V"], capture_output=True, check=True, text=True)
    return told.stdout.split()[1]


def about(command: str, version: str) -> str:
    """How, where and when figures were made, for the page that holds them."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    urgent = f" (at nice {nice}, beside other programs)" if nice else ""
    return (
        f"`{command}`{urgent} on {datetime.now(UTC):%Y-%m-%d}: {processor()}, "
        f"{os.cpu_count()} cores, {platform.system()}, Python {version}. A wheel, installed and "
        "compiled; whole processes; milliseconds, least / median; ratios are to `python -c pass` "
        "of the same environment in the same run: of the least, median, and of processor time. "
        "First load and warm calls: the least of three runs."
    )


def _row(at: Figures) -> str:
    return (
        f"| {at.size:,} | {at.build:.0f} | {at.load.least:.1f} / {at.load.median:.1f} "
        f"| {at.load.least_ratio:.2f} / {at.load.median_ratio:.2f} / {at.load.cpu_ratio:.2f}× "
        f"| {at.reply.least:.1f} / {at.reply.median:.1f} "
        f"| {at.reply.least_ratio:.2f} / {at.reply.median_ratio:.2f} / {at.reply.cpu_ratio:.2f}× "
        f"| {at.edit:.1f} | {at.warm[0]:.2f} / {at.warm[1]:.2f} "
        f"| {at.load_peak:.0f} / {at.server_peak:.0f} |"
    )


def _judged(figures: list[Figures]) -> list[str]:
    at = {each.size: each for each in figures}
    measured = [each for each in figures if each.size != LARGE]
    rows = [
        verdict(f"cold load at {each.size:,}, × python", LOAD_TARGET, each.load.median_ratio)
        for each in measured
    ]
    rows += [
        verdict(
            f"first MCP reply at {each.size:,}, × python",
            FIRST_REPLY_TARGET,
            each.reply.median_ratio,
        )
        for each in measured
    ]
    small, big = SIZES[0], SIZES[-1]
    if small in at and big in at:
        # The sizes are measured one after the other: only what python took meanwhile compares them.
        load, reply = (
            getattr(at[big], name).median_ratio / getattr(at[small], name).median_ratio
            for name in ("load", "reply")
        )
        grown = f"from {small:,} to {big:,} memories, times"
        rows += [
            verdict(f"cold load {grown}", FLAT_TARGET, load),
            verdict(f"first MCP reply {grown}", FLAT_TARGET, reply),
        ]
    for size, target in WARM_TARGETS.items():
        if size in at:
            rows.append(verdict(f"warm p50 at {size:,}, ms", target, at[size].warm[0]))
    for size, target in BUILD_TARGETS.items():
        if size in at:
            rows.append(verdict(f"first load at {size:,}, ms", target, at[size].build))
    if big in at:
        rows.append(verdict(f"load after one edit at {big:,}, ms", EDIT_TARGET, at[big].edit))
    return rows


def verdict(what: str, target: float, measured: float) -> str:
    """A row that says whether a target is met."""
    return (
        f"| {what} | ≤ {target:g} | {measured:.2f} | {'met' if measured <= target else 'MISSED'} |"
    )


def _peers(figures: list[Figures]) -> list[str]:
    rows = [
        f"| {at.size:,} | {at.peer.least:.1f} / {at.peer.median:.1f} "
        f"| {at.peer.least_ratio:.2f} / {at.peer.median_ratio:.2f} / {at.peer.cpu_ratio:.2f}× |"
        for at in figures
        if at.peer
    ]
    head = ["", "## The other command", "", "| memories | cold | against python |", "|--:|--:|--:|"]
    return [*head, *rows] if rows else []


if __name__ == "__main__":
    main()
