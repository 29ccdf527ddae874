"""Where everything of a store lives on disk."""

from __future__ import annotations

import os
import stat

from engram.core.memory import FOLDERS
from engram.record import Record
from engram.system.files import sha256

STORE_FOLDER = os.path.join(".agents", ".engram")
MEMORY = "memory"  # a file under rules/, skills/ or knowledge/
WORKING = "working"  # a note of the working tier
ARCHIVE = "archive"  # what was superseded or archived
LIMIT_BYTES = 1 << 20  # of one memory file
PARTS = {
    MEMORY: tuple(FOLDERS.values()),
    WORKING: ("working",),
    ARCHIVE: ("archive",),
}
_TYPES = {folder: type_ for type_, folder in FOLDERS.items()}
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
_STICKY_AND_OPEN = stat.S_ISVTX | stat.S_IWOTH


class Layout(Record):
    """The places of one store. Paths of memories are relative to `root`, "/" between the parts."""

    root: str  # absolute
    scope: str = "workspace"  # one of SCOPES

    @classmethod
    def of_project(cls, project: str) -> Layout:
        """The workspace store of the folder `project`, whether it exists or not."""
        return cls(os.path.join(project, STORE_FOLDER) if project else "")

    def exists(self) -> bool:
        """Whether there is a store here."""
        return bool(self.root) and os.path.isdir(self.root)

    @property
    def config(self) -> str:
        return os.path.join(self.root, "engram.config.json")

    @property
    def manifest(self) -> str:
        return os.path.join(self.root, "memory.sha256")

    @property
    def legacy_manifest(self) -> str:
        """The earlier edition's manifest, in force while there is no `manifest`."""
        return os.path.join(self.root, "memory.hashes.json")

    @property
    def working_manifest(self) -> str:
        """The manifest of the working tier, which git must not see."""
        return os.path.join(self.local, "working.sha256")

    @property
    def changelog(self) -> str:
        return os.path.join(self.root, "changelog.md")

    @property
    def gitignore(self) -> str:
        return os.path.join(self.root, ".gitignore")

    @property
    def gitattributes(self) -> str:
        return os.path.join(self.root, ".gitattributes")

    @property
    def archive(self) -> str:
        return os.path.join(self.root, "archive")

    @property
    def working(self) -> str:
        return os.path.join(self.root, "working")

    @property
    def local(self) -> str:
        """What belongs to this machine alone: the lock, what waits for a yes."""
        return os.path.join(self.root, "local")

    @property
    def pending(self) -> str:
        return os.path.join(self.local, "pending-approvals.json")

    @property
    def journal(self) -> str:
        """An approved write that is not finished yet."""
        return os.path.join(self.local, "journal.json")

    @property
    def lock(self) -> str:
        return os.path.join(self.local, "lock")

    @property
    def name(self) -> str:
        """The name of this store's folder in the cache and the state: readable, and its own."""
        real = os.path.realpath(self.root)
        folder, suffix = os.path.split(real)
        if suffix == ".engram":
            folder, suffix = os.path.split(folder)
            suffix = os.path.basename(folder) if suffix == ".agents" else suffix
        readable = "".join(c if c.isascii() and c.isalnum() else "-" for c in suffix.lower())
        return f"{readable.strip('-')[:32] or 'store'}-{sha256(os.fsencode(real))[:12]}"

    def folder(self, type_: str) -> str:
        """The folder of the memories of one type."""
        return os.path.join(self.root, FOLDERS[type_])

    def path_of(self, id: str, type_: str) -> str:
        """Where a new memory goes, relative to the root."""
        return f"{FOLDERS[type_]}/{id}.md"

    @staticmethod
    def id_of(path: str) -> str:
        """The id of the memory at a relative path: its file's stem, composed (macOS decomposes)."""
        stem = path.rpartition("/")[2].removesuffix(".md")
        if stem.isascii():
            return stem
        from unicodedata import normalize  # noqa: PLC0415 - ASCII does without

        return normalize("NFC", stem)

    @staticmethod
    def is_archived(path: str) -> bool:
        """Whether a relative path lies in the archive."""
        return part_of(path) == ARCHIVE

    def absolute(self, path: str) -> str:
        """The file of a relative memory path."""
        return os.path.join(self.root, *path.split("/"))

    def cache(self, cache_folder: str) -> str:
        """The store's own folder in the person's cache (or state) folder."""
        return os.path.join(cache_folder, self.name)


def part_of(path: str) -> str:
    """The part of the store that a relative path lies in: MEMORY, WORKING or ARCHIVE; "" for none."""
    top = path.partition("/")[0]
    return next((part for part, folders in PARTS.items() if top in folders), "")


def folder_of(path: str) -> str:
    """The type folder ("rules") that a relative path names, also one below `archive`; else ""."""
    return next((part for part in path.split("/")[:-1] if part in _TYPES), "")


def is_safe_id(id: str) -> bool:
    """Whether `id` can be a file's name on every system: DESIGN's rule for ids."""
    from unicodedata import category  # noqa: PLC0415 - a load asks nothing of the kind

    usable = all(c.isalnum() or category(c)[0] == "M" or c in "-_." for c in id)
    return (
        usable
        and bool(id.strip("-_."))
        and id[0] != "."
        and id[-1] != "."
        and len(id.encode()) <= 100
        and id.partition(".")[0].lower() not in _RESERVED
    )


def find_workspace(start: str, home: str) -> str | None:
    """The project folder whose store serves the folder `start`: the nearest one upwards.

    The search ends at the top of the repository (a worktree has its own top, a submodule
    without a store uses the project around it) and never takes the home folder, the root of the
    disk, or a folder where anyone may put files, unless it starts there. Links in `start` are
    resolved first.
    """
    if not start:
        return None
    folder = first = os.path.realpath(start)
    top = os.path.realpath(home) if home else ""
    while True:
        above = os.path.dirname(folder)
        if folder != first and (folder in (above, top) or _is_anyones(folder)):
            return None
        if os.path.isdir(os.path.join(folder, STORE_FOLDER)):
            return folder
        if folder in (above, top) or _is_repository_top(folder):
            return None
        folder = above


def _is_anyones(folder: str) -> bool:
    try:
        mode = os.stat(folder).st_mode
    except OSError:
        return False
    return mode & _STICKY_AND_OPEN == _STICKY_AND_OPEN


def _is_repository_top(folder: str) -> bool:
    git = os.path.join(folder, ".git")
    if not os.path.isfile(git):
        return os.path.isdir(git)
    try:
        with open(git, encoding="utf-8", errors="replace") as file:
            pointer = file.read(4096).replace("\\", "/")
    except OSError:
        return True
    below = f"/{pointer.partition('.git/')[2]}"
    return below.rfind("/modules/") <= below.rfind("/worktrees/")
