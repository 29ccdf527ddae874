"""What lies on the disk now: every memory file with the signature that tells when it changed."""

from __future__ import annotations

import os
import stat
import sys

from engram.record import Record
from engram.store.layout import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.store.layout import Layout

    Signature = tuple[int, int, int]

SETTLED_NS = 2_000_000_000  # the coarsest clock of a file system in use: FAT's two seconds
NO_SIGNATURE = (0, 0, -1)


class Survey(Record):
    """One look at a part of a store. Paths are relative to the root, "/" between the parts."""

    files: dict[str, Signature]
    folders: dict[str, Signature]
    links: tuple[str, ...] = ()  # symbolic links, which are not followed
    unreadable: tuple[str, ...] = ()  # folders whose content could not be listed


def survey(layout: Layout, part: str) -> Survey:
    """List one part (MEMORY, WORKING, ARCHIVE) of a store; opens no file."""
    found = Survey({}, {})
    links: list[str] = []
    unreadable: list[str] = []
    waiting = list(PARTS[part])
    while waiting:
        folder = waiting.pop()
        try:
            waiting += _list(layout, folder, found, links)
        except FileNotFoundError:
            continue
        except OSError:
            unreadable.append(folder)
    return Survey(found.files, found.folders, tuple(links), tuple(unreadable))


def _list(layout: Layout, folder: str, found: Survey, links: list[str]) -> list[str]:
    """Add what `folder` holds to `found` and return the folders in it."""
    place = layout.absolute(folder)
    state = os.lstat(place)
    if stat.S_ISLNK(state.st_mode):
        links.append(folder)
        return []
    below = []
    with os.scandir(place) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            path = f"{folder}/{name}"
            if name.endswith(".md"):
                _file(entry, path, found, links)
            elif entry.is_symlink():
                links += [path] if entry.is_dir() else []
            elif entry.is_dir():
                below.append(path)
    found.folders[folder] = signature_of(state)
    return below


def _file(entry: os.DirEntry[str], path: str, found: Survey, links: list[str]) -> None:
    if entry.is_symlink():
        links.append(path)
        return
    try:
        state = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # removed since the folder was listed
        return
    if stat.S_ISREG(state.st_mode):
        found.files[path] = signature_of(state)


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


def sum_of(signatures: Iterable[Signature]) -> Signature:
    """One signature for several files."""
    mtime, ctime, size = 0, 0, 0
    for each in signatures:
        mtime, ctime, size = mtime ^ hash(each), ctime + each[1], size + each[2]
    return mtime, ctime, size
