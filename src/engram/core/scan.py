"""Tell what in a text must not enter a memory unseen, and take secrets and personal data out."""

from __future__ import annotations

import re

from engram.core.scanning.credentials import secret_spans
from engram.core.scanning.encoded import encoded
from engram.core.scanning.finding import (
    BLOCK,
    HIDDEN,
    INSTRUCTION,
    PERSONAL,
    SECRET,
    WARN,
    Finding,
    Span,
    findings,
    without_overlaps,
)
from engram.core.scanning.hidden import hidden_spans, visible
from engram.core.scanning.instructions import instruction_spans
from engram.core.scanning.personal import personal_spans
from engram.core.scanning.views import View, joined, original, plain
from engram.record import replace

__all__ = [
    "BLOCK",
    "HIDDEN",
    "INSTRUCTION",
    "PERSONAL",
    "SECRET",
    "WARN",
    "Finding",
    "blocks",
    "instruction_lines",
    "redact",
    "scan",
    "visible",
]

_LAYERS = 2  # Base64 within Base64 is opened, a third layer is not
_ROUNDS = 3


def scan(text: str, *, purpose: str = "memory") -> tuple[Finding, ...]:
    """What stands in `text` that a person must know of, in order of place.

    In a "memory", personal data warns; in a "note" it blocks, because a note is stored without a
    look at its text: `redact` it first. Addresses in a memory's `author` lines are the author's
    own and pass. No message repeats a secret.
    """
    spans = [*_private_spans(text), *_planted_spans(text), *hidden_spans(text)]
    if purpose == "note":
        spans = [
            replace(span, severity=BLOCK) if span.family == PERSONAL else span for span in spans
        ]
    return findings(text, without_overlaps(spans))


def blocks(found: tuple[Finding, ...]) -> bool:
    """Whether any finding forbids storing the text."""
    return any(finding.severity == BLOCK for finding in found)


def redact(text: str) -> tuple[str, tuple[Finding, ...]]:
    """`text` with each secret and personal datum as its `<kind>`, and what was taken out of `text`.

    What becomes visible only when something else is gone is taken out as well, but not told.
    """
    told: tuple[Finding, ...] | None = None
    for _ in range(_ROUNDS):
        spans = _private_spans(text)
        told = findings(text, spans) if told is None else told
        if not spans:
            break
        for span in reversed(spans):
            text = f"{text[: span.start]}<{span.kind}>{text[span.end :]}"
    return text, told or ()


def instruction_lines(text: str) -> tuple[int, ...]:
    """The numbers, from 1, of lines that plant an instruction or hide text."""
    spans = [*_planted_spans(text), *hidden_spans(text)]
    found = findings(text, without_overlaps(spans))
    return tuple(sorted({finding.line for finding in found if finding.severity == BLOCK}))


def _private_spans(text: str) -> list[Span]:
    view = plain(text)
    whole = joined(view)
    spans = secret_spans(view)
    if whole:
        spans += [span for span in secret_spans(whole, shapes_only=True) if _broken(text, span)]
    spans += _encoded_spans(SECRET, view, whole)
    spans += personal_spans(view, _author_lines(text))
    return without_overlaps(spans, across=True)


def _planted_spans(text: str) -> list[Span]:
    view = plain(text)
    return instruction_spans(original(text)) + _encoded_spans(INSTRUCTION, view, joined(view))


def _broken(text: str, span: Span) -> bool:
    return "\n" in text[span.start : span.end]


def _encoded_spans(family: str, *views: View | None) -> list[Span]:
    """What the views hold of one family in encoded form, each as the whole encoded stretch."""
    spans: list[Span] = []
    for found in (found for view in views if view for found in encoded(view)):
        for span in _spans_within(family, found.text, _LAYERS - 1)[:1]:
            message = f"{span.message}, written in {found.encoding}"
            spans.append(Span(found.start, found.end, span.kind, message, span.severity))
    return spans


def _spans_within(family: str, text: str, layers: int) -> list[Span]:
    view = original(text)
    spans = secret_spans(view) if family == SECRET else instruction_spans(view)
    if layers:
        for found in encoded(view):
            spans += _spans_within(family, found.text, layers - 1)
    return spans


def _author_lines(text: str) -> range:
    """The offsets of the author's lines in the front matter, where an address is expected."""
    head = text.find("\n---", 3) if text.startswith("---\n") else -1
    if head < 0:
        return range(0)
    lines = re.search(
        r"(?m)^author(?:_email|_name)?:.*(?:\nauthor(?:_email|_name)?:.*)*", text[:head]
    )
    return range(lines.start(), lines.end()) if lines else range(0)
