"""Which lines of a TOML text say what: its tables and keys, by their places."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from engram.hosts.edits import malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*')"""
_HEAD = re.compile(rf"[ \t]*(\[\[?)?[ \t]*({_PART}(?:[ \t]*\.[ \t]*{_PART})*)?")
_PARTS = re.compile(_PART)
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|"(?:\\.|[^"\\])*"'
    r"|'''.*?'{3,5}|'[^']*'|#[^\n]*|[\[{}\]\n]",
    re.DOTALL,
)
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


class Statement(NamedTuple):
    """A table's header, or a key with its value: the lines it stands on, the path it speaks of."""

    path: tuple[str, ...]
    start: int
    end: int
    value: tuple[int, int] | None  # None for a header


def parse(text: str, by_hand: str) -> dict[str, Any]:
    """The values of a text. Raises Damaged (host.malformed) with the line and what to do by hand."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        found = f"this is not TOML ({str(error).partition(' (at')[0].lower()})"
        raise malformed(text, _offset(text, place), found, by_hand) from error
    except (ValueError, RecursionError) as error:
        raise malformed(
            text, 0, "this is nested too deeply, or a number too long", by_hand
        ) from error


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text that parses, in their order."""
    table: tuple[str, ...] = ()
    at = 0
    while at < len(text):
        head = next(_HEAD.finditer(text, at))
        if head[2] is None:
            at = text.find("\n", at) + 1 or len(text)
            continue
        end_of_value, end = _ends(text, at)
        path = tuple(map(_name, _PARTS.findall(head[2])))
        if head[1]:
            table = path
            yield Statement(path, at, end, None)
        else:
            value = next(_EQUALS.finditer(text, head.end())).end()
            yield Statement(table + path, at, end, (value, end_of_value))
        at = end


def _ends(text: str, start: int) -> tuple[int, int]:
    """Where a statement ends, and where the line does on which it ends."""
    depth = 0
    stop = len(text)
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if not depth and mark[0] in "#\n":
            stop = min(stop, token.start())
        if not depth and mark == "\n":
            return _trimmed(text, stop), token.end()
        depth += (mark in ("[", "{")) - (mark in ("]", "}"))
    return _trimmed(text, stop), len(text)


def _trimmed(text: str, end: int) -> int:
    while text[end - 1] in " \t\r":
        end -= 1
    return end


def _name(part: str) -> str:
    if part[0] not in "\"'":
        return part
    name: str = tomllib.loads(f"name = {part}")["name"]
    return name


def _offset(text: str, place: re.Match[str] | None) -> int:
    """The place that a parser's complaint names by line and column; the end where it names none."""
    if place is None:
        return len(text)
    start = 0
    for _ in range(int(place[1]) - 1):
        start = text.index("\n", start) + 1
    return start + int(place[2]) - 1
