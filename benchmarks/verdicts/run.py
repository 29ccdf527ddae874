"""Precision and recall of the verdicts on the labelled candidates.

python benchmarks/verdicts/run.py [--misses]
"""

from __future__ import annotations

import json
import os
import sys

from engram.core.candidate import Candidate
from engram.core.verdict import ADD, NOOP, SUPERSEDE, UPDATE, Neighbour, Verdict, judge
from engram.record import Record

HALVES = ("tune", "held-out")
ACTIONS = (ADD, UPDATE, SUPERSEDE, NOOP)
HERE = os.path.dirname(os.path.abspath(__file__))


class Case(Record):
    """A candidate beside the memories of its subject, and the verdict that it deserves."""

    subject: str
    language: str
    kind: str
    candidate: Candidate
    memories: tuple[Neighbour, ...]
    action: str
    target: str
    deferred: bool


class Outcome(Record):
    case: Case
    verdict: Verdict

    @property
    def right(self) -> bool:
        """The action and its target are those of the label."""
        return (self.verdict.action, self.verdict.target) == (self.case.action, self.case.target)


def cases(half: str) -> list[Case]:
    """The labelled cases of a half, "tune" or "held-out"."""
    with open(os.path.join(HERE, f"{half}.jsonl"), encoding="utf-8") as lines:
        return [case for line in lines for case in _cases(json.loads(line))]


def _cases(told: dict[str, list[dict[str, str]]]) -> list[Case]:
    memories = tuple(
        Neighbour(each["id"], each["type"], "workspace", each["text"], each["text"])
        for each in told["memories"]
    )
    return [
        Case(
            str(told["subject"]),
            str(told["language"]),
            each["kind"],
            Candidate(1, each["type"], each["text"]),
            memories,
            each["verdict"],
            each.get("target", ""),
            bool(each.get("deferred", False)),
        )
        for each in told["cases"]
    ]


def outcomes(half: str) -> list[Outcome]:
    """Each case of a half with the verdict that it got."""
    return [Outcome(case, judge(case.candidate, case.memories)) for case in cases(half)]


def precision(found: list[Outcome], action: str) -> float:
    """Of the verdicts of this action, the share that is right."""
    given = [each for each in found if each.verdict.action == action]
    return sum(each.right for each in given) / len(given) if given else 1.0


def recall(found: list[Outcome], action: str) -> float:
    """Of the cases that deserve this action, the share that got it."""
    due = [each for each in found if each.case.action == action]
    return sum(each.right for each in due) / len(due) if due else 1.0


def harmful(found: list[Outcome]) -> list[Outcome]:
    """A wrong UPDATE or SUPERSEDE: it would change a memory that should have been left alone."""
    return [each for each in found if each.verdict.action in (UPDATE, SUPERSEDE) and not each.right]


def deferrals(found: list[Outcome]) -> tuple[int, int, int]:
    """How many cases were deferred, how many of these rightly, how many deserve it."""
    given = [each for each in found if each.verdict.deferred]
    right = [each for each in given if each.case.deferred]
    return len(given), len(right), sum(each.case.deferred for each in found)


def report(half: str, *, misses: bool) -> None:
    found = outcomes(half)
    print(f"{half}: {len(found)} cases, {sum(each.right for each in found)} right")
    print(f"{'verdict':<10} {'due':>4} {'given':>5} {'precision':>9} {'recall':>7}")
    for action in ACTIONS:
        due = sum(each.case.action == action for each in found)
        given = sum(each.verdict.action == action for each in found)
        figures = f"{precision(found, action):>9.3f} {recall(found, action):>7.3f}"
        print(f"{action:<10} {due:>4} {given:>5} {figures}")
    print(
        f"wrong UPDATE or SUPERSEDE: {len(harmful(found))} ({len(harmful(found)) / len(found):.1%})"
    )
    given, right, due = deferrals(found)
    print(f"deferred: {given}, of these labelled so {right} of {due}")
    kinds = sorted({each.case.kind for each in found})
    for kind in kinds:
        of_kind = [each for each in found if each.case.kind == kind]
        print(f"  {kind:<15} {sum(each.right for each in of_kind):>3} of {len(of_kind):>3} right")
    for each in found if misses else []:
        if not each.right or (each.verdict.deferred and not each.case.deferred):
            wanted = f"{each.case.action} {each.case.target}".strip()
            print(f"- {each.case.kind}: {each.case.candidate.text}\n    {wanted} <> {each.verdict}")
    print()


def main(arguments: list[str]) -> None:
    for half in HALVES:
        report(half, misses="--misses" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
