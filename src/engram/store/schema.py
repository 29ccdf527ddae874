"""The index's tables, and how an entry is read from them."""

from __future__ import annotations

from engram.core import words
from engram.core.memory import Entry
from engram.record import fields
from engram.store.layout import ARCHIVE, MEMORY, WORKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SCHEMA_VERSION = 3
VERSION = SCHEMA_VERSION * 10_000 + words.VERSION  # other terms make another index
PART_NUMBERS = {MEMORY: 0, WORKING: 1, ARCHIVE: 2}  # in the order in which an id is looked up
LIVE, RETIRED = "live", "retired"  # the two searched tables: an archive must not slow a search

_DERIVED = ("scope", "archived", "uses")  # not stored: the store's, the part's, the state folder's
LISTS = frozenset(name for name, field in fields(Entry).items() if field.default == ())
_STORED = tuple(name for name in fields(Entry) if name not in _DERIVED)
ENTRY_COLUMNS = ", ".join(f"file.{name}" for name in ("part", *_STORED))
COLUMNS = ("part", "mtime", "ctime", "size", "checked", "forms", "line", "problem", *_STORED)
SELECT_ENTRY = f"SELECT {ENTRY_COLUMNS} FROM file"  # noqa: S608 - our own names
FOR_START = (  # what may belong to the start of a session; routing decides
    "problem = '' AND (part = 1 OR instr(lower(tags), 'always') > 0"
    " OR instr(lower(tags), 'session') > 0)"
)

# FTS5 is to split at the spaces between our terms and nowhere else: every other printable ASCII
# character belongs to a term, and this tokenizer takes all beyond ASCII as it is.
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TOKENIZER = "ascii tokenchars '{}'".format(_PUNCTUATION.replace("'", "''")).replace('"', '""')


def per_table(query: str) -> dict[str, str]:
    """A query for each of the two searched tables, whose name it gives as TABLE."""
    return {table: query.replace("TABLE", table) for table in (LIVE, RETIRED)}


def _searched(name: str) -> tuple[str, str]:
    return (
        f'CREATE VIRTUAL TABLE {name} USING fts5(title, labels, body, tokenize="{_TOKENIZER}")',
        f"CREATE VIRTUAL TABLE {name}_terms USING fts5vocab({name}, row)",
    )


SCHEMA = (
    "CREATE TABLE about(name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE folder(path TEXT PRIMARY KEY, part, mtime, ctime, size, checked) WITHOUT ROWID",
    f"CREATE TABLE file(number INTEGER PRIMARY KEY, {', '.join(COLUMNS)})",
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


def entry_of(columns: Sequence[object], scope: str) -> Entry:
    """The entry in the columns ENTRY_COLUMNS of a row."""
    values: dict[str, Any] = dict(zip(_STORED, columns[1:], strict=True))
    for name in LISTS:
        values[name] = tuple(values[name].split("\n")) if values[name] else ()
    if columns[0] == PART_NUMBERS[WORKING]:
        values["tier"] = "working"  # whatever the file says: nobody approved it as durable
    archived = columns[0] == PART_NUMBERS[ARCHIVE]
    return Entry(**values, scope=scope, archived=archived)
