"""What differs by script: whether words are spaced, which marks are folded, how words are stemmed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Stem = Callable[[str], str]

# Written without spaces between words: Thai, Lao, Burmese, Khmer, Kana, Han, Hangul.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
# Snowball's name of the language that a script is stemmed as.
_STEMMED = (
    (0x0041, 0x024F, "english"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
)
# Letters that are variants of another and have no decomposition that says so.
_SAME = {
    ord(letter): same
    for letter, same in (
        ("đ", "d"),
        ("ø", "o"),
        ("ł", "l"),
        ("ı", "i"),
        ("ħ", "h"),
        ("ŧ", "t"),
        ("ð", "d"),
        ("þ", "th"),
        ("æ", "ae"),
        ("œ", "oe"),
        ("ё", "е"),
        ("\u0640", ""),  # Arabic: the stretching sign, then forms of alef, yeh and teh
        ("\u0622", "\u0627"),
        ("\u0623", "\u0627"),
        ("\u0625", "\u0627"),
        ("\u0649", "\u064a"),
        ("\u0629", "\u0647"),
    )
}
_ARABIC_ARTICLE = "\u0627\u0644"  # written as one with its noun
_ARABIC_SIGNS = frozenset(chr(code) for code in (*range(0x64B, 0x653), *range(0x656, 0x660), 0x670))
_stemmers: dict[str, Stem] = {}


def is_unspaced(letter: str) -> bool:
    """Whether the letter belongs to a script that puts no spaces between words."""
    code = ord(letter)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)


def fold(word: str) -> str:
    """A case-folded word without the marks that people leave out: accents of Latin and Greek.

    Marks that make another letter (Cyrillic "й", Indic vowels, voiced Kana) stay.
    """
    if word.isascii():
        return word
    from unicodedata import combining, normalize  # noqa: PLC0415 - ASCII does without

    kept: list[str] = []
    base = ""
    for letter in normalize("NFD", word):
        if combining(letter):
            if letter in _ARABIC_SIGNS or _is_latin_or_greek(base):
                continue
        else:
            base = letter
        kept.append(letter)
    return normalize("NFC", "".join(kept)).translate(_SAME)


def stem(word: str) -> str:
    """The stem of a folded word by its script's Snowball algorithm; short words stay."""
    if len(word) < 3:
        return word
    code = ord(word[0])
    if word[:2] == _ARABIC_ARTICLE and len(word) > 4:
        word = word[2:]
    for low, high, language in _STEMMED:
        if low <= code <= high:
            return _stemmer(language)(word)
    return word


def _is_latin_or_greek(base: str) -> bool:
    code = ord(base) if base else 0
    return code < 0x0400 or 0x1E00 <= code <= 0x1FFF


def _stemmer(language: str) -> Stem:
    known = _stemmers.get(language)
    if known is None:
        from Stemmer import Stemmer  # noqa: PLC0415 - a compiled module, loaded with the first word

        known = _stemmers[language] = Stemmer(language).stemWord
    return known
