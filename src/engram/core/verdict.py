"""What writing a candidate would do: add, update, supersede, or nothing since it is known."""

from __future__ import annotations

import re

from engram.core import likeness
from engram.core.candidate import same_text
from engram.core.candidate_lines import closest
from engram.core.statement_words import DEPENDENCE
from engram.core.statements import language_of, spans
from engram.errors import InvalidRequest
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engram.core.candidate import Candidate

ADD, UPDATE, SUPERSEDE, NOOP = "ADD", "UPDATE", "SUPERSEDE", "NOOP"

DUPLICATE = "possible duplicate"
PREREQUISITE = "likely prerequisite"
CONFLICT = "conflicts"

MOST_RELATED = 5  # memories named beside a verdict
_DEPENDENCE = re.compile("|".join(DEPENDENCE))
_REASONS = {
    ADD: "No memory says it.",
    UPDATE: "It says what the memory says and adds to it.",
    SUPERSEDE: "It contradicts what the memory says: another value, or the opposite.",
    NOOP: "The memory says it already.",
}


class Neighbour(Record):
    """A durable memory of the candidate's scope that may have to do with it."""

    id: str
    type: str
    scope: str
    title: str
    content: str  # plain text: the content, for a rule its active wording
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    revision: int = 1
    digest: str = ""
    tier: str = "durable"


class Verdict(Record):
    """What writing the candidate would do."""

    action: str  # ADD | UPDATE | SUPERSEDE | NOOP
    target: str = ""  # id of the memory that it is about; "" for ADD
    score: float = 0.0  # how alike candidate and target are, 0 to 1
    reason: str = ""  # a sentence for a person
    related: tuple[tuple[str, str], ...] = ()  # (id, why), nearest first
    deferred: str = ""  # why it is not written without a closer look; "" when it is

    @property
    def line(self) -> str:
        """The line that every surface shows (contract clause A6)."""
        if self.action == NOOP:
            return f"Verdict: NOOP duplicate of {self.target}"
        return f"Verdict: {self.action} {self.target}".rstrip()


class _Pair(Record):
    """A neighbour with what the candidate is to it."""

    neighbour: Neighbour
    kind: str  # of likeness
    score: float
    restates: bool = False
    needed: bool = False  # the candidate says that it builds on this memory


def neighbour_terms(candidate: Candidate) -> tuple[str, ...]:
    """The index terms by which memories that may have to do with the candidate are found."""
    from engram.core.words import query_terms  # noqa: PLC0415 - the comparison has no use for it

    return query_terms(" ".join((candidate.text, *candidate.tags, *candidate.triggers)))


def judge(
    candidate: Candidate, neighbours: Sequence[Neighbour], known_ids: Collection[str] = ()
) -> Verdict:
    """The verdict on the candidate against the memories of its scope; same input, same answer.

    `neighbours` holds the memory that UPDATE or SUPERSEDES names, if it exists; `known_ids` are
    more ids from which a misspelt one is guessed. Raises InvalidRequest (code "candidate.…"): a
    named memory does not exist, or an UPDATE would change the memory's type.
    """
    pairs = _pairs(candidate, neighbours)
    if candidate.update or candidate.supersedes:
        return _named(candidate, pairs, known_ids)
    same = [pair for pair in pairs if pair.kind == likeness.SAME]
    if same:
        return _verdict(NOOP, same[0], pairs)
    settled = {*candidate.depends_on, *candidate.parent}
    return _unnamed([pair for pair in pairs if pair.neighbour.id not in settled])


def merged_text(old: str, new: str) -> str:
    """`old` extended by what `new` adds, for an UPDATE that nobody named: nothing is lost.

    A statement of `new` that goes on where one of `old` ends takes its place; one that `old`
    holds is left out; the others follow at the end, as list items where `old` ends in one.
    """
    language = language_of(f"{old}\n{new}")
    places = spans(old)
    written = [old[start:end] for start, end in places]
    read = [likeness.read(text, language) for text in written]
    added: list[str] = []
    for start, end in spans(new):
        text = new[start:end]
        said = likeness.read(text, language)
        relation, at = _place(said, read)
        if relation == likeness.EXTENDS:
            written[at], read[at] = text, said
        elif relation != likeness.SAME and text not in (*written, *added):
            added.append(text)
    return _appended(_rewritten(old, places, written), added)


def _pairs(candidate: Candidate, neighbours: Sequence[Neighbour]) -> list[_Pair]:
    """The neighbours with their likeness, the most alike first, ties by id."""
    needs = [candidate.text[a:b] for a, b in spans(candidate.text)]
    needs = [sentence for sentence in needs if _DEPENDENCE.search(sentence.casefold())]
    pairs = [_pair(candidate, needs, each) for each in neighbours]
    return sorted(pairs, key=lambda pair: (-pair.score, pair.neighbour.id))


def _pair(candidate: Candidate, needs: list[str], neighbour: Neighbour) -> _Pair:
    said = same_text(candidate.text)
    if said in (same_text(neighbour.content), same_text(neighbour.title)):
        return _Pair(neighbour, likeness.SAME, 1.0)
    found = likeness.compare(candidate.text, neighbour.content)
    kind = found.kind
    if kind in (likeness.EXTENDS, likeness.CONTRADICTS) and neighbour.type != candidate.type:
        kind = likeness.ALIKE if kind == likeness.EXTENDS else likeness.CONFLICTS
    needed = any(_names(sentence, neighbour) for sentence in needs)
    return _Pair(neighbour, kind, found.score, found.restates, needed)


def _names(sentence: str, neighbour: Neighbour) -> bool:
    """Whether a sentence about what is needed names the memory, by its id or its whole title."""
    if re.search(rf"(?<![\w-]){re.escape(neighbour.id)}(?![\w-])", sentence, re.IGNORECASE):
        return True
    return likeness.mentions(sentence, neighbour.title)


def _named(candidate: Candidate, pairs: list[_Pair], known_ids: Collection[str]) -> Verdict:
    action = UPDATE if candidate.update else SUPERSEDE
    target = candidate.update or candidate.supersedes
    pair = next((each for each in pairs if each.neighbour.id == target), None)
    if pair is None:
        raise _unknown(candidate, action, {*known_ids, *(each.neighbour.id for each in pairs)})
    if action == UPDATE and pair.neighbour.type != candidate.type and not candidate.type_detected:
        raise InvalidRequest(
            "candidate.other_type",
            f"Line {candidate.line} makes a {candidate.type} of {target}, "
            f"which is a {pair.neighbour.type}.",
            hint=f"Write TYPE: {pair.neighbour.type}, or SUPERSEDES: {target} to change the type.",
            line=candidate.line,
            field="update",
        )
    unchanged = candidate.text.strip() == pair.neighbour.content.strip()
    if unchanged and not _adds_fields(candidate, pair):
        return _verdict(NOOP, pair, pairs)
    return _verdict(action, pair, pairs, "The candidate names it.")


def _adds_fields(candidate: Candidate, pair: _Pair) -> bool:
    """Whether the candidate has anything beside its text that the memory may not have."""
    kept = set(candidate.tags) <= set(pair.neighbour.tags)
    builds = set(candidate.depends_on) <= set(pair.neighbour.depends_on)
    other = candidate.context, candidate.triggers, candidate.roles, candidate.level
    more = candidate.parent, candidate.confidence, candidate.light, candidate.strict
    return not (kept and builds) or any(other) or any(more) or bool(candidate.balanced)


def _unknown(candidate: Candidate, action: str, known: Collection[str]) -> InvalidRequest:
    field = "update" if action == UPDATE else "supersedes"
    named = getattr(candidate, field)
    near = closest(named, sorted(known), 0.5)
    hint = f"Did you mean {near}?" if near else "Look it up with `engram search`."
    return InvalidRequest(
        "candidate.unknown_id",
        f"Line {candidate.line} names {field.upper()}: {named}, and there is no such memory.",
        hint=hint,
        line=candidate.line,
        field=field,
    )


def _unnamed(pairs: list[_Pair]) -> Verdict:
    clear = [pair for pair in pairs if pair.kind in (likeness.EXTENDS, likeness.CONTRADICTS)]
    several = [pair for pair in pairs if pair in clear or pair.restates]
    unclear = [p for p in pairs if p.kind in (likeness.CONFLICTS, likeness.REWORDED)]
    needed = [pair for pair in pairs if pair.needed]
    if len(several) > 1:
        return _deferred(several, pairs, "It is similar to several memories")
    if unclear:
        return _deferred(unclear, pairs, "It may contradict or repeat what is known")
    if needed:
        return _deferred(needed, pairs, "It seems to build on what is known")
    if clear:
        action = UPDATE if clear[0].kind == likeness.EXTENDS else SUPERSEDE
        return _verdict(action, clear[0], pairs)
    return Verdict(ADD, reason=_REASONS[ADD], related=_related(pairs, ""))


def _deferred(why: list[_Pair], pairs: list[_Pair], reason: str) -> Verdict:
    ids = ", ".join(pair.neighbour.id for pair in why)
    return Verdict(
        ADD,
        score=why[0].score,
        reason=f"{reason}: {ids}.",
        related=_related(pairs, ""),
        deferred=f"{reason}: {ids}. Look at them, then say which it is: UPDATE: id rewrites one, "
        "SUPERSEDES: id replaces one, DEPENDS_ON: ids stands beside them.",
    )


def _verdict(action: str, pair: _Pair, pairs: list[_Pair], reason: str = "") -> Verdict:
    target = pair.neighbour.id
    said = reason or _REASONS[action]
    return Verdict(action, target, pair.score, said, _related(pairs, target))


def _related(pairs: list[_Pair], target: str) -> tuple[tuple[str, str], ...]:
    shown = [
        (pair.neighbour.id, _why(pair))
        for pair in pairs
        if pair.neighbour.id != target and (pair.kind or pair.needed or pair.restates)
    ]
    return tuple(shown[:MOST_RELATED])


def _why(pair: _Pair) -> str:
    if pair.kind in (likeness.CONTRADICTS, likeness.CONFLICTS):
        return CONFLICT
    return PREREQUISITE if pair.needed else DUPLICATE


def _place(new: likeness.Text, there: list[likeness.Text]) -> tuple[str, int]:
    """What a statement is to those that are there, and to which of them."""
    kinds = [likeness.kind_of(new, each) for each in there]
    for kind in (likeness.SAME, likeness.EXTENDS):
        if kind in kinds:
            return kind, kinds.index(kind)
    return likeness.APART, -1


def _rewritten(old: str, places: list[tuple[int, int]], written: list[str]) -> str:
    parts: list[str] = []
    at = 0
    for (start, end), text in zip(places, written, strict=True):
        parts += [old[at:start], text]
        at = end
    return "".join((*parts, old[at:])).rstrip()


def _appended(text: str, added: list[str]) -> str:
    last = text.rpartition("\n")[2]
    marker = re.match(r"\s*[-*+•]\s+", last)
    for each in added:
        if marker and not each.startswith("```"):
            text += f"\n{marker.group()}{each}"
        else:
            text += _between(text, each) + each
    return text


def _between(text: str, added: str) -> str:
    """What ends `text` so that another statement may follow."""
    if not text:
        return ""
    if text.endswith("```") or added.startswith("```"):
        return "\n"
    last = text[-1]
    if last in "\u3002\uff01\uff1f\uff1b":
        return ""
    if "\u3040" <= last <= "\u9fff":  # written without spaces
        return "\u3002"
    return " " if last in ".!?;:" else ". "
