"""Characters and markup that a person does not see but an agent reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from engram.core.scanning.finding import BLOCK, WARN, Span
from engram.core.scanning.views import invisible

_MESSAGES = {
    "hidden.tag": "invisible tag characters, which can spell out text that only an agent reads",
    "hidden.bidi": "direction controls that make text read differently from how it is stored",
    "hidden.zero_width": "zero-width characters inside the text",
    "hidden.variation_selector": "variation selectors that select nothing and can carry hidden text",
    "hidden.filler": "blank letters that look like nothing",
    "hidden.control": "control characters that a terminal would obey",
    "hidden.soft_hyphen": "soft hyphens, which are invisible inside a line",
    "hidden.markup": "text styled so that a reader does not see it",
}

_BIDI_MARKS = "\u061c\u200e\u200f"
_BIDI_ISOLATES = "\u2066\u2067\u2068\u2069"
_BIDI = _BIDI_MARKS + _BIDI_ISOLATES + "\u202a\u202b\u202c\u202d\u202e"
_JOINERS = "\u200c\u200d"
_FLAG = "\U0001f3f4"  # a black flag may carry the tag letters of a region
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")

# Scripts whose words are written together: a zero-width space marks where a line may break.
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u3040", "\u9fff"))
# Scripts whose letters change shape by a joiner: Arabic to N'Ko, Indic to Sinhala, Tibetan to
# Myanmar, Khmer, Mongolian.
_JOINING = (
    ("\u0600", "\u08ff"),
    ("\u0900", "\u0dff"),
    ("\u0f00", "\u109f"),
    ("\u1780", "\u18af"),
    ("\ufb50", "\ufdff"),
    ("\ufe70", "\ufefe"),
)

_NEAR = 400  # how far around a place its line is looked at
# Letters of Hebrew, Arabic and their neighbours; not digits, marks or signs of direction.
_RIGHT_TO_LEFT = re.compile(
    "[\u05be-\u05ff\u061d-\u065f\u066d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)

_STYLED = re.compile(
    r"<(\w{1,12})\s[^<>\n]{0,200}?style\s{0,3}=\s{0,3}[\"'][^\"'<>\n]{0,200}?"
    r"(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|opacity\s{0,3}:\s{0,3}0(?![.\d]*[1-9])"
    r"|font-size\s{0,3}:\s{0,3}0(?![.\d]*[1-9])|(?<![\w-])color\s{0,3}:\s{0,3}(?:white|#fff(?:fff)?|transparent)\b)"
    r"[^\"'<>\n]{0,200}[\"'][^<>\n]{0,200}>(?=\s{0,20}[^\s<])",
    re.IGNORECASE,
)


def hidden_spans(text: str) -> list[Span]:
    """Runs of hidden characters, and hidden markup, each run one span."""
    spans = [_span(kind, start, end) for kind, start, end in _runs(text)]
    styled = (element.span() for element in _STYLED.finditer(text))
    return spans + [_span("hidden.markup", *at) for at in styled if not _in_code(text, *at)]


def visible(text: str) -> str:
    """`text` with each hidden character written as its number (`<U+202E>`), for a preview."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    done = 0
    for _, start, end in _runs(text):
        shown.append(text[done:start])
        shown.extend(f"<U+{ord(letter):04X}>" for letter in text[start:end])
        done = end
    return "".join(shown) + text[done:]


def _span(kind: str, start: int, end: int) -> Span:
    severity = WARN if kind == "hidden.soft_hyphen" else BLOCK
    return Span(start, end, kind, _MESSAGES[kind], severity)


def _runs(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each run of hidden characters of one kind."""
    run: tuple[str, int, int] | None = None
    for place, kind in _hidden_characters(text):
        if run and run[0] == kind and run[2] == place:
            run = (kind, run[1], place + 1)
            continue
        if run:
            yield run
        run = (kind, place, place + 1)
    if run:
        yield run


def _hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return
    flags = {i for flag in _FLAG_TAGS.finditer(text) for i in range(*flag.span())}
    for place, letter in enumerate(text):
        if invisible(letter) and place not in flags and not _belongs(text, place, letter):
            yield place, _kind(letter)


def _kind(letter: str) -> str:
    if "\U000e0000" <= letter <= "\U000e007f":
        return "hidden.tag"
    if letter in _BIDI:
        return "hidden.bidi"
    if letter == "\u00ad":
        return "hidden.soft_hyphen"
    if category(letter) == "Cc":
        return "hidden.control"
    if category(letter) == "Mn":
        return "hidden.variation_selector"
    return "hidden.filler" if category(letter) == "Lo" else "hidden.zero_width"


def _belongs(text: str, place: int, letter: str) -> bool:
    """Whether an invisible character has honest work where it stands."""
    before = text[place - 1] if place else ""
    after = text[place + 1 : place + 2]
    if letter in _BIDI:
        return letter in _BIDI_MARKS + _BIDI_ISOLATES and _right_to_left(text, place)
    if letter in _JOINERS:
        return _within(before, _JOINING) or (letter == "\u200d" and _joins_pictures(text, place))
    if letter == "\u200b":
        return _within(before, _UNSPACED) or _within(after, _UNSPACED)
    if letter == "\ufeff":
        return place == 0
    if "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef":
        return _takes_variant(before, letter, after)
    # Signs of Arabic and other scripts that are "format" characters by name and yet drawn.
    return "\u0600" <= letter <= "\u08ff" or "\U000110bd" <= letter <= "\U0001343f"


def _joins_pictures(text: str, place: int) -> bool:
    before = text[max(0, place - 2) : place].removesuffix("\ufe0f")[-1:]
    return _pictographic(before) and _pictographic(text[place + 1 : place + 2])


def _pictographic(letter: str) -> bool:
    return letter != "" and category(letter) in {"So", "Sk"}


def _takes_variant(before: str, letter: str, after: str) -> bool:
    if before == "":
        return False
    if before in "0123456789#*":
        return letter == "\ufe0f" and after == "\u20e3"
    if letter > "\ufe0f":
        return _within(before, (("\u3400", "\u9fff"), ("\U00020000", "\U0003ffff")))
    return (category(before) in {"So", "Sk", "Sm", "Po", "Pd"} and before > "\u007f") or _within(
        before,
        (
            ("\u1800", "\u18af"),
            ("\u2190", "\u2bff"),
            ("\u3000", "\u9fff"),
            ("\uf900", "\ufaff"),
        ),
    )


def _right_to_left(text: str, place: int) -> bool:
    """Whether letters that run from right to left stand near in the same line."""
    near = max(0, place - _NEAR), place + _NEAR
    start = text.rfind("\n", near[0], place) + 1 or near[0]
    end = text.find("\n", place, near[1])
    return _RIGHT_TO_LEFT.search(text, start, end if end >= 0 else near[1]) is not None


def _within(letter: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= letter <= last for first, last in ranges)


def _in_code(text: str, start: int, end: int) -> bool:
    """Whether backticks in the same line make code of what stands from `start` to `end`."""
    line_start = text.rfind("\n", max(0, start - _NEAR), start) + 1 or max(0, start - _NEAR)
    line_end = text.find("\n", end, end + _NEAR)
    opened = text.count("`", line_start, start) % 2 == 1
    return opened and "`" in text[end : line_end if line_end >= 0 else end + _NEAR]
