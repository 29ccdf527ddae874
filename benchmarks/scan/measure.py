"""Measure the scan on labelled texts: what it catches of each kind, what it refuses wrongly.

    python benchmarks/scan/measure.py              the tables
    python benchmarks/scan/measure.py --misses     the texts of the tune half that it gets wrong
    python benchmarks/scan/measure.py --write      the tables, into RESULTS.md beside this file

Every secret in the sets is made up. They are stored in short parts, so that nothing here has the
shape of a key.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "src"))

from engram.core.scan import PERSONAL, SECRET, blocks, scan
from engram.record import Record

FOLDER = os.path.dirname(os.path.abspath(__file__))
HALVES = ("tune", "held-out")
SETS = {
    "secrets": "made-up secrets",
    "personal": "made-up personal data",
    "planted": "planted instructions and hidden text",
    "lookalikes": "innocent look-alikes of secrets",
    "imperatives": "innocent imperatives and scripts",
}
INNOCENT = ("lookalikes", "imperatives")


class Sample(Record):
    """One labelled text of a set, and whether the scan finds in it what the set is about."""

    set: str
    id: str
    kind: str
    half: str
    text: str
    found: bool


class Count(Record):
    """How many of the samples were found."""

    found: int
    total: int

    @property
    def share(self) -> float:
        return self.found / self.total


def samples(name: str) -> Iterator[Sample]:
    """The labelled texts of one set, each scanned."""
    with open(os.path.join(FOLDER, f"{name}.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            text = row["text"] if "text" in row else "".join(row["parts"])
            yield Sample(name, row["id"], row["kind"], row["half"], text, _found(name, text))


def _found(name: str, text: str) -> bool:
    found = scan(text)
    if name == "personal":
        return any(finding.family == PERSONAL for finding in found)
    if name == "secrets":
        return any(finding.family == SECRET for finding in found)
    return blocks(found)


def count(measured: list[Sample], half: str = "", kind: str = "") -> Count:
    """The samples of one half and one kind; of all where none is named."""
    chosen = [s for s in measured if half in {"", s.half} and kind in {"", s.kind}]
    return Count(sum(s.found for s in chosen), len(chosen))


def tables(everything: dict[str, list[Sample]]) -> str:
    """The report, as Markdown."""
    lines = ["| set | tune half | held-out half |", "|---|---|---|"]
    for name, title in SETS.items():
        what = "blocked" if name in INNOCENT else "caught"
        cells = [_cell(count(everything[name], half), what) for half in HALVES]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines += ["", *_precision(everything)]
    for name in ("secrets", "personal", "planted", *INNOCENT):
        lines += ["", f"## {SETS[name].capitalize()}, by kind", ""]
        lines += ["| kind | tune | held-out |", "|---|---|---|"]
        kinds = dict.fromkeys(sample.kind for sample in everything[name])
        for kind in kinds:
            halves = [count(everything[name], half, kind) for half in HALVES]
            lines.append(f"| {kind} | " + " | ".join(f"{c.found}/{c.total}" for c in halves) + " |")
    return "\n".join(lines) + "\n"


def _cell(counted: Count, what: str) -> str:
    return f"{counted.found} of {counted.total} {what} ({counted.share:.1%})"


def _precision(everything: dict[str, list[Sample]]) -> Iterator[str]:
    """Of all texts that are refused, the share that should be."""
    for half in HALVES:
        right = sum(count(everything[name], half).found for name in ("secrets", "planted"))
        wrong = sum(count(everything[name], half).found for name in INNOCENT)
        yield f"Precision of a refusal, {half} half: {right / (right + wrong):.1%}."


def misses(everything: dict[str, list[Sample]]) -> Iterator[str]:
    """The texts of the tune half that are judged wrongly. The held-out half stays unseen."""
    for name, measured in everything.items():
        for sample in measured:
            if sample.half == "tune" and sample.found == (name in INNOCENT):
                yield f"{name} {sample.id}: {sample.text!r}"


def main() -> None:
    everything = {name: list(samples(name)) for name in SETS}
    if "--misses" in sys.argv:
        print("\n".join(misses(everything)))
        return
    report = tables(everything)
    if "--write" in sys.argv:
        head = (
            "# What the scan catches\n\nWritten by `python benchmarks/scan/measure.py --write`.\n\n"
        )
        with open(os.path.join(FOLDER, "RESULTS.md"), "w", encoding="utf-8") as results:
            results.write(head + report)
    print(report)


if __name__ == "__main__":
    main()
