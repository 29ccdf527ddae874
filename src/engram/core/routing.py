"""Which memories to load for a task, in load order."""

from __future__ import annotations

from engram.core.memory import APPROVED, CHANGED, SCOPES, Entry
from engram.core.ranking import Ranked, shared_roles
from engram.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    LookUp = Callable[[str, str], Entry | None]  # id, scope

UNLIMITED = 1 << 30
ALWAYS_TAGS = frozenset({"always", "always-load", "session-start", "start-session"})
STATE_MARKS = {APPROVED: "", CHANGED: "changed since approval"}
NOT_APPROVED = "not approved here"


class Task(Record):
    """What the agent says it is about to do, and in which circumstances."""

    query: str = ""
    terms: tuple[str, ...] = ()  # the query's distinct meaningful terms
    task_type: str = ""
    roles: tuple[str, ...] = ()  # the active ones
    today: str = ""  # ISO date
    limit: int = 8  # memories in all, prerequisites counted
    automatic: bool = False  # nobody asked: a prompt-time hook; silence is better than a guess
    hold_unapproved: bool = False  # leave out what differs from what a person approved
    low_confidence: bool = False  # take memories of low confidence too


class Choice(Record):
    """A memory that a route chose, or passed over, and why."""

    entry: Entry
    score: float = 0.0
    reason: str = ""
    matched: frozenset[str] = frozenset()
    prerequisite_of: str = ""  # key of the choice that brought it in
    needs: tuple[str, ...] = ()  # keys of the other choices that it builds on directly
    named: bool = False  # asked for by its id


class Route(Record):
    """What to load for a task."""

    chosen: tuple[Choice, ...] = ()  # in load order: prerequisites first
    passed: tuple[Choice, ...] = ()  # near misses, best first, with the reason
    unmet: tuple[str, ...] = ()  # prerequisites that are missing or hidden, a sentence each


def everything(task: Task) -> Task:
    """The same task without a limit, memories of low confidence included."""
    return replace(task, limit=UNLIMITED, low_confidence=True)


def retired(entry: Entry, task: Task) -> str:
    """Why a memory no longer holds: "superseded by x", "archived", "expired on …"; or ""."""
    return retired_on(entry, task.today)


def is_retired(entry: Entry, task: Task) -> bool:
    """Whether a memory no longer holds."""
    return bool(retired(entry, task))


def retired_on(entry: Entry, today: str) -> str:
    """Why a memory does not hold on a day (ISO date; "": expiry is not looked at), or ""."""
    if entry.superseded_by:
        return f"superseded by {', '.join(entry.superseded_by)}"
    if entry.lifecycle == "superseded":
        return "superseded"
    if entry.archived or entry.lifecycle == "archived":
        return "archived"
    if _is_date(entry.valid_until) and entry.valid_until[:10] < today:
        return f"expired on {entry.valid_until[:10]}"
    return ""


def hidden(entry: Entry, task: Task) -> str:
    """Why a memory is not for this task whatever its words say, or "" when it is visible."""
    gone = retired(entry, task)
    if gone:
        return gone
    if entry.roles and task.roles and not shared_roles(entry, task):
        return f"for the role {', '.join(entry.roles)}"
    if entry.confidence == "low" and not task.low_confidence:
        return "low confidence"
    return state_mark(entry) if task.hold_unapproved else ""


def state_mark(entry: Entry) -> str:
    """What to tell of a memory whose bytes no person approved, or ""."""
    return STATE_MARKS.get(entry.state, NOT_APPROVED)


def route(ranked: Iterable[Ranked], task: Task, look_up: LookUp) -> Route:
    """Choose the best memories with their prerequisites, at most `task.limit` in all.

    `ranked` comes best first. A memory is taken only together with its prerequisites; one whose
    prerequisites do not fit any more is passed over, and the next that fits is taken. Only the
    very best is taken even so, with the nearest of its prerequisites. A memory of the global
    scope gives way to its duplicate in the workspace (same id or same bytes).
    """
    ranked = tuple(ranked)
    graph = _Graph(task, look_up)
    scores = {each.entry.key: each for each in ranked}
    originals = {each.entry.digest: each.entry for each in ranked if _is_original(each, task)}
    picked: dict[str, Choice] = {}
    passed: list[Choice] = []
    for each in ranked:
        reason = _passed_over(each, task, look_up, originals)
        if not reason and each.entry.key not in picked:
            group = _fitting_group(each, graph, picked, task.limit)
            picked.update((c.entry.key, c) for c in (_scored(c, scores) for c in group))
            reason = "" if group else "over the limit"
        if reason:
            passed.append(_choice(each, reason))
    return Route(
        tuple(_with_needs(each, picked, graph) for each in picked.values()),
        tuple(each for each in passed if each.entry.key not in picked),
        tuple(graph.unmet),
    )


def by_ids(
    references: Iterable[str], look_up: LookUp, today: str
) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    """The memories that ids name, in their order, and the ids that name none.

    A reference is an id or `scope:id`. Visibility, floor and limit do not apply; a memory that
    no longer holds, or differs from what was approved, says so in `reason`. An expired note is
    shown nowhere (contract clause N5).
    """
    chosen: dict[str, Choice] = {}
    unknown: list[str] = []
    for reference in references:
        entry = resolve(reference, look_up, today=today)
        if entry is None or (entry.tier == "working" and retired_on(entry, today)):
            unknown.append(reference)
        else:
            marks = (retired_on(entry, today), state_mark(entry))
            reason = "; ".join(("named by id", *(mark for mark in marks if mark)))
            chosen[entry.key] = Choice(entry, 1.0, reason, named=True)
    return tuple(chosen.values()), tuple(unknown)


def always(entries: Iterable[Entry], task: Task, look_up: LookUp, objective: str = "") -> Route:
    """What every session starts with: memories tagged so, and the notes of its objective.

    A note of the working tier takes part only when its objective equals `objective` (contract
    clause N5).
    """
    starting = sorted(
        (entry for entry in entries if _is_for_start(entry, objective)),
        key=lambda entry: (entry.tier == "working", entry.scope != "workspace", entry.id),
    )
    ranked = (
        Ranked(entry, 1.0, frozenset(), ("loaded at every session start",)) for entry in starting
    )
    return route(ranked, task, look_up)


def resolve(reference: str, look_up: LookUp, scope: str = "", today: str = "") -> Entry | None:
    """The memory that a reference names: `id` or `scope:id`, with or without `.md`.

    A bare id is looked for in `scope` first, then in the workspace, then in the global scope;
    a memory that holds goes before one that is retired. Case matters only where `look_up` makes
    it matter.
    """
    named, _, id = reference.strip().rpartition(":")
    id = id.strip().rpartition("/")[2]
    if id[-3:].lower() == ".md":
        id = id[:-3]
    if named.strip().lower() in SCOPES:
        return look_up(id, named.strip().lower())
    scopes = sorted(SCOPES, key=lambda each: each != scope)
    found = [entry for entry in (look_up(id, each) for each in scopes) if entry is not None]
    return next((e for e in found if not retired_on(e, today)), found[0] if found else None)


class _Graph:
    """Prerequisites as far as they are visible for a task; remembers what it looked up."""

    def __init__(self, task: Task, look_up: LookUp) -> None:
        self.task = task
        self.look_up = look_up
        self.unmet: dict[str, None] = {}  # an ordered set
        self._direct: dict[str, tuple[Entry, ...]] = {}

    def direct(self, entry: Entry) -> tuple[Entry, ...]:
        """What a memory names in `depends_on` and what of it can be loaded."""
        if entry.key not in self._direct:
            found = (self._visible(entry, reference) for reference in entry.depends_on)
            unique = {
                each.key: each for each in found if each is not None and each.key != entry.key
            }
            self._direct[entry.key] = tuple(unique.values())
        return self._direct[entry.key]

    def below(self, entry: Entry, known: Container[str]) -> list[Entry]:
        """All prerequisites of a memory but the known ones, each after its own.

        Cycles are walked once; what lies below a known one is known too.
        """
        order: list[Entry] = []
        seen = {entry.key}
        path = [(entry, iter(self.direct(entry)))]
        while path:
            here, rest = path[-1]
            unseen = (each for each in rest if each.key not in seen and each.key not in known)
            following = next(unseen, None)
            if following is not None:
                seen.add(following.key)
                path.append((following, iter(self.direct(following))))
            else:
                path.pop()
                order.append(here)
        return order[:-1]

    def nearest(self, entry: Entry) -> list[Entry]:
        """All prerequisites of a memory, its direct ones first."""
        found = {entry.key: entry}
        waiting = [entry]
        for here in waiting:
            new = [each for each in self.direct(here) if each.key not in found]
            found.update((each.key, each) for each in new)
            waiting.extend(new)
        return waiting[1:]

    def _visible(self, entry: Entry, reference: str) -> Entry | None:
        """The memory that `entry` names as a prerequisite, or what replaced it since."""
        found, why = self._named(reference, entry.scope), "does not exist"
        followed: set[str] = set()
        while found is not None:
            why = "is left out: " + hidden(found, self.task)
            if not hidden(found, self.task):
                return found
            followed.add(found.key)
            after = [self._named(each, found.scope) for each in found.superseded_by]
            found = next((e for e in after if e is not None and e.key not in followed), None)
        self.unmet[f"{entry.key} needs {reference}, which {why}"] = None
        return None

    def _named(self, reference: str, scope: str) -> Entry | None:
        found = resolve(reference, self.look_up, scope, self.task.today)
        if found is not None:
            return _twin(found, self.task, self.look_up) or found
        return None


def _is_original(each: Ranked, task: Task) -> bool:
    return each.entry.scope == "workspace" and not hidden(each.entry, task)


def _twin(entry: Entry, task: Task, look_up: LookUp) -> Entry | None:
    """The workspace's memory of the same id, which goes before a global one."""
    if entry.scope == "workspace":
        return None
    twin = look_up(entry.id, "workspace")
    return twin if twin is not None and not hidden(twin, task) else None


def _passed_over(each: Ranked, task: Task, look_up: LookUp, originals: dict[str, Entry]) -> str:
    entry = each.entry
    reason = hidden(entry, task)
    if reason:
        return reason
    twin = _twin(entry, task, look_up)
    if twin is None and entry.scope != "workspace":
        twin = originals.get(entry.digest)
    return f"duplicate of {twin.key}" if twin is not None else each.below


def _fitting_group(
    each: Ranked, graph: _Graph, picked: dict[str, Choice], limit: int
) -> list[Choice]:
    """A memory after what it still needs, as far as the limit allows; [] when it does not."""
    needed = graph.below(each.entry, picked)
    room = limit - len(picked)
    if len(needed) >= room:
        if picked or room < 1:
            return []
        near = {entry.key for entry in graph.nearest(each.entry)[: room - 1]}
        needed = [entry for entry in needed if entry.key in near]
    of = f"prerequisite of {each.entry.key}"
    group = [Choice(entry, 0.0, of, prerequisite_of=each.entry.key) for entry in needed]
    return [*group, _choice(each, "; ".join(each.reasons))]


def _choice(each: Ranked, reason: str) -> Choice:
    return Choice(each.entry, each.score, reason, each.matched)


def _scored(choice: Choice, scores: dict[str, Ranked]) -> Choice:
    """A prerequisite that matches the task itself keeps its score."""
    own = scores.get(choice.entry.key)
    if own is None or not choice.prerequisite_of:
        return choice
    return replace(choice, score=own.score, matched=own.matched)


def _with_needs(choice: Choice, picked: dict[str, Choice], graph: _Graph) -> Choice:
    direct = graph.direct(choice.entry)
    return replace(choice, needs=tuple(each.key for each in direct if each.key in picked))


def _is_for_start(entry: Entry, objective: str) -> bool:
    if entry.tier == "working":
        return bool(objective.strip()) and entry.objective.strip() == objective.strip()
    return not ALWAYS_TAGS.isdisjoint(tag.casefold() for tag in entry.tags)


def _is_date(text: str) -> bool:
    return len(text) >= 10 and text[4] == text[7] == "-" and text[:4].isdecimal()
