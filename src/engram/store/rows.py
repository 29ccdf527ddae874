"""A file's row in the index: made from the file's bytes, put there and taken away.

Only who finds a file new or changed imports this (docs: performance).
"""

from __future__ import annotations

from engram.core import body, tokens, words
from engram.core.memory import Memory
from engram.errors import Damaged, EngramError
from engram.record import Record, replace
from engram.store.freshness import NO_SIGNATURE
from engram.store.layout import ARCHIVE, WORKING, part_of
from engram.store.manifest import (
    Manifest,
    forms,
    manifest_of,
    state_of,
    working_manifest_of,
)
from engram.store.memories import decode, parse_memory
from engram.store.schema import COLUMNS, LISTS, LIVE, PART_NUMBERS, RETIRED, per_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from engram.store.freshness import Signature
    from engram.store.layout import Layout

    Terms = tuple[str, str, str]  # of title, labels, body; a space between two

_SAME = "SELECT mtime, ctime, size, digest, state, problem FROM file WHERE path = ?"
_INSERT = f"INSERT INTO file({', '.join(COLUMNS)}) VALUES({', '.join('?' * len(COLUMNS))})"
INSERT_TERMS = per_table("INSERT INTO TABLE(rowid, title, labels, body) VALUES(?, ?, ?, ?)")
DELETE_TERMS = per_table("DELETE FROM TABLE WHERE rowid = ?")


class Approved(Record):
    """The manifests of a store, read at one moment."""

    durable: Manifest
    working: Manifest
    notes: tuple[str, ...]

    def state(self, path: str, digests: Iterable[str]) -> str:
        return state_of(self.working if part_of(path) == WORKING else self.durable, path, digests)


def read_approved(layout: Layout) -> Approved:
    """The manifests as they are; one that cannot be read approves nothing, and says so."""
    notes: list[str] = []
    read = []
    for ask in (manifest_of, working_manifest_of):
        try:
            found = ask(layout)
        except EngramError as error:
            found = Manifest(
                {}, (f"{error.message} No memory counts as approved until it is mended.",)
            )
        read.append(found)
        notes += found.notes
    return Approved(read[0], read[1], tuple(notes))


class Row(Record):
    """What is stored of one file: its entry (or what is wrong with it) and its terms."""

    path: str
    part: int
    id: str
    seen: Signature = NO_SIGNATURE
    checked: int = 0  # nanoseconds since 1970: no later than the file was read
    digest: str = ""
    forms: tuple[str, ...] = ()  # the digests by which it may be approved
    state: str = ""
    line: int = 0
    problem: str = ""
    memory: Memory | None = None


def row_of(
    layout: Layout, path: str, approved: Approved, data: bytes | None, problem: str = ""
) -> tuple[Row, Terms | None]:
    """What is stored of a file of these bytes, or of one that cannot be read (`problem`)."""
    digests = ("",) if data is None else forms(data)
    row = Row(
        path,
        PART_NUMBERS[part_of(path)],
        layout.id_of(path),
        digest=digests[0],
        forms=digests,
        state=approved.state(path, digests),
        problem=problem,
    )
    if data is None:
        return row, None
    try:
        memory = parse_memory(layout, path, decode(data))
        terms = _terms_of(memory)
        "\n".join(str(value) for value in vars(memory).values()).encode()
    except Damaged as error:
        line = error.details.get("line")
        line = line if isinstance(line, int) else 0
        return replace(row, line=line, problem=error.message), None
    except UnicodeEncodeError:
        why = "It holds half a character (a lone surrogate), which is no text."
        return replace(row, problem=why), None
    return replace(row, memory=memory), terms


def _searched_table(part: int) -> str:
    """The searched table that holds the terms of a part."""
    return RETIRED if part == PART_NUMBERS[ARCHIVE] else LIVE


def _terms_of(memory: Memory) -> Terms:
    """The terms of a memory in the searched fields title, labels, body; a space between two."""
    labels = (*memory.tags, *memory.triggers, *memory.task_types, memory.id)
    return (
        " ".join(words.terms(memory.title)),
        " ".join(words.terms("\n".join(labels))),
        " ".join(words.terms(memory.body)),
    )


def store(database: sqlite3.Connection, row: Row, terms: Terms | None) -> None:
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
    cursor = database.execute(_INSERT, [values.get(column, "") for column in COLUMNS])
    if terms is not None:
        table = _searched_table(row.part)
        database.execute(INSERT_TERMS[table], (cursor.lastrowid, *terms))


def delete(database: sqlite3.Connection, path: str) -> None:
    """Take the row of a path, if it has one, and its terms away."""
    for number, part in database.execute("SELECT number, part FROM file WHERE path = ?", (path,)):
        table = _searched_table(part)
        database.execute(DELETE_TERMS[table], (number,))
        database.execute("DELETE FROM file WHERE number = ?", (number,))


def _values(memory: Memory) -> dict[str, object]:
    values: dict[str, object] = {
        name: _joined(value) if name in LISTS else value for name, value in vars(memory).items()
    }
    values["summary"] = body.summary(memory)
    values["tokens"] = tokens.estimate(memory.body)
    return values


def _joined(values: Sequence[str]) -> str:
    return "\n".join(value.replace("\n", " ") for value in values)
