"""How often the right memories come back, and how fast, over MCP, for a set of real prompts.

usage: python -m benchmarks.agent_prompts SET.json [--limit 8]

The set: {"corpora": [{"docs": [{id, title, body}], "queries": [{text, relevant: [ids]}]}]}. A
query without relevant ids should bring nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.scratch import Scratch, scratch
from engram.app.mcp_client import Server
from engram.core.frontmatter import render
from engram.core.memory import Memory


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="agent_prompts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", type=Path)
    parser.add_argument("--limit", type=int, default=8, help="memories that count (default 8)")
    asked = parser.parse_args()
    for corpus in json.loads(asked.set.read_text(encoding="utf-8"))["corpora"]:
        with tempfile.TemporaryDirectory(prefix="engram-prompts-") as folder:
            place = scratch(Path(folder))
            ids = fill(place, corpus["docs"])
            print(report(place, corpus, ids, asked.limit))
    return 0


def fill(place: Scratch, docs: list[dict[str, Any]]) -> dict[str, str]:
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


def report(place: Scratch, corpus: dict[str, Any], ids: dict[str, str], limit: int) -> str:
    """One line: recall for the prompts that need something, silence for the others, times."""
    found, silent, took, tokens = [], [], [], []
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
                found.append(len(wanted.intersection(got)) / min(len(wanted), limit))
            else:
                silent.append(not got)
    said = (
        f"{corpus['name']}: {len(ids)} memories; recall@{limit} {mean(found):.3f} of {len(found)}; "
        f"median {median(took):.1f} ms, {median(tokens):.0f} tokens"
    )
    return said + (
        f"; silent on {sum(silent)} of {len(silent)} that need nothing" if silent else ""
    )


if __name__ == "__main__":
    sys.exit(main())
