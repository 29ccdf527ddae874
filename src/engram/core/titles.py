"""What a new memory is called: a title from its text, and from that an id that any system can hold."""

from __future__ import annotations

import unicodedata

LONGEST_TITLE = 70  # characters
LONGEST_ID = 80  # bytes in UTF-8: a number still fits behind it (DESIGN: at most 100)
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
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
    return title[:1].upper() + title[1:]


def slug(title: str) -> str:
    """An id for a title: letters and digits of any script with hyphens between, lower case.

    At most LONGEST_ID bytes, cut between characters; never empty, never a name that Windows
    keeps for itself.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", title).casefold())
    parts: list[str] = []
    for letter in plain:
        if letter.isalnum() or unicodedata.category(letter)[0] == "M":
            parts.append(letter)
        elif parts and parts[-1] != "-":
            parts.append("-")
    id = "".join(parts).strip("-")
    while len(id.encode()) > LONGEST_ID:
        cut = id.rpartition("-")[0]
        id = cut if len(cut.encode()) > LONGEST_ID // 2 else id[:-1]
    id = id.strip("-") or "memory"
    return f"{id}-memory" if id in _RESERVED else id


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
