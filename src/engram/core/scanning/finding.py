"""A place in a text that must not pass unseen, told without repeating what stands there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from engram.record import Record

BLOCK = "block"
WARN = "warn"

SECRET = "secret"  # noqa: S105 - the name of a family
PERSONAL = "personal"
INSTRUCTION = "instruction"
HIDDEN = "hidden"


class Span(Record):
    """A found stretch of the text, by offsets in code points: `start` up to, not with, `end`."""

    start: int
    end: int
    kind: str
    message: str
    severity: str = BLOCK

    @property
    def family(self) -> str:
        return self.kind.partition(".")[0]


class Finding(Record):
    """A found stretch of the text as a person is told of it; `message` never holds a secret."""

    kind: str  # "secret.aws_access_key", "personal.email", "instruction.override", "hidden.bidi"
    family: str  # SECRET | PERSONAL | INSTRUCTION | HIDDEN
    line: int  # from 1
    column: int  # from 1, in code points
    length: int  # in code points
    severity: str  # BLOCK | WARN
    message: str


def mask(length: int, prefix: str = "") -> str:
    """How a secret is shown: its public prefix, if its kind has one, and its length."""
    return f"{prefix}…({length})"


def without_overlaps(spans: Iterable[Span], *, across: bool = False) -> list[Span]:
    """The spans in order of place; of two of one family that overlap, the first given stays.

    `across`: of two of any families.
    """
    taken: dict[str, list[tuple[int, int]]] = {}
    kept: list[Span] = []
    for span in spans:
        places = taken.setdefault("" if across else span.family, [])
        at = bisect_left(places, (span.start, span.end))
        after_last = at == 0 or places[at - 1][1] <= span.start
        if after_last and (at == len(places) or span.end <= places[at][0]):
            places.insert(at, (span.start, span.end))
            kept.append(span)
    return sorted(kept, key=_order)


def _order(span: Span) -> tuple[int, int]:
    return span.start, span.end


def findings(text: str, spans: Iterable[Span]) -> tuple[Finding, ...]:
    """The spans as line and column of `text`."""
    told: list[Finding] = []
    line, line_start, seen = 1, 0, 0
    for span in sorted(spans, key=_order):
        ends = text.count("\n", seen, span.start)
        if ends:
            line += ends
            line_start = text.rfind("\n", seen, span.start) + 1
        seen = span.start
        told.append(
            Finding(
                span.kind,
                span.family,
                line,
                span.start - line_start + 1,
                span.end - span.start,
                span.severity,
                span.message,
            )
        )
    return tuple(told)
