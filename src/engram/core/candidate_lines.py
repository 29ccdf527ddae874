"""Lines cut into candidate drafts: which words belong to which field of which candidate.

The syntax is `TYPE: rule | TEXT: … | TRIGGERS: a, b`, one candidate a line, or the same fields
on lines of their own; lines without a field belong to the candidate above.
"""

from __future__ import annotations

import re
import unicodedata

from engram.errors import InvalidRequest
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Each field with the names it may be called by. Case, "-" and " " for "_" do not matter.
FIELDS = {
    "type": ("type", "kind", "memory_type"),
    "text": ("text", "memory", "summary", "content"),
    "context": ("context", "why", "rationale", "origin"),
    "triggers": ("triggers", "trigger", "retrieve_when", "use_for", "retrieval_hints"),
    "tags": ("tags", "tag", "labels"),
    "depends_on": ("depends_on", "depends", "dependency", "dependencies", "prerequisites"),
    "level": ("level", "depth", "dependency_depth"),
    "roles": ("role", "roles"),
    "update": ("update", "update_id", "merge_with", "existing"),
    "supersedes": ("supersedes", "supersede", "replaces"),
    "parent": ("parent", "parent_ids", "children", "child_ids"),
    "confidence": ("confidence",),
    "light": ("light",),
    "balanced": ("balanced",),
    "strict": ("strict",),
}
_FIELD_CALLED = {name: field for field, names in FIELDS.items() for name in names}
TYPE_CALLED = {
    "rule": "rule",
    "rules": "rule",
    "skill": "skill",
    "skills": "skill",
    "workflow": "skill",
    "workflows": "skill",
    "knowledge": "knowledge",
}
LISTS = ("triggers", "tags", "depends_on", "roles", "parent")
PROSE = ("text", "context", "light", "balanced", "strict")
_NEAR = 0.8  # how alike a misspelt field name must be to be taken for one

_NAME = r"(?P<name>[^\W\d_][\w\- ]{0,28}?)"
_COLON = r"\*{0,2}\s*[:\uff1a](?!//)\*{0,2}(?=(?P<tight>\S?))"
_MARKER = r"(?P<marker>(?:(?:[-*+•>|\uff5c](?!\*)|\(?\d{1,3}[.)、]|\[[ xX\d]{0,3}\])\s*)*)"
_AT_START = re.compile(rf"\s*{_MARKER}\*{{0,2}}{_NAME}{_COLON}")
_AFTER_BAR = re.compile(rf"(?:\s\|(?=\s)|\uff5c)\s*\*{{0,2}}{_NAME}{_COLON}")
_ESCAPE = re.compile(rf"(?<=\s)\\(?=[|\uff5c]\s*{_NAME}{_COLON})")
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")


class _Piece(Record):
    """A stretch of a line: the field it belongs to ("" for none), what it says, where."""

    field: str
    value: str
    line: int
    name: str = ""  # the field's name as it was written


class Draft:
    """A candidate while its lines are read: what each field says, and where it began."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.said: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.bare = True  # no line of it opened a field
        self._open = "text"  # the field to which a line without a name belongs

    def put(self, piece: _Piece) -> None:
        """Take a piece; raises InvalidRequest where its field was given before."""
        if not piece.field:
            self._continue(piece)
            return
        self.bare = False
        if piece.field in self.said:
            raise wrong(
                "twice",
                piece.line,
                piece.field,
                f"gives {piece.field.upper()} a second time",
                "One candidate a line. To keep a bar inside the text write \\|",
            )
        self.said[piece.field] = piece.value
        self.lines[piece.field] = piece.line
        self._open = piece.field

    def _continue(self, piece: _Piece) -> None:
        ends_open = self._open in LISTS and self.said[self._open].rstrip().endswith(",")
        at = self._open if self._open in PROSE or ends_open else "text"
        if at in self.said:
            self.said[at] += f"\n{piece.value}"
        elif piece.value.strip():
            self.said[at] = piece.value
            self.lines[at] = piece.line


def drafts_of(text: str) -> list[Draft]:
    """The candidates of `text` as drafts, in their order; none for a text without words.

    Raises InvalidRequest: an unknown field, a field given twice, a heading over the candidates.
    """
    drafts = _drafts(_unwrapped(_split_lines(text)))
    _refuse_lead_in(drafts)
    return drafts


def whole(text: str) -> Draft:
    """A draft that holds all of `text`, whatever its lines look like."""
    draft = Draft(1)
    draft.put(_Piece("text", text, 1))
    return draft


def opens_candidate(text: str) -> bool:
    """Whether the first words are TYPE: or TEXT:, so that fields are meant."""
    opening = _AT_START.match(text)
    return opening is not None and key_of(opening["name"]) in ("type", "text")


def _split_lines(text: str) -> list[tuple[int, str]]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return list(enumerate(text.split("\n"), 1))


def _unwrapped(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without the code fence that agents like to put around all the lines."""
    said = [each for each in lines if each[1].strip()]
    fences = [bool(_FENCE.fullmatch(line)) for _, line in said]
    if len(said) > 2 and fences[0] and fences[-1] and sum(fences) == 2:
        return said[1:-1]
    return lines


def _fenced(lines: list[tuple[int, str]]) -> set[int]:
    """Numbers of the lines in closed code fences; an unclosed one must not swallow the rest."""
    fences = [number for number, line in lines if _FENCE.match(line)]
    inside: set[int] = set()
    for first, last in zip(fences[::2], fences[1::2], strict=False):
        inside.update(range(first, last + 1))
    return inside


def _drafts(lines: list[tuple[int, str]]) -> list[Draft]:
    drafts: list[Draft] = []
    fenced = _fenced(lines)
    for number, line in lines:
        pieces = [_Piece("", line, number)] if number in fenced else _pieces(line, number)
        if drafts and _is_prose(pieces[0], drafts[-1]):
            pieces = [_Piece("", line, number)]
        if not drafts and not line.strip():
            continue
        if not drafts or _starts_another(pieces[0], drafts[-1]):
            drafts.append(Draft(number))
        for piece in pieces:
            drafts[-1].put(piece)
    return drafts


def _starts_another(first: _Piece, draft: Draft) -> bool:
    return first.field == "type" or (first.field == "text" and "text" in draft.said)


def _is_prose(first: _Piece, draft: Draft) -> bool:
    """Whether a "Summary: …" below a text that is already there is a line of it and no field."""
    alias = first.field == "text" and first.name.casefold() != "text"
    return alias and not first.name.isupper() and "text" in draft.said


def _pieces(line: str, number: int) -> list[_Piece]:
    """The line cut into its fields; what stands before the first of them has the field ""."""
    opening = _AT_START.match(line)
    field = _field_at_start(opening, number) if opening else ""
    cuts = [(field, opening["name"], 0, opening.end())] if opening and field else [("", "", 0, 0)]
    lower = bool(opening and field and opening["name"].islower())
    for bar in _AFTER_BAR.finditer(line, cuts[0][3]):
        if line.count("`", cuts[-1][3], bar.start()) % 2:
            continue  # inside a code span
        known = _field_after_bar(bar, number, opened=bool(field), lower=lower)
        if known:
            cuts.append((known, bar["name"], bar.start(), bar.end()))
    ends = [*(cut[2] for cut in cuts[1:]), _end(line) if field else len(line)]
    pieces = [
        _Piece(f, _ESCAPE.sub("", line[at:end]), number, name)
        for (f, name, _, at), end in zip(cuts, ends, strict=True)
    ]
    shorthand = TYPE_CALLED.get(key_of(pieces[0].name))
    if shorthand:  # "rule: text"
        pieces.insert(0, _Piece("type", shorthand, number, pieces[0].name))
    return pieces


def _end(line: str) -> int:
    """Where the words of a line of fields end: before the bar that closes it, if one does."""
    words = line.rstrip()
    return len(words) - 1 if words.endswith((" |", "\t|", "\uff5c")) else len(line)


def key_of(name: str) -> str:
    """`name` as the tables spell it: case, width, "-" and " " for "_" do not matter."""
    plain = unicodedata.normalize("NFKC", name).strip().casefold()
    return plain.replace("-", "_").replace(" ", "_")


def _field_at_start(opening: re.Match[str], number: int) -> str:
    """The field that a line opens, or "" for a line of text."""
    name, key = opening["name"], key_of(opening["name"])
    if key in TYPE_CALLED:
        return "text"
    field = _FIELD_CALLED.get(key, "")
    if not field and name.isupper() and _near(key):
        raise _unknown(name, number)
    if opening["marker"].strip() and field not in ("type", "text") and not name.isupper():
        return ""  # an item of a list that happens to open with such a word
    return field


def _field_after_bar(bar: re.Match[str], number: int, *, opened: bool, lower: bool) -> str:
    """The field that a bar opens, or "" for a bar that belongs to the text.

    `opened`: the line opens with a field; `lower`: in small letters.
    """
    name, key = bar["name"], key_of(bar["name"])
    if key in _FIELD_CALLED:
        return _FIELD_CALLED[key] if opened or name.isupper() else ""
    one_word = "_" not in key and not bar["tight"]
    capital = name.isupper() or (one_word and (lower or not name.islower()))
    if (opened and capital) or ((opened or name.isupper()) and _near(key)):
        raise _unknown(name, number)
    return ""


def _near(key: str) -> str:
    return closest(key, _FIELD_CALLED, _NEAR)


def closest(word: str, known: Iterable[str], alike: float) -> str:
    """The one of `known` that is spelt most like `word` (from 0 to 1, at least `alike`), or ""."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=alike)), "")


def _unknown(name: str, number: int) -> InvalidRequest:
    close = closest(key_of(name), _FIELD_CALLED, 0.6)
    known = ", ".join(field.upper() for field in FIELDS)
    meant = f"Did you mean {close.upper()}?" if close else f"Fields: {known}."
    return wrong(
        "unknown_field",
        number,
        name,
        f"has a field {name} that does not exist",
        f"{meant} To keep a bar inside the text write \\|",
    )


def wrong(kind: str, line: int, field: str, what: str, hint: str) -> InvalidRequest:
    """The error of a candidate that cannot be meant as it stands; `what` follows "Line 3"."""
    return InvalidRequest(
        f"candidate.{kind}", f"Line {line} {what}.", hint=hint, line=line, field=field.lower()
    )


def _refuse_lead_in(drafts: list[Draft]) -> None:
    """Refuse "Candidates:" over the lines: it is nobody's memory, and must not go silently."""
    if len(drafts) < 2 or not drafts[0].bare:
        return
    first = drafts[0]
    text = first.said["text"].strip()
    if text.startswith("#") or text.endswith((":", "\uff1a")):
        raise wrong(
            "lead_in",
            first.line,
            "text",
            f"leads in to the candidates but is none: {shortened(text)}",
            "Leave it out, or start it with TYPE: if it is a memory.",
        )


def choices(said: str, known: tuple[str, ...]) -> str:
    """A hint for a value that is not one of `known`."""
    close = closest(said.casefold(), known, 0.6)
    return f"Did you mean {close}?" if close else f"It is one of: {', '.join(known)}."


def shortened(text: str) -> str:
    """The beginning of what somebody wrote, in quotation marks, for a message."""
    line = " ".join(text.split())
    return f"“{line[:40]}…”" if len(line) > 40 else f"“{line}”"
