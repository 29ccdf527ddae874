"""Precision and recall of the verdicts on the labelled candidates.

python benchmarks/verdicts/run.py             print the tables
python benchmarks/verdicts/run.py --write     … into RESULTS.md beside this file
python benchmarks/verdicts/run.py --misses    each case of the tune half that was judged wrongly
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable

from engram.core.candidate import Candidate
from engram.core.verdict import ADD, NOOP, SUPERSEDE, UPDATE, Neighbour, Verdict, judge
from engram.record import Record

HALVES = ("tune", "held-out")
ACTIONS = (ADD, UPDATE, SUPERSEDE, NOOP)
HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = "python benchmarks/verdicts/run.py --write"
HEAD = f"""# How often the verdicts are right

Written by `{COMMAND}`. A test holds this page to what the command prints.

Each case is a candidate, the memories of its subject, and the verdict that it deserves. There are
two halves with different subjects. The cases were labelled before the comparison was written, all
for this measure, in English, German, Spanish, Russian and Chinese. Thresholds and words were chosen
on the tune half. The held-out half chose none, but its misses have been read since, so it is no
longer unseen.

The cases are short and to the point, and many are made to mislead; a team's own memories will give
other figures. None wrong here does not mean none at all: sentences made up against the comparison
("C" for "C++", what was for what is, values that change places) were once judged wrongly while these
tables showed no wrong change. They are tests now; others will be found. The memories are handed to
the comparison: whether the index finds them among thousands is not measured here.

A wrong UPDATE or SUPERSEDE changes a memory that should have been left alone; a wrong ADD keeps a
memory too many. So the comparison gives UPDATE, SUPERSEDE and NOOP only where the words leave no
doubt, and says ADD otherwise.
"""
PARAPHRASES = """The comparison knows words and their order, not meanings. "Direct pushes to main are forbidden"
and "Never push directly to the main branch" share words, but so do "Never push directly to the
release branch" and that memory, and those two are not the same. What tells the pairs apart is the
meaning of the words, which a comparison without a language model does not have. So a paraphrase is
mostly judged ADD. Nothing is lost: no memory is changed, and the person who approves sees the memory
named as `Related: … (possible duplicate)` and can name it with UPDATE. Where the two share too few words the memory is not named, and both are kept
until somebody notices. This is how often it is named:
"""


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

    @property
    def names_target(self) -> bool:
        """The person sees the memory that the label names: as target or as related."""
        related = [id for id, _ in self.verdict.related]
        return self.case.target in (self.verdict.target, *related)


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
    """Each case of a half with the verdict that it got beside the memories of its subject."""
    return [Outcome(case, judge(case.candidate, case.memories)) for case in cases(half)]


def outcomes_among_all(half: str) -> list[Outcome]:
    """… and with the verdict that it got beside all memories of the half."""
    every = cases(half)
    memories = list({memory.id: memory for case in every for memory in case.memories}.values())
    return [Outcome(case, judge(case.candidate, memories)) for case in every]


def precision(found: list[Outcome], action: str) -> float:
    """Of the verdicts of this action, the share that is right."""
    given = [each for each in found if each.verdict.action == action]
    return sum(each.right for each in given) / len(given) if given else math.nan


def recall(found: list[Outcome], action: str) -> float:
    """Of the cases that deserve this action, the share that got it."""
    due = [each for each in found if each.case.action == action]
    return sum(each.right for each in due) / len(due) if due else math.nan


def changing(found: list[Outcome]) -> list[Outcome]:
    """The verdicts by which a memory would be changed."""
    return [each for each in found if each.verdict.action in (UPDATE, SUPERSEDE)]


def harmful(found: list[Outcome]) -> list[Outcome]:
    """A wrong UPDATE or SUPERSEDE: it would change a memory that should have been left alone."""
    return [each for each in changing(found) if not each.right]


def bound(wrong: int, given: int) -> float:
    """The largest true share that still gives so few wrong ones in one of twenty samples."""
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        chance = sum(
            math.comb(given, n) * share**n * (1 - share) ** (given - n) for n in range(wrong + 1)
        )
        low, high = (share, high) if chance > 0.05 else (low, share)
    return high


def page() -> str:
    """The whole page of results."""
    near = {half: outcomes(half) for half in HALVES}
    far = {half: outcomes_among_all(half) for half in HALVES}
    parts = [
        HEAD,
        "## By verdict\n",
        _by(near, lambda _: "all", "cases"),
        "## Memories that would be changed wrongly\n",
        _harm(near, far),
        "## Deferred\n\nHeld back until a person or an agent says which it is.\n",
        _deferrals(near),
        f"## Paraphrases\n\n{PARAPHRASES}",
        _paraphrases(near, far),
        "## Every wrong verdict, as what it was given\n",
        _confusions(near),
        "## By kind of case\n",
        _by(near, lambda case: case.kind, "kind"),
        "## By language\n",
        _by(near, lambda case: case.language, "language"),
    ]
    return "\n".join(parts)


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _by(found: dict[str, list[Outcome]], group: Callable[[Case], str], name: str) -> str:
    """A row for each group and verdict, the halves side by side."""
    every = [each for half in HALVES for each in found[half]]
    names = sorted({group(each.case) for each in every})
    columns = [f"{half}: {of}" for half in HALVES for of in ("due", "given", "precision", "recall")]
    rows: list[tuple[object, ...]] = []
    for each in names:
        of_group = {h: [o for o in found[h] if group(o.case) == each] for h in HALVES}
        for action in ACTIONS:
            figures = [figure for half in HALVES for figure in _figures(of_group[half], action)]
            if any(figure not in ("0", "–") for figure in figures):
                rows.append((each, action, *figures))
    return _table((name, "verdict", *columns), rows)


def _figures(found: list[Outcome], action: str) -> tuple[str, ...]:
    due = sum(each.case.action == action for each in found)
    given = sum(each.verdict.action == action for each in found)
    shares = precision(found, action), recall(found, action)
    return str(due), str(given), *("–" if math.isnan(s) else f"{s:.3f}" for s in shares)


def _harm(near: dict[str, list[Outcome]], far: dict[str, list[Outcome]]) -> str:
    head = (
        "compared with", "half", "cases", "right", "UPDATE or SUPERSEDE", "wrong", "true share (95 %)",
    )  # fmt: skip
    rows = []
    for name, found in (("memories of the subject", near), ("all memories of the half", far)):
        for half in HALVES:
            given, wrong = len(changing(found[half])), len(harmful(found[half]))
            right = sum(each.right for each in found[half])
            at_most = f"under {bound(wrong, given):.1%}"
            rows.append((name, half, len(found[half]), right, given, wrong, at_most))
    return _table(head, rows)


def _deferrals(found: dict[str, list[Outcome]]) -> str:
    rows = []
    for half in HALVES:
        given = [each for each in found[half] if each.verdict.deferred]
        due = sum(each.case.deferred for each in found[half])
        rightly = sum(each.case.deferred for each in given)
        instead = sum(not each.right for each in given)
        needless = len(given) - rightly - instead
        rows.append((half, due, rightly, instead, needless))
    head = ("half", "labelled so", "deferred of these", "in place of another verdict", "needlessly")
    return _table(head, rows)


def _paraphrases(near: dict[str, list[Outcome]], far: dict[str, list[Outcome]]) -> str:
    rows = []
    for name, found in (("memories of the subject", near), ("all memories of the half", far)):
        for half in HALVES:
            of_kind = [each for each in found[half] if each.case.kind == "paraphrase"]
            right = sum(each.right for each in of_kind)
            added = [each for each in of_kind if each.verdict.action == ADD]
            named = sum(each.names_target for each in added)
            share = f"{named} ({named / len(added):.0%})"
            rows.append((name, half, len(of_kind), right, len(added), share))
    head = ("compared with", "half", "paraphrases", "NOOP", "ADD", "of these named as related")
    return _table(head, rows)


def _confusions(found: dict[str, list[Outcome]]) -> str:
    rows = []
    for half in HALVES:
        wrong = [each for each in found[half] if not each.right]
        for pair in sorted({(each.case.action, each.verdict.action) for each in wrong}):
            these = [each for each in wrong if (each.case.action, each.verdict.action) == pair]
            named = sum(each.names_target for each in these)
            held = sum(bool(each.verdict.deferred) for each in these)
            rows.append((half, *pair, len(these), named, held))
    return _table(("half", "due", "given", "cases", "memory named", "deferred"), rows)


def misses(half: str) -> str:
    """Each case that was judged wrongly or deferred without need, with what it got."""
    return "\n".join(
        f"- {each.case.kind}: {each.case.candidate.text}\n"
        f"    {each.case.action} {each.case.target} <> {each.verdict}"
        for each in outcomes(half)
        if not each.right or (each.verdict.deferred and not each.case.deferred)
    )


def main(arguments: list[str]) -> None:
    if "--misses" in arguments:
        print(misses("tune"))
        return
    written = page()
    if "--write" in arguments:
        with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8") as results:
            results.write(written)
    print(written, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
