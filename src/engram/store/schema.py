"""The index's tables, and a memory's row in them."""

from __future__ import annotations

from engram.core import body, tokens, words
from engram.core.memory import Entry, Memory
from engram.record import Record, fields
from engram.store.layout import ARCHIVE, MEMORY, WORKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

    from engram.store.freshness import Signature

SCHEMA_VERSION = 3
VERSION = SCHEMA_VERSION * 10_000 + words.VERSION  # other terms make another index
PART_NUMBERS = {MEMORY: 0, WORKING: 1, ARCHIVE: 2}  # in the order in which an id is looked up
LIVE, RETIRED = "live", "retired"  # the two searched tables: an archive must not slow a search

_DERIVED = ("scope", "archived", "uses")  # not stored: the store's, the part's, the state folder's
_LISTS = frozenset(name for name, field in fields(Entry).items() if field.default == ())
_STORED = tuple(name for name in fields(Entry) if name not in _DERIVED)
ENTRY_COLUMNS = ", ".join(f"file.{name}" for name in ("part", *_STORED))
_COLUMNS = ("part", "mtime", "ctime", "size", "checked", "forms", "line", "problem", *_STORED)
SELECT_ENTRY = f"SELECT {ENTRY_COLUMNS} FROM file"  # noqa: S608 - our own names
FOR_START = (  # what may belong to the start of a session; routing decides
    "problem = '' AND (part = 1 OR instr(lower(tags), 'always') > 0"
    " OR instr(lower(tags), 'session') > 0)"
)
_SAME = "SELECT mtime, ctime, size, digest, state, problem FROM file WHERE path = ?"
_INSERT = f"INSERT INTO file({', '.join(_COLUMNS)}) VALUES({', '.join('?' * len(_COLUMNS))})"

# FTS5 is to split at the spaces between our terms and nowhere else: every other printable ASCII
# character belongs to a term, and this tokenizer takes all beyond ASCII as it is.
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TOKENIZER = "ascii tokenchars '{}'".format(_PUNCTUATION.replace("'", "''")).replace('"', '""')


def per_table(query: str) -> dict[str, str]:
    """A query for each of the two searched tables, whose name it gives as TABLE."""
    return {table: query.replace("TABLE", table) for table in (LIVE, RETIRED)}


INSERT_TERMS = per_table("INSERT INTO TABLE(rowid, title, labels, body) VALUES(?, ?, ?, ?)")
DELETE_TERMS = per_table("DELETE FROM TABLE WHERE rowid = ?")


def _searched(name: str) -> tuple[str, str]:
    return (
        f'CREATE VIRTUAL TABLE {name} USING fts5(title, labels, body, tokenize="{_TOKENIZER}")',
        f"CREATE VIRTUAL TABLE {name}_terms USING fts5vocab({name}, row)",
    )


SCHEMA = (
    "CREATE TABLE about(name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE folder(path TEXT PRIMARY KEY, part, mtime, ctime, size, checked) WITHOUT ROWID",
    f"CREATE TABLE file(number INTEGER PRIMARY KEY, {', '.join(_COLUMNS)})",
    "CREATE UNIQUE INDEX file_path ON file(path)",
    "CREATE INDEX file_id ON file(id, part, path) WHERE problem = ''",
    "CREATE INDEX file_problem ON file(path) WHERE problem <> ''",
    f"CREATE INDEX file_start ON file(part) WHERE {FOR_START}",
    "CREATE INDEX file_seen ON file(part, path, mtime, ctime, size, checked)",
    *_searched(LIVE),
    *_searched(RETIRED),
    # Kept by whoever writes, since every load asks for it and a store seldom has any.
    "CREATE TABLE twice(path TEXT PRIMARY KEY, id, other) WITHOUT ROWID",
    f"PRAGMA user_version = {VERSION}",
)


class Row(Record):
    """What is stored of one file: its entry (or what is wrong with it) and its terms."""

    path: str
    part: int
    seen: Signature
    checked: int  # nanoseconds since 1970: no later than the file was read
    id: str
    digest: str = ""
    forms: tuple[str, ...] = ()  # the digests by which it may be approved
    state: str = ""
    line: int = 0
    problem: str = ""
    memory: Memory | None = None


def searched_table(part: int) -> str:
    """The searched table that holds the terms of a part."""
    return RETIRED if part == PART_NUMBERS[ARCHIVE] else LIVE


def terms_of(memory: Memory) -> tuple[str, str, str]:
    """The terms of a memory in the searched fields title, labels, body; a space between two."""
    labels = (*memory.tags, *memory.triggers, *memory.task_types, memory.id)
    return (
        " ".join(words.terms(memory.title)),
        " ".join(words.terms("\n".join(labels))),
        " ".join(words.terms(memory.body)),
    )


def store(database: sqlite3.Connection, row: Row, terms: tuple[str, str, str] | None) -> None:
    """Put a row, and its terms where it has any, in the place of the path's row.

    A row that another process has made of the same bytes stays, so that who reads it meanwhile
    does not lose it.
    """
    same = (*row.seen, row.digest, row.state, row.problem)
    if database.execute(_SAME, (row.path,)).fetchone() == same:
        return
    delete(database, row.path)
    values = {
        **vars(row),
        "mtime": row.seen[0],
        "ctime": row.seen[1],
        "size": row.seen[2],
        "forms": "\n".join(row.forms),
    }
    if row.memory is not None:
        values = {**_values(row.memory), **values}
    cursor = database.execute(_INSERT, [values.get(column, "") for column in _COLUMNS])
    if terms is not None:
        table = searched_table(row.part)
        database.execute(INSERT_TERMS[table], (cursor.lastrowid, *terms))


def delete(database: sqlite3.Connection, path: str) -> None:
    """Take the row of a path, if it has one, and its terms away."""
    for number, part in database.execute("SELECT number, part FROM file WHERE path = ?", (path,)):
        table = searched_table(part)
        database.execute(DELETE_TERMS[table], (number,))
        database.execute("DELETE FROM file WHERE number = ?", (number,))


def _values(memory: Memory) -> dict[str, object]:
    values: dict[str, object] = {
        name: _joined(value) if name in _LISTS else value for name, value in vars(memory).items()
    }
    values["summary"] = body.summary(memory)
    values["tokens"] = tokens.estimate(memory.body)
    return values


def _joined(values: Sequence[str]) -> str:
    return "\n".join(value.replace("\n", " ") for value in values)


def entry_of(columns: Sequence[object], scope: str) -> Entry:
    """The entry in the columns ENTRY_COLUMNS of a row."""
    values: dict[str, Any] = dict(zip(_STORED, columns[1:], strict=True))
    for name in _LISTS:
        values[name] = tuple(values[name].split("\n")) if values[name] else ()
    if columns[0] == PART_NUMBERS[WORKING]:
        values["tier"] = "working"  # whatever the file says: nobody approved it as durable
    archived = columns[0] == PART_NUMBERS[ARCHIVE]
    return Entry(**values, scope=scope, archived=archived)
