"""What `link` did to each file, so that `unlink` can undo it to the byte.

One JSON file in the person's state folder. For a file that stands as we left it, the ledger holds
the part that we replaced; for one that was changed since, which containers we made. It never
holds more of a person's file than that part. Without it, unlinking still removes what is ours and
nothing else.
"""

from __future__ import annotations

import base64
import json
import os

from engram.errors import EngramError
from engram.record import Record
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

VERSION = 1
LARGEST = 4 << 20  # bytes


class Patch(Record):
    """A file's way back: keep so many bytes at either end, put `old` between."""

    head: int
    tail: int
    old: bytes

    def undo(self, content: bytes) -> bytes:
        """The bytes that the file had."""
        end = len(content) - self.tail
        return content[: self.head] + self.old + content[end:]


class Linked(Record):
    """What is known of one file."""

    digest: str  # hex SHA-256 of the bytes that we left; "" once somebody else changed them
    patch: Patch | None  # back to what was there before; None where that is not known
    created: bool  # the file was not there before
    folders: tuple[str, ...] = ()  # that were made for it, the outermost first
    made: tuple[tuple[str | int, ...], ...] = ()  # containers that we put in it
    holders: Mapping[str, tuple[str, ...]] = {}  # by placement, who linked it

    def stands(self, content: bytes | None) -> bool:
        """Whether the file is as we left it."""
        return content is not None and files.sha256(content) == self.digest


class Ledger:
    """The record of one person on one machine; `path` is "" where there is no place for it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.files: dict[str, Linked] = {}
        content: dict[str, Any] = {}
        try:
            content = json.loads(files.read_bounded(path, LARGEST)) if path else {}
            self.files = {name: _linked(told) for name, told in content["files"].items()}
        except (EngramError, ValueError, LookupError, TypeError, AttributeError):
            self.files = {}  # a record that cannot be read is no record

    def save(self) -> None:
        """Write it down, readable by this person alone."""
        if not self._path:
            return
        told = {
            "version": VERSION,
            "files": {name: _told(each) for name, each in self.files.items()},
        }
        files.make_folder(os.path.dirname(self._path), 0o700)
        files.replace_file(self._path, json.dumps(told, indent=1).encode() + b"\n", 0o600)


def patch_between(old: bytes, new: bytes) -> Patch:
    """The way from `new` back to `old`."""
    shortest = min(len(old), len(new))
    head = _common(old, new, shortest)
    tail = _common(old[::-1], new[::-1], shortest - head)
    return Patch(head, tail, old[head : len(old) - tail])


def _common(one: bytes, other: bytes, most: int) -> int:
    """How many bytes both begin with, at most `most`."""
    if one[:most] == other[:most]:
        return most
    return next(at for at in range(most) if one[at] != other[at])


def _told(linked: Linked) -> dict[str, object]:
    patch = linked.patch
    told: dict[str, object] = {
        "digest": linked.digest,
        "created": linked.created,
        "folders": linked.folders,
        "made": linked.made,
        "holders": linked.holders,
    }
    if patch is not None:
        old = base64.b64encode(patch.old).decode("ascii")
        told["patch"] = {"head": patch.head, "tail": patch.tail, "old": old}
    return told


def _linked(told: Mapping[str, Any]) -> Linked:
    patch = told.get("patch")
    return Linked(
        str(told["digest"]),
        Patch(int(patch["head"]), int(patch["tail"]), base64.b64decode(patch["old"]))
        if patch
        else None,
        bool(told["created"]),
        tuple(told["folders"]),
        tuple(tuple(each) for each in told["made"]),
        {name: tuple(each) for name, each in told["holders"].items()},
    )
