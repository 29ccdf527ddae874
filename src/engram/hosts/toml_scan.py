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
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


class Statement(NamedTuple):
    """A table's header, or a key with its value: the lines it stands on, the path it speaks of."""

    path: tuple[str, ...]
    start: int
    end: int
    is_header: bool


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
        end = _end_of_statement(text, at)
        path = tuple(map(_name, _PARTS.findall(head[2])))
        if head[1]:
            table = path
        yield Statement(path if head[1] else table + path, at, end, bool(head[1]))
        at = end


def _end_of_statement(text: str, start: int) -> int:
    """Where the line ends on which the brackets of a statement are closed."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == "\n" and not depth:
            return token.end()
        depth += (mark in ("[", "{")) - (mark in ("]", "}"))
    return len(text)


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
