"""How well the right memories are found, on the project-memory set and on public sets.

python -m benchmarks.retrieval.evaluate [--half tune|test] [--sets FOLDER] [--only NAME …]

Every query goes through the product's own words, index, ranking and routing, with a limit of k
memories. The public sets are not part of the project: `--sets` names a folder of JSON files
`{"name", "corpora": [{"docs": [{id, title, body}], "queries": [{text, relevant: [ids]}]}]}`; a query
without relevant ids should bring nothing. Their queries are in halves by a hash of their text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from engram.app.engram import Engram, compose
from engram.app.reading import ranked_for
from engram.app.stores import OpenStores
from engram.core.frontmatter import render
from engram.core.measures import Measures, Outcome, measure
from engram.core.memory import FOLDERS, Memory
from engram.record import replace
from engram.store.layout import Layout
from engram.store.memories import create_store
from engram.system.environment import Environment

HERE = Path(__file__).resolve().parent
PROJECT = HERE / "project"
LIMITS = {"locomo": 10, "xquad": 5, "jsquad": 5}  # k by the name's beginning; else 8
LIMIT = 8
HALVES = ("tune", "test")


class Query(NamedTuple):
    text: str
    relevant: tuple[str, ...]
    half: str
    category: str = ""


class Corpus(NamedTuple):
    """Memories that lie in one store, and what is asked of them."""

    memories: tuple[Memory, ...]
    queries: tuple[Query, ...]


def project() -> Corpus:
    """The project-memory set."""
    memories = tuple(_memory(each) for each in _lines("memories"))
    queries = tuple(
        Query(each["query"], tuple(each["expected"]), each["half"], each["category"])
        for each in _lines("queries")
    )
    return Corpus(memories, queries)


def public(path: Path) -> Iterator[Corpus]:
    """The corpora of one file of a public set."""
    for corpus in json.loads(path.read_text(encoding="utf-8"))["corpora"]:
        names = {str(doc["id"]): f"doc-{at:05}" for at, doc in enumerate(corpus["docs"])}
        yield Corpus(
            tuple(_document(names[str(doc["id"])], doc) for doc in corpus["docs"]),
            tuple(
                Query(
                    each["text"],
                    tuple(names[str(id)] for id in each["relevant"] if str(id) in names),
                    half_of(each["text"]),
                )
                for each in corpus["queries"]
            ),
        )


def half_of(text: str) -> str:
    """The half that a public query belongs to; nobody chooses."""
    return HALVES[hashlib.sha256(text.encode()).digest()[0] % 2]


def outcomes(corpus: Corpus, half: str, limit: int) -> list[Outcome]:
    """What each query of a half brings, from a store that holds the corpus."""
    asked = [each for each in corpus.queries if not half or each.half == half]
    with tempfile.TemporaryDirectory(prefix="engram-retrieval-") as folder:
        engram = _store(Path(folder), corpus, limit)
        with OpenStores(engram) as stores:
            stores.refresh(complete=True)
            return [
                Outcome(
                    tuple(entry.id for entry in ranked_for(stores, each.text)),
                    each.relevant,
                    category=each.category,
                )
                for each in asked
            ]


def _store(folder: Path, corpus: Corpus, limit: int) -> Engram:
    (folder / "project").mkdir()
    layout = Layout.of_project(str(folder / "project"))
    create_store(layout)
    lines: list[str] = []
    for memory in corpus.memories:
        path = f"{FOLDERS[memory.type]}/{memory.id}.md"
        data = render(memory).encode()
        place = Path(layout.root, path)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
    Path(layout.manifest).write_text("".join(lines), encoding="utf-8")
    environment = Environment({}, str(folder), str(folder / "project"))
    engram = compose(environment)
    values = {**engram.settings.values, "load.limit": limit}
    return replace(engram, settings=replace(engram.settings, values=values), counts_use=False)


def _memory(told: dict[str, Any]) -> Memory:
    text = told["body"].strip()
    return Memory(
        id=told["id"],
        type=told["type"],
        title=told["title"],
        body=f"# {told['title']}\n\n## Content\n\n{text}\n",
        tags=tuple(told.get("tags", ())),
        triggers=tuple(told.get("triggers", ())),
    )


def _document(id: str, doc: dict[str, Any]) -> Memory:
    title = doc["title"] or id
    body = f"# {title}\n\n## Content\n\n{doc['body'].strip()}\n"
    return Memory(id=id, type="knowledge", title=title, body=body)


def _lines(name: str) -> Iterator[dict[str, Any]]:
    for path in sorted(PROJECT.glob(f"{name}*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield json.loads(line)


def limit_of(name: str) -> int:
    """The k of a set."""
    return next((k for start, k in LIMITS.items() if name.startswith(start)), LIMIT)


def row(name: str, limit: int, found: Measures) -> str:
    """One line of the table."""
    return (
        f"| {name} | {found.cases} | {limit} | {found.recall:.3f} | {found.mrr:.3f} "
        f"| {found.nothing:.3f} |"
    )


def evaluate(
    half: str, sets: Path | None, only: list[str]
) -> Iterator[tuple[str, int, list[Outcome]]]:
    """Each set with its outcomes."""
    if not only or "project" in only:
        yield "project", LIMIT, outcomes(project(), half, LIMIT)
    for path in sorted(sets.glob("*.json")) if sets else []:
        if only and path.stem not in only:
            continue
        limit = limit_of(path.stem)
        if path.stem.startswith("agent-prompts"):
            for corpus in json.loads(path.read_text(encoding="utf-8"))["corpora"]:
                (one,) = [
                    each
                    for each, raw in zip(public(path), _corpora(path), strict=True)
                    if raw["name"] == corpus["name"]
                ]
                yield f"{path.stem} {corpus['name']}", limit, outcomes(one, half, limit)
            continue
        yield (
            path.stem,
            limit,
            [each for corpus in public(path) for each in outcomes(corpus, half, limit)],
        )


def _corpora(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["corpora"]
    return found


def main() -> int:
    """Print the table."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    asked.add_argument("--half", choices=("", *HALVES), default="tune")
    asked.add_argument("--sets", type=Path, default=os.environ.get("RETRIEVAL_SETS") or None)
    asked.add_argument("--only", nargs="*", default=[])
    told = asked.parse_args()
    print("| set | queries | k | recall@k | MRR | silent when nothing is due |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, limit, found in evaluate(told.half, told.sets, told.only):
        print(row(name, limit, measure(found)), flush=True)
        for category in sorted({each.category for each in found if each.category}):
            part = measure(each for each in found if each.category == category)
            print(row(f"— {category}", limit, part))
    return 0


if __name__ == "__main__":
    sys.exit(main())
