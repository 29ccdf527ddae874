"""Measure the scan on labelled texts: what it catches of each kind, what it refuses wrongly.

    python benchmarks/scan/measure.py              the tables
    python benchmarks/scan/measure.py --misses     the texts of the tune half that it gets wrong
    python benchmarks/scan/measure.py --write      cost and tables, into RESULTS.md beside this file
    python benchmarks/scan/measure.py --cost       what a scan costs

Every secret in the sets is made up. They are stored in short parts, so that nothing here has the
shape of a key.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median

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
CLOSE = "close"
INNOCENT = ("lookalikes", "imperatives")


class Sample(Record):
    """One labelled text of a set, and whether the scan finds in it what the set is about."""

    set: str
    id: str
    kind: str
    half: str
    later: bool  # whether it was labelled after the first tuning
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
            later = row.get("later", False)
            yield Sample(name, row["id"], row["kind"], row["half"], later, text, _found(name, text))


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
    lines += ["", *_precision(everything), "", *_innocents(everything)]
    for name in ("secrets", "personal", "planted", *INNOCENT):
        lines += ["", f"## {SETS[name].capitalize()}, by kind", ""]
        lines += ["| kind | tune | held-out |", "|---|---|---|"]
        kinds = dict.fromkeys(sample.kind for sample in everything[name])
        for kind in kinds:
            halves = [count(everything[name], half, kind) for half in HALVES]
            lines.append(f"| {kind} | " + " | ".join(f"{c.found}/{c.total}" for c in halves) + " |")
    return "\n".join(lines) + "\n"


def _cell(counted: Count, what: str) -> str:
    return f"{counted.found} of {counted.total} {what} ({counted.share:.2%})"


def _precision(everything: dict[str, list[Sample]]) -> Iterator[str]:
    """Of all texts that are refused, the share that should be."""
    for half in HALVES:
        right = sum(count(everything[name], half).found for name in ("secrets", "planted"))
        wrong = sum(count(everything[name], half).found for name in INNOCENT)
        yield f"Precision of a refusal, {half} half: {right / (right + wrong):.1%}."


def _innocents(everything: dict[str, list[Sample]]) -> Iterator[str]:
    """What is refused of the innocent: as first labelled, as labelled later, and close calls."""
    held_out = [s for name in INNOCENT for s in everything[name] if s.half == "held-out"]
    first = [s for s in held_out if not s.later]
    later = [s for s in held_out if s.later]
    yield f"All innocents of the held-out half: {_cell(count(held_out), 'blocked')};"
    yield f"as first labelled: {_cell(count(first), 'blocked')};"
    yield f"labelled later: {_cell(count(later), 'blocked')}. These were written by hand before they"
    yield "were first measured (2 of 52 were blocked then), but not hidden from the tuning that"
    yield "followed. None of the first half was looked at."
    close = count(list(samples(CLOSE)))
    yield ""
    yield f"Close calls, innocents written to look like an attack or a secret: {_cell(close, 'blocked')}."
    yield "They stand in `close.jsonl`, are tuned on, and count in no other figure."


def misses(everything: dict[str, list[Sample]]) -> Iterator[str]:
    """The texts of the tune half that are judged wrongly. The held-out half stays unseen."""
    for name, measured in everything.items():
        for sample in measured:
            if sample.half == "tune" and sample.found == (name in INNOCENT):
                yield f"{name} {sample.id}: {sample.text!r}"


def cost() -> str:
    """What a scan costs in this process, and what its import costs in a new one, as Markdown."""
    lines = ["| what | median |", "|---|--:|"]
    bare, imported = _process("pass"), _process("import engram.core.scan")
    lines.append(
        f"| import of `engram.core.scan`, above a bare Python | {imported - bare:.0f} ms |"
    )
    first = _process("from engram.core.scan import scan; scan('Ignore the token: see @docs.')")
    lines.append(f"| the first scan of a process, import with it | {first - bare:.0f} ms |")
    for title, text in _ordinary().items():
        size = len(text.encode()) / 1024
        each = _timed(lambda text=text: scan(text)) / size  # type: ignore[misc]
        lines.append(f"| warm scan of {title} ({size:.0f} KB) | {each * 1e6:,.0f} µs a KB |")
    return "\n".join(lines) + "\n"


def _ordinary() -> dict[str, str]:
    """The documentation as text without findings to speak of, and the innocents by script."""
    docs = os.path.join(FOLDER, "..", "..", "docs", "decisions")
    pages = sorted(name for name in os.listdir(docs) if name.endswith(".md"))
    english = ""
    for name in pages:
        with open(os.path.join(docs, name), encoding="utf-8") as page:
            english += page.read()
    innocents = [s for s in samples("imperatives") if s.kind not in {"en", "scripts"}]
    return {
        "English documentation": english,
        "one memory of 1 KB": english[:1024],
        "other languages": "\n".join(s.text for s in innocents),
    }


def _timed(call: Callable[[], object], rounds: int = 9) -> float:
    call()
    return median(_once(call) for _ in range(rounds))


def _once(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _process(code: str) -> float:
    """Milliseconds of a whole process that runs `code`."""
    path = os.path.join(FOLDER, "..", "..", "src")
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"]
    return _timed(lambda: subprocess.run(command, check=True)) * 1000


def main() -> None:
    if "--cost" in sys.argv:
        print(cost())
        return
    everything = {name: list(samples(name)) for name in SETS}
    if "--misses" in sys.argv:
        print("\n".join(misses(everything)))
        return
    report = tables(everything)
    if "--write" in sys.argv:
        head = (
            "# What the scan catches and costs\n\n"
            "Written by `python benchmarks/scan/measure.py --write`.\n\n"
            "## Cost\n\nOf `--cost`; it differs from one machine to the next, here on 2 shared cores.\n\n"
            f"{cost()}\n## Figures\n\n"
        )
        with open(os.path.join(FOLDER, "RESULTS.md"), "w", encoding="utf-8") as results:
            results.write(head + report)
    print(report)


if __name__ == "__main__":
    main()
