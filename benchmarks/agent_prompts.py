"""How often the right memories come back, and how fast, over MCP, for a set of real prompts.

usage: python -m benchmarks.agent_prompts SET.json [--limit 8] [--output FILE]

The set: {"corpora": [{"name", "docs": [{id, title, body}], "queries": [{text, relevant: [ids]}]}]}.
A query without relevant ids should bring nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks.installed import ROOT
from benchmarks.machine import described
from benchmarks.scratch import Scratch, scratch
from engram.app.mcp_client import Server
from engram.core.frontmatter import render
from engram.core.memory import Memory


class Found(NamedTuple):
    """What the prompts of one corpus brought."""

    name: str
    memories: int
    recall: tuple[float, ...]  # of each prompt that needs something, 0 to 1
    silent: tuple[bool, ...]  # of each prompt that needs nothing: whether it brought nothing
    milliseconds: tuple[float, ...]  # of each call
    tokens: tuple[int, ...]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="agent_prompts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", type=Path)
    parser.add_argument("--limit", type=int, default=8, help="memories that count (default 8)")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "agent-prompts.md")
    asked = parser.parse_args()
    found = [measured(corpus, asked.limit) for corpus in read(asked.set)]
    text = page(asked.set.name, asked.limit, found)
    asked.output.write_text(text, encoding="utf-8")
    print(text)
    return 0


def read(path: Path) -> list[dict[str, Any]]:
    """The corpora of a set."""
    corpora: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["corpora"]
    return corpora


def measured(corpus: dict[str, Any], limit: int = 8) -> Found:
    """Write the documents as memories of a new project and ask the prompts, in order, over MCP."""
    with tempfile.TemporaryDirectory(prefix="engram-prompts-") as folder:
        place = scratch(Path(folder))
        ids = fill(place, corpus["docs"])
        return ask(place, corpus, ids, limit)


def fill(place: Scratch, docs: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Write every document as an approved memory; returns the memory id of each document id."""
    ids = {}
    lines = []
    (place.store / "knowledge").mkdir()
    for number, doc in enumerate(docs):
        id = f"section-{number:05}"
        body = f"# {doc['title'] or id}\n\n## Content\n\n{doc['body'].strip()}\n"
        memory = Memory(id=id, type="knowledge", title=doc["title"] or id, body=body)
        data = render(memory).encode()
        (place.store / "knowledge" / f"{id}.md").write_bytes(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  knowledge/{id}.md\n")
        ids[str(doc["id"])] = id
    (place.store / "memory.sha256").write_text("".join(lines), encoding="utf-8")
    return ids


def ask(place: Scratch, corpus: dict[str, Any], ids: dict[str, str], limit: int) -> Found:
    """Ask every prompt of a corpus whose documents are in the store under `ids`."""
    recall, silent, took, tokens = [], [], [], []
    with Server(str(place.project), place.variables) as server:
        server.initialize()
        server.call("engram_load", {"query": "warm up"})
        for query in corpus["queries"]:
            began = time.perf_counter()
            result = server.call("engram_load", {"query": query["text"]})
            took.append((time.perf_counter() - began) * 1000)
            told = result["structuredContent"]["data"]
            got = [key.partition(":")[2] for key in told["selected_keys"]][:limit]
            wanted = {ids[str(each)] for each in query["relevant"]}
            tokens.append(told["tokens"])
            if wanted:
                recall.append(len(wanted.intersection(got)) / min(len(wanted), limit))
            else:
                silent.append(not got)
    return Found(corpus["name"], len(ids), tuple(recall), tuple(silent), tuple(took), tuple(tokens))


def page(name: str, limit: int, found: Iterable[Found]) -> str:
    """The figures as a page of Markdown."""
    rows = [
        f"| {each.name} | {each.memories} | {len(each.recall)} | {mean(each.recall):.3f} "
        f"| {sum(each.silent)} of {len(each.silent)} | {median(each.milliseconds):.1f} "
        f"| {median(each.tokens):.0f} |"
        for each in found
    ]
    return "\n".join(
        [
            "# Real prompts",
            "",
            f"`python -m benchmarks.agent_prompts {name}`; {described()}.",
            "",
            "Each document is a memory; each prompt is one `engram_load` of a running `engram-mcp`.",
            "Silent: of the prompts that need nothing, those that brought nothing.",
            "",
            f"| corpus | memories | prompts | recall@{limit} | silent | median ms | median tokens |",
            "|---|--:|--:|--:|--:|--:|--:|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
