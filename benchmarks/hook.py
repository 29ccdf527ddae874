"""Time the whole hook process against a bare Python, size by size, and write the figures down.

usage: python -m benchmarks.hook [--sizes N,N] [--rounds N] [--peer 'COMMAND'] [--output FILE]

Every round runs a bare Python, each event with each launcher, and the other command, one after the
other, so that what other programs do falls on all. The event is on the standard input of each.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import generate
from benchmarks.bench import Cold, about, cold, fill, python_version, verdict
from benchmarks.installed import ROOT, install
from benchmarks.scratch import Run, Scratch, paired, scratch, timed

SIZES = (100, 1_000, 10_000)
TARGET, TARGET_AT, FLAT = 2.5, 1_000, 1.3  # times a bare Python; times the smaller size
CODE = "import sys; from engram.interfaces.cli import main; sys.exit(main())"
SCRIPT, LEAN = "engram", "engram, lean"
LEAN_SCRIPT = f"#!{{python}}\n{CODE}\n"
EACH = (
    "Each run is a whole process, start to exit, of another session, so that a prompt is given "
    "whole memories."
)
PROMPT, START, IDLE = "prompt", "session start", "“thanks”"
OTHER = "the other command"
OF_A_PROMPT = (
    "engram.interfaces.hook, engram.app.hooking, engram.app.giving, engram.app.stores, "
    "engram.app.engram, Stemmer"
)
# Whole processes, each of which does one thing; what it costs is the difference to the first.
PARTS = (
    ("python -c pass", "pass"),
    ("ended at once", "import os; os._exit(0)"),
    ("import re", "import re"),
    ("import sqlite3", "import sqlite3"),
    ("import _sqlite3", "import _sqlite3"),
    ("… without functools", "import engram.system.sqlite"),
    ("import Stemmer", "import Stemmer"),
    ("import json", "import json"),
    ("import _json", "import _json"),
    (
        "what a prompt imports, ended at once",
        f"import gc, os; gc.disable(); import {OF_A_PROMPT}; os._exit(0)",
    ),
)


class Figure(NamedTuple):
    """One event, answered by one launcher, at one size."""

    size: int
    event: str
    launcher: str
    took: Cold


def main() -> None:
    parser = argparse.ArgumentParser(prog="hook", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="100,1000,10000")
    parser.add_argument("--rounds", type=int, default=30, help="runs of each (default 30)")
    parser.add_argument("--peer", help="a command to time beside the hook, given the same event")
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "hook.md"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="engram-hook-") as name:
        folder = Path(name)
        scripts = install(folder)
        figures: list[Figure] = []
        for size in map(int, asked.sizes.split(",")):
            place = scratch(folder / str(size))
            fill(place, size)
            figures += measured(size, place, scripts, asked.rounds, asked.peer)
            shutil.rmtree(place.folder)
        parts = _parts(scratch(folder / "parts"), scripts, asked.rounds)
        imports_re = "import re" in (scripts / "engram").read_text(encoding="utf-8")
        page = _page(figures, parts, python_version(scripts), imports_re=imports_re)
    Path(asked.output).write_text(page, encoding="utf-8")
    print(page)


def measured(
    size: int, place: Scratch, scripts: Path, rounds: int, peer: str | None
) -> list[Figure]:
    """Every event with every launcher at one size, each against a bare Python of its round."""
    python = str(scripts / "python")
    launchers = {
        SCRIPT: [str(scripts / "engram"), "agent-hook", "claude"],
        LEAN: [str(_lean(scripts)), "agent-hook", "claude"],
    }
    timed([str(scripts / "engram"), "load", "anything"], place)  # the index stands
    events = _events(place)
    commands = [("", [python, "-c", "pass"], PROMPT)]
    commands += [(name, line, PROMPT) for name, line in launchers.items()]
    commands += [(SCRIPT, launchers[SCRIPT], event) for event in (START, IDLE)]
    if peer:
        commands.append((OTHER, shlex.split(peer), PROMPT))

    def run(line: list[str], event: str) -> Run:
        done = timed(line, place, next(events[event]))
        if event == PROMPT and "agent-hook" in line and b"hookSpecificOutput" not in done.output:
            raise SystemExit(f"The hook brought nothing: {done.output[:200]!r}")
        return done

    paired(2, *(lambda line=line, event=event: run(line, event) for _, line, event in commands))
    times = paired(
        rounds, *(lambda line=line, event=event: run(line, event) for _, line, event in commands)
    )
    return [
        Figure(size, event, name, cold(times, number))
        for number, (name, _, event) in enumerate(commands)
        if name
    ]


def _lean(scripts: Path) -> Path:
    """A console script as newer installers write it: nothing is imported but the product."""
    path = scripts / "engram-lean"
    path.write_text(LEAN_SCRIPT.format(python=scripts / "python"), encoding="utf-8")
    path.chmod(0o755)
    return path


def _parts(place: Scratch, scripts: Path, rounds: int) -> list[str]:
    """A row for each of PARTS."""
    python = str(scripts / "python")
    lines = [[python, "-c", code] for _, code in PARTS]
    turns = paired(rounds, *(lambda line=line: timed(line, place) for line in lines))
    rows: list[str] = []
    for number, (name, _) in enumerate(PARTS):
        took = sorted(turn[number].seconds * 1000 for turn in turns)
        rows.append(f"| {name} | {took[0]:.1f} / {took[len(took) // 2]:.1f} |")
    return rows


def _events(place: Scratch) -> dict[str, Iterator[bytes]]:
    """What a host puts on standard input, each time of another session."""

    def told(event: str, **fields: str) -> Iterator[bytes]:
        number = 0
        while True:
            about = {"hook_event_name": event, "session_id": f"{fields}{(number := number + 1)}"}
            yield json.dumps({**about, "cwd": str(place.project), **fields}).encode()

    return {
        PROMPT: told("UserPromptSubmit", prompt=generate.tasks(1)[0]),
        START: told("SessionStart", source="startup"),
        IDLE: told("UserPromptSubmit", prompt="thanks"),
    }


def _page(figures: list[Figure], parts: list[str], version: str, *, imports_re: bool) -> str:
    command = shlex.join(["python", "-m", "benchmarks.hook", *sys.argv[1:]])
    launcher = (
        "The console script is one of an older pip, which has it import `re` before any line of ours."
        if imports_re
        else "The console script imports nothing of its own."
    )
    return "\n".join(
        [
            "# The hook",
            "",
            about(command, version),
            "",
            f"{EACH} {launcher} “Lean” is a script as newer installers write it, without.",
            "",
            "| memories | event | started as | ms | against python |",
            "|--:|---|---|--:|--:|",
            *map(_row, figures),
            "",
            "## What its parts cost",
            "",
            "| a whole process | ms, least / median |",
            "|---|--:|",
            *parts,
            "",
            "## Targets",
            "",
            "| what | target | measured | |",
            "|---|--:|--:|---|",
            *_judged(figures),
            "",
        ]
    )


def _row(at: Figure) -> str:
    took = at.took
    return (
        f"| {at.size:,} | {at.event} | {at.launcher} | {took.least:.1f} / {took.median:.1f} "
        f"| {took.least_ratio:.2f} / {took.median_ratio:.2f} / {took.cpu_ratio:.2f}× |"
    )


def _judged(figures: list[Figure]) -> list[str]:
    rows: list[str] = []
    for launcher in (SCRIPT, LEAN):
        at = {
            each.size: each.took.median_ratio
            for each in figures
            if (each.event, each.launcher) == (PROMPT, launcher)
        }
        if TARGET_AT in at:
            what = f"prompt at {TARGET_AT:,}, {launcher}, × python"
            rows.append(verdict(what, TARGET, at[TARGET_AT]))
            what = f"from {TARGET_AT:,} to {max(at):,} memories, {launcher}, times"
            rows.append(verdict(what, FLAT, at[max(at)] / at[TARGET_AT]))
    return rows


if __name__ == "__main__":
    main()
