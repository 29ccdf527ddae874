"""How what a candidate says relates to what a memory says: the same, more, the contrary."""

from __future__ import annotations

from functools import lru_cache

from engram.core.statement_words import VALUE_WORDS
from engram.core.statements import (
    ANYWHERE,
    MAY,
    VALUE,
    Statement,
    environments,
    language_of,
    statements,
)
from engram.record import Record

# What a whole text is to another one.
SAME = "same"  # says nothing that the other does not say
EXTENDS = "extends"  # says what the other says and more
CONTRADICTS = "contradicts"  # gives another value, or the opposite, for all that the other says
CONFLICTS = "conflicts"  # contradicts a part of it, or may do so: for a person to decide
REWORDED = "reworded"  # the same words in another order
ALIKE = "alike"  # shares many of its words
APART = ""

# What one statement is to another, beside SAME, EXTENDS, REWORDED and APART.
_SHORTENS = "shortens"
_CHANGES = "changes"
_DENIES = "denies"
_MAY_DENY = "may deny"
_SAID = (SAME, _SHORTENS)
_AGAINST = (_CHANGES, _DENIES)

# The thresholds, chosen on benchmarks/verdicts/tune.jsonl.
ALIKE_FROM = 0.5  # cosine of the two sets of stems
COMMON_FROM = 2  # stems that two texts which are alike share at least
HELD_FROM = 0.9  # share of a memory's stems that a candidate which restates it holds
RESTATED_FROM = 3  # stems a memory must have for that to mean anything
COVERED_FROM = 0.5  # share of a memory's statements that an extension of it repeats
ROTATED_FROM = 3  # stems of a statement whose beginning may stand at the end
CUE_REACHES = 3  # stems after "instead of" among which the old value is
NEW_VALUE_UP_TO = 5  # stems that "X instead of Y" may add to what the memory says


class Likeness(Record):
    """What a candidate's text is to a memory's."""

    kind: str  # SAME | EXTENDS | CONTRADICTS | CONFLICTS | REWORDED | ALIKE | APART
    score: float = 0.0  # cosine of the two sets of stems, 0 to 1
    restates: bool = False  # holds nearly all words of the memory


class Text(Record):
    """A text in the form in which two are compared."""

    statements: tuple[Statement, ...]
    environments: frozenset[str]
    stems: frozenset[str]


def compare(candidate: str, memory: str) -> Likeness:
    """What the candidate's text is to the memory's."""
    language = language_of(f"{candidate}\n{memory}")  # one for both, or their stems differ
    new, old = read(candidate, language), read(memory, language)
    common = len(new.stems & old.stems)
    if not common:
        return Likeness(APART)
    score = common / (len(new.stems) * len(old.stems)) ** 0.5
    restates = len(old.stems) >= RESTATED_FROM and common / len(old.stems) >= HELD_FROM
    kind = kind_of(new, old)
    if kind == APART and score >= ALIKE_FROM and common >= COMMON_FROM:
        kind = ALIKE
    return Likeness(kind, round(score, 3), restates)


def mentions(sentence: str, title: str) -> bool:
    """Whether the sentence holds every word of meaning of a title that has some."""
    language = language_of(f"{sentence}\n{title}")
    named = read(title, language).stems
    return len(named) >= RESTATED_FROM and named <= read(sentence, language).stems


@lru_cache(maxsize=256)  # one text is compared with many
def read(text: str, language: str) -> Text:
    """The text in the form in which two are compared; give one language for both."""
    every = statements(text, language)
    stems = frozenset(stem for each in every for stem in (*each.subject, *each.values))
    return Text(every, environments(text), stems)


def kind_of(new: Text, old: Text) -> str:
    """What kind of likeness `new` has to `old`, ALIKE left aside."""
    if new.stems.isdisjoint(old.stems):
        return APART
    found = [_closest(each, old.statements) for each in new.statements]
    relations = [relation for relation, _ in found]
    covered = {at for relation, at in found if relation not in (APART, _MAY_DENY)}
    elsewhere = bool(new.environments - old.environments)
    if all(relation in _SAID for relation in relations):
        return SAME
    if _replaces(new, old):
        return APART if elsewhere else CONTRADICTS
    if any(relation in (*_AGAINST, _MAY_DENY) for relation in relations):
        return _against(relations, elsewhere, whole=len(covered) == len(old.statements))
    if all(relation in (*_SAID, REWORDED) for relation in relations):
        return REWORDED
    said = any(relation in (*_SAID, EXTENDS) for relation in relations)
    return EXTENDS if said and len(covered) >= COVERED_FROM * len(old.statements) else APART


def _against(relations: list[str], elsewhere: bool, *, whole: bool) -> str:
    if elsewhere:  # what holds on staging does not contradict what holds in production
        return ALIKE
    certain = _MAY_DENY not in relations and whole
    return CONTRADICTS if certain else CONFLICTS


def _closest(new: Statement, every: tuple[Statement, ...]) -> tuple[str, int]:
    """The strongest relation of `new` to one of the statements, and to which."""
    order = (SAME, *_AGAINST, EXTENDS, _SHORTENS, REWORDED, _MAY_DENY, APART)
    found = [(_relation(new, old), at) for at, old in enumerate(every)]
    return min(found, key=lambda each: order.index(each[0]))


def _relation(new: Statement, old: Statement) -> str:
    if not (new.about <= old.about or old.about <= new.about) or _cue(new) != _cue(old):
        return APART  # every relation needs one subject to hold the other
    for relation, holds in (
        (SAME, _is_same),
        (_CHANGES, _changes),
        (_DENIES, _denies),
        (EXTENDS, _extends),
        (_SHORTENS, _shortens),
        (REWORDED, _is_reworded),
        (_MAY_DENY, _may_deny),
    ):
        if holds(new, old):
            return relation
    return APART


def _cue(statement: Statement) -> tuple[str, ...]:
    return statement.said[statement.cue_at :] if statement.cue_at >= 0 else ()


def _is_same(new: Statement, old: Statement) -> bool:
    return (
        _in_order(new.whole, old.whole)
        and _same_signs(new, old)
        and _same_denials(new, old)
        and (bool(new.denied) or _leave(new) == _leave(old))
    )


def _changes(new: Statement, old: Statement) -> bool:
    """The same of the same subject, but for a number, a version, a day."""
    if new.said != old.said or not new.subject or not _same_signs(new, old):
        return False
    if not _same_denials(new, old):
        return False
    pairs = [(a, b) for a, b in zip(new.values, old.values, strict=True) if a != b]
    kinds = [(VALUE_WORDS.get(a), VALUE_WORDS.get(b)) for a, b in pairs]
    denied = bool(new.denied)  # "not on Friday" and "not on Monday" may both hold
    return bool(pairs) and all(a == b and not (a and denied) for a, b in kinds)


def _denies(new: Statement, old: Statement) -> bool:
    """The opposite of the same: one negation more or less."""
    return (
        len(new.denied) != len(old.denied)
        and bool(new.subject)
        and _in_order(new.subject, old.subject)
        and _same_signs(new, old)
        and (set(new.values) <= set(old.values) or set(old.values) <= set(new.values))
    )


def _extends(new: Statement, old: Statement) -> bool:
    """All of `old`, word for word, and a clause after it."""
    length = len(old.said)
    return (
        length < len(new.said)
        and length in new.joints
        and length not in new.narrowing
        and new.said[:length] == old.said
        and new.values[: len(old.values)] == old.values
        and tuple(at for at in new.denied if at < length) == old.denied
        and tuple(sign for sign in new.signs if sign[0] < length) == old.signs
        and new.cue_at < 0
    )


def _shortens(new: Statement, old: Statement) -> bool:
    return _extends(old, new)


def _is_reworded(new: Statement, old: Statement) -> bool:
    return (
        sorted(new.subject) == sorted(old.subject)
        and sorted(new.values) == sorted(old.values)
        and len(new.denied) == len(old.denied)
    )


def _may_deny(new: Statement, old: Statement) -> bool:
    """A negation more or less, on a subject that is wider or narrower."""
    return (len(new.denied) - len(old.denied)) % 2 == 1 and bool(new.about and old.about)


def _in_order(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """The same words in the same order, or with the beginning moved to the end."""
    if new == old:
        return True
    if len(new) < ROTATED_FROM or sorted(new) != sorted(old):
        return False
    return any(new == old[at:] + old[:at] for at in range(1, len(old)))


def _same_denials(new: Statement, old: Statement) -> bool:
    """As many negations, of the same words; where one is of the whole statement, of any."""
    if len(new.denied) != len(old.denied) or ANYWHERE in (*new.denied, *old.denied):
        return len(new.denied) == len(old.denied)
    return sorted(new.said[at] for at in new.denied) == sorted(old.said[at] for at in old.denied)


def _same_signs(new: Statement, old: Statement) -> bool:
    """The same signs but for those of what is allowed: "may not" is "never"."""
    ours, theirs = (sorted(sign for _, sign in each.signs if sign != MAY) for each in (new, old))
    return ours == theirs


def _leave(statement: Statement) -> bool:
    return any(sign == MAY for _, sign in statement.signs)


def _replaces(new: Text, old: Text) -> bool:
    """Whether "X instead of Y" where all that the memory says, Y among it, is said again, with X."""
    replaced = {stem for each in new.statements for stem in _cue(each)[:CUE_REACHES]}
    if not replaced or any(each.denied or each.cue_at >= 0 for each in old.statements):
        return False
    added = new.stems - old.stems
    denied = any(each.denied for each in new.statements)
    return (
        old.stems <= new.stems
        and bool(replaced & (old.stems | {VALUE}))
        and bool(added or denied)
        and len(added) <= NEW_VALUE_UP_TO
    )
