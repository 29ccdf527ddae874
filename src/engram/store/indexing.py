"""Bringing an index in step with the files: what changed is read again, and nothing else."""

from __future__ import annotations

from engram.errors import EngramError, NotFound, Unavailable
from engram.record import replace
from engram.store.freshness import (
    NO_SIGNATURE,
    SETTLED_NS,
    Survey,
    settled,
    signature,
    survey,
)
from engram.store.layout import ARCHIVE, LIMIT_BYTES, MEMORY, PARTS, WORKING
from engram.store.schema import PART_NUMBERS
from engram.system.files import read_bounded, sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from engram.store.freshness import Signature
    from engram.store.layout import Layout
    from engram.store.rows import Approved

SMALL = 512  # a store up to this many files is looked at whole every time
SLICE = 128  # of a larger one, at most so many files in turn
TURN_NS = 1_000_000_000  # how long it is the turn of the same ones
BATCH = 250  # files read between two commits
TURN_SECONDS = 30.0  # for so long a process waits while another does the same work
_LINK = (0, 0, -2)  # the signature that stands for a symbolic link
_COUNT = "SELECT count(*) FROM file WHERE part = ?"
_PATHS = "SELECT path FROM file WHERE part = ?"
_IS_LARGE = "SELECT 1 FROM file WHERE part < 2 LIMIT 1 OFFSET ?"
# Rows whose signature, when it is that of the file, proves that the bytes are those indexed.
_SETTLED = (
    "SELECT path, mtime, ctime, size FROM file"
    " WHERE part = ? AND mtime < checked - ? AND ctime < checked - ?"
)
_FOLDERS = "SELECT path, mtime, ctime, size, checked FROM folder WHERE part = ?"
_LAST_NUMBER = "SELECT max(number) FROM file"
_NUMBERED = (
    "SELECT path, mtime, ctime, size, mtime < checked - ? AND ctime < checked - ? FROM file"
    " WHERE number > ? AND number <= ? AND +part = 0"  # "+": by number, not by part
)
_ONE = "SELECT mtime, ctime, size, checked, digest FROM file WHERE path = ?"
_RENEW = "UPDATE file SET mtime = ?, ctime = ?, size = ?, checked = ? WHERE path = ?"
_STATES = "SELECT number, path, state, forms FROM file"
_SET_STATE = "UPDATE file SET state = ? WHERE number = ?"
_REMEMBER = "INSERT OR REPLACE INTO about VALUES(?, ?)"
_INSERT_TWICE = (
    "INSERT INTO twice SELECT file.path, file.id, first.path FROM"
    " (SELECT id, part, min(path) AS path FROM file WHERE part < 2 AND problem = ''"
    " GROUP BY id, part HAVING count(*) > 1) AS first JOIN file ON file.id = first.id"
    " AND file.part = first.part AND file.problem = '' AND file.path > first.path"
)
_INSERT_FOLDER = "INSERT INTO folder VALUES(?, ?, ?, ?, ?, ?)"


class Indexing:
    """One run of bringing the index `database` of a store in step; `now` is in nanoseconds.

    `notes` and `unreadable` (path to reason) say afterwards what a person should know.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        layout: Layout,
        now: int,
        progress: Callable[[int, int], None] | None = None,
        turn: str = "",
    ) -> None:
        self.database = database
        self.layout = layout
        self.now = now
        self.progress = progress
        self.turn = (
            turn  # the lock file of those who have much to do; "" for an index nobody shares
        )
        self.notes: list[str] = []
        self.unreadable: dict[str, str] = {}
        self._approved: Approved | None = None
        self._surveys: list[tuple[Survey, str]] = []

    def everything(self) -> None:
        """Look at every file; of the archive, only when a folder of it changed."""
        changed = [*self._changes(MEMORY), *self._changes(WORKING)]
        if self._folders_changed((ARCHIVE,)):
            changed += self._changes(ARCHIVE)
        self._in_step(changed)

    def live(self, unknown: Callable[[], bool]) -> None:
        """Look at as much of the live memories as a prompt can wait for.

        A small store is looked at whole. Of a large one, the folders, which betray every file
        that came, went or was replaced, and some files in turn; the whole of it when a folder
        changed or when the question has a term `unknown` to the index, since exactly then an edit
        not seen yet can matter (a stale winner is noticed when it is read).
        """
        large = self.database.execute(_IS_LARGE, (SMALL,)).fetchone() is not None
        if not large or self._folders_changed((MEMORY, WORKING)) or unknown():
            self._in_step([*self._changes(MEMORY), *self._changes(WORKING)])
        else:
            self._in_step(self._slice())

    def paths(self, paths: Iterable[str]) -> None:
        """Look at these files alone."""
        place = self.layout.absolute
        self._in_step([(path, signature(place(path))) for path in paths])

    def _in_step(self, changed: Sequence[tuple[str, Signature]]) -> None:
        stamp, stale = self._manifest_stamp()
        if len(changed) > BATCH and self.turn:
            self._in_turn(changed)
        else:
            self._index(changed)
        if stale:
            self._write_states(stamp)
        for found, part in self._surveys:
            self._write_folders(found, part)

    def _in_turn(self, changed: Sequence[tuple[str, Signature]]) -> None:
        """Do much work while nobody else does the same; whoever waited finds it done."""
        from engram.system.locks import lock  # noqa: PLC0415 - only much work waits for a turn

        turn = lock(self.turn, TURN_SECONDS)
        try:
            turn.__enter__()
        except EngramError:  # better twice than never
            return self._index(changed)
        try:
            return self._index(changed)
        finally:
            turn.__exit__(None, None, None)

    def _index(self, changed: Sequence[tuple[str, Signature]]) -> None:
        for start in range(0, len(changed), BATCH):
            batch = changed[start : start + BATCH]
            actions = [action for path, seen in batch for action in self._actions(path, seen)]
            self._write([*actions, self._write_twice] if actions else ())
            if self.progress is not None:
                self.progress(start + len(batch), len(changed))

    def _write(self, actions: Sequence[Callable[[], object]]) -> None:
        """Take the actions in one transaction; nothing is read or thought about meanwhile."""
        if not actions:
            return
        self.database.execute("BEGIN IMMEDIATE")
        try:
            for action in actions:
                action()
        except BaseException:
            if self.database.in_transaction:  # a full disk has ended it already
                self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def _write_twice(self) -> None:
        """Note the files whose id another of the same part has: the first by path is used."""
        self.database.execute("DELETE FROM twice")
        self.database.execute(_INSERT_TWICE)

    def _changes(self, part: str) -> list[tuple[str, Signature]]:
        """The files of a part whose row is missing or may be wrong, and those that are gone."""
        found = survey(self.layout, part)
        number = PART_NUMBERS[part]
        there = found.files | {(link, *_LINK) for link in found.links}
        known = set(self.database.execute(_SETTLED, (number, SETTLED_NS, SETTLED_NS)).fetchall())
        changed = [(path, (mtime, ctime, size)) for path, mtime, ctime, size in there - known]
        for folder in found.unreadable:
            self.notes.append(f"The folder {folder} cannot be read; what was known of it is used.")
        for name in found.misnamed:
            self.unreadable[name] = "The file's name is not text in UTF-8."
        total = self.database.execute(_COUNT, (number,)).fetchone()[0]
        if changed or total != len(there):
            paths = {path for path, *_ in there}
            hidden = tuple(f"{folder}/" for folder in found.unreadable)
            changed += [
                (path, NO_SIGNATURE)
                for (path,) in self.database.execute(
                    "SELECT path FROM file WHERE part = ?", (number,)
                )
                if path not in paths and not path.startswith(hidden)
            ]
        self._surveys.append((found, part))
        return changed

    def _slice(self) -> list[tuple[str, Signature]]:
        """Some files whose row may be wrong.

        The clock says whose turn it is: a load that writes nothing waits for no disk.
        """
        last = self.database.execute(_LAST_NUMBER).fetchone()[0]
        turn = self.now // TURN_NS % (last // SLICE + 1)
        values = (SETTLED_NS, SETTLED_NS, turn * SLICE, (turn + 1) * SLICE)
        rows = self.database.execute(_NUMBERED, values).fetchall()
        changed = []
        root = self.layout.root
        for path, mtime, ctime, size, is_settled in rows:
            seen = signature(f"{root}/{path}")
            if seen != (mtime, ctime, size) or not is_settled:
                changed.append((path, seen))
        return changed

    def _folders(self, part: str) -> dict[str, tuple[Signature, int]]:
        """The folders of a part as they were when last listed, and when that was."""
        rows = self.database.execute(_FOLDERS, (PART_NUMBERS[part],))
        return {path: ((mtime, ctime, size), checked) for path, mtime, ctime, size, checked in rows}

    def _folders_changed(self, parts: Iterable[str]) -> bool:
        """Whether a folder of these parts differs from when it was last listed."""
        place = self.layout.absolute
        return any(
            not rows
            or any(
                signature(place(path)) != seen or not settled(seen, checked)
                for path, (seen, checked) in rows.items()
            )
            for rows in map(self._folders, parts)
        )

    def _write_folders(self, found: Survey, part: str) -> None:
        """Remember the folders as they were just before their files were listed."""
        now = dict.fromkeys(PARTS[part], NO_SIGNATURE) | found.folders
        rows = self._folders(part)
        settles = any(
            settled(seen, self.now) and not settled(seen, rows[path][1])
            for path, seen in now.items()
            if path in rows
        )
        known = {path: seen for path, (seen, _) in rows.items()}
        if found.unreadable or (known == now and not settles):
            return
        number = PART_NUMBERS[part]
        execute = self.database.execute
        values = [(path, number, *seen, self.now) for path, seen in now.items()]
        self._write(
            [
                lambda: execute("DELETE FROM folder WHERE part = ?", (number,)),
                lambda: self.database.executemany(_INSERT_FOLDER, values),
            ]
        )

    def _actions(self, path: str, seen: Signature) -> list[Callable[[], object]]:
        """What brings the row of one file in step with it; nothing when it is so already."""
        known = self.database.execute(_ONE, (path,)).fetchone()
        if known and known[:3] == seen and settled(seen, known[3]):
            return []  # somebody else was faster
        try:
            data = read_bounded(self.layout.absolute(path), LIMIT_BYTES)
        except NotFound:
            return [lambda: self._deleted(path)] if known else []
        except Unavailable as error:
            self.unreadable[path] = error.message
            return []
        except EngramError as error:
            return self._stored(path, seen, None, error.message)
        if known and known[4] == sha256(data):
            return self._unchanged(path, seen)
        return self._stored(path, seen, data)

    def _unchanged(self, path: str, seen: Signature) -> list[Callable[[], object]]:
        """The bytes are those indexed: worth a write only if it spares the next run the reading."""
        values = (*seen, self.now, path)
        known = settled(seen, self.now)
        return [lambda: self.database.execute(_RENEW, values)] if known else []

    def _stored(
        self, path: str, seen: Signature, data: bytes | None, problem: str = ""
    ) -> list[Callable[[], object]]:
        """The row of a file anew, from its bytes or from what is wrong with it."""
        from engram.store.rows import row_of, store  # noqa: PLC0415 - only a change pays for it

        row, terms = row_of(self.layout, path, self._approvals(), data, problem)
        row = replace(row, seen=seen, checked=self.now)
        return [lambda: store(self.database, row, terms)]

    def _deleted(self, path: str) -> None:
        from engram.store.rows import delete  # noqa: PLC0415 - only a change pays for it

        delete(self.database, path)

    def _approvals(self) -> Approved:
        if self._approved is None:
            from engram.store.rows import read_approved  # noqa: PLC0415 - only a change pays for it

            self._approved = read_approved(self.layout)
        return self._approved

    def _manifest_stamp(self) -> tuple[str, bool]:
        """The state of the manifests' files, and whether the rows may know another."""
        layout = self.layout
        places = (layout.manifest, layout.legacy_manifest, layout.working_manifest)
        seen = [signature(place) for place in places]
        stamp = " ".join(str(number) for each in seen for number in each)
        checked = int(self._about("manifest_checked") or 0)
        fresh = stamp == self._about("manifest") and all(settled(each, checked) for each in seen)
        return stamp, not fresh

    def _write_states(self, stamp: str) -> None:
        """Compare every row with the manifests as they are now."""
        approvals = self._approvals()
        changed = [
            (state, number)
            for number, path, known, digests in self.database.execute(_STATES)
            if (state := approvals.state(path, digests.split("\n"))) != known
        ]
        about = {
            "manifest": stamp,
            "manifest_checked": str(self.now),
            "manifest_notes": "\n".join(approvals.notes),
        }
        self._write(
            [
                lambda: self.database.executemany(_SET_STATE, changed),
                lambda: self.database.executemany(_REMEMBER, about.items()),
            ]
        )

    def _about(self, name: str) -> str:
        found = self.database.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return found[0] if found else ""


def manifest_notes(database: sqlite3.Connection) -> list[str]:
    """What a person should know of the manifests, as of the last run."""
    found = database.execute("SELECT value FROM about WHERE name = 'manifest_notes'").fetchone()
    return found[0].split("\n") if found and found[0] else []
