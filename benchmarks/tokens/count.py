"""Count the tokens of the samples anew, with tokenizers that need no network.

usage: python benchmarks/tokens/count.py [--write]

Wants Python 3.12 or later with `pip install ctok==1.3.0 quicktok-v1==0.4.0`; nothing else of the
project uses them. `--write` writes the counts into samples.jsonl.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "samples.jsonl")


def counters() -> dict[str, Callable[[str], int]]:
    """What counts a text for each family, without the frame that a message has around it."""
    import quicktok  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - not required
    from ctok import token_count  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

    o200k = quicktok.get_encoding("o200k_base")
    frames = {version: token_count("a", version) - 1 for version in ("3.0", "4.8")}
    return {
        "claude": lambda text: int(token_count(text, "4.8")) - frames["4.8"],
        "claude-3": lambda text: int(token_count(text, "3.0")) - frames["3.0"],
        "o200k": lambda text: int(o200k.count(text)),
    }


def main(arguments: list[str]) -> None:
    with open(PATH, encoding="utf-8") as lines:
        samples = [json.loads(line) for line in lines]
    count = counters()
    changed = 0
    for sample in samples:
        counts = {family: counted(sample["text"]) for family, counted in count.items()}
        changed += any(sample[family] != counts[family] for family in counts)
        sample.update(counts)
    print(f"{len(samples)} samples, {changed} with other counts than they have")
    if "--write" in arguments:
        with open(PATH, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in samples)


if __name__ == "__main__":
    main(sys.argv[1:])
