"""How a JSON file is written: its indent, its line breaks, its blanks, so that an entry fits in."""

from __future__ import annotations

import json
import re

from engram.hosts.edits import line_break, line_start
from engram.hosts.json_scan import Container, Member, Source
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_COLON = re.compile(r"[ \t]*:[ \t]*")
_GAP = re.compile(r"[ \t]*")
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?:/\*(?:(?!\*/)[^\r\n])*\*/|//[^\r\n]*))*")


class Style(Record):
    """The habits of one file, as its entries around a place show them."""

    newline: str = "\n"
    unit: str = "  "  # one level of indent
    colon: str = ": "
    gap: str = " "  # behind a comma, on one line


def style_at(source: Source, containers: Sequence[Container], at: int) -> Style:
    """The style at a place inside `containers`, the outermost first."""
    nearest = [each for each in reversed(containers) if each.members]
    colon = next(filter(None, (_colon(source, each.members[-1]) for each in nearest)), ": ")
    gaps = (_gap(source, each.members) for each in nearest)
    gap = next((each for each in gaps if each is not None), " " if colon[-1] != ":" else "")
    unit = next(filter(None, (_unit(source.text, each) for each in nearest)), "  ")
    return Style(line_break(source.text, at), unit, colon, gap)


def written(value: object, style: Style, indent: str | None) -> str:
    """A value as the file would have it, on one line if `indent` is None.

    Otherwise its lines stand `indent` deep; a list of plain values keeps to one line.
    """
    if indent is None or not _is_tall(value):
        gap = style.gap if indent is None else " "
        return json.dumps(value, ensure_ascii=False, separators=("," + gap, style.colon))
    inner = indent + style.unit
    if isinstance(value, dict):
        inside = [named(name, each, style, inner) for name, each in value.items()]
        opening, closing = "{", "}"
    else:
        assert isinstance(value, list)  # noqa: S101 - what else is tall
        inside = [written(each, style, inner) for each in value]
        opening, closing = "[", "]"
    joined = f",{style.newline}{inner}".join(inside)
    return f"{opening}{style.newline}{inner}{joined}{style.newline}{indent}{closing}"


def named(name: str | int, value: object, style: Style, indent: str | None) -> str:
    """A member as the file would have it; an item, whose name is its number, has the value only."""
    key = "" if isinstance(name, int) else json.dumps(name, ensure_ascii=False) + style.colon
    return key + written(value, style, indent)


def indent_of(text: str, at: int) -> str:
    """The blanks that begin the line of a place."""
    return next(_GAP.finditer(text, line_start(text, at))).group()


def starts_line(text: str, at: int) -> bool:
    """Whether only blanks stand before a place on its line."""
    return not text[line_start(text, at) : at].strip(" \t")


def after_comments(text: str, at: int) -> int:
    """The end of the comments that follow a place and end on its line; else the place."""
    return next(_REST_OF_LINE.finditer(text, at)).end()


def has_break(text: str) -> bool:
    """Whether a stretch of text holds a line break."""
    return "\n" in text or "\r" in text


def _is_tall(value: object) -> bool:
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, list) and any(isinstance(each, dict | list) for each in value)


def _colon(source: Source, member: Member) -> str:
    between = source.text[member.name_end : member.value]
    return between if _COLON.fullmatch(between) else ""


def _gap(source: Source, members: list[Member]) -> str | None:
    if len(members) < 2:
        return None
    between = source.text[members[-2].comma + 1 : members[-1].start]
    return between if _GAP.fullmatch(between) else None


def _unit(text: str, container: Container) -> str:
    outer = indent_of(text, container.start)
    for member in (container.members[-1], container.members[0]):
        inner = indent_of(text, member.start)
        if starts_line(text, member.start) and inner.startswith(outer):
            return inner[len(outer) :]
    return ""
