"""How well a memory answers a task."""

from __future__ import annotations

from engram.core.common_words import COMMON
from engram.core.memory import Entry, Hit
from engram.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engram.core.routing import Task

# A score is relevance (0 to 1) times small boosts, so that no boost lifts a memory that is
# about something else. Relevance mixes two measures that fail differently: BM25 knows which
# words are rare but says next to nothing in a store of ten memories, where every word is
# common; coverage (the share of the task's terms that are met) needs no statistics.
STRENGTH_WEIGHT = 0.7  # BM25, against the best hit
COVERAGE_WEIGHT = 0.3
ENOUGH_TERMS = 8  # meeting this many is full coverage: a long prompt is met by no memory whole

TITLE_BOOST = 0.10  # all that matched is in the title
LABEL_BOOST = 0.10  # all that matched is in tags or triggers
TASK_TYPE_BOOST = 0.15
ROLE_BOOST = 0.10
WORKSPACE_BOOST = 0.05
RECENT_BOOST = 0.05  # updated today; half of it after RECENT_DAYS
RECENT_DAYS = 90
USED_BOOST = 0.05  # fetched very often; half of it at OFTEN_USED
OFTEN_USED = 10

# The floor: below it a memory matches by accident, and silence is the better answer. What counts
# is whether something that is met tells: chores and things of every project (`COMMON`) do not.
FEWEST_TERMS = 2
FEW_SUBJECTS, FEW_HOLDERS = 2, 4  # memories that a chore may name, and that may hold its word
RELATIVE_FLOOR = 0.3  # of the best score


class Ranked(Record):
    """An entry with its place in the order."""

    entry: Entry
    score: float
    matched: frozenset[str]
    reasons: tuple[str, ...] = ()  # what made the score, for a person who asks why
    below: str = ""  # why it is below the floor, or ""


def rank(hits: Iterable[Hit], task: Task, *, floor: bool = True) -> tuple[Ranked, ...]:
    """Order the hits of one or two stores, best first; ties by key.

    A hit that shares no term with the task is dropped (DESIGN: routing, the anchor). With
    `floor`, hits that match too little to be loaded unasked stay in the order and say so in
    `below`.
    """
    anchored = [hit for hit in hits if not hit.matched.isdisjoint(task.terms)]
    scales = _scales(anchored, task)
    today = _day_number(task.today)
    ranked = sorted(
        (_ranked(hit, task, hit.score * scales[hit.entry.scope], today) for hit in anchored),
        key=lambda each: (-each.score, each.entry.key),
    )
    return _with_floor(ranked, anchored, task) if floor and ranked else tuple(ranked)


def _scales(hits: Iterable[Hit], task: Task) -> Mapping[str, float]:
    """What to multiply a BM25 score with, by scope, so that the best of all hits gets 1.

    Two stores count their words apart, so their scores do not compare: a word is rarer in the
    larger one. The best hit of each scope is therefore worth what it covers of the task.
    """
    best: dict[str, tuple[float, float]] = {}  # score, coverage
    for hit in hits:
        scope = hit.entry.scope
        best[scope] = max(best.get(scope, (0.0, 0.0)), (hit.score, _coverage(hit, task)))
    widest = max((coverage for _, coverage in best.values()), default=0.0)
    return {
        scope: coverage / widest / score if score > 0 else 0.0
        for scope, (score, coverage) in best.items()
    }


def _coverage(hit: Hit, task: Task) -> float:
    """The share of the task's terms that a hit meets, 0 to 1."""
    met = len(hit.matched.intersection(task.terms))
    return min(1.0, met / min(len(task.terms), ENOUGH_TERMS))


def _ranked(hit: Hit, task: Task, strength: float, today: float | None) -> Ranked:
    matched = hit.matched.intersection(task.terms)
    relevance = STRENGTH_WEIGHT * max(0.0, strength) + COVERAGE_WEIGHT * _coverage(hit, task)
    score = relevance
    reasons = [
        f"matches {', '.join(_in_order(matched, task))} ({len(matched)} of {len(task.terms)} terms)"
    ]
    for reason, boost in _boosts(hit, matched, task, today):
        score *= 1 + boost
        if reason:
            reasons.append(reason)
    return Ranked(hit.entry, score, frozenset(matched), tuple(reasons))


def _boosts(
    hit: Hit, matched: frozenset[str], task: Task, today: float | None
) -> list[tuple[str, float]]:
    """What speaks for a hit besides its words: a reason ("": not worth telling), and how much."""
    entry = hit.entry
    boosts: list[tuple[str, float]] = []
    for place, met, boost in (
        ("title", hit.in_title & matched, TITLE_BOOST),
        ("tags or triggers", hit.in_labels & matched, LABEL_BOOST),
    ):
        if met:
            terms = ", ".join(_in_order(met, task))
            boosts.append((f"in {place}: {terms}", boost * len(met) / len(matched)))
    if is_of_task_type(entry, task.task_type):
        boosts.append((f"task type {task.task_type}", TASK_TYPE_BOOST))
    roles = shared_roles(entry, task)
    if roles:
        boosts.append((f"role {', '.join(roles)}", ROLE_BOOST))
    if entry.scope == "workspace":
        boosts.append(("", WORKSPACE_BOOST))
    boosts.append(("", RECENT_BOOST * _recency(entry.updated, today)))
    if entry.uses > 0:
        boosts.append(
            (f"fetched {entry.uses} times", USED_BOOST * entry.uses / (entry.uses + OFTEN_USED))
        )
    return boosts


def is_of_task_type(entry: Entry, task_type: str) -> bool:
    """Whether a memory says that it belongs to tasks of this type, by field or by tag."""
    if task_type in ("", "unknown"):
        return False
    return task_type in entry.task_types or f"task_type:{task_type}" in entry.tags


def shared_roles(entry: Entry, task: Task) -> tuple[str, ...]:
    """The memory's roles that are active; case does not matter."""
    active = {role.casefold() for role in task.roles}
    return tuple(role for role in entry.roles if role.casefold() in active)


def _recency(updated: str, now: float | None) -> float:
    """1 for a memory updated today, a half after RECENT_DAYS, 0 when a date is not known."""
    then = _day_number(updated)
    if then is None or now is None:
        return 0.0
    return RECENT_DAYS / (RECENT_DAYS + max(0.0, now - then))


def _day_number(date: str) -> float | None:
    """Days since year 0, near enough for ages; no calendar module on the hot path (ADR 6)."""
    parts = date[:10].split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return None
    year, month, day = map(int, parts)
    return year * 365.25 + month * 30.44 + day


def _with_floor(ranked: list[Ranked], hits: Sequence[Hit], task: Task) -> tuple[Ranked, ...]:
    by_key = {hit.entry.key: hit for hit in hits}
    subjects = _subjects(hits)
    best = max(each.score for each in ranked)
    judged = []
    for each in ranked:
        below = _below(each, by_key[each.entry.key], task, (best, subjects))
        judged.append(replace(each, below=below) if below else each)
    return tuple(judged)


def _subjects(hits: Sequence[Hit]) -> frozenset[str]:
    """Common words that tell all the same here: few memories hold them, very few are named so."""
    held: dict[str, int] = {}
    named: dict[str, int] = {}
    for hit in hits:
        for term in hit.matched & COMMON:
            held[term] = held.get(term, 0) + 1
            named[term] = named.get(term, 0) + (term in hit.in_title or term in hit.in_labels)
    return frozenset(
        [term for term in held if held[term] <= FEW_HOLDERS and named[term] <= FEW_SUBJECTS]
    )


def _below(each: Ranked, hit: Hit, task: Task, others: tuple[float, frozenset[str]]) -> str:
    """Why a memory matches too little to be loaded unasked, or ""."""
    best, subjects = others
    asked, met = len(task.terms), len(each.matched)
    names = hit.in_title | hit.in_labels
    telling = [t for t in each.matched if _tells(t) or (t in names and t in subjects)]
    if not telling and not (_is_named(each, hit, task) and not task.automatic):
        return "matches only words of every project"
    needed = FEWEST_TERMS if asked > FEWEST_TERMS or task.automatic else 1
    if met < needed and not any(t in hit.rare or _is_identifier(t) for t in telling):
        return f"matches only {met} of {asked} terms"
    if each.score < RELATIVE_FLOOR * best:
        return "far below the best match"
    return ""


def _tells(term: str) -> bool:
    """Whether a term is about something: no chore, no bare small number."""
    return term not in COMMON and not (term.isdecimal() and len(term) < 3)


def _is_named(each: Ranked, hit: Hit, task: Task) -> bool:
    """Whether the whole task stands in a memory's title or labels."""
    return len(each.matched) == len(task.terms) and each.matched <= hit.in_title | hit.in_labels


def _is_identifier(term: str) -> bool:
    return any(ch.isdigit() or ch in "_-./" for ch in term)


def _in_order(terms: frozenset[str], task: Task) -> list[str]:
    return [term for term in task.terms if term in terms]
