"""A memory's file taken apart: its front matter, unread, and its body."""

from __future__ import annotations

from engram.record import Record

BOM = "\ufeff"
FENCE = "---"
_SURE = ("id", "type", "tags", "created", "updated", "lifecycle")  # keys that prose does not have


class Parts(Record):
    """A file taken apart: `head + front + fence + body` is its text again."""

    head: str  # a byte-order mark, and the opening fence where there is one
    front: tuple[str, ...]  # the lines between the fences, each with its end
    fence: str  # the closing fence's line, or ""
    body: str
    first: int  # the file's number of the first front line, from 1


def body_of(text: str) -> str:
    """The body in a file's text, as `parse` gives it."""
    return unified(take_apart(text).body)


def take_apart(text: str) -> Parts:
    """The file's front matter and body; a file without front matter is all body."""
    bom = BOM if text.startswith(BOM) else ""
    rest = text[len(bom) :]
    lines = _split(rest)
    if not lines or lines[0].rstrip() != FENCE:
        return Parts(bom, (), "", rest, 1)
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in (FENCE, "..."):
            front = tuple(lines[1:number])
            if not _is_yaml(front):
                break
            return Parts(bom + lines[0], front, line, "".join(lines[number + 1 :]), 2)
    return Parts(bom, (), "", rest, 1)


def unified(text: str) -> str:
    """The text with line feeds alone as line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(text: str) -> list[str]:
    """The lines of a text with their ends: LF, CRLF or CR, and no other sign."""
    if "\r" not in text:
        *whole, rest = text.split("\n")
        return [f"{line}\n" for line in whole] + ([rest] if rest else [])
    lines: list[str] = []
    start = 0
    while start < len(text):
        feed, carriage = text.find("\n", start), text.find("\r", start)
        end = feed if carriage < 0 or 0 <= feed < carriage else carriage
        if end < 0:
            lines.append(text[start:])
            break
        end += 2 if text[end : end + 2] == "\r\n" else 1
        lines.append(text[start:end])
        start = end
    return lines


def _is_yaml(front: tuple[str, ...]) -> bool:
    """Whether what stands between two `---` lines is meant as front matter, not as prose."""
    for line in front:
        bare = line.strip()
        if bare and bare[0] != "#":
            key, colon, _ = bare.partition(":")
            if colon and " " not in key.strip().strip("\"'"):
                return True
            return any(each.partition(":")[0] in _SURE for each in front)
    return True
