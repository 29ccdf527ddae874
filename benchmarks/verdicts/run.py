"""Precision and recall of the verdicts on the labelled candidates.

python -m benchmarks.verdicts.run [--misses | --write]
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

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


def page() -> str:
    """The published results: both halves, by verdict, kind and language."""
    parts = [
        "# Verdicts, measured",
        (
            "Command: `python -m benchmarks.verdicts.run --write`. The cases were written and labelled "
            "before the rules; the rules were tuned on the half *tune* alone. Every case is a candidate "
            "beside the memories of its subject."
        ),
        (
            "A paraphrase is mostly judged ADD, on purpose: a memory that says the same twice costs a "
            "line, one that was merged by mistake is lost. The person sees what it is like under "
            "“Related” before saying yes; the last line of each table tells how often that is so."
        ),
    ]
    for half in HALVES:
        found = outcomes(half)
        harm = harmful(found)
        given, right, due = deferrals(found)
        parts += [
            f"## {half}",
            _table(
                ("verdict", "due", "given", "precision", "recall"),
                [
                    (
                        action,
                        sum(each.case.action == action for each in found),
                        sum(each.verdict.action == action for each in found),
                        f"{precision(found, action):.3f}",
                        f"{recall(found, action):.3f}",
                    )
                    for action in ACTIONS
                ],
            ),
            (
                f"Wrong UPDATE or SUPERSEDE: {len(harm)} of {len(found)} ({len(harm) / len(found):.1%}). "
                f"Held back: {given}, of these labelled so {right} of {due}."
            ),
            _table(("by kind", "cases", "right"), _by(found, lambda each: each.case.kind)),
            _table(("by language", "cases", "right"), _by(found, lambda each: each.case.language)),
            f"Paraphrases judged ADD that name the memory as related: {_named(found)}.",
        ]
    return "\n\n".join(parts) + "\n"


def _by(found: list[Outcome], key: Callable[[Outcome], str]) -> list[tuple[object, ...]]:
    groups = sorted({key(each) for each in found})
    return [
        (
            group,
            sum(key(each) == group for each in found),
            sum(key(each) == group and each.right for each in found),
        )
        for group in groups
    ]


def _named(found: list[Outcome]) -> str:
    alike = [e for e in found if e.case.kind == "paraphrase" and e.verdict.action == ADD]
    named = [e for e in alike if e.case.target in dict(e.verdict.related)]
    return f"{len(named)} of {len(alike)}"


def _table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main(arguments: list[str]) -> None:
    """Print the figures; with `--write`, write the page."""
    if "--write" in arguments:
        with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8") as results:
            results.write(page())
        return
    for half in HALVES:
        report(half, misses="--misses" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
