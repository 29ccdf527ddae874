"""What a sentence-embedding model would add: alone, and fused with Engram's own ranking.

python -m benchmarks.retrieval.embeddings MODEL [--half tune] [--sets FOLDER] [--only NAME …]

Needs the package sentence-transformers beside Engram and a model folder; neither is a dependency.
Fusion is by reciprocal rank (k = 60). What should bring nothing is not measured: an embedding
always has a nearest memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.retrieval.evaluate import BOTH, outcomes
from benchmarks.retrieval.sets import HALVES, Corpus, every, limit_of
from engram.core.measures import Outcome, measure

DEEP = 50  # places of each ranking that are fused
RRF = 60


def main() -> int:
    """Print recall and MRR of the three rankings for each set."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    asked.add_argument("model")
    asked.add_argument("--half", choices=(*HALVES, BOTH), default="tune")
    asked.add_argument("--sets", type=Path)
    asked.add_argument("--only", nargs="*", default=[])
    told = asked.parse_args()
    began = time.perf_counter()
    model: Any = import_module("sentence_transformers").SentenceTransformer(told.model)
    print(f"model loaded in {time.perf_counter() - began:.1f} s")
    print("| set | k | ours | embedding | fused |")
    print("|---|--:|--:|--:|--:|")
    for name, corpora in every(told.sets, told.only):
        k = limit_of(name)
        rows = [_compared(model, corpus, told.half, k) for corpus in corpora]
        cells = []
        for at in range(3):
            found = measure(each for row in rows for each in row[at])
            cells.append(f"{found.recall:.3f} / {found.mrr:.3f}")
        print(f"| {name} | {k} | {' | '.join(cells)} |", flush=True)
    return 0


def _compared(model: Any, corpus: Corpus, half: str, k: int) -> list[list[Outcome]]:
    deep = outcomes(corpus, half, DEEP)
    asked = [each for each in corpus.queries if half in (BOTH, each.half)]
    texts = [f"{memory.title}\n{memory.body}" for memory in corpus.memories]
    documents = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    queries = model.encode(
        [each.text for each in asked], normalize_embeddings=True, show_progress_bar=False
    )
    ids = [memory.id for memory in corpus.memories]
    scores = queries @ documents.T
    rows: list[list[Outcome]] = [[], [], []]
    for own, each, row in zip(deep, asked, scores, strict=True):
        if not each.relevant:
            continue
        near = [ids[at] for at in (-row).argsort()[:DEEP]]
        for at, ranked in enumerate((list(own.ranked), near, _fused(list(own.ranked), near))):
            rows[at].append(Outcome(tuple(ranked[:k]), each.relevant))
    return rows


def _fused(*rankings: list[str]) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, id in enumerate(ranking, 1):
            scores[id] = scores.get(id, 0.0) + 1 / (RRF + place)
    return sorted(scores, key=lambda each: (-scores[each], each))


if __name__ == "__main__":
    sys.exit(main())
