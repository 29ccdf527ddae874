"""How good a ranking is, against what was expected: the field's usual measures."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


class Outcome(Record):
    """What one query brought."""

    ranked: tuple[str, ...]  # ids, the best first
    expected: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    tokens: int = 0
    category: str = ""


class Measures(Record):
    """The measures over some outcomes; each 0 to 1 but for the counts."""

    cases: int
    recall: float  # of the expected, how many are there, on average; 1 where nothing is expected
    mrr: float  # mean of 1/rank of the first expected one
    nothing: float  # of the queries that expect nothing, how many brought nothing
    forbidden: int  # ids that should not be there and are
    tokens: float  # of the briefing, on average


def recall(ranked: Collection[str], expected: Collection[str]) -> float:
    """The share of `expected` that is there."""
    return sum(each in ranked for each in expected) / len(expected) if expected else 1.0


def reciprocal_rank(ranked: Sequence[str], expected: Collection[str]) -> float:
    """1 over the place of the first expected one, from 1; 0 when none is there."""
    return next((1 / place for place, id in enumerate(ranked, 1) if id in expected), 0.0)


def measure(outcomes: Iterable[Outcome]) -> Measures:
    """The measures over all outcomes."""
    every = list(outcomes)
    asking = [each for each in every if each.expected]
    idle = [each for each in every if not each.expected]
    return Measures(
        len(every),
        _mean([recall(each.ranked, each.expected) for each in asking]),
        _mean([reciprocal_rank(each.ranked, each.expected) for each in asking]),
        _mean([float(not each.ranked) for each in idle]),
        sum(id in each.ranked for each in every for id in each.forbidden),
        _mean([float(each.tokens) for each in every], 0.0),
    )


def _mean(values: Sequence[float], of_none: float = 1.0) -> float:
    return sum(values) / len(values) if values else of_none
