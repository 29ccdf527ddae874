"""How well own terms find texts, beside what FTS5 brings: recall, build time and size of an index.

usage: python benchmarks/tokens/retrieval.py SET.json ...

A set is `{"name": …, "corpora": [{"docs": [{"id", "title", "body"}], "queries": [{"text",
"relevant": [ids]}]}]}`; questions and paragraphs of XQuAD, made into that shape, will do.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engram.core.words import query_terms, terms

AT = 8  # memories that a load shows at most


class Way(NamedTuple):
    """A tokenizer of FTS5, and what of a text and of a question it is handed."""

    tokenize: str
    store: Callable[[str], str]
    ask: Callable[[str], Iterable[str]]


class Result(NamedTuple):
    recall: float
    rank: float  # the mean of 1 / the place of the first right one
    build_ms: float
    size: int


def _as_is(text: str) -> str:
    return text


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def _threes(text: str) -> list[str]:
    return [word[at : at + 3] for word in _words(text) for at in range(len(word) - 2)]


def _own(text: str) -> str:
    return " ".join(terms(text))


WAYS = {
    "unicode61": Way("unicode61", _as_is, _words),
    "porter unicode61": Way("porter unicode61", _as_is, _words),
    "trigram": Way("trigram", _as_is, _threes),
    "own terms": Way("unicode61 tokenchars '+#_-./\\:@'", _own, query_terms),
}


def measure(corpora: list[dict[str, Any]], way: Way) -> Result:
    """The recall and the rank over all questions of the corpora, and what their indexes cost."""
    found = rank = build = 0.0
    asked = size = 0
    for corpus in corpora:
        before = time.process_time()
        connection = _indexed(corpus["docs"], way)
        build += time.process_time() - before
        size += _size(connection)
        for query in corpus["queries"]:
            if not query["relevant"]:
                continue
            places = _places(connection, way.ask(query["text"]), set(query["relevant"]))
            asked += 1
            found += len(places) / min(AT, len(query["relevant"]))
            rank += 1 / places[0] if places else 0
        connection.close()
    return Result(found / asked, rank / asked, build * 1000, size)


def _indexed(docs: list[dict[str, str]], way: Way) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    quoted = way.tokenize.replace('"', '""')
    connection.execute(
        f'CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, title, body, tokenize="{quoted}")'
    )
    connection.executemany(
        "INSERT INTO words VALUES (?, ?, ?)",
        ((each["id"], way.store(each.get("title", "")), way.store(each["body"])) for each in docs),
    )
    connection.execute("INSERT INTO words(words) VALUES ('optimize')")
    connection.commit()
    return connection


def _size(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT sum(length(block)) FROM words_data").fetchone()[0])


def _places(connection: sqlite3.Connection, asked: Iterable[str], right: set[str]) -> list[int]:
    """Where, among the first AT, the right ones stand."""
    match = " OR ".join('"{}"'.format(each.replace('"', "")) for each in dict.fromkeys(asked))
    if not match:
        return []
    rows = connection.execute(
        "SELECT id FROM words WHERE words MATCH ? ORDER BY bm25(words, 0, 3, 1) LIMIT ?",
        (match, AT),
    ).fetchall()
    return [place for place, (id,) in enumerate(rows, 1) if id in right]


def main(paths: list[str]) -> None:
    print(f"| set | way | recall@{AT} | MRR | build ms | index kB |")
    print("|---|---|---|---|---|---|")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        for name, way in WAYS.items():
            got = measure(told["corpora"], way)
            print(
                f"| {told['name']} | {name} | {got.recall:.3f} | {got.rank:.3f} "
                f"| {got.build_ms:.0f} | {got.size // 1000} |"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
