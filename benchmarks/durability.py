"""Writers killed in the middle of their work, several at once: is anything lost, half or twice?

python -m benchmarks.durability [--kills 100] [--writers 2 8]

Each writer is a process that saves one memory after another through the product's own `save
--force` and says so after each. The controller kills a random one with SIGKILL after a random
time and starts another in its place. In the end every memory that was said to be saved must be
there once, byte for byte what the manifest records, and `engram verify` must find nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import described
from benchmarks.scratch import Scratch, scratch

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "durability.md"
SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
LONGEST_LIFE_SECONDS = 1.5


class Outcome(NamedTuple):
    """What is left after one run."""

    writers: int
    kills: int
    seconds: float
    said: int  # memories that a writer said it had saved
    kept: int  # memories that are there
    lost: int  # said, not there
    half: int  # there, not as the manifest records
    twice: int  # one text in two memories
    verify: int  # exit status of `engram verify`


def text_of(seed: int, number: int) -> str:
    """A sentence that shares no word with another: no verdict but ADD."""
    chance = random.Random(f"{seed}:{number}")  # noqa: S311 - a text, not a secret
    words = ["".join(chance.choices(SYLLABLES, k=4)) for _ in range(6)]
    return " ".join(words).capitalize() + "."


def write(seed: int) -> None:
    """One writer: save until killed, and say each on stdout."""
    from engram.app.engram import compose  # noqa: PLC0415 - the controller needs none of it
    from engram.app.operations import operation  # noqa: PLC0415
    from engram.app.parameters import read  # noqa: PLC0415
    from engram.system.environment import Environment  # noqa: PLC0415

    save = operation("save", "cli")
    number = 0
    while True:
        text = text_of(seed, number)
        engram = compose(Environment.of_this_process())
        result = save.run(engram, read(save.input, {"text": text, "force": True}))
        if "1 saved" not in result.text:
            raise SystemExit(result.text)
        os.write(1, f"{text}\n".encode())
        number += 1


class Writer:
    """A running writer and what it has said."""

    def __init__(self, seed: int, place: Scratch) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.durability", "--writer", str(seed)],
            cwd=HERE.parent,
            env={**place.variables, "ENGRAM_WORKSPACE": str(place.project)},
            stdout=subprocess.PIPE,
        )
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith(b"\n"):
                self.said.append(line.decode().rstrip("\n"))

    def kill(self) -> list[str]:
        """Kill it; what it had said."""
        self.process.send_signal(signal.SIGKILL)
        ended = self.process.wait()
        self._reader.join()
        if ended != -signal.SIGKILL:
            raise SystemExit(f"a writer ended by itself with status {ended}")
        return self.said


def run(writers: int, kills: int, place: Scratch) -> Outcome:
    """Keep `writers` writers at work until `kills` of them were killed."""
    chance = random.Random(writers)  # noqa: S311 - times, not secrets
    engram = [sys.executable, "-m", "engram"]
    subprocess.run(
        [*engram, "inject", "--no-global"], cwd=place.project, env=place.variables, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    seeds = iter(range(writers + kills))
    at_work = [Writer(next(seeds), place) for _ in range(writers)]
    said: list[str] = []
    began = time.perf_counter()
    for _ in range(kills):
        time.sleep(chance.uniform(0.1, LONGEST_LIFE_SECONDS))
        said += at_work.pop(chance.randrange(writers)).kill()
        at_work.append(Writer(next(seeds), place))
    for each in at_work:
        said += each.kill()
    seconds = time.perf_counter() - began
    verify = subprocess.run(
        [*engram, "verify"], cwd=place.project, env=place.variables, check=False,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return _outcome(
        place.store, Outcome(writers, kills, seconds, len(said), 0, 0, 0, 0, 0), said
    )._replace(verify=verify.returncode)


def _outcome(store: Path, so_far: Outcome, said: list[str]) -> Outcome:
    files = sorted((store / "knowledge").glob("*.md"))
    lines = (store / "memory.sha256").read_text(encoding="utf-8").splitlines()
    listed = {path: digest for digest, _, path in (line.partition("  ") for line in lines)}
    texts = [file.read_text(encoding="utf-8").rpartition("\n- ")[2].strip() for file in files]
    half = sum(
        listed.get(file.relative_to(store).as_posix())
        != hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    )
    return so_far._replace(
        kept=len(files),
        lost=len(set(said) - set(texts)),
        half=half,
        twice=len(texts) - len(set(texts)),
    )


def report(outcomes: list[Outcome]) -> str:
    """The page of results."""
    rows = [
        f"| {each.writers} | {each.kills} | {each.seconds:.0f} | {each.said} | {each.kept} "
        f"| {each.lost} | {each.half} | {each.twice} | {each.verify} |"
        for each in outcomes
    ]
    return "\n".join(
        [
            "# Durability",
            "",
            f"{described()}. Command: `python -m benchmarks.durability`",
            "",
            "Writers save memories one after another; each in turn is killed with SIGKILL at a random",
            "moment and replaced. A memory is *said* when its writer reported it saved; one more may be",
            "*kept* for each kill, written but not yet reported.",
            "",
            "| writers at once | kills | seconds | said | kept | lost | half | twice | `verify` |",
            "|---|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            "Each write operation stopped before each of its durable steps, by a crash and by a full",
            "disk: `pytest tests/store/test_durability.py tests/store/test_journal.py`.",
            "",
        ]
    )


def main() -> int:
    """Run, print and write the page; exit status 1 when anything is lost, half or twice."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--writer", type=int)
    asked.add_argument("--kills", type=int, default=100)
    asked.add_argument("--writers", type=int, nargs="+", default=[2, 8])
    told = asked.parse_args()
    if told.writer is not None:
        write(told.writer)
    outcomes = []
    for writers in told.writers:
        with tempfile.TemporaryDirectory() as folder:
            outcomes.append(run(writers, told.kills, scratch(Path(folder))))
    page = report(outcomes)
    sys.stdout.write(page)
    RESULTS.write_text(page, encoding="utf-8")
    return int(any(each.lost or each.half or each.twice or each.verify for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
