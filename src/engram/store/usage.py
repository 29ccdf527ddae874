"""How often each memory was fetched; a hint for ordering, whose loss or failure harms nothing."""

from __future__ import annotations

import os

from engram.system.sqlite import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from engram.store.layout import Layout

    Answer = TypeVar("Answer")

_WAIT_SECONDS = 0.2
_AT_ONCE = 500  # ids in one question; SQLite takes no more than 999 values everywhere
_SCHEMA = "CREATE TABLE IF NOT EXISTS usage(id TEXT PRIMARY KEY, uses INTEGER) WITHOUT ROWID"


class Usage:
    """The counts of one store's memories, by id, in the person's state folder.

    With `kept`, the database stays open from one question to the next, until `close`.
    """

    def __init__(self, layout: Layout, state_folder: str, *, kept: bool = False) -> None:
        self._kept = kept
        self._database: sqlite3.Connection | None = None
        self.path = os.path.join(layout.cache(state_folder), "usage.sqlite") if state_folder else ""

    def add(self, ids: Iterable[str]) -> None:
        """Count one more fetch of each id."""
        rows = [(id,) for id in ids]

        def count(database: sqlite3.Connection) -> None:
            # Nobody waits for a disk over a hint; a count that a crash damages begins again.
            database.execute("PRAGMA synchronous = OFF")
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("BEGIN IMMEDIATE")
            database.execute(_SCHEMA)
            database.executemany(
                "INSERT INTO usage VALUES(?, 1) ON CONFLICT(id) DO UPDATE SET uses = uses + 1",
                rows,
            )
            database.execute("COMMIT")

        if rows:
            self._with(count, None, writes=True)

    def counts(self, ids: Iterable[str] | None = None) -> dict[str, int]:
        """How often each of `ids` was fetched, or every id known; none for one never fetched."""
        wanted = None if ids is None else list(ids)

        def read(database: sqlite3.Connection) -> dict[str, int]:
            query = "SELECT id, uses FROM usage"
            if wanted is None:
                return dict(database.execute(query))
            rows: list[tuple[str, int]] = []
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                rows += database.execute(
                    f"{query} WHERE id IN ({', '.join('?' * len(some))})", some
                )
            return dict(rows)

        return self._with(read, {}, writes=False)

    def best(self, limit: int) -> list[tuple[str, int]]:
        """The ids fetched most often with their counts, most first."""

        def read(database: sqlite3.Connection) -> list[tuple[str, int]]:
            return list(
                database.execute(
                    "SELECT id, uses FROM usage ORDER BY uses DESC, id LIMIT ?", (limit,)
                )
            )

        return self._with(read, [], writes=False)

    def close(self) -> None:
        """Let the database go."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _with(
        self, ask: Callable[[sqlite3.Connection], Answer], otherwise: Answer, *, writes: bool
    ) -> Answer:
        """What `ask` answers, or `otherwise` where there is no database or it will not answer."""
        if not self.path or not (writes or os.path.exists(self.path)):
            return otherwise
        try:
            return ask(self._opened())
        except (OSError, sqlite3.OperationalError):
            self.close()
            return otherwise
        except sqlite3.DatabaseError:
            self.close()
            self._forget()
            return otherwise
        finally:
            if not self._kept:
                self.close()

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        return self._database

    def _forget(self) -> None:
        """A damaged count is worth nothing: begin again."""
        try:
            os.unlink(self.path)
        except OSError:
            return
