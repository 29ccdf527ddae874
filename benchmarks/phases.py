"""Where the milliseconds of a load go: the start of its process, then each step in a warm one.

usage: python -m benchmarks.phases [--size 1000] [--rounds 20]

The least of all rounds is told, since other programs only ever add to it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks import generate
from benchmarks.bench import fill
from benchmarks.installed import install
from benchmarks.scratch import Scratch, paired, scratch, timed

TASKS = 20
OF_A_LOAD = "engram.interfaces.terminal, engram.interfaces.arguments, engram.app.reading"

# A step, and the function whose time it is; an indented one is part of the one above.
STEPS = (
    ("settings and places", "engram.app.engram", "", "compose"),
    ("open the index", "engram.app.stores", "OpenStores", "__enter__"),
    ("look at the files", "engram.app.stores", "OpenStores", "refresh"),
    ("find", "engram.app.stores", "OpenStores", "find"),
    ("  search the index", "engram.store.index", "Index", "find"),
    ("rank", "engram.core.ranking", "", "rank"),
    ("choose", "engram.core.routing", "", "route"),
    ("read the chosen files", "engram.app.stores", "OpenStores", "read"),
    ("put the text together", "engram.core.briefing", "", "brief"),
    ("count the fetches", "engram.app.stores", "OpenStores", "count_use"),
    ("close the index", "engram.app.stores", "OpenStores", "__exit__"),
)
LOAD = "the whole load"


def main() -> int:
    parser = argparse.ArgumentParser(prog="phases", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=int, default=1_000, help="memories (default 1000)")
    parser.add_argument("--rounds", type=int, default=20, help="runs of each (default 20)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="engram-phases-") as name:
        folder = Path(name)
        scripts = install(folder)
        place = scratch(folder / "place")
        fill(place, asked.size)
        print(table(f"a cold load of {asked.size:,}", cold(scripts, place, asked.rounds)))
        print(table(f"a warm load of {asked.size:,}", warm(scripts, place, asked.rounds)))
    return 0


def cold(scripts: Path, place: Scratch, rounds: int) -> dict[str, float]:
    """Milliseconds of whole processes, each doing more than the one before."""
    python = str(scripts / "python")
    load = [str(scripts / "engram"), "load", generate.tasks(1)[0]]
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "… and import re, as pip's scripts do": [python, "-c", "import re"],
        "… and import sqlite3": [python, "-c", "import re, sqlite3"],
        "… and import what a load needs": [
            python,
            "-c",
            f"import re, engram.interfaces.cli, {OF_A_LOAD}",
        ],
        "engram load": load,
    }
    timed(load, place)
    runs = paired(rounds, *(lambda one=one: timed(one, place) for one in commands.values()))
    return {
        name: min(turn[number].seconds for turn in runs) * 1000
        for number, name in enumerate(commands)
    }


def warm(scripts: Path, place: Scratch, rounds: int) -> dict[str, float]:
    """Milliseconds of each step of a load in a running process of the installed product."""
    code = "import sys; sys.path.append(sys.argv[1]); import benchmarks.phases as own; own.steps(sys.argv[2])"
    root = str(Path(__file__).resolve().parents[1])
    told = timed([str(scripts / "python"), "-c", code, root, str(rounds)], place).output
    found: dict[str, float] = json.loads(told)
    return found


def steps(rounds: str) -> None:
    """Load TASKS tasks in the working directory, `rounds` times; print the means of the least."""
    import importlib  # noqa: PLC0415 - runs in a process of its own

    from engram.app import engram as root  # noqa: PLC0415
    from engram.app.inputs import Load  # noqa: PLC0415
    from engram.app.reading import load  # noqa: PLC0415
    from engram.system.environment import Environment  # noqa: PLC0415

    spent: dict[str, float] = {}
    for name, module, owner, function in STEPS:
        holder = importlib.import_module(module)
        _watch(getattr(holder, owner) if owner else holder, function, name, spent)
    least: list[dict[str, float]] = []
    for task in generate.tasks(TASKS):
        turns = []
        for _ in range(int(rounds)):
            spent.clear()
            began = time.perf_counter()
            load(root.compose(Environment.of_this_process()), Load(task))
            turns.append({**spent, LOAD: (time.perf_counter() - began) * 1000})
        least.append({name: min(turn.get(name, 0.0) for turn in turns) for name in turns[0]})
    names = [*(name for name, *_ in STEPS), LOAD]
    means = {name: sum(one.get(name, 0.0) for one in least) / len(least) for name in names}
    print(json.dumps(means))


def _watch(owner: Any, function: str, name: str, spent: dict[str, float]) -> None:
    inner: Callable[..., object] = getattr(owner, function)

    def watched(*given: object, **named: object) -> object:
        began = time.perf_counter()
        try:
            return inner(*given, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + (time.perf_counter() - began) * 1000

    setattr(owner, function, watched)


def table(title: str, figures: dict[str, float]) -> str:
    """Figures as a table of Markdown."""
    rows: Iterable[str] = (
        f"| {name.replace('  ', '&emsp;')} | {ms:.1f} |" for name, ms in figures.items()
    )
    return "\n".join([f"| {title} | ms |", "|---|--:|", *rows, ""])


if __name__ == "__main__":
    sys.exit(main())
