"""A text cut into statements that can be compared: subject words, values, negations, cues."""

from __future__ import annotations

import re
import unicodedata

from engram.core import statement_words as words
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VALUE = "#"  # stands in `Statement.said` for each value
MAY = "may"  # in `Statement.signs`: what is said is allowed, no more
ANYWHERE = -1  # in `Statement.denied`: a negation of the whole statement

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_MARKER = r"[ \t]*(?:[-*+•>#]+|\d{1,2}[.)])[ \t]+"  # of a list item, a heading, a quotation
_FENCE = "```"
_SPAN = re.compile(
    rf"```.*?```|(?:{_MARKER})?[^\n]+?(?:[.!?;](?=\s)|[\u3002\uff01\uff1f\uff1b]|(?=\n)|\Z)",
    re.DOTALL,
)
_LEAD = re.compile(_MARKER)
_CUE_MARK, _DENIAL_MARK = "\ue000", "\ue001"  # for private use, so in nobody's text
_SILENT = r"""\w\s!"'#%&()*,./:;?@\[\\\]_`{}|\-"""  # signs that say nothing where they stand alone
_SILENT += "\u00a1\u00a7\u00ab\u00ad\u00b4\u00b6\u00b7\u00bb\u00bf\u200b-\u205f\u3001-\u303f\ufe0f"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<word>\d+(?:,\d+)+[^\W\d_{_CJK}]{{0,3}}%?"
    rf"|(?:[^\W{_CJK}]+(?:[-./:@+=’']+(?=[^\W{_CJK}]))?)+%?)"
    r"|(?P<stop>[,:;=()—–\u3001\uff0c\uff1a])"
    rf"|(?P<bound>[≤≥])|(?P<denial>{_DENIAL_MARK})|(?P<cue>{_CUE_MARK})"
    rf"|(?P<sign>(?<=\w)#|(?<![\w)])-(?=\d)|[^{_SILENT}])"
)
_NAME = re.compile(r"v?\d+(?:\.\d+)*")
_OWN_NAME = re.compile(r"v\d+|(?:19|20)\d\d")  # v2, 2025
_NUMBER = re.compile(r"v?(\d+(?:[.,:]\d+)*)([a-zа-я%]{0,3})")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_ONCE = re.compile(r"(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )(?<!been )\bused to\b")


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """Matches any of the phrases, the longest first; whole words where the script has spaces."""
    longest = sorted(phrases, key=len, reverse=True)
    return re.compile("|".join(p if p >= "\u3040" else rf"\b{p}\b" for p in longest))


_NEGATIVE_CUE = _any_of(words.NEGATIVE_CUES)
_CUE = _any_of(words.CUES)
_BOUNDS = {sign: _any_of(phrases) for sign, phrases in words.BOUNDS.items()}
_ENVIRONMENT = _any_of(words.ENVIRONMENTS)
_CHINESE = re.compile(
    f"(?P<keep>{'|'.join(words.CHINESE_WORDS)})"
    f"|(?P<denial>{'|'.join(words.CHINESE_NEGATIONS)})"
    f"|(?P<permission>{'|'.join(words.CHINESE_PERMISSIONS)})"
    f"|{'|'.join(words.CHINESE_FILLERS)}"
)
_CHINESE_VALUE = re.compile("(周[一二三四五六日])")
_CHINESE_UNIT = _any_of(unit for unit in words.UNITS if unit >= "\u3040")
_CHINESE_NARROWING = _any_of(words.NARROWING_CHINESE)


class Statement(Record):
    """One sentence or list item, in the form in which two of them are compared."""

    said: tuple[str, ...]  # stems of the words that carry meaning, VALUE for each value
    subject: tuple[str, ...]  # `said` without the values
    about: frozenset[str]  # `subject`, each stem once
    whole: tuple[str, ...]  # `said` with each value in its place
    values: tuple[str, ...] = ()  # what each VALUE stands for
    denied: tuple[int, ...] = ()  # for each negation the index in `said` of its word, or ANYWHERE
    cue_at: int = -1  # index in `said` of the first word after "instead of", or -1
    joints: frozenset[int] = frozenset()  # indexes in `said` at which a clause may begin
    narrowing: frozenset[int] = frozenset()  # … and at which one begins that narrows
    signs: tuple[tuple[int, str], ...] = ()  # "+", "or", MAY, … with the index of their word


def spans(text: str) -> list[tuple[int, int]]:
    """Where each statement of `text` begins and ends, list markers and white space left out."""
    found: list[tuple[int, int]] = []
    for match in _SPAN.finditer(text):
        lead = _LEAD.match(text, match.start(), match.end())
        start = lead.end() if lead else match.start()
        inner = text[start : match.end()].strip()
        if inner:
            start = text.index(inner, start)
            found.append((start, start + len(inner)))
    return found


def statements(text: str, language: str) -> tuple[Statement, ...]:
    """The statements of `text`, in their order; those without a word of meaning are left out.

    `language` decides the stems: give one for all texts that are compared (`language_of`).
    """
    plain = unicodedata.normalize("NFKC", text)
    every = (_statement(plain[start:end], language) for start, end in spans(plain))
    return tuple(each for each in every if each.said)


def _statement(text: str, language: str) -> Statement:
    if not text.startswith(_FENCE):
        return _Reading(language).read(text)
    code = tuple(text.strip("`").split())
    return Statement(
        code, code, frozenset(code), code, signs=((0, text),)
    )  # no letter of code may differ


def environments(text: str) -> frozenset[str]:
    """The environments that `text` names: texts that name different ones are about two things."""
    return frozenset(_ENVIRONMENT.findall(unicodedata.normalize("NFKC", text).casefold()))


def language_of(text: str) -> str:
    """The language whose small words are the most frequent; English where there are none."""
    if re.search("[\u0400-\u04ff]", text):
        return "russian"
    said = [token["word"] for token in _TOKEN.finditer(text.casefold()) if token["word"]]
    return max(words.FILLERS, key=lambda name: sum(word in words.FILLERS[name] for word in said))


class _Reading:
    """A statement while it is read, word by word."""

    def __init__(self, language: str) -> None:
        import Stemmer  # noqa: PLC0415 - only when writing

        self._stem = Stemmer.Stemmer(language).stemWord
        self._language = language
        self._fillers = words.FILLERS[language]
        self._said: list[str] = []
        self._values: list[str] = []
        self._denied: list[int] = []
        self._joints: set[int] = set()
        self._narrowing: set[int] = set()
        self._signs: list[tuple[int, str]] = []
        self._cue_at = -1
        self._denials = 0  # negations whose word has not come yet
        self._bound = ""  # "≤" or "≥" whose number has not come yet
        self._before: list[str] = []  # the words so far but articles, "," for a stop
        self._unit_may_follow = False
        self._after = ""  # the word that follows

    def read(self, text: str) -> Statement:
        """The statement that `text` is."""
        tokens = list(_TOKEN.finditer(_marked(text)))
        for token, after in zip(tokens, [*tokens[1:], None], strict=False):
            self._after = after.group() if after else ""
            getattr(self, f"_take_{token.lastgroup}")(token.group())
        values = iter(self._values)
        subject = tuple(stem for stem in self._said if stem != VALUE)
        return Statement(
            tuple(self._said),
            subject,
            frozenset(subject),
            tuple(VALUE + next(values) if stem == VALUE else stem for stem in self._said),
            tuple(self._values),
            (*self._denied, *[ANYWHERE] * self._denials),
            self._cue_at,
            frozenset(self._joints),
            frozenset(self._narrowing),
            tuple(self._signs),
        )

    def _take_stop(self, sign: str) -> None:
        self._joints.add(len(self._said))
        self._before.append(",")
        self._unit_may_follow = False
        del sign

    def _take_bound(self, sign: str) -> None:
        self._bound = sign

    def _take_sign(self, sign: str) -> None:
        opens = len(self._said) in self._joints  # a clause, so it belongs to the word that follows
        self._signs.append((len(self._said) - (not opens), sign))

    def _take_denial(self, _: str) -> None:
        self._denials += 1

    def _take_cue(self, _: str) -> None:
        if self._cue_at < 0:
            self._cue_at = len(self._said)

    def _take_word(self, word: str) -> None:
        unit = self._unit_may_follow and word in words.UNITS
        self._unit_may_follow = False
        if unit:
            self._values[-1] += f" {words.UNITS[word]}"
        elif not self._is_number(word) and not self._steers(word):
            plain = word.isalpha()
            self._add(self._stem(word) if plain else word)
        if word not in words.ARTICLES:
            self._before.append(word)

    def _steers(self, word: str) -> bool:
        """Whether the word says nothing of its own, its effect on the statement noted."""
        if word in words.JOINING:
            self._joints.add(len(self._said))
        if word in words.NARROWING:
            self._narrowing.add(len(self._said))
        if word in words.NEGATIONS:
            self._denials += not (word in words.ECHOES and (self._denials or self._denied))
        elif word in words.PROHIBITIONS:
            self._denied.append(ANYWHERE)
        elif word in words.VALUE_WORDS and len(self._said) > 1:  # at the start it is the subject
            self._add_value(word)
        else:
            return self._is_small(word)
        return True

    def _is_small(self, word: str) -> bool:
        """Whether the word is a filler or a permission, its shade of meaning noted."""
        if word in words.PERMISSIONS:
            self._take_sign(MAY)
            return True
        if word in self._fillers and word in words.NUANCES:
            self._take_sign(words.NUANCES[word])
        return word in self._fillers

    def _is_number(self, word: str) -> bool:
        """Whether the word is a number, noted as a value or as part of a name ("level 2")."""
        number = _NUMBER.fullmatch(words.NUMBER_WORDS.get(word, word))
        if not number or (number[2] and number[2] not in words.UNITS):
            return False
        if self._names_a_thing(word) and not number[2]:
            self._add(word)
        else:
            thousands = self._language == "english" and _THOUSANDS.fullmatch(number[1])
            amount = number[1].replace(",", "") if thousands else number[1]
            self._add_value(f"{amount} {words.UNITS.get(number[2], '')}".strip())
            self._unit_may_follow = not number[2]
        return True

    def _names_a_thing(self, number: str) -> bool:
        """Whether the number tells things apart ("level 2", "customer 42 pays", a year)."""
        if not _NAME.fullmatch(number) or self._after in words.UNITS:
            return False
        before = self._before[-1] if self._before else ","
        opens = len(self._before) == 1 and before not in self._fillers and before < "\u3040"
        known = before in words.NUMBERED or before.endswith(words.NUMBERED_CHINESE)
        return opens or known or bool(_OWN_NAME.fullmatch(number))

    def _take_cjk(self, run: str) -> None:
        if self._unit_may_follow and (unit := _CHINESE_UNIT.match(run)):
            self._values[-1] += f" {words.UNITS[unit.group()]}"
            run = run[unit.end() :]
        self._unit_may_follow = False
        if _CHINESE_NARROWING.search(run):
            self._narrowing.add(len(self._said))
        for piece in _CHINESE_VALUE.split(run):
            if _CHINESE_VALUE.fullmatch(piece):
                self._add_value(piece)
            else:
                self._take_chinese(piece)
        self._before.append(run)

    def _take_chinese(self, piece: str) -> None:
        """Pairs of neighbouring signs stand for words, since none are marked off."""
        kept = ""
        denied: list[int] = []  # before which sign of `kept` a negation stood
        at = 0
        for match in _CHINESE.finditer(piece):
            kept += piece[at : match.start()] + (match["keep"] or "")
            at = match.end()
            if match["permission"]:
                self._take_sign(MAY)
            if match["denial"]:
                denied.append(len(kept))
        kept += piece[at:]
        pairs = [kept[start : start + 2] for start in range(len(kept) - 1)] or [kept]
        for start, pair in enumerate(filter(None, pairs)):
            self._denials += sum(start == min(place, len(pairs) - 1) for place in denied)
            self._add(pair)
        self._denials += 0 if kept else len(denied)

    def _add(self, stem: str) -> None:
        self._denied.extend([len(self._said)] * self._denials)
        self._denials = 0
        self._said.append(stem)

    def _add_value(self, value: str) -> None:
        self._said.append(VALUE)
        self._values.append(self._bound + value)
        self._bound = ""


def _marked(text: str) -> str:
    """`text` in small letters, with one sign in place of each steering phrase."""
    low = text.casefold().replace("ё", "е").replace(_CUE_MARK, " ").replace(_DENIAL_MARK, " ")
    low = low.replace("->", "→").replace("<=", "≤").replace(">=", "≥").replace("!=", "≠")
    low = _ONCE.sub("was", low)
    for sign, phrases in _BOUNDS.items():
        low = phrases.sub(sign, low)
    low = _NEGATIVE_CUE.sub(f" {_DENIAL_MARK}{_CUE_MARK} ", low)
    return _CUE.sub(f" {_CUE_MARK} ", low)
