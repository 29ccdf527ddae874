"""One marked block in a Markdown file that a person owns; every byte around it stays.

    <!-- engram:begin 3f9a2c1b77d0 -->
    the text
    <!-- engram:end -->

The word after `begin` is a digest of the text, by which a block that was changed by hand is known,
whatever line breaks the file has. Markers count where they stand alone at the start of a line, not
in front matter and not in a code fence.
"""

from __future__ import annotations

import re
from hashlib import sha256

from engram.errors import InvalidRequest
from engram.hosts.edits import (
    LINE_BREAK,
    appended,
    closed,
    cut,
    line_break,
    line_of,
    misshapen,
    opened,
    without_break,
)
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

END = "<!-- engram:end -->"
_BEGIN = re.compile(r"<!-- engram:begin(?: ([0-9a-f]+))? -->[ \t]*")
_END = re.compile(r"<!-- engram:end -->[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_FRONT_MATTER_ENDS = ("---", "...")


class Block(Record):
    """A block as it stands in a file: its text with plain line feeds, and whether it was changed."""

    text: str
    altered: bool
    line: int
    start: int  # the places of its lines, the markers included
    end: int


class _Marker(Record):
    begins: bool
    digest: str | None
    start: int
    end: int


def read_block(content: bytes) -> Block | None:
    """The block in a file, or None. Raises Damaged: host.not_text, or host.shape for stray markers."""
    return _found(opened(content, "")[1], "")


def set_block(content: bytes, text: str) -> bytes:
    """The content with this text as its block: in place of the old one, or at the end.

    Raises Damaged as `read_block` does, and for a code fence that would swallow the block;
    InvalidRequest (host.block) for a text that holds a marker.
    """
    text = LINE_BREAK.sub("\n", text).strip("\n")
    if any(_BEGIN.fullmatch(line) or _END.fullmatch(line) for line in text.split("\n")):
        raise InvalidRequest("host.block", "The text of a block holds a marker of blocks itself.")
    block = f"<!-- engram:begin {_digest(text)} -->\n{text}\n{END}"
    by_hand = f"add this by hand:\n{block}"
    bom, whole = opened(content, by_hand)
    old = _found(whole, by_hand)
    if old is None:
        fence = _scan(whole)[1]
        if fence >= 0:
            raise misshapen(whole, fence, "this code fence is never closed", by_hand)
        return closed(bom, appended(whole, block))
    if old.text == text and not old.altered:
        return content
    newline = line_break(whole, old.end)
    tail = newline if whole[old.start : old.end].endswith(("\n", "\r")) else ""
    made = block.replace("\n", newline) + tail
    return closed(bom, whole[: old.start] + made + whole[old.end :])


def remove_block(content: bytes) -> bytes:
    """The content without its block and the blank line before it. Raises Damaged as `read_block`."""
    bom, whole = opened(content, "take out the block by hand.")
    block = _found(whole, "take out the markers by hand.")
    return content if block is None else closed(bom, cut(whole, block.start, block.end))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _found(whole: str, by_hand: str) -> Block | None:
    opening: _Marker | None = None
    block: Block | None = None
    for each in _scan(whole)[0]:
        if each.begins and opening:
            raise misshapen(whole, opening.start, "this block does not end", by_hand)
        if each.begins and block:
            raise misshapen(whole, each.start, "a second block begins here", by_hand)
        if not each.begins and opening is None:
            raise misshapen(whole, each.start, "this marker ends no block", by_hand)
        if opening is None:
            opening = each
        else:
            block, opening = _block(whole, opening, each), None
    if opening:
        raise misshapen(whole, opening.start, "this block does not end", by_hand)
    return block


def _block(whole: str, opening: _Marker, closing: _Marker) -> Block:
    inside = without_break(LINE_BREAK.sub("\n", whole[opening.end : closing.start]))
    altered = _digest(inside) != opening.digest
    return Block(inside, altered, line_of(whole, opening.start), opening.start, closing.end)


def _scan(whole: str) -> tuple[list[_Marker], int]:
    """The markers that count, and where a code fence begins that never ends (-1: none does)."""
    markers: list[_Marker] = []
    fence, fence_start, is_inside = "", -1, False
    for start, end in _lines(whole, _after_front_matter(whole)):
        line = whole[start:end].rstrip("\r\n")
        begin = _BEGIN.fullmatch(line)
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif begin or _END.fullmatch(line):
            is_inside = begin is not None
            markers.append(_Marker(is_inside, begin[1] if begin else "", start, end))
        elif not is_inside and (opened_by := _FENCE.fullmatch(line)):
            fence, fence_start = opened_by[1], start
    return markers, fence_start if fence else -1


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t")
    shallow = len(line) - len(line.lstrip(" ")) < 4
    return shallow and len(bare) >= len(fence) and not bare.strip(fence[0])


def _after_front_matter(whole: str) -> int:
    lines = _lines(whole, 0)
    if whole[slice(*next(lines, (0, 0)))].rstrip() != "---":
        return 0
    ends = (end for start, end in lines if whole[start:end].rstrip() in _FRONT_MATTER_ENDS)
    return next(ends, 0)


def _lines(whole: str, at: int) -> Iterator[tuple[int, int]]:
    """Where each line starts, and where it ends with its line break."""
    for found in LINE_BREAK.finditer(whole, at):
        yield at, found.end()
        at = found.end()
    if at < len(whole):
        yield at, len(whole)
