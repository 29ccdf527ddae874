"""The sets that retrieval is measured on: memories, queries, what is aimed at, where they come from.

The project-memory set and the generated memories belong to the project. Public sets do not: they
lie in a folder of the reader's, each as `NAME.json`:
`{"name", "corpora": [{"name", "docs": [{id, title, body}], "queries": [{text, relevant: [ids]}]}]}`.
A folder `NAME/` with memories (rules/, skills/, knowledge/) and a `cases.json`
(`{"cases": [{"query", "expected": [ids]}]}`) is a set too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.retrieval import generated
from engram.core.frontmatter import parse
from engram.core.memory import FOLDERS, Memory

HERE = Path(__file__).resolve().parent
PROJECT = HERE / "project"
HALVES = ("tune", "test")
ACROSS = "tldr-en-from-ru"  # Russian queries, English pages
TRANSLATED = "tldr-ru"  # the same pages in Russian


class Query(NamedTuple):
    text: str
    relevant: tuple[str, ...]
    half: str
    category: str = ""
    forbidden: tuple[str, ...] = ()


class Corpus(NamedTuple):
    """Memories that lie in one store, and what is asked of them."""

    memories: tuple[Memory, ...]
    queries: tuple[Query, ...]


class Known(NamedTuple):
    """What is known of a set before it is measured; a target of 0 is none."""

    name: str  # of the row; "*" at the end stands for any ending
    limit: int = 8  # memories that count
    recall: float = 0.0
    mrr: float = 0.0
    quiet: float = 0.0  # of the queries that should load nothing, those that bring one card at most
    silent: float = 0.0  # … and those that bring nothing
    origin: str = ""  # where to get it, with its licence; "": it lies here


_LOCOMO = "LoCoMo, github.com/snap-research/locomo, CC BY-NC 4.0"
_XQUAD = "XQuAD, github.com/google-deepmind/xquad, CC BY-SA 4.0"
_JSQUAD = "JSQuAD 1.3, github.com/yahoojapan/JGLUE, CC BY-SA 4.0"
_PROMPTS = "own prompts on rules of github.com/PatrickJS/awesome-cursorrules, CC0-1.0"
_TLDR = "tldr pages, github.com/tldr-pages/tldr, CC BY 4.0"
WITH_TRIGGER = f"{ACROSS} + a trigger line"
KNOWN = (
    Known("project", recall=0.92, mrr=0.80, quiet=0.95),
    Known("generated"),
    Known("agent-prompts/agent-en", recall=0.62, silent=22 / 24, origin=_PROMPTS),
    Known("agent-prompts/agent-ru", origin=_PROMPTS),
    Known("agent-prompts/agent-zh", origin=_PROMPTS),
    Known("locomo-observations", 10, recall=0.70, origin=_LOCOMO),
    Known("locomo-turns", 10, origin=_LOCOMO),
    Known("jsquad-ja", 5, recall=0.97, origin=_JSQUAD),
    Known("xquad-ar", 5, recall=0.98, origin=_XQUAD),
    Known("xquad-de", 5, recall=0.98, origin=_XQUAD),
    Known("xquad-en", 5, recall=0.98, origin=_XQUAD),
    Known("xquad-ru", 5, recall=0.98, origin=_XQUAD),
    Known("xquad-zh", 5, recall=0.98, origin=_XQUAD),
    Known("xquad-*", 5, recall=0.98, origin=_XQUAD),
    Known("tldr-en", origin=_TLDR),
    Known(ACROSS, origin=_TLDR),
    Known(WITH_TRIGGER, recall=0.62, origin=_TLDR),
    Known("tldr-ru", origin=_TLDR),
    Known("tldr-zh", origin=_TLDR),
)


def known(name: str) -> Known:
    """What is known of a set; eight memories and no target where nothing is."""
    for each in KNOWN:
        if name == each.name or (each.name.endswith("*") and name.startswith(each.name[:-1])):
            return each
    return Known(name, origin="of the reader's")


def limit_of(name: str) -> int:
    """How many memories of an answer count."""
    return known(name).limit


def half_of(text: str) -> str:
    """The half that a query of no topic belongs to; nobody chooses."""
    return HALVES[hashlib.sha256(text.encode()).digest()[0] % 2]


def every(folder: Path | None, only: list[str]) -> Iterator[tuple[str, list[Corpus]]]:
    """Each set by its name: the project's own, then those of the folder.

    `only` holds the names of sets or of their files; empty, it leaves none out.
    """
    if not only or "project" in only:
        yield "project", [project()]
    if not only or "generated" in only:
        yield "generated", [made()]
    for path in sorted(folder.iterdir()) if folder else ():
        for name, corpora in _of_path(path):
            if not only or name in only or path.stem in only:
                yield name, corpora


def _of_path(path: Path) -> Iterator[tuple[str, list[Corpus]]]:
    if (path / "cases.json").is_file():
        yield path.name, [stored(path)]
    if path.suffix != ".json":
        return
    corpora = list(public(path))
    if path.stem == "agent-prompts":  # one wording each, not parts of a whole
        names = [each["name"] for each in _read(path)["corpora"]]
        for name, corpus in zip(names, corpora, strict=True):
            yield f"{path.stem}/{name}", [corpus]
        return
    yield path.stem, corpora
    translated = path.with_name(f"{TRANSLATED}.json")
    if path.stem == ACROSS and translated.exists():
        yield WITH_TRIGGER, list(public(path, summaries(translated)))


def project() -> Corpus:
    """The project-memory set."""
    return Corpus(
        tuple(memory_of(each) for each in lines("memories")),
        tuple(
            Query(
                each["query"],
                tuple(each["expected"]),
                each["half"],
                each["category"],
                tuple(each.get("forbidden", ())),
            )
            for each in lines("queries")
        ),
    )


def lines(name: str) -> list[dict[str, Any]]:
    """The records of all files of that name of the project-memory set, in order."""
    return [
        json.loads(line)
        for path in sorted(PROJECT.glob(f"{name}*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def memory_of(told: dict[str, Any]) -> Memory:
    """A memory of the project-memory set, as the product would have written it."""
    return _memory(
        told["id"],
        told["type"],
        told["title"],
        told["body"],
        tags=tuple(told["tags"]),
        triggers=tuple(told["triggers"]),
    )


def made() -> Corpus:
    """Generated memories; which of them are right follows from how they were made."""
    memories = generated.memories()
    queries = generated.queries(memories)
    return Corpus(memories, tuple(Query(text, ids, half_of(text)) for text, ids in queries))


def public(path: Path, triggers: dict[str, str] | None = None) -> Iterator[Corpus]:
    """The corpora of one file of a public set; `triggers` gives a document's line of triggers."""
    lines = triggers or {}
    for corpus in _read(path)["corpora"]:
        names = {str(doc["id"]): f"doc-{at:05}" for at, doc in enumerate(corpus["docs"])}
        memories = (
            _memory(
                names[str(doc["id"])],
                "knowledge",
                doc["title"] or names[str(doc["id"])],
                doc["body"],
                triggers=(lines[str(doc["id"])],) if str(doc["id"]) in lines else (),
            )
            for doc in corpus["docs"]
        )
        queries = (
            Query(
                each["text"],
                tuple(names[str(id)] for id in each["relevant"] if str(id) in names),
                half_of(each["text"]),
            )
            for each in corpus["queries"]
        )
        yield Corpus(tuple(memories), tuple(queries))


def summaries(path: Path) -> dict[str, str]:
    """The first line of each document: in a translation, what a trigger in its language says."""
    return {
        str(doc["id"]): doc["body"].partition("\n")[0].strip()
        for corpus in _read(path)["corpora"]
        for doc in corpus["docs"]
    }


def stored(folder: Path) -> Corpus:
    """A store as it lies in a folder, with the cases beside it."""
    memories = [
        parse(path.read_text(encoding="utf-8"), id=path.stem, folder=path.parent.name)
        for name in FOLDERS.values()
        for path in sorted((folder / name).glob("*.md"))
    ]
    queries = (
        Query(
            each["query"],
            tuple(each.get("expected", each.get("expect", ()))),
            half_of(each["query"]),
            forbidden=tuple(each.get("forbidden", each.get("forbid", ()))),
        )
        for each in _read(folder / "cases.json")["cases"]
    )
    return Corpus(tuple(memories), tuple(queries))


def _memory(id: str, type: str, title: str, text: str, **fields: tuple[str, ...]) -> Memory:
    body = f"# {title}\n\n## Content\n\n{text.strip()}\n"
    return Memory(id=id, type=type, title=title, body=body, **fields)  # type: ignore[arg-type]


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
