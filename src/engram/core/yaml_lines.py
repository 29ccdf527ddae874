"""The front matter's YAML line by line: the ordinary shapes read at once, the rest by PyYAML.

Ordinary is a key with a plain or quoted scalar, an inline list, or a block list, with comments and
blank lines between. Every entry knows the lines it stands on, so that an edit can leave the others.
"""

from __future__ import annotations

from engram.errors import Damaged
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Value = str | None | list[str] | Any

_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "n": "\n", "t": "\t", "r": "\r", "0": "\0",
    "b": "\b", "f": "\f", "a": "\a", "e": "\x1b", "v": "\v", " ": " ",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_NOT_PLAIN = frozenset("[]{}&*!|>'\"%@`,#?")  # a plain scalar does not begin with one of these
_SIGNS = frozenset("[]{}\"'")  # in an inline list these want a closer look


class Malformed(Damaged):
    """Front matter that cannot be read, with the line (from 1) in `details["line"]`."""

    def __init__(self, line: int, message: str, hint: str = "") -> None:
        super().__init__("memory.malformed", message, hint=hint, line=line)
        self.line = line


class Unusual(Exception):  # noqa: N818 - no failure: PyYAML reads it
    """The text has a shape that the line reader leaves to PyYAML."""


class YamlEntry(Record):
    """One key of the front matter with its value and the lines it stands on (from 0, end excluded)."""

    key: str
    value: Value  # text, None, or a list of texts; what PyYAML found where the shape is unusual
    start: int
    end: int
    comment: str = ""  # after a value on the key's own line


def read_entries(lines: list[str], first: int = 2) -> tuple[YamlEntry, ...]:
    """The entries of the front matter's lines; `first` is the file's line number of lines[0].

    Raises Malformed.
    """
    entries = []
    seen = set()
    for key, rest, start, end in _blocks(lines, first):
        if key in seen:
            raise Malformed(start + first, f"“{key}” stands here a second time.")
        seen.add(key)
        written, comment = _without_comment(rest.strip(" \t"))
        if comment and not written:
            comment = rest.rstrip(" \t")  # with the blanks, without which it would be no comment
        last = _trimmed(lines, start, end, written)
        try:
            value = _value(written, lines[start + 1 : last])
        except Unusual:
            value = _by_library(lines[start:end], key, start + first)
        entries.append(YamlEntry(key, value, start, last, comment))
    return tuple(entries)


def _blocks(lines: list[str], first: int) -> list[tuple[str, str, int, int]]:
    """Each top-level key, what follows its colon, and the lines from its own to the next key's."""
    starts: list[tuple[str, str, int]] = []
    for number, line in enumerate(lines):
        bare = line.strip()
        if not bare or bare[0] == "#" or line[0] in " -]}":
            if bare and bare[0] != "#" and not starts:
                raise Malformed(number + first, "The front matter begins with no “key: value”.")
            continue
        if line[0] == "\t":
            raise Malformed(number + first, "A tab stands where YAML wants blanks.")
        starts.append((*_key_and_rest(line, number + first), number))
    ends = [*(number for _, _, number in starts[1:]), len(lines)][: len(starts)]
    return [(key, rest, start, end) for (key, rest, start), end in zip(starts, ends, strict=True)]


def _key_and_rest(line: str, number: int) -> tuple[str, str]:
    """A line's key and what follows the colon, which a blank or the line's end follows."""
    quoted = line[0] in "\"'"
    place = _quote_end(line, 0) if quoted else 0
    colon = line.find(":", place)
    while colon >= 0 and line[colon + 1 : colon + 2] not in ("", " ", "\t"):
        colon = line.find(":", colon + 1)
    key = line[1 : place - 1] if quoted else line[: max(colon, 0)].strip()
    between = line[place:colon].strip() if quoted else ""
    if colon < 0 or not key or between or (not quoted and key[0] in _NOT_PLAIN):
        raise Malformed(number, "This line is no “key: value”.", "Put a blank after the colon.")
    return key, line[colon + 1 :]


def _trimmed(lines: list[str], start: int, end: int, written: str) -> int:
    """The end of an entry without the blank lines and comments that follow it."""
    is_text = written[:1] in ("|", ">")  # in a block of text, what is indented is no comment
    while end > start + 1:
        bare = lines[end - 1].strip()
        if bare and (bare[0] != "#" or (is_text and lines[end - 1][0] == " ")):
            break
        end -= 1
    return end


def _value(written: str, below: list[str]) -> Value:
    if not below:
        return _inline(written)
    if written:
        raise Unusual
    return _block_list(below)


def _block_list(lines: list[str]) -> list[str]:
    items: list[str] = []
    indent = -1
    for line in lines:
        bare = line.strip(" \t")
        if not bare.strip() or bare[0] == "#":
            continue
        here = len(line) - len(line.lstrip(" "))
        if bare[:2] not in ("- ", "-") or (indent >= 0 and here != indent):
            raise Unusual
        indent = here
        items.append(_item(_without_comment(bare[1:].strip(" \t"))[0]))
    return items


def _inline(text: str) -> Value:
    if text[:1] == "[":
        return _inline_list(text)
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    return _scalar(text)


def _item(text: str) -> str:
    if not text or text[0] in "[{" or (text[0] not in "\"'" and ": " in text) or text[-1] == ":":
        raise Unusual
    return _scalar(text)


def _scalar(text: str) -> str:
    if text[0] == '"':
        return _double(text)
    if text[0] == "'":
        return _single(text)
    if text[0] in _NOT_PLAIN or ": " in text or text[-1] == ":" or text[:2] in ("- ", "? "):
        raise Unusual
    return text


def _double(text: str) -> str:
    if len(text) < 2 or text[-1] != '"':
        raise Unusual
    inside = text[1:-1]
    if "\\" not in inside:
        if '"' in inside:
            raise Unusual
        return inside
    out: list[str] = []
    place = 0
    while place < len(inside):
        letter = inside[place]
        place += 1
        if letter == '"':
            raise Unusual
        if letter != "\\":
            out.append(letter)
            continue
        told, place = _escape(inside, place)
        out.append(told)
    # Two \u escapes may spell one character beyond the basic plane, as JSON writes it.
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _escape(inside: str, place: int) -> tuple[str, int]:
    mark = inside[place : place + 1]
    if mark in _ESCAPES and mark:
        return _ESCAPES[mark], place + 1
    width = _HEX.get(mark, 0)
    digits = inside[place + 1 : place + 1 + width]
    if not width or len(digits) != width or digits.strip("0123456789abcdefABCDEF"):
        raise Unusual
    code = int(digits, 16)
    if code > 0x10FFFF:
        raise Unusual
    return chr(code), place + 1 + width


def _single(text: str) -> str:
    inside = text[1:-1]
    if len(text) < 2 or text[-1] != "'" or "'" in inside.replace("''", ""):
        raise Unusual
    return inside.replace("''", "'")


def _inline_list(text: str) -> list[str]:
    if text[-1] != "]":
        raise Unusual
    inside = text[1:-1]
    parts = inside.split(",") if _SIGNS.isdisjoint(inside) else _parted(text)
    items = [item.strip(" \t") for item in parts]
    if not items[-1]:  # a comma may end the list
        items.pop()
    return [_item(each) for each in items]


def _parted(text: str) -> list[str]:
    """The stretches of an inline list between the commas that stand outside quotes."""
    items: list[str] = []
    begin = place = 1
    while place < len(text):
        letter = text[place]
        if letter in "\"'" and not text[begin:place].strip():
            place = _quote_end(text, place)
            continue
        if letter in ",]":
            items.append(text[begin:place])
            begin = place + 1
        if letter == "]":
            break
        if letter in "[{}":
            raise Unusual
        place += 1
    if place != len(text) - 1:
        raise Unusual
    return items


def _quote_end(text: str, start: int) -> int:
    """The offset behind the quote that closes the one at `start`; beyond the text when none does."""
    quote = text[start]
    place = start + 1
    while (end := text.find(quote, place)) >= 0:
        if quote == '"':
            if not _is_escaped(text, end):
                return end + 1
        elif text[end + 1 : end + 2] != quote:
            return end + 1
        else:
            end += 1
        place = end + 1
    return len(text) + 1


def _is_escaped(text: str, place: int) -> bool:
    """Whether an odd number of backslashes stands before the offset."""
    before = place
    while text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _without_comment(text: str) -> tuple[str, str]:
    """A value without the comment after it, and that comment with the blanks before it."""
    place = text.find("#")
    if place > 0 and text[0] in "\"'[":
        place = text.find("#", _list_end(text) if text[0] == "[" else _quote_end(text, 0))
    while place >= 0:
        if place == 0 or text[place - 1] in " \t":
            value = text[:place].rstrip(" \t")
            return value, text[len(value) :]
        place = text.find("#", place + 1)
    return text, ""


def _list_end(text: str) -> int:
    """The offset behind the bracket that closes an inline list; 0 when none on this line does."""
    place = 1
    is_fresh = True  # no letter of the item yet, so that a quote opens
    while place < len(text):
        letter = text[place]
        if is_fresh and letter in "\"'":
            place = _quote_end(text, place)
            is_fresh = False
            continue
        if letter == "]":
            return place + 1
        is_fresh = letter in ",[" or (is_fresh and letter in " \t")
        place += 1
    return 0


def _by_library(lines: list[str], key: str, number: int) -> Value:
    """The value of an entry of any other shape; dates and numbers stay text."""
    import yaml  # noqa: PLC0415 - only an unusual shape pays for it

    from engram.core.yaml_loader import TextLoader  # noqa: PLC0415

    try:
        found = yaml.load("\n".join(lines) + "\n", Loader=TextLoader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = number + (min(mark.line, len(lines) - 1) if mark else 0)
        raise Malformed(line, f"The YAML cannot be read: {error.problem or 'unknown'}.") from error
    except (yaml.YAMLError, ValueError) as error:  # a sign that YAML does not allow, or no sign
        raise Malformed(number, "The YAML cannot be read.") from error
    except RecursionError as error:
        raise Malformed(number, "The YAML is nested too deeply.") from error
    if not isinstance(found, dict) or len(found) != 1:
        raise Malformed(number, f"“{key}” cannot be read as one value.")
    return next(iter(found.values()))
