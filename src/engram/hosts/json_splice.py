"""Putting a member into a JSON text and taking it out again, each the exact inverse of the other.

The places are chosen so that removing finds them without knowing what was there before:

- behind the last member and the comments on its line, with a comma of its own only where the last
  member has one; so a last member that ends without a comma was given to the one before it;
- in an empty container, behind all that stands in it, with a line break before the bracket; or,
  where a comment runs to the end of its line, right behind that comment.
"""

from __future__ import annotations

import re

from engram.hosts.edits import LINE_BREAK, line_break, line_start, without_break
from engram.hosts.json_scan import BLANK, Container, Member, Source
from engram.hosts.json_style import (
    Style,
    after_comments,
    has_break,
    indent_of,
    named,
    starts_line,
    style_at,
    written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ONE_BREAK = re.compile(r"(?:\r\n|\n|\r)[ \t]*")
_ENDS_LINE = re.compile(r"[ \t]*(?:[\r\n]|\Z)")


def with_root(source: Source, value: object) -> str:
    """A text that holds no value yet, with its first one in the style of the house."""
    text = source.text
    newline = line_break(text, len(text))
    told = written(value, Style(newline=newline), "")
    return text + (newline + told if len(text) in source.line_comments else told + newline)


def without_root(source: Source) -> str:
    """The text without its value and the line break that came with it."""
    text, end = source.text, _end_of_root(source)
    before, after = text[: source.root], text[end:]
    if after:
        following = LINE_BREAK.match(after)
        return before + after[following.end() if following else 0 :]
    return without_break(before)


def with_member(
    source: Source, containers: Sequence[Container], name: str | int, value: object
) -> str:
    """The text with one more member at the end of the last of `containers`."""
    container = containers[-1]
    if not container.members:
        return _filled(source, containers, name, value)
    text, last = source.text, container.members[-1]
    behind = last.end if last.comma < 0 else last.comma + 1
    at = after_comments(text, behind)
    style = style_at(source, containers, at)
    gap, indent = style.gap, None
    if starts_line(text, last.start):
        indent = indent_of(text, last.start)
    elif at in source.line_comments:
        indent = indent_of(text, container.start) + style.unit
    if indent is not None:
        gap = style.newline + indent
    commas = (",", "") if last.comma < 0 else ("", ",")
    entry = named(name, value, style, indent)
    return f"{text[:behind]}{commas[0]}{text[behind:at]}{gap}{entry}{commas[1]}{text[at:]}"


def replaced(source: Source, containers: Sequence[Container], member: Member, value: object) -> str:
    """The text with another value for a member."""
    text = source.text
    tall = starts_line(text, member.start) or has_break(text[member.value : member.end])
    indent = indent_of(text, member.start) if tall else None
    style = style_at(source, containers, member.start)
    return text[: member.value] + written(value, style, indent) + text[member.end :]


def without_member(source: Source, container: Container, member: Member) -> str:
    """The text without one member, its comma and the line it had; comments stay."""
    if len(container.members) == 1:
        return _emptied(source, container, member)
    text, place = source.text, container.members.index(member)
    if place == len(container.members) - 1:
        comma = container.members[place - 1].comma if member.comma < 0 else member.comma
        return _cut(text, (comma, comma + 1), (_gap_start(source, member), member.end))
    following = container.members[place + 1].start
    between = text[member.comma + 1 : following]
    if not between.strip(" \t"):
        return _cut(text, (member.start, member.end), (member.comma, following))
    start = _gap_start(source, member)
    return _cut(text, (start, member.end), (member.comma, member.comma + 1))


def holds_only(source: Source, container: Container, member: Member) -> bool:
    """Whether a container holds this member and nothing else, no comment either."""
    text = source.text
    around = text[container.start + 1 : member.start] + text[member.end : container.end - 1]
    return len(container.members) == 1 and not around.replace(",", "", 1).strip(BLANK)


def is_repeated(container: Container, member: Member) -> bool:
    """Whether the member's name stands in its container more than once."""
    return sum(each.name == member.name for each in container.members) > 1


def _end_of_root(source: Source) -> int:
    return len(source.clean.rstrip(BLANK))


def _filled(source: Source, containers: Sequence[Container], name: str | int, value: object) -> str:
    """The text with the first member of an empty container."""
    text, container = source.text, containers[-1]
    start, end = container.start + 1, container.end - 1
    inside = text[start:end]
    style = style_at(source, containers, start)
    if _keeps_to_a_line(source, container):
        entry = named(name, value, style, None)
        return f"{text[:end]}{entry}{inside}{text[end:]}"
    outer = indent_of(text, container.start)
    inner = outer + style.unit
    entry = style.newline + inner + named(name, value, style, inner)
    last = start + len(inside.rstrip(BLANK))
    comment = next((at for at in range(end, last - 1, -1) if at in source.line_comments), -1)
    if comment >= 0:
        return text[:comment] + entry + text[comment:]
    return text[:end] + entry + style.newline + outer + text[end:]


def _keeps_to_a_line(source: Source, container: Container) -> bool:
    """Whether the first member of an empty container goes on the line of its brackets."""
    text = source.text
    inside = text[container.start + 1 : container.end - 1]
    if inside:
        return not inside.strip(" \t")
    is_root = container.start == source.root
    return not is_root and not has_break(text[source.root : _end_of_root(source)])


def _emptied(source: Source, container: Container, member: Member) -> str:
    """The text without the only member of a container."""
    text = source.text
    start, end = container.start + 1, container.end - 1
    before, after = text[start : member.start], text[member.end : end]
    if member.comma >= 0:
        after = text[member.end : member.comma] + text[member.comma + 1 : end]
    if not has_break(before + after):
        after = "" if before == after and not before.strip(" \t") else after
        return text[:start] + before + after + text[end:]
    gap = _gap_start(source, member)
    if gap not in source.line_comments and _ONE_BREAK.fullmatch(after):
        after = ""
    return text[:gap] + after + text[end:]


def _gap_start(source: Source, member: Member) -> int:
    """Where the blanks before a member begin, with the line break if it begins a line.

    A comment that runs to the end of its line keeps that break if something follows the member.
    """
    text = source.text
    begin = line_start(text, member.start)
    if not starts_line(text, member.start):
        return begin + len(text[begin : member.start].rstrip(" \t"))
    place = begin - (2 if text[begin - 2 : begin] == "\r\n" else 1)
    behind = member.end
    if member.comma >= 0 and not text[behind : member.comma].strip(" \t"):
        behind = member.comma + 1
    return begin if place in source.line_comments and not _ENDS_LINE.match(text, behind) else place


def _cut(text: str, *spans: tuple[int, int]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text
