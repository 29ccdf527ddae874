"""Text to index terms, in any script: words stemmed, identifiers split and kept, CJK as pairs."""

from __future__ import annotations

from engram.core.scripts import fold, is_unspaced, stem
from engram.core.stop_words import GENERIC, STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 2  # of the terms: an index made by another version is made anew

HEAD, TAIL = 4000, 2000  # characters of a long task that are read
MOST_TERMS = 64
LONGEST = 64  # characters of a term
_CACHED = 200_000  # chunks; more and the cache starts anew
_CONNECTORS = frozenset("_-./\\:@+#'’")
# What is seen of nothing but the letter before it: soft hyphen, joiner, enclosing marks, selectors.
_UNSEEN = dict.fromkeys(
    (0xAD, 0x34F, 0x2060, *range(0x20DD, 0x20E5), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
)
# Names that consist of signs which otherwise only connect.
_NAMES = {
    "c++": "c++",
    "c#": "c#",
    "f#": "f#",
    ".net": "dotnet",
    "g++": "g++",
    "notepad++": "notepad++",
}
_cache: dict[str, tuple[str, ...]] = {}


def terms(text: str) -> list[str]:
    """The index terms of a text in their order, each as often as it occurs; stop words dropped."""
    found: list[str] = []
    for chunk in text.split():
        known = _cache.get(chunk)
        if known is None:
            known = _remember(chunk)
        found += known
    return found


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct terms of a task that mean something, in their order, at most MOST_TERMS.

    Words that any memory may hold ("rule", "use") are dropped where others remain. Of a long
    text its beginning and its end are read.
    """
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]} {text[-TAIL:]}"
    found = dict.fromkeys(terms(text))
    telling = [term for term in found if term not in GENERIC]
    return tuple((telling or list(found))[:MOST_TERMS])


def _remember(chunk: str) -> tuple[str, ...]:
    if len(_cache) >= _CACHED:
        _cache.clear()
    found = tuple(
        term
        for compound in _compounds(chunk)
        for term in _of_compound(compound)
        if term not in STOP_WORDS and len(term) <= LONGEST
    )
    if len(chunk) <= LONGEST:
        _cache[chunk] = found
    return found


def _compounds(chunk: str) -> Iterator[str]:
    """The stretches of letters, digits and the signs between them."""
    if not chunk.isascii():
        from unicodedata import normalize  # noqa: PLC0415 - ASCII does without

        chunk = normalize("NFKC", chunk).translate(_UNSEEN)
    start = -1
    for place, letter in enumerate(chunk):
        if letter.isalnum() or letter in _CONNECTORS:
            start = place if start < 0 else start
        elif start >= 0 and not _is_mark(letter):
            yield chunk[start:place]
            start = -1
    if start >= 0:
        yield chunk[start:]


def _is_mark(letter: str) -> bool:
    """Whether this belongs to the letter before it, as a vowel sign does."""
    if letter.isascii():
        return False
    from unicodedata import category  # noqa: PLC0415 - ASCII does without

    return category(letter)[0] == "M"


def _of_compound(compound: str) -> Iterator[str]:
    name = _NAMES.get(compound.casefold().rstrip(".,:'-/"))
    if name:
        yield name
        return
    segments = _segments(compound)
    if len(segments) > 1 and not any(is_unspaced(letter) for letter in compound):
        yield fold(compound.strip("".join(_CONNECTORS)).casefold())
    for segment in segments:
        yield from _of_segment(segment)


def _segments(compound: str) -> list[str]:
    """The parts between connecting signs; an apostrophe ends the word ("don't" is "don")."""
    segments: list[str] = []
    for letter in compound:
        if letter in _CONNECTORS:
            segments.append("")
        elif segments:
            segments[-1] += letter
        else:
            segments.append(letter)
    if "'" in compound or "’" in compound:
        segments = [each for each in segments if len(each) > 1]
    return [segment for segment in segments if any(map(str.isalnum, segment))]


def _of_segment(segment: str) -> Iterator[str]:
    """A segment without signs: words of scripts with spaces, and pairs of those without."""
    start = 0
    for place in range(1, len(segment) + 1):
        whole = place == len(segment)
        if whole or is_unspaced(segment[place]) != is_unspaced(segment[start]):
            run = segment[start:place]
            yield from _pairs(run) if is_unspaced(run[0]) else _of_word(run)
            start = place


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for place in range(1, len(run)):
        yield run[place - 1 : place + 1]


def _of_word(word: str) -> Iterator[str]:
    plain = fold(word.casefold())
    if _is_plain(word):
        yield plain if plain in STOP_WORDS else stem(plain)
        return
    yield plain
    parts = _parts(word)
    if len(parts) > 1:
        yield from (stem(fold(part.casefold())) for part in parts if len(part) > 1)


def _is_plain(word: str) -> bool:
    """Whether a word is no identifier: without digits, and with capitals where prose has them."""
    if not word.isalpha() and any(map(str.isdigit, word)):
        return False
    rest = word[1:]
    return rest == rest.lower() or word.isupper() or _is_plural(word)


def _is_plural(word: str) -> bool:
    """Whether this is several of an abbreviation: "APIs"."""
    return word[-1:] == "s" and word[:-1].isupper()


def _parts(word: str) -> list[str]:
    """The parts of parseHTTPRequest2: parse, HTTP, Request, 2."""
    parts: list[str] = []
    start = 0
    for place in range(1, len(word)):
        here, before = word[place], word[place - 1]
        after = word[place + 1 : place + 2]
        humps = here.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if humps or here.isdigit() != before.isdigit():
            parts.append(word[start:place])
            start = place
    return [*parts, word[start:]]
