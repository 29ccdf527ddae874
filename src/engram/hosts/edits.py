"""What the editors of host files share: refusals, line breaks, and blocks at a text's end."""

from __future__ import annotations

import re

from engram.errors import Damaged, InvalidRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

BOM = b"\xef\xbb\xbf"
MISSING: Final[Any] = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
LINE_BREAK = re.compile(r"\r\n|\n|\r")


def malformed(text: str, at: int, found: str, by_hand: str) -> Damaged:
    """The failure of a file that cannot be read, at a place in its text."""
    line, column = line_of(text, at), at - line_start(text, at) + 1
    return Damaged(
        "host.malformed",
        f"Line {line}, column {column}: {found}.",
        hint=_advice("Mend that line and try again, or ", by_hand),
        line=line,
        column=column,
    )


def misshapen(text: str, at: int, found: str, by_hand: str) -> Damaged:
    """The failure of a file whose shape leaves no safe place for the edit."""
    line = line_of(text, at)
    return Damaged(
        "host.shape",
        f"Line {line}: {found}.",
        hint=_advice("Change that line, then ", by_hand),
        line=line,
    )


def opened(content: bytes, by_hand: str) -> tuple[bytes, str]:
    """The byte order mark (or nothing) and the text. Raises Damaged (host.not_text)."""
    bom = BOM if content.startswith(BOM) else b""
    try:
        return bom, content[len(bom) :].decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, len(bom) + error.start) + 1
        raise Damaged(
            "host.not_text",
            f"Line {line}: the file is not text in UTF-8.",
            hint=_advice("Save it as UTF-8, or ", by_hand),
            line=line,
        ) from error


def closed(bom: bytes, text: str) -> bytes:
    """The bytes to write. Raises InvalidRequest (host.value) for what no file can hold."""
    try:
        return bom + text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            "host.value",
            "The entry holds a name that is not text in UTF-8.",
            hint="Install Engram in a folder whose name is UTF-8.",
        ) from error


def line_of(text: str, at: int) -> int:
    """The number of the line (from 1) that holds a place."""
    return sum(1 for _ in LINE_BREAK.finditer(text, 0, at)) + 1


def line_start(text: str, at: int) -> int:
    """Where the line that holds a place begins."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_break(text: str, at: int) -> str:
    """The line break in use at a place: the nearest before it, else the first behind it."""
    start = line_start(text, at)
    if not start:
        found = LINE_BREAK.search(text, at)
        return found.group() if found else "\n"
    return "\r\n" if text[start - 2 : start] == "\r\n" else text[start - 1]


def same(one: object, other: object) -> bool:
    """Whether two parsed values are equal, types included: 1, 1.0 and true are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


def appended(text: str, block: str, newline: str = "") -> str:
    """The text with a block of lines at its end, set off by a blank line; `cut` undoes it.

    A text without a final line break gets none: that is how `cut` knows.
    """
    newline = newline or line_break(text, len(text))
    block = block.replace("\n", newline)
    if not text:
        return block + newline
    if text[-1] in "\r\n":
        return text + newline + block + newline
    return text + newline + newline + block


def cut(text: str, start: int, end: int) -> str:
    """The text without the lines from `start` to `end` and the blank line before them."""
    kept = text[:start]
    if end == len(text) and text[-1] not in "\r\n":
        kept = without_break(without_break(kept))
    elif without_break(kept)[-1:] in ("\r", "\n"):
        kept = without_break(kept)
    return kept + text[end:]


def without_break(text: str) -> str:
    """The text without the line break at its end, if it has one."""
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text.endswith(("\n", "\r")) else text


def _advice(first: str, by_hand: str) -> str:
    return first + (by_hand or "look for it with an editor.")
