"""What the texts of the project-memory set hold: what the product takes, and nothing private."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from benchmarks.retrieval.sets import memory_of
from engram.core.candidate import single
from engram.core.frontmatter import parse, render
from engram.core.memory import FOLDERS
from engram.core.scan import HIDDEN, PERSONAL, SECRET, scan

RUN = 5  # words in a row that count as copied
WITHOUT_BLANKS = "\u2e80"  # the first letter of the scripts of China and Japan

Line = dict[str, Any]


def faults(memories: list[Line], queries: list[Line]) -> list[str]:
    """What the product would not take or would warn of, in words."""
    found = [fault for each in memories for fault in product_faults(each)]
    found += private_faults(memories, ("title", "body"))
    return found + private_faults(queries, ("query",))


def product_faults(told: Line) -> Iterator[str]:
    """What the product makes of a memory that it would not have written so."""
    memory = memory_of(told)
    text = render(memory)
    read = parse(text, id=memory.id, folder=FOLDERS[memory.type])
    if render(read) != text or (read.title, read.tags) != (memory.title, memory.tags):
        yield f"{memory.id}: reads otherwise than it was written"
    candidate = single(told["body"], type=told["type"])
    if (candidate.type, candidate.text) != (told["type"], told["body"].strip()):
        yield f"{memory.id}: its text is no candidate as it stands"


def private_faults(records: list[Line], keys: tuple[str, ...]) -> list[str]:
    """Secrets, addresses and the like, and hidden characters, as a proposal is scanned for them."""
    return [
        f"{record['id']}: {finding.kind} in its {key}"
        for record in records
        for key in keys
        for finding in scan(record[key])
        if finding.family in (SECRET, PERSONAL, HIDDEN)
    ]


def folded(text: str) -> str:
    """The text without what makes no difference between two queries."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())


def _text(memory: Line) -> str:
    return f"{memory['title']}\n{memory['body']}"


def is_copied(query: str, memory: Line) -> bool:
    """Whether a query of some length is nothing but a stretch of the memory."""
    said = folded(query)
    return len(runs(query)) > 0 and said in folded(_text(memory))


def runs(text: str) -> set[tuple[str, ...]]:
    """Every five words in a row; of scripts without blanks, two letters stand for a word."""
    parts = [part for word in folded(text).split() for part in _parts(word)]
    found = set()
    for start in range(len(parts)):
        weight, end = 0, start
        while weight < 2 * RUN and end < len(parts):
            weight += 1 if parts[end] >= WITHOUT_BLANKS else 2
            end += 1
        if weight >= 2 * RUN:
            found.add(tuple(parts[start:end]))
    return found


def _parts(word: str) -> list[str]:
    return list(word) if word[0] >= WITHOUT_BLANKS else [word]


def copied(memories: list[Line], queries: list[Line]) -> tuple[int, int]:
    """How many runs of five words the queries hold, and how many of them their memories."""
    texts = {each["id"]: runs(_text(each)) for each in memories}
    every = [(runs(query["query"]), query["expected"]) for query in queries if query["expected"]]
    there = sum(len(said & set().union(*(texts[id] for id in ids))) for said, ids in every)
    return sum(len(said) for said, _ in every), there
