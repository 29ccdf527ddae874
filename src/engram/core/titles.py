"""What a new memory is called: a title from its text, and from that an id that any system can hold."""

from __future__ import annotations

import unicodedata

LONGEST_TITLE = 70  # characters
LONGEST_ID = 80  # bytes in UTF-8: a number still fits behind it (DESIGN: at most 100)
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
# Marks that show nothing of their own: joiner, Mongolian and other selectors of a letter's form.
_UNSEEN = frozenset(
    map(chr, (0x34F, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
_SENTENCE_ENDS = ".!?\u3002\uff01\uff1f"


def title_from(text: str) -> str:
    """A title of at most LONGEST_TITLE characters: the first sentence, cut between words."""
    line = next((each for each in map(_bare, text.split("\n")) if each), "")
    title = _first_sentence(line) if len(line) > LONGEST_TITLE else line
    title = title.rstrip(_SENTENCE_ENDS + " ") or title
    if len(title) > LONGEST_TITLE:
        head = title[: LONGEST_TITLE - 1]
        blank = head.rfind(" ")
        title = (head[:blank] if blank > LONGEST_TITLE // 2 else head).rstrip(" ,;:-") + "\u2026"
    first = title[:1].upper()
    return first + title[1:] if len(first) == 1 else title


def slug(title: str) -> str:
    """An id for a title: letters and digits of any script with hyphens between, lower case.

    At most LONGEST_ID bytes, cut between characters; never empty, never a name that Windows
    keeps for itself.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", title).casefold())
    parts: list[str] = []
    for letter in plain:
        within = bool(parts) and parts[-1] != "-"
        if letter.isalnum() or (within and _is_mark(letter)):
            parts.append(letter)
        elif within and letter not in _UNSEEN:
            parts.append("-")
    id = "".join(parts).strip("-")
    while len(id.encode()) > LONGEST_ID:
        cut = id.rpartition("-")[0]
        id = cut if len(cut.encode()) > LONGEST_ID // 2 else id[:-1]
    id = id.strip("-") or "memory"
    return f"{id}-memory" if id in _RESERVED else id


def _is_mark(letter: str) -> bool:
    """Whether this is a part of the letter before it, as an accent or a vowel sign is."""
    return unicodedata.category(letter) in ("Mn", "Mc") and letter not in _UNSEEN


def _bare(line: str) -> str:
    line = " ".join(line.split()).lstrip("#>").strip()
    if line[:2] in ("- ", "* ", "+ "):
        line = line[2:]
    return line.replace("**", "").replace("`", "").strip()


def _first_sentence(line: str) -> str:
    for place, letter in enumerate(line):
        ends = letter in _SENTENCE_ENDS
        apart = line[place + 1 : place + 2] in ("", " ") or not letter.isascii()
        if ends and apart and place >= 20:
            return line[:place]
    return line
