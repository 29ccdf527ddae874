"""What kind of task a text describes, and what type of memory a sentence would be."""

from __future__ import annotations

from engram.core.scripts import is_unspaced
from engram.core.task_words import ALIASES, KEYWORDS, TASK_TYPES, WEIGHTS
from engram.core.words import terms

UNKNOWN = "unknown"
_LABELS = ("task_type:", "task type:", "task:")
_AROUND = ".,;:`\"'()[]"  # of a label's value
_LONGEST_ENDING = 4  # letters by which words of one stem may differ

_PROCEDURE = (
    *("workflow", "procedure", "runbook", "playbook", "checklist", "how to", "step by step"),
    *("порядок действий", "пошагово", "инструкция:", "anleitung", "schritt für schritt"),
    *("étape par étape", "paso a paso", "步骤", "流程", "手順", "절차"),
)
_SEQUENCE = (
    *("first", "then", "next", "after that", "finally", "afterwards", "once done"),
    *("сначала", "сперва", "затем", "потом", "наконец", "zuerst", "danach", "schließlich"),
    *("d'abord", "ensuite", "enfin", "primero", "luego", "después", "首先", "然后", "最后"),
    *("まず", "次に", "最後に", "먼저", "그다음"),
)
_BINDING = (
    *("always", "never", "must", "required", "mandatory", "should", "do not", "don't", "avoid"),
    *("prefer", "forbidden", "not allowed", "only use", "from now on", "make sure"),
    *("всегда", "никогда", "нельзя", "обязательно", "должен", "должна", "должны", "запрещено"),
    *("не используй", "не пуш", "следует", "immer", "niemals", "nie ", "muss", "müssen", "darf"),
    *("soll", "verboten", "toujours", "jamais", "doit", "doivent", "interdit", "ne pas"),
    *("siempre", "nunca", "debe", "deben", "prohibido", "sempre", "deve", "必须", "禁止", "不要"),
    *("不得", "始终", "一律", "必ず", "してはいけない", "しないこと", "禁止する", "반드시", "금지"),
)
_OPENING = ("use ", "run ", "keep ", "write ", "ignore ", "override ", "не ", "используй", "请")


def task_type(text: str) -> tuple[str, float]:
    """The kind of task (one of TASK_TYPES) and the confidence in it, 0 to 1.

    A label in the text (`task_type: testing`) decides; else the words that speak for a kind do,
    whole words or their stems, never parts of words. `unknown` when none speaks.
    """
    named = _named(text)
    if named:
        return named, 0.0 if named == UNKNOWN else 1.0
    joined = f" {' '.join(terms(text))} "
    lengths = _lengths(text)
    best, confidence = UNKNOWN, 0.0
    for kind, phrases in _stemmed().items():
        found = sum(
            f" {phrase} " in joined and _is_alike(length, lengths.get(phrase))
            for phrase, length in phrases.items()
        )
        if found:
            certain = WEIGHTS[kind] * (1 - 0.5**found)
            if certain > confidence:
                best, confidence = kind, certain
    return best, round(confidence, 2)


def memory_type(text: str) -> str:
    """The type that a text reads like: a procedure is a skill, an obligation a rule, else knowledge."""
    lowered = text.casefold()
    padded = f" {' '.join(lowered.split())} "
    steps = sum(_says(padded, word) for word in _SEQUENCE)
    listed = sum(line.lstrip()[:2] in ("- ", "* ", "1.", "2.", "3.") for line in text.split("\n"))
    signals = min(steps, 2) + any(_says(padded, word) for word in _PROCEDURE) + 2 * (listed > 1)
    if signals > 1:
        return "skill"
    if lowered.lstrip("-* ").startswith(_OPENING) or any(_says(padded, each) for each in _BINDING):
        return "rule"
    return "knowledge"


def _named(text: str) -> str:
    """The kind that a label in the text names, or ""."""
    for line in text.casefold().split("\n"):
        for label in _LABELS:
            before, _, rest = line.partition(label)
            name = "" if before[-1:].isalnum() else rest.strip().partition(" ")[0].strip(_AROUND)
            if name in TASK_TYPES or name in ALIASES:
                return ALIASES.get(name, name)
    return ""


def _says(padded: str, word: str) -> bool:
    """Whether a lower-case text says a word: as one where words are spaced, anywhere else."""
    place = padded.find(word)
    while place >= 0:
        before, after = padded[place - 1 : place], padded[place + len(word) : place + len(word) + 1]
        begins = word[0] > "\u2fff" or not before.isalnum()
        ends = word[-1] > "\u0370" or word[-1] == " " or not after.isalnum()
        if begins and ends:
            return True
        place = padded.find(word, place + 1)
    return False


_phrases: dict[str, dict[str, int]] = {}


def _stemmed() -> dict[str, dict[str, int]]:
    """The keywords of each kind as the terms that they are in a text, with their own lengths."""
    if not _phrases:
        for kind, words in KEYWORDS.items():
            told = {" ".join(terms(word)): len(word) for word in words}
            _phrases[kind] = {phrase: length for phrase, length in told.items() if phrase}
    return _phrases


def _lengths(text: str) -> dict[str, int]:
    """The length of the longest word of a text behind each single term, where words are spaced."""
    lengths: dict[str, int] = {}
    for word in "".join(letter if letter.isalnum() else " " for letter in text).split():
        if any(map(is_unspaced, word)):
            continue
        for term in terms(word):
            lengths[term] = max(len(word), lengths.get(term, 0))
    return lengths


def _is_alike(keyword: int, word: int | None) -> bool:
    """Whether two words of one stem are near in length: "authors" are no "authorization"."""
    return word is None or abs(keyword - word) <= _LONGEST_ENDING
