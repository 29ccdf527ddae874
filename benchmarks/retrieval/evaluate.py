"""How well the right memories are found: on the project-memory set and on public sets.

python -m benchmarks.retrieval.evaluate [--half tune|test|both] [--sets FOLDER] [--only NAME …]
                                        [--jobs N] [--write]

Every query goes the product's way: its words, index, ranking and routing, with a limit of k
memories. `--write` puts the page into RESULTS.md; without it, it is printed only. Weights are
chosen on the half `tune`; `test` is run to report. What the sets are: README.md, `sets.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrieval.sets import HALVES, HERE, KNOWN, Corpus, Known, every, known, limit_of
from engram.app.engram import Engram, compose
from engram.app.reading import ranked_for
from engram.app.stores import OpenStores
from engram.core.frontmatter import render
from engram.core.measures import Measures, Outcome, measure
from engram.core.memory import FOLDERS
from engram.record import replace
from engram.store.layout import Layout
from engram.store.memories import create_store
from engram.system.environment import Environment

BOTH = "both"
RESULTS = HERE / "RESULTS.md"
HEADS = "| set | half | queries | k | recall@k | MRR | nothing due | silent | at most one card |"
RULE = "|---|---|--:|--:|--:|--:|--:|--:|--:|"


class Score(NamedTuple):
    """How the queries of one half of a set came out."""

    name: str
    half: str
    measures: Measures
    quiet: float  # of the queries that should load nothing, those that brought one card at most
    asking: int
    idle: int


Found = list[tuple[str, Outcome]]  # the half of each query, and what it brought


def main() -> int:
    """Measure, and print or write the page."""
    told = _arguments()
    found = dict(evaluate(told.half, told.sets, told.only, told.jobs))
    text = page(found, told.only)
    print(text, end="")
    if told.write:
        RESULTS.write_text(text, encoding="utf-8", newline="\n")
    return 0


def _arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    asked.add_argument("--half", choices=(*HALVES, BOTH), default="tune")
    asked.add_argument("--sets", type=Path, default=os.environ.get("RETRIEVAL_SETS") or None)
    asked.add_argument("--only", nargs="*", default=[])
    asked.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")
    asked.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    return asked.parse_args()


def evaluate(
    half: str, sets: Path | None, only: list[str], jobs: int = 1
) -> Iterator[tuple[str, Found]]:
    """Each set with what its queries brought."""
    wanted = list(every(sets, only))
    work = [(corpus, half, limit_of(name)) for name, corpora in wanted for corpus in corpora]
    if jobs > 1:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            done = list(pool.map(_measured, work))
    else:
        done = [_measured(each) for each in work]
    for name, corpora in wanted:
        parts, done = done[: len(corpora)], done[len(corpora) :]
        yield name, [each for part in parts for each in part]


def _measured(work: tuple[Corpus, str, int]) -> Found:
    corpus, half, limit = work
    halves = [each.half for each in corpus.queries if half in (BOTH, each.half)]
    return list(zip(halves, outcomes(corpus, half, limit), strict=True))


def outcomes(corpus: Corpus, half: str, limit: int) -> list[Outcome]:
    """What each query of a half brings, from a store that holds the corpus."""
    asked = [each for each in corpus.queries if half in (BOTH, each.half)]
    with tempfile.TemporaryDirectory(prefix="engram-retrieval-") as folder:
        engram = _store(Path(folder), corpus, limit)
        with OpenStores(engram) as stores:
            stores.refresh(complete=True)
            return [
                Outcome(
                    tuple(entry.id for entry in ranked_for(stores, each.text)),
                    each.relevant,
                    each.forbidden,
                    category=each.category,
                )
                for each in asked
            ]


def _store(folder: Path, corpus: Corpus, limit: int) -> Engram:
    (folder / "project").mkdir()
    layout = Layout.of_project(str(folder / "project"))
    create_store(layout)
    lines: list[str] = []
    for memory in corpus.memories:
        path = f"{FOLDERS[memory.type]}/{memory.id}.md"
        data = render(memory).encode()
        place = Path(layout.root, path)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
    Path(layout.manifest).write_text("".join(lines), encoding="utf-8")
    environment = Environment({}, str(folder), str(folder / "project"))
    engram = compose(environment)
    values = {**engram.settings.values, "load.limit": limit}
    return replace(engram, settings=replace(engram.settings, values=values), counts_use=False)


def scored(name: str, half: str, found: Iterable[Outcome]) -> Score:
    """The measures of some outcomes; of recall and MRR, over those that expect something."""
    mine = list(found)
    idle = [each for each in mine if not each.expected]
    quiet = sum(len(each.ranked) <= 1 for each in idle) / len(idle) if idle else 1.0
    return Score(name, half, measure(mine), quiet, len(mine) - len(idle), len(idle))


def row(score: Score) -> str:
    """A score as a line of the table; — where there is nothing to measure."""
    asking = [f"{score.measures.recall:.3f}", f"{score.measures.mrr:.3f}"]
    idle = [f"{score.measures.nothing:.3f}", f"{score.quiet:.3f}"]
    cells = [
        *(score.name, score.half, str(score.asking), str(limit_of(score.name.strip("— ")))),
        *(asking if score.asking else ("—", "—")),
        str(score.idle),
        *(idle if score.idle else ("—", "—")),
    ]
    return f"| {' | '.join(cells)} |"


def targets(aim: Known, score: Score) -> str:
    """Which targets a score keeps, and which it misses."""
    pairs = (
        (f"recall@{aim.limit}", score.measures.recall, aim.recall),
        ("MRR", score.measures.mrr, aim.mrr),
        ("silent", score.measures.nothing, aim.silent),
        ("at most one card", score.quiet, aim.quiet),
    )
    told = [
        f"{name} ≥ {least:.2f}: {'kept' if value >= least else '**missed**'}"
        for name, value, least in pairs
        if least
    ]
    return "; ".join(told)


def page(found: dict[str, Found], only: list[str]) -> str:
    """RESULTS.md: each set with its target beside it, then the project set by category."""
    scores = [each for name, part in found.items() for each in _by_half(name, part)]
    lines = ["# How well the right memories are found", ""]
    lines += [
        "Written by `python -m benchmarks.retrieval.evaluate --write`; the sets, the halves and"
    ]
    lines += ["what the columns mean: [README.md](README.md).", ""]
    lines += [f"{HEADS} target |", f"{RULE}---|"]
    lines += [f"{row(each)} {targets(known(each.name), each)} |" for each in scores]
    missing = [each for each in KNOWN if each.name not in found and not each.name.endswith("*")]
    if missing and not only:
        lines += ["", "Not run, for want of the set (`--sets FOLDER`):", ""]
        lines += [f"- {each.name}: {each.origin}" for each in missing]
    if "project" in found:
        lines += ["", "## The project-memory set by category", "", HEADS, RULE]
        lines += [row(each) for each in _by_category(found["project"])]
        for each in _by_half("project", found["project"]):
            lines += ["", f"Forbidden memories that came, {each.half}: {each.measures.forbidden}."]
    return "\n".join(lines) + "\n"


def _by_half(name: str, found: Found) -> Iterator[Score]:
    for half in HALVES:
        mine = [each for of, each in found if of == half]
        if mine:
            yield scored(name, half, mine)


def _by_category(found: Found) -> Iterator[Score]:
    for category in sorted({each.category for _, each in found}):
        mine = [(half, each) for half, each in found if each.category == category]
        yield from _by_half(category, mine)


if __name__ == "__main__":
    sys.exit(main())
