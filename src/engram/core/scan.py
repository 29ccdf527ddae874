"""Tell what in a text must not enter a memory unseen, and take secrets and personal data out."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
        spans = without_overlaps(_private_spans(text))
        told = findings(text, spans) if told is None else told
        if not spans:
            break
        for span in reversed(_merged(spans)):
            text = f"{text[: span.start]}<{span.kind}>{text[span.end :]}"
    return text, told or ()


def instruction_lines(text: str) -> tuple[int, ...]:
    """The numbers, from 1, of lines that plant an instruction or hide text."""
    spans = [*_planted_spans(text), *hidden_spans(text)]
    found = findings(text, without_overlaps(spans))
    return tuple(sorted({finding.line for finding in found if finding.severity == BLOCK}))


def _private_spans(text: str) -> list[Span]:
    view = plain(text)
    spans = secret_spans(view)
    whole = joined(view)
    if whole:
        spans += [span for span in secret_spans(whole, shapes_only=True) if _broken(text, span)]
    spans += [span for _, inner in _opened(view, whole) for span in inner if span.family == SECRET]
    secrets = without_overlaps(spans)
    personal = personal_spans(view, _author_lines(text))
    return secrets + [span for span in personal if not _inside(span, secrets)]


def _planted_spans(text: str) -> list[Span]:
    view = original(text)
    spans = instruction_spans(view)
    view = plain(text)
    spans += [
        span
        for _, inner in _opened(view, joined(view))
        for span in inner
        if span.family == INSTRUCTION
    ]
    return spans


def _broken(text: str, span: Span) -> bool:
    return "\n" in text[span.start : span.end]


def _opened(*views: View | None) -> Iterator[tuple[str, list[Span]]]:
    """For each stretch that decodes to text: how, and what the text holds, as the whole stretch."""
    for view in views:
        if view:
            for found in encoded(view):
                inner = _spans_within(found.text, _LAYERS - 1)
                yield (
                    found.encoding,
                    [
                        replace(
                            span,
                            start=found.start,
                            end=found.end,
                            message=f"{span.message}, written as {found.encoding}",
                        )
                        for span in inner
                    ],
                )


def _spans_within(text: str, layers: int) -> list[Span]:
    view = original(text)
    spans = secret_spans(view) + instruction_spans(view)
    if layers:
        spans += [span for found in encoded(view) for span in _spans_within(found.text, layers - 1)]
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


def _inside(span: Span, others: list[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)


def _merged(spans: list[Span]) -> list[Span]:
    """Spans without those that overlap an earlier one, of any family."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
