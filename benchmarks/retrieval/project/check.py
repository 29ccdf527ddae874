"""Whether the project-memory set holds together, and what it consists of.

python -m benchmarks.retrieval.project.check

Prints the counts as tables, then every fault, and ends with 1 when there is one.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.retrieval.project import content
from benchmarks.retrieval.project.content import RUN, copied, folded, is_copied
from benchmarks.retrieval.sets import HALVES, half_of, lines
from engram.core.memory import TYPES

ABOUT_SOMETHING = (
    "task",
    "error",
    "question",
    "fragment",
    "paraphrase",
    "cross-language",
    "short",
    "long",
)
NOTHING = "nothing-"
MOST = 5  # memories that one query expects
MEMORY_FIELDS: dict[str, type] = {
    "id": str,
    "type": str,
    "title": str,
    "body": str,
    "tags": list,
    "triggers": list,
    "topic": str,
    "project": str,
    "language": str,
}
QUERY_FIELDS: dict[str, type] = {
    "id": str,
    "query": str,
    "expected": list,
    "category": str,
    "language": str,
    "topic": str,
    "half": str,
}

Line = dict[str, Any]


def faults(memories: list[Line], queries: list[Line]) -> list[str]:
    """What is wrong, in words; empty when the set holds together."""
    shape = [
        *_shape(memories, MEMORY_FIELDS, set()),
        *_shape(queries, QUERY_FIELDS, {"forbidden"}),
    ]
    if shape:
        return shape
    known = {each["id"]: each for each in memories}
    found = [*_memory_faults(memories)]
    for query in queries:
        found += [f"{query['id']}: {fault}" for fault in _query_faults(query, known)]
    found += _twice("query id", (each["id"] for each in queries))
    found += _twice("query", (folded(each["query"]) for each in queries))
    asked = {id for each in queries for id in each["expected"]}
    found += [f"{id}: no query asks for it" for id in known if id not in asked]
    return [*found, *_size_faults(memories, queries)]


def _shape(records: list[Line], fields: dict[str, type], optional: set[str]) -> Iterator[str]:
    for at, record in enumerate(records):
        name = record.get("id", f"record {at}")
        if set(record) - optional != set(fields):
            odd = sorted((set(record) - optional) ^ set(fields))
            yield f"{name}: fields missing or unknown: {', '.join(odd)}"
        elif wrong := [key for key, kind in fields.items() if not isinstance(record[key], kind)]:
            yield f"{name}: of the wrong type: {', '.join(wrong)}"


def _memory_faults(memories: list[Line]) -> Iterator[str]:
    yield from _twice("memory id", (each["id"] for each in memories))
    yield from _twice("title", (folded(each["title"]) for each in memories))
    yield from _twice("body", (folded(each["body"]) for each in memories))
    for memory in memories:
        id = memory["id"]
        if memory["type"] not in TYPES:
            yield f"{id}: no such type: {memory['type']}"
        if not id or len(id.encode()) > 100 or not id.replace("-", "").isalnum():
            yield f"{id}: no safe file name"
        if len(memory["body"]) < 40 or not memory["topic"] or not memory["tags"]:
            yield f"{id}: too little text, no topic or no tags"
    projects: dict[str, set[str]] = {}
    for memory in memories:
        projects.setdefault(memory["topic"], set()).add(memory["project"])
    for topic, names in projects.items():
        if len(names) > 1:
            yield f"{topic}: in more than one project"


def _query_faults(query: Line, known: dict[str, Line]) -> Iterator[str]:
    expected, forbidden = query["expected"], query.get("forbidden", [])
    if unknown := [id for id in (*expected, *forbidden) if id not in known]:
        yield f"no such memory: {', '.join(unknown)}"
        return
    if len(set(expected)) < len(expected) or set(expected) & set(forbidden):
        yield "a memory is named twice"
    if not query["query"].strip():
        yield "no text"
    if any(is_copied(query["query"], known[id]) for id in expected):
        yield "copies a passage of its memory"
    yield from _nothing_faults(query) if not expected else _topic_faults(query, known)


def _nothing_faults(query: Line) -> Iterator[str]:
    if not query["category"].startswith(NOTHING) or query["topic"]:
        yield "expects nothing, but its category or topic says otherwise"
    if query["half"] != half_of(query["query"]):
        yield "not in the half that its text gives"


def _topic_faults(query: Line, known: dict[str, Line]) -> Iterator[str]:
    if query["category"] not in ABOUT_SOMETHING:
        yield f"no such category: {query['category']}"
    topics = {known[id]["topic"] for id in query["expected"]}
    if len(query["expected"]) > MOST:
        yield f"expects more than {MOST} memories"
    if query["topic"] not in topics:
        yield "expects no memory of its topic"
    if any(half_of(topic) != query["half"] for topic in topics):
        yield "expects a memory of the other half"
    if query["half"] != half_of(query["topic"]):
        yield "not in the half that its topic gives"
    same = any(known[id]["language"] == query["language"] for id in query["expected"])
    if query["category"] == "cross-language" and same:
        yield "in the language of its memory"


def _size_faults(memories: list[Line], queries: list[Line]) -> Iterator[str]:
    english = _share(memories, lambda each: each["language"] == "en")
    triggers = _share(memories, lambda each: bool(each["triggers"]))
    tune = _share(queries, lambda each: each["half"] == "tune")
    idle = sum(not each["expected"] for each in queries)
    wanted = {
        "at least 300 memories": len(memories) >= 300,
        "memories of at least eight projects": _kinds(memories, "project") >= 8,
        "memories in at least six languages": _kinds(memories, "language") >= 6,
        "between half and 70 % English memories": 0.5 <= english <= 0.7,
        "triggers on a quarter to 40 % of the memories": 0.25 <= triggers <= 0.4,
        "at least 600 queries": len(queries) >= 600,
        "at least 150 queries that should load nothing": idle >= 150,
        "between 40 and 60 % of the queries in each half": 0.4 <= tune <= 0.6,
    }
    for wish, true in wanted.items():
        if not true:
            yield f"the set should have {wish}"


def _twice(what: str, values: Iterable[str]) -> list[str]:
    return [f"{what} given twice: {value}" for value, n in Counter(values).items() if n > 1]


def _share(records: list[Line], holds: Callable[[Line], bool]) -> float:
    return sum(map(holds, records)) / len(records) if records else 0.0


def _kinds(records: list[Line], key: str) -> int:
    return len({each[key] for each in records})


def tables(memories: list[Line], queries: list[Line]) -> str:
    """The counts, as Markdown."""
    asking = [each for each in queries if each["expected"]]
    topics = {each["topic"] for each in memories}
    tuning = sum(half_of(topic) == "tune" for topic in topics)
    every, there = copied(memories, queries)
    summary = (
        f"{len(memories)} memories on {len(topics)} topics ({tuning} tune, "
        f"{len(topics) - tuning} test); {sum(bool(each['triggers']) for each in memories)} "
        f"with triggers. {len(queries)} queries, of which {len(queries) - len(asking)} should "
        f"load nothing; {sum('forbidden' in each for each in queries)} name memories that "
        "must not come."
    )
    own_words = (
        f"Of the {every:,} runs of {RUN} words in the queries that ask for something, "
        f"{there} ({there / every:.1%}) stand in a memory that they ask for."
    )
    told = [
        summary,
        own_words,
        _table("memories of project", memories, "project", "type", TYPES),
        _table("memories in language", memories, "language", "type", TYPES),
        _table("queries of category", queries, "category", "half", HALVES),
        _table("queries in language", queries, "language", "half", HALVES),
        _table(
            "memories expected",
            [{"n": str(len(each["expected"])), "half": each["half"]} for each in queries],
            "n",
            "half",
            HALVES,
        ),
    ]
    return "\n\n".join(told)


def _table(head: str, records: list[Line], row: str, column: str, columns: tuple[str, ...]) -> str:
    counts = Counter((each[row], each[column]) for each in records)
    names = sorted({each[row] for each in records})
    rows = [[name, *(counts[name, each] for each in columns)] for name in names]
    rows.append(["all", *(sum(counts[name, each] for name in names) for each in columns)])
    told = [f"| {head} | {' | '.join(columns)} | all |", "|---|" + "--:|" * (len(columns) + 1)]
    told += [f"| {' | '.join(map(str, each))} | {sum(each[1:])} |" for each in rows]
    return "\n".join(told)


def main() -> int:
    """Print the tables and the faults."""
    memories, queries = lines("memories"), lines("queries")
    found = [*faults(memories, queries), *content.faults(memories, queries)]
    print(tables(memories, queries))
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
