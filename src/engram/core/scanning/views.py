"""The texts that a reader may see in one text: folded, joined over line ends, squeezed, decoded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from unicodedata import category, normalize

from engram.core.scanning.lookalikes import LEET, LOOKALIKES
from engram.record import Record

# Above Cyrillic, a mark is part of the letter (Japanese voicing, Indic vowels).
_LAST_ACCENTED = 0x0530

_LINE_END = re.compile(
    r"(?<=[\w+/=.~-])[\"'`]?[ \t]{0,8}[\\+]?[ \t]{0,8}\r?\n[ \t>*#\"'`]{0,40}(?=[\w+/=~-])"
)
_LETTER_RUN = re.compile(r"(?<![^\W_])(?:[^\W_][^\w\n]{1,3}|[^\W_]_){4,400}[^\W_](?![^\W_])")
_LEET_WORD = re.compile(r"(?<![\w@$])[\w@$]{2,40}(?![\w@$])")


class View(Record):
    """A text read in another way, and where each of its characters stands in the original."""

    text: str
    at: Sequence[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that `start` up to `end` of this view came from."""
        return self.at[start], self.at[end - 1] + 1


def original(text: str) -> View:
    """The text as it is."""
    return View(text, range(len(text)))


def plain(text: str) -> View:
    """Without invisible characters, full-width forms as ordinary ones; letters keep their case."""
    return original(text) if text.isascii() else _translated(original(text), _plain)


def folded(view: View) -> View:
    """Small letters without accents, compatibility forms as ordinary ones."""
    if view.text.isascii():
        return View(view.text.lower(), view.at)
    return _translated(view, _fold)


def latinised(view: View) -> View | None:
    """A folded view with look-alike letters and digits as the Latin letters they pose as."""
    text = view.text if view.text.isascii() else view.text.translate(LOOKALIKES)
    text = _LEET_WORD.sub(_without_leet, text)
    return None if text == view.text else View(text, view.at)


def joined(view: View) -> View | None:
    """The view with broken lines put together where a word may go on; None if none is."""
    return _without(view, _LINE_END.finditer(view.text))


def squeezed(view: View) -> Iterator[View]:
    """Each run of letters that stand apart (`i g n o r e`), put together."""
    for run in _LETTER_RUN.finditer(view.text):
        places = [i for i in range(run.start(), run.end()) if view.text[i].isalnum()]
        yield View("".join(view.text[i] for i in places), [view.at[i] for i in places])


def without_accents(text: str) -> str:
    """`text` with the accents of Latin, Greek and Cyrillic letters taken off."""
    return "".join(_bare(letter) for letter in text)


def _without(view: View, gaps: Iterator[re.Match[str]]) -> View | None:
    parts: list[str] = []
    at: list[int] = []
    done = 0
    for gap in gaps:
        parts.append(view.text[done : gap.start()])
        at.extend(view.at[done : gap.start()])
        done = gap.end()
    if not done:
        return None
    return View("".join(parts) + view.text[done:], [*at, *view.at[done:]])


def _translated(view: View, change: Callable[[str], str]) -> View:
    changed = {ord(letter): change(letter) for letter in set(view.text)}
    if all(len(new) == 1 for new in changed.values()):
        return View(view.text.translate(changed), view.at)
    at: list[int] = []
    for place, letter in zip(view.at, view.text, strict=True):
        at.extend([place] * len(changed[ord(letter)]))
    return View(view.text.translate(changed), at)


def _plain(letter: str) -> str:
    if invisible(letter):
        return ""
    return normalize("NFKC", letter) if "\uff01" <= letter <= "\uff5e" else letter


def _fold(letter: str) -> str:
    if invisible(letter):
        return ""
    return "".join(_bare(part) for part in normalize("NFKC", letter).casefold())


def _bare(letter: str) -> str:
    if letter < "\u0080":
        return letter
    if "\u0300" <= letter <= "\u036f":
        return ""
    first = normalize("NFD", letter)[0]
    return first if ord(first) < _LAST_ACCENTED else letter


def invisible(letter: str) -> bool:
    """Whether a character takes no room of its own on a screen (line ends and tabs do)."""
    if letter < "\u0080":
        return letter < " " and letter not in "\t\n\r"
    return category(letter) in {"Cf", "Cc"} or letter in _FILLERS or _selects_variant(letter)


_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"


def _selects_variant(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def _without_leet(word: re.Match[str]) -> str:
    text = word.group()
    letters = sum(letter.isalpha() for letter in text)
    return text.translate(LEET) if 1 <= letters < len(text) else text
