"""How far the estimate of tokens is from the count, by kind of text and family of models.

usage: python benchmarks/tokens/run.py [--write]

The counts stand beside each text of samples.jsonl; `count.py` made them. `--write` writes RESULTS.md.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
import sys
from typing import NamedTuple

from engram.core.briefing import FILLED
from engram.core.tokens import FAMILIES, estimate

HERE = os.path.dirname(os.path.abspath(__file__))
BUDGET = 1600  # tokens, as a load has by default
BUNDLES = 500  # of each kind
SEED = 2026


class Sample(NamedTuple):
    kind: str
    text: str
    counts: dict[str, int]  # by family


class Error(NamedTuple):
    mean: float  # of what the estimate is off, either way
    median: float  # of estimate / count
    least: float
    most: float


def samples() -> list[Sample]:
    """The committed texts with their counts."""
    with open(os.path.join(HERE, "samples.jsonl"), encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    return [
        Sample(each["kind"], each["text"], {family: each[family] for family in FAMILIES})
        for each in told
    ]


def by_kind(of: list[Sample]) -> dict[str, list[Sample]]:
    kinds: dict[str, list[Sample]] = {}
    for sample in of:
        kinds.setdefault(sample.kind, []).append(sample)
    return kinds


def error(of: list[Sample], family: str) -> Error:
    """How far the estimates for one family are from its counts."""
    ratios = sorted(estimate(each.text, family) / each.counts[family] for each in of)
    mean = statistics.fmean(abs(ratio - 1) for ratio in ratios)
    return Error(mean, statistics.median(ratios), ratios[0], ratios[-1])


def bundles(of: list[Sample], family: str, share: float) -> list[float]:
    """The counts, in parts of the budget, of bundles filled up to a share of it by the estimate.

    As a briefing is: by the default estimate, whatever the family of the model that reads it.
    """
    draw = random.Random(SEED)  # noqa: S311 - a draw that anybody can repeat
    room = int(BUDGET * share)
    costs = [(estimate(each.text), each.counts[family]) for each in of]
    filled = []
    for _ in range(BUNDLES):
        told = counted = 0
        for estimated, count in draw.sample(costs, len(costs)):
            if told + estimated <= room:
                told += estimated
                counted += count
        filled.append(counted / BUDGET)
    return filled


def report() -> str:
    """RESULTS.md."""
    kinds = by_kind(samples())
    lines = ["# How far the estimate of tokens is off", ""]
    lines += ["Written by `python benchmarks/tokens/run.py --write`.", ""]
    lines += [
        "Mean error, either way; in brackets the least, median and most of estimate / count.",
        "",
    ]
    lines += [f"| text | samples | {' | '.join(FAMILIES)} |", "|---|---|" + "---|" * len(FAMILIES)]
    for kind, of in kinds.items():
        cells = [_cell(error(of, family)) for family in FAMILIES]
        lines.append(f"| {kind} | {len(of)} | {' | '.join(cells)} |")
    lines += ["", "## Budgets kept", ""]
    lines += [
        f"{BUNDLES} bundles of each kind, drawn from the samples and filled by the default estimate",
        f"up to {FILLED:.0%} of {BUDGET} tokens, as briefings are: how many exceed the budget by the",
        "count, and what of it the fullest of a hundred takes. In brackets: without that margin.",
        "",
        f"| text | {' | '.join(FAMILIES)} |",
        "|---|" + "---|" * len(FAMILIES),
    ]
    for kind, of in kinds.items():
        cells = [f"{_kept(of, family, FILLED)} ({_kept(of, family, 1)})" for family in FAMILIES]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(off: Error) -> str:
    return f"{off.mean:.1%} ({off.least:.2f}, {off.median:.2f}, {off.most:.2f})"


def exceeding(of: list[Sample], family: str, share: float = FILLED) -> float:
    """The share of bundles whose count is above the budget."""
    return statistics.fmean(each > 1 for each in bundles(of, family, share))


def _kept(of: list[Sample], family: str, share: float) -> str:
    taken = sorted(bundles(of, family, share))
    fullest = taken[math.ceil(len(taken) * 0.99) - 1]
    return f"{exceeding(of, family, share):.1%}, {fullest:.0%}"


def main(arguments: list[str]) -> None:
    told = report()
    print(told, end="")
    if "--write" in arguments:
        with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8", newline="\n") as file:
            file.write(told)


if __name__ == "__main__":
    main(sys.argv[1:])
