"""The derived index of a store: which memories share terms with a question, without reading them."""

from __future__ import annotations

import os

from engram.core.memory import Entry, Hit
from engram.errors import EngramError, Unavailable
from engram.record import Record
from engram.store.database import (
    in_memory,
    is_of_the_machine,
    lock_path,
    open_database,
    replace_database,
)
from engram.store.indexing import Indexing, manifest_notes
from engram.store.layout import LIMIT_BYTES
from engram.store.schema import (
    ENTRY_COLUMNS,
    FOR_START,
    LIVE,
    RETIRED,
    SELECT_ENTRY,
    entry_of,
    per_table,
)
from engram.system.files import inside, read_bounded, sha256
from engram.system.sqlite import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, TypeVar

    from engram.store.layout import Layout

    Answer = TypeVar("Answer")
    Progress = Callable[[int, int], None]

MOST_TERMS = 16  # the rarest terms of a question decide; more cost time and change no answer
MOST_BIGRAMS = 24  # a question in Chinese or Japanese has more terms for the same words
LARGE = 5_000  # above so many memories, frequent terms cost more than they tell
FEWEST_TERMS = 3  # count even there
RARE_SHARE = 25  # a term that at most one memory in so many holds is rare
RARE_NAME_SHARE = 10  # in a title or a label, one in so many
MOST_FREQUENT = 200  # there, a term in more memories than this and a twentieth does not count

# The weights are those of title, labels and body.
_BEST = per_table(
    "SELECT rowid, -bm25(TABLE, 2.0, 1.5, 1.0) AS score FROM TABLE"
    " WHERE TABLE MATCH ? ORDER BY score DESC LIMIT ?"
)
_COUNT = per_table("SELECT count(*) FROM TABLE_docsize")
_FREQUENCY = per_table("SELECT doc FROM TABLE_terms WHERE term = ?")
_KNOWN = "SELECT 1 FROM live WHERE live MATCH ? LIMIT 1"
_BY_ID = f"{SELECT_ENTRY} WHERE id = ? AND problem = '' ORDER BY part, path LIMIT 1"
# Where two files of a part have one id, the other is the one that counts.
_HITS = per_table(
    f"SELECT number, TABLE.title, TABLE.labels, TABLE.body, {ENTRY_COLUMNS}"  # noqa: S608 - our own
    " FROM file CROSS JOIN TABLE ON TABLE.rowid = number WHERE number IN (NUMBERS)"
    " AND (part = 2 OR path NOT IN (SELECT path FROM twice))"
)
_ALL = f"{SELECT_ENTRY} WHERE problem = '' ORDER BY part, id, path"
_FOR_START = f"{SELECT_ENTRY} WHERE {FOR_START} ORDER BY part"
_MALFORMED = "SELECT path, line, problem FROM file WHERE problem <> ''"
_TWICE = "SELECT path, id, other FROM twice"


class Problem(Record):
    """A file that is in the store and cannot be a memory as it is."""

    path: str
    line: int  # from 1; 0 where no line is to blame
    message: str


def open_index(
    layout: Layout, cache_folder: str, now: float, progress: Progress | None = None
) -> Index:
    """The index of a store, in the person's cache folder; use it with `with`, refresh it first.

    `now` is in seconds since 1970. An index that is missing, damaged or of another version is
    made anew; where none can be kept it lives in memory, and `notes` says so. Raises Unavailable
    (index.no_search) when this Python's SQLite cannot search text.
    """
    return Index(layout, cache_folder, now, progress)


class Index:
    """One store's entries and terms. `notes` is what a person should know, for the reader."""

    def __init__(
        self, layout: Layout, cache_folder: str, now: float, progress: Progress | None = None
    ) -> None:
        self.layout = layout
        self.notes: list[str] = []
        self._now = int(now * 1e9)
        self._progress = progress
        self._unreadable: dict[str, str] = {}
        self.path = os.path.join(layout.cache(cache_folder), "index.sqlite") if cache_folder else ""
        self._database = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the database go."""
        self._database.close()

    def refresh(self, complete: bool, terms: Sequence[str] = ()) -> None:
        """Bring the index in step with the files.

        `complete`: every file is looked at. Otherwise as much as a prompt can wait for, and all
        of it when one of `terms` is unknown to the index (see `Indexing.live`). A file that
        cannot be read keeps what was known of it.
        """

        def run(indexing: Indexing) -> None:
            if complete:
                indexing.everything()
            else:
                indexing.live(lambda: not all(map(self._is_known, terms)))

        self._index(run)

    def find(self, terms: Sequence[str], limit: int, *, archived: bool = False) -> list[Hit]:
        """The `limit` entries that answer `terms` best, best first; `archived`: of the archive.

        Notes of the working tier are among the live ones.
        """
        table = RETIRED if archived else LIVE
        return self._ask(lambda: self._at_one_moment(lambda: self._find(terms, limit, table)))

    def entry(self, id: str) -> Entry | None:
        """The entry of an id: the memory, else the note, else what is archived under it."""
        found = self._ask(lambda: self._database.execute(_BY_ID, (id,)).fetchone())
        return entry_of(found, self.layout.scope) if found else None

    def entries(self) -> list[Entry]:
        """Every entry by part, id and path; notes and the archive too, each marked as such."""
        rows = self._ask(lambda: self._database.execute(_ALL).fetchall())
        return [
            entry_of(row, self.layout.scope)
            for number, row in enumerate(rows)
            if row[0] == 2 or not number or row[:2] != rows[number - 1][:2]
        ]

    def for_start(self) -> list[Entry]:
        """What may belong to the start of every session, found without reading every row."""
        rows = self._ask(lambda: self._database.execute(_FOR_START).fetchall())
        return [entry_of(row, self.layout.scope) for row in rows]

    def problems(self) -> list[Problem]:
        """The files that cannot be memories as they are, by path."""
        found = [Problem(path, 0, why) for path, why in self._unreadable.items()]
        found += self._ask(lambda: [Problem(*row) for row in self._database.execute(_MALFORMED)])
        found += self._ask(
            lambda: [
                Problem(path, 0, f"The id “{id}” is also that of {other}, which is used.")
                for path, id, other in self._database.execute(_TWICE)
            ]
        )
        return sorted(found, key=lambda problem: problem.path)

    def check(self, entry: Entry) -> bytes | None:
        """The bytes of an entry's file while they are those that were indexed.

        None when they are not, or the file cannot be read; its row is then brought in step, so
        that asking again answers from the file as it is.
        """
        place = self.layout.absolute(entry.path)
        try:
            if inside(self.layout.root, place):
                data = read_bounded(place, LIMIT_BYTES)
                if sha256(data) == entry.digest:
                    return data
        except EngramError:
            pass
        self._index(lambda indexing: indexing.paths([entry.path]))
        return None

    def _at_one_moment(self, question: Callable[[], Answer]) -> Answer:
        """Ask while other processes may write: every query sees the same state."""
        self._database.execute("BEGIN")
        try:
            return question()
        finally:
            if self._database.in_transaction:
                self._database.execute("COMMIT")

    def _find(self, terms: Sequence[str], limit: int, table: str) -> list[Hit]:
        frequencies = self._frequencies(table, terms)
        total = self._database.execute(_COUNT[table]).fetchone()[0]
        kept = _kept(frequencies, total)
        if not kept:
            return []
        phrases = " OR ".join(map(_phrase, kept))
        rows = self._database.execute(_BEST[table], (phrases, limit)).fetchall()
        scores: dict[int, float] = dict(rows)
        # The numbers are our own, and there may be more than SQLite takes values.
        query = _HITS[table].replace("NUMBERS", ", ".join(map(str, scores)))
        asked = [(term, f" {term} ") for term in frequencies]
        rare, rare_names = (
            frozenset(
                [term for term, count in frequencies.items() if count <= max(2, total // share)]
            )
            for share in (RARE_SHARE, RARE_NAME_SHARE)
        )
        hits = [
            self._hit(row, scores[row[0]], asked, (rare, rare_names))
            for row in self._database.execute(query).fetchall()
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.entry.path))

    def _hit(
        self,
        row: Sequence[Any],
        score: float,
        asked: list[tuple[str, str]],
        rare: tuple[frozenset[str], frozenset[str]],  # anywhere, in title or labels
    ) -> Hit:
        title, labels, body = (_met(f" {text} ", asked) for text in row[1:4])
        entry = entry_of(row[4:], self.layout.scope)
        matched = title | labels | body
        few = (matched & rare[0]) | ((title | labels) & rare[1])
        return Hit(entry, score, matched, title, labels, few)

    def _is_known(self, term: str) -> bool:
        """Whether any live file has a term; counting them would cost as much as searching."""
        return self._database.execute(_KNOWN, (_phrase(term),)).fetchone() is not None

    def _frequencies(self, table: str, terms: Sequence[str]) -> dict[str, int]:
        """In how many files each term occurs, for the terms that occur at all."""
        one = _FREQUENCY[table]
        found = {term: self._database.execute(one, (term,)).fetchone() for term in set(terms)}
        return {term: row[0] for term, row in found.items() if row is not None}

    def _index(self, run: Callable[[Indexing], None]) -> None:
        def attempt() -> Indexing:
            indexing = self._indexing()
            run(indexing)
            return indexing

        indexing = self._ask(attempt)
        self._unreadable = indexing.unreadable
        for note in [*indexing.notes, *self._ask(lambda: manifest_notes(self._database))]:
            self._note(note)

    def _indexing(self) -> Indexing:
        turn = lock_path(self.path) if self.path else ""
        return Indexing(self._database, self.layout, self._now, self._progress, turn)

    def _ask(self, question: Callable[[], Answer]) -> Answer:
        """What the database answers; where it fails, what a new one or one in memory answers."""
        try:
            return question()
        except sqlite3.DatabaseError as error:
            self._recover(error)
        try:
            return question()
        except sqlite3.DatabaseError as error:
            self._use_memory(error)
        return question()

    def _open(self) -> sqlite3.Connection:
        if not self.path:
            return in_memory()
        try:
            database, replaced = open_database(self.path)
        except (sqlite3.Error, OSError, Unavailable) as error:
            self._note_memory(error)
            return in_memory()
        if replaced:
            self._note("The search index was damaged or of another version; it is made anew.")
        return database

    def _recover(self, error: sqlite3.DatabaseError) -> None:
        """Go on with a database that was just filled from the files."""
        if not self.path or is_of_the_machine(error):
            return self._use_memory(error)
        self._database.close()
        try:
            self._database = replace_database(self.path)
        except (sqlite3.Error, OSError, Unavailable) as refused:
            return self._use_memory(refused)
        self._note("The search index was damaged; it is made anew.")
        self._indexing().everything()
        return None

    def _use_memory(self, error: Exception) -> None:
        self._database.close()
        self._note_memory(error)
        self.path = ""
        self._database = in_memory()
        self._indexing().everything()

    def _note_memory(self, error: Exception) -> None:
        self._note(
            f"The search index cannot be kept ({error}); the memories are read from their files."
        )

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _kept(frequencies: Mapping[str, int], total: int) -> list[str]:
    """The terms that decide: the rarest of those that any memory has."""
    known = sorted(frequencies, key=lambda term: (frequencies[term], term))
    bigrams = sum(len(term) == 2 and not term.isascii() for term in known)
    kept = known[: MOST_BIGRAMS if 2 * bigrams > len(known) else MOST_TERMS]
    if total <= LARGE:
        return kept
    most = max(MOST_FREQUENT, total // 20)
    rare = [term for term in kept if frequencies[term] <= most]
    return rare if len(rare) > FEWEST_TERMS else kept[:FEWEST_TERMS]


def _met(text: str, asked: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The terms whose words, blanks around them, stand in a text."""
    return frozenset([term for term, word in asked if word in text])


def _phrase(term: str) -> str:
    """A term as the search language of FTS5 takes it literally."""
    return '"{}"'.format(term.replace('"', '""'))
