"""The index's database file: opened, made anew where it is no good, or kept in memory."""

from __future__ import annotations

import os

from engram.errors import Unavailable
from engram.store.schema import SCHEMA, VERSION
from engram.system.sqlite import sqlite3

WAIT_SECONDS = 2.0
# What a new file cannot mend: busy, locked, read-only, I/O error, full, cannot open, protocol.
_OF_THE_MACHINE = frozenset((5, 6, 8, 10, 13, 14, 15))


def lock_path(path: str) -> str:
    """The lock file of those who change the database at `path` as a whole."""
    return os.path.join(os.path.dirname(path), "index.lock")


def open_database(path: str) -> tuple[sqlite3.Connection, bool]:
    """The database at `path`, made empty where there is none or what is there is no good.

    The second value says whether something was there and had to go: a damaged file, or an index
    of another version. Raises sqlite3.Error, OSError or Unavailable where no file can be had.
    """
    database = _open(path)
    if database is not None:
        return database, False
    from engram.system.files import lock, make_folder  # noqa: PLC0415 - a first use alone needs it

    make_folder(os.path.dirname(path), 0o700)
    with lock(lock_path(path), WAIT_SECONDS):
        database = _open(path)  # somebody else may have made it since
        if database is not None:
            return database, False
        return _replace(path)


def replace_database(path: str) -> sqlite3.Connection:
    """A new empty database in the place of the one at `path`, whose content proved damaged.

    Raises as `open_database`. Who has the old one open goes on with it, until they close it.
    """
    from engram.system.files import lock  # noqa: PLC0415 - seldom needed

    with lock(lock_path(path), WAIT_SECONDS):
        return _replace(path)[0]


def in_memory() -> sqlite3.Connection:
    """An empty database that no file backs.

    Raises Unavailable (index.no_search) when this Python's SQLite has no FTS5.
    """
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _fill(database)
    except sqlite3.OperationalError as error:
        raise Unavailable(
            "index.no_search",
            f"This Python's SQLite cannot search text ({error}).",
            hint="Use a Python whose sqlite3 has FTS5.",
        ) from error
    return database


def is_of_the_machine(error: sqlite3.Error) -> bool:
    """Whether the machine refused (locked, full, read-only), the database itself being good."""
    return getattr(error, "sqlite_errorcode", 1) & 0xFF in _OF_THE_MACHINE


def _open(path: str) -> sqlite3.Connection | None:
    if not os.path.isfile(path):
        return None
    database = _connect(path)
    try:
        if database.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            database.execute("PRAGMA synchronous = NORMAL")
            return database
    except sqlite3.DatabaseError as error:
        if is_of_the_machine(error):
            database.close()
            raise
    database.close()
    return None


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)


def _replace(path: str) -> tuple[sqlite3.Connection, bool]:
    """Build an empty database beside `path`, then put it there: nobody sees half a schema."""
    fresh = f"{path}.{os.getpid()}.new"
    _remove(fresh)
    database = _connect(fresh)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        _fill(database)
    except BaseException:
        database.close()
        _remove(fresh)
        raise
    database.close()
    replaced = os.path.lexists(path)
    if os.path.isdir(path) and not os.path.islink(path):
        os.rename(path, f"{path}.{os.getpid()}.folder")
    # The old write-ahead log must go first: it would be replayed into the new file.
    _remove(f"{path}-wal")
    _remove(f"{path}-shm")
    os.replace(fresh, path)
    database = _connect(path)
    database.execute("PRAGMA synchronous = NORMAL")
    return database, replaced


def _fill(database: sqlite3.Connection) -> None:
    database.execute("BEGIN")
    for statement in SCHEMA:
        database.execute(statement)
    database.execute("COMMIT")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
