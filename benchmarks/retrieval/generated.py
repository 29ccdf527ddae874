"""Queries for generated memories, with the answers that follow from how these were made."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks import generate
from engram.core.frontmatter import parse
from engram.core.memory import Memory

COUNT = 500  # memories
ASKED = 150  # queries that something answers
IDLE = 30  # queries that nothing answers
MOST = 4  # memories that answer one query
SEED = 20_27
_THINGS = sorted({thing for language in generate.LANGUAGES for thing in language.things})
_SHAPES = ("what do we know about {thing} in {name}", "{name}: change {thing}", "{thing} {name}")
_NONSENSE = tuple("zyxwort quorbel flimsack vandrup mirkolyn tesquat ombrafel".split())


def memories(count: int = COUNT) -> tuple[Memory, ...]:
    """The memories that `benchmarks.generate` writes."""
    return tuple(
        parse(text, id=path.rpartition("/")[2].removesuffix(".md"), folder=path)
        for path, text in generate.memories(count)
    )


def queries(
    found: Sequence[Memory], asked: int = ASKED, idle: int = IDLE
) -> list[tuple[str, tuple[str, ...]]]:
    """What to ask, and the ids of all memories that answer; none for made-up words.

    A query names a thing and a service; those memories answer that hold a sentence with both.
    """
    chance = Random(SEED)  # noqa: S311 - repeatable, not secret
    places = _places(found)
    few = sorted(pair for pair, ids in places.items() if len(ids) <= MOST)
    told = [
        (chance.choice(_SHAPES).format(thing=thing, name=name), tuple(places[thing, name]))
        for thing, name in chance.sample(few, min(asked, len(few)))
    ]
    for number in range(idle):
        words = " ".join(chance.sample(_NONSENSE, 3))
        told.append((f"{words} {number + 1000}", ()))
    return told


def _places(found: Sequence[Memory]) -> dict[tuple[str, str], list[str]]:
    """The ids of the memories that name a thing and a service in one sentence."""
    names = set(generate.NAMES)
    places: dict[tuple[str, str], list[str]] = {}
    for memory in found:
        pairs = {
            (thing, name)
            for line in memory.body.splitlines()
            for name in _words(line) & names
            for thing in _THINGS
            if thing in line
        }
        for pair in pairs:
            places.setdefault(pair, []).append(memory.id)
    return places


def _words(line: str) -> set[str]:
    return {word.casefold() for word in "".join(c if c.isalnum() else " " for c in line).split()}
