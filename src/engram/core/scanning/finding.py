"""A place in a text that must not pass unseen, told without repeating what stands there."""

from __future__ import annotations

from collections.abc import Iterable

from engram.record import Record

BLOCK = "block"
WARN = "warn"

SECRET = "secret"
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


def without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """The spans in order of place; of two of one family that overlap, the first given stays."""
    kept: list[Span] = []
    for span in spans:
        if not any(_overlap(span, other) for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: (span.start, span.end))


def findings(text: str, spans: Iterable[Span]) -> tuple[Finding, ...]:
    """The spans as line and column of `text`."""
    told: list[Finding] = []
    line, line_start, seen = 1, 0, 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        line += text.count("\n", seen, span.start)
        line_start = text.rfind("\n", 0, span.start) + 1
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


def _overlap(one: Span, other: Span) -> bool:
    return one.family == other.family and one.start < other.end and other.start < one.end
