"""Where things stand in a JSON text, with comments and trailing commas as people write them.

The parser of the standard library judges whether the text is JSON, at its own speed. What this
module adds is the places: it looks only into the containers that an edit passes through.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from engram.hosts.edits import malformed
from engram.record import Record

STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
BLANK = " \t\r\n"
_STRICT_STRING = r'"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"'
_COMMENT = re.compile(rf"{_STRICT_STRING}|//[^\r\n]*|/\*[\s\S]*?\*/|/\*")
_COMMA = re.compile(rf"{_STRICT_STRING}|[\[{{,:][ \t\r\n]*,|,(?=[ \t\r\n]*[\]}}])")
_NO_NUMBER = re.compile(rf"{_STRICT_STRING}|-?(?:NaN|Infinity|\d{{4000,}})")
_BLANKS = re.compile(r"[ \t\r\n]*")
_BRACKET = re.compile(rf"{STRING}|[\[\]{{}}]", re.DOTALL)
_SIMPLE = re.compile(
    rf'{STRING}|[^\s,\[\]{{}}]+|[\[{{][^"\[\]{{}}]*(?:{STRING}[^"\[\]{{}}]*)*[\]}}]', re.DOTALL
)  # a value with no container in it
_NAME = re.compile(rf"[ \t\r\n]*(?:({STRING})[ \t\r\n]*:[ \t\r\n]*)?", re.DOTALL)
_FOUND = {
    "Expecting value": "a value is missing",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": 'a name in "double quotes" is missing',
    "Extra data": "something follows the end of the value",
    "Unterminated string starting at": "a text does not end",
    "Invalid control character at": "a text does not end on its line",
}


class Source(Record):
    """A JSON text that parses, and what an edit must know of it."""

    text: str
    clean: str  # the text with blanks for its comments
    strict: str  # and with blanks for its trailing commas
    line_comments: frozenset[int]  # where the comments that run to the end of a line end
    root: int  # where the value starts; -1 where there is none


class Member(NamedTuple):
    """One member of an object, or item of an array, by its places in the text."""

    name: str | int  # an item's is its number
    start: int
    name_end: int
    value: int
    end: int
    comma: int  # -1: none follows


class Container(NamedTuple):
    """An object or array by its brackets (the end excluded) and what is in it."""

    start: int
    end: int
    members: list[Member]


def scan(text: str, by_hand: str = "") -> Source:
    """Read a text. Raises Damaged (host.malformed) with the line and what to do by hand."""
    clean = strict = text
    line_comments: frozenset[int] = frozenset()
    judged = _is_json(text)
    if not judged:
        clean, line_comments = _without_comments(text, by_hand)
        strict = _COMMA.sub(_blank_for_comma, clean)
    root = _after_blanks(clean, 0)
    if root == len(clean):
        return Source(text, clean, strict, line_comments, -1)
    if not judged:
        _judge(strict, text, by_hand)
    return Source(text, clean, strict, line_comments, root)


def value_at(source: Source, start: int) -> object:
    """The value that starts at a place."""
    return json.loads(source.strict[start : _end_of_value(source.clean, start)])


def container_at(source: Source, start: int) -> Container | None:
    """The object or array that starts at a place; None for any other value."""
    clean = source.clean
    if clean[start] not in "{[":
        return None
    members: list[Member] = []
    at = start + 1
    while True:
        name = next(_NAME.finditer(clean, at))
        value = name.end()
        if clean[value] in "}]":
            return Container(start, value + 1, members)
        end = _end_of_value(clean, value)
        at = _after_blanks(clean, end)
        comma = at if clean[at] == "," else -1
        written = name[1]
        if written is None:
            members.append(Member(len(members), value, value, value, end, comma))
        else:
            told = json.loads(written) if "\\" in written else written[1:-1]
            members.append(Member(told, name.start(1), name.end(1), value, end, comma))
        at += comma >= 0


def _end_of_value(clean: str, start: int) -> int:
    if simple := _SIMPLE.match(clean, start):
        return simple.end()
    depth = 0
    for token in _BRACKET.finditer(clean, start):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if not depth:
                return token.end()
    raise AssertionError(start)  # pragma: no cover - the text has been judged


def _after_blanks(clean: str, at: int) -> int:
    return next(_BLANKS.finditer(clean, at)).end()


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _judge(strict: str, text: str, by_hand: str) -> None:
    """Raise Damaged (host.malformed) if a text without comments is no JSON."""
    try:
        json.loads(strict, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        found = _FOUND.get(error.msg, "this is not JSON")
        raise malformed(text, error.pos, found, by_hand) from error
    except RecursionError as error:
        raise malformed(text, 0, "it is nested too deeply", by_hand) from error
    except ValueError as error:
        places = [each.start() for each in _NO_NUMBER.finditer(strict) if each[0][0] != '"']
        raise malformed(text, places[0], "this is no number of JSON", by_hand) from error


def _refuse(name: str) -> None:
    raise ValueError(name)


def _without_comments(text: str, by_hand: str) -> tuple[str, frozenset[int]]:
    pieces: list[str] = []
    line_comments: set[int] = set()
    copied = 0
    for token in _COMMENT.finditer(text):
        written = token[0]
        if written[0] == '"':
            continue
        if written == "/*":
            raise malformed(text, token.start(), "a comment does not end", by_hand)
        if written[1] == "/":
            line_comments.add(token.end())
            blank = " " * len(written)
        else:
            blank = re.sub(r"[^\r\n]", " ", written)
        pieces += (text[copied : token.start()], blank)
        copied = token.end()
    return "".join((*pieces, text[copied:])), frozenset(line_comments)


def _blank_for_comma(token: re.Match[str]) -> str:
    return " " if token[0] == "," else token[0]
