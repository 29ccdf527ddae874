"""What lies on the disk now: every memory file with the signature that tells when it changed."""

from __future__ import annotations

import os
import stat
import sys

from engram.record import Record
from engram.store.layout import PARTS
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.store.layout import Layout

    Signature = tuple[int, int, int]
    Seen = tuple[str, int, int, int]  # a path and its signature

SETTLED_NS = 2_000_000_000  # the coarsest clock of a file system in use: FAT's two seconds
NO_SIGNATURE = (0, 0, -1)


class Survey(Record):
    """One look at a part of a store. Paths are relative to the root, "/" between the parts."""

    files: set[Seen]
    folders: dict[str, Signature]
    links: tuple[str, ...] = ()  # symbolic links, which are not followed
    unreadable: tuple[str, ...] = ()  # folders whose content could not be listed
    misnamed: tuple[str, ...] = ()  # names that are no text, made printable


def survey(layout: Layout, part: str) -> Survey:
    """List one part (MEMORY, WORKING, ARCHIVE) of a store; opens no file, follows no link."""
    look = _Look(layout)
    waiting = list(PARTS[part])
    while waiting:
        folder = waiting.pop()
        try:
            waiting += look.at(folder)
        except FileNotFoundError:
            continue
        except OSError:
            look.unreadable.append(folder)
    return Survey(
        look.files, look.folders, tuple(look.links), tuple(look.unreadable), tuple(look.misnamed)
    )


class _Look:
    """A survey while it is made."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.files: set[Seen] = set()
        self.folders: dict[str, Signature] = {}
        self.links: list[str] = []
        self.unreadable: list[str] = []
        self.misnamed: list[str] = []

    def at(self, folder: str) -> list[str]:
        """Take in what `folder` holds; returns the folders in it."""
        place = self.layout.absolute(folder)
        state = os.lstat(place)
        if stat.S_ISLNK(state.st_mode):
            self.links.append(folder)
            return []
        files.on_step("list", place)
        below: list[str] = []
        with os.scandir(place) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                path = f"{folder}/{name}"
                if not _is_text(name):
                    self.misnamed.append(path.encode("utf-8", "replace").decode())
                elif name.endswith(".md"):
                    self._file(entry, path)
                elif entry.is_dir():
                    (self.links if entry.is_symlink() else below).append(path)
        self.folders[folder] = signature_of(state)
        return below

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            state = entry.stat(follow_symlinks=False)
        except FileNotFoundError:  # removed since the folder was listed
            return
        if stat.S_ISREG(state.st_mode):
            self.files.add((path, *signature_of(state)))
        elif stat.S_ISLNK(state.st_mode):
            self.links.append(path)


def _is_text(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def signature_of(state: os.stat_result) -> Signature:
    """What changes whenever a file does: times in nanoseconds, size in bytes.

    The change time betrays an edit whose modification time was put back; on Windows it is the
    time of creation and says nothing.
    """
    changed = 0 if sys.platform == "win32" else state.st_ctime_ns
    return state.st_mtime_ns, changed, state.st_size


def signature(path: str) -> Signature:
    """The signature of the file or folder at an absolute path; NO_SIGNATURE when it is missing."""
    try:
        return signature_of(os.lstat(path))
    except OSError:
        return NO_SIGNATURE


def settled(seen: Signature, checked_ns: int) -> bool:
    """Whether an equal signature proves equal bytes, for a file last read at `checked_ns`.

    A file changed within the clock's tick of that reading may have changed again unseen, and a
    time still to come means that the clock was put back.
    """
    return max(seen[0], seen[1]) < checked_ns - SETTLED_NS
