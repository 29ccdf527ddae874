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
    blocks = _blocks(lines, first)
    entries = []
    seen: dict[str, int] = {}
    for key, start, end in blocks:
        if key in seen:
            raise Malformed(start + first, f"“{key}” stands here a second time.")
        seen[key] = start
        try:
            value, comment = _read_block(lines, start, end)
        except Unusual:
            value, comment = _by_library(lines[start:end], key, start + first), ""
        entries.append(YamlEntry(key, value, start, _trimmed(lines, start, end), comment))
    return tuple(entries)


def _blocks(lines: list[str], first: int) -> list[tuple[str, int, int]]:
    """Each top-level key with the lines from its own to the next key's."""
    starts: list[tuple[str, int]] = []
    for number, line in enumerate(lines):
        bare = line.strip()
        if not bare or bare[0] == "#" or line[0] in " -":
            if bare and bare[0] != "#" and not starts:
                raise Malformed(number + first, "The front matter begins with no “key: value”.")
            continue
        if line[0] == "\t":
            raise Malformed(number + first, "A tab stands where YAML wants blanks.")
        starts.append((_key_of(line, number + first), number))
    ends = [*(number for _, number in starts[1:]), len(lines)][: len(starts)]
    return [(key, start, end) for (key, start), end in zip(starts, ends, strict=True)]


def _key_of(line: str, number: int) -> str:
    key, colon, rest = line.partition(":")
    if line[0] in "\"'":
        key, colon, rest = _quoted_key(line)
    if not colon or (rest and rest[0] not in " \t") or not key.strip():
        raise Malformed(number, "This line is no “key: value”.", "Put a blank after the colon.")
    return key.strip()


def _quoted_key(line: str) -> tuple[str, str, str]:
    end = line.find(line[0], 1)
    after = line[end + 1 :].lstrip() if end > 0 else ""
    return line[1:end], after[:1] if after[:1] == ":" else "", after[1:]


def _trimmed(lines: list[str], start: int, end: int) -> int:
    """The end of an entry without the blank lines and comments that follow it."""
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip()[0] == "#"):
        end -= 1
    return end


def _read_block(lines: list[str], start: int, end: int) -> tuple[Value, str]:
    end = _trimmed(lines, start, end)
    head = lines[start]
    quoted = head[0] in "\"'"
    rest = (_quoted_key(head)[2] if quoted else head.partition(":")[2]).strip()
    value_text, comment = _without_comment(rest)
    if end == start + 1:
        return _inline(value_text), comment
    if value_text:
        raise Unusual
    return _block_list(lines[start + 1 : end]), comment


def _block_list(lines: list[str]) -> list[str]:
    items: list[str] = []
    indent = -1
    for line in lines:
        bare = line.strip()
        if not bare or bare[0] == "#":
            continue
        here = len(line) - len(line.lstrip(" "))
        if bare[:2] not in ("- ", "-") or (indent >= 0 and here != indent):
            raise Unusual
        indent = here
        items.append(_item(_without_comment(bare[1:].strip())[0]))
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
    if len(text) < 2 or text[-1] != "'":
        raise Unusual
    inside = text[1:-1].replace("''", "\0")
    if "'" in inside:
        raise Unusual
    return inside.replace("\0", "'")


def _inline_list(text: str) -> list[str]:
    if text[-1] != "]":
        raise Unusual
    items = [item.strip() for item in _parted(text[1:-1])]
    if not items[-1]:  # a comma may end the list
        items.pop()
    return [_item(each) for each in items]


def _parted(text: str) -> list[str]:
    """The stretches between commas that stand outside quotes."""
    items = [""]
    quote = ""
    for letter in text:
        if quote:
            quote = "" if letter == quote and not _is_escaped(items[-1], quote) else quote
        elif letter in "[]{}":
            raise Unusual
        elif letter in "\"'" and not items[-1].strip():
            quote = letter
        elif letter == ",":
            items.append("")
            continue
        items[-1] += letter
    if quote:
        raise Unusual
    return items


def _is_escaped(before: str, quote: str) -> bool:
    """Whether a double quote that follows `before` is the escaped kind."""
    return quote == '"' and (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _without_comment(text: str) -> tuple[str, str]:
    """A value without the comment after it, and that comment with the blanks before it."""
    place = _end_of_quoted(text)
    while True:
        place = text.find("#", place)
        if place < 0:
            return text, ""
        if place == 0 or text[place - 1] in " \t":
            value = text[:place].rstrip()
            return value, text[len(value) :]
        place += 1


def _end_of_quoted(text: str) -> int:
    """The offset behind a value's closing quote (for an inline list: behind its last quote)."""
    if text[:1] == "[":
        end = text.rfind("]")
        return end + 1 if end > 0 and _is_list_end(text, end) else 0
    if text[:1] not in ('"', "'"):
        return 0
    place = 1
    while place < len(text):
        if text[place] == text[0] and not _is_escaped(text[:place], text[0]):
            return place + 1
        place += 1
    return len(text)


def _is_list_end(text: str, end: int) -> bool:
    rest = text[end + 1 :].strip()
    return not rest or rest[0] == "#"


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
