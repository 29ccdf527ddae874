"""What a person or an agent wrote as memories to keep, read into candidates (DESIGN section 5)."""

from __future__ import annotations

import re
import unicodedata

from engram.core.candidate_lines import (
    FIELDS,
    LISTS,
    PROSE,
    TYPE_CALLED,
    Draft,
    choices,
    drafts_of,
    key_of,
    opens_candidate,
    shortened,
    whole,
    wrong,
)
from engram.core.classify import memory_type
from engram.errors import InvalidRequest
from engram.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 50  # candidates in one request: more cannot be judged by a person in one go

_IDS = ("depends_on", "parent", "update", "supersedes")
_NOTHING = ("", "-", "none", "n/a")
_CONFIDENCES = ("high", "medium", "low")


class Candidate(Record):
    """A suggested memory, parsed, not yet placed. A missing text is "", a missing list ()."""

    number: int  # from 1, in the order of writing
    type: str  # rule | skill | knowledge
    text: str
    context: str = ""
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    level: str = ""
    roles: tuple[str, ...] = ()
    update: str = ""  # id of the memory whose content the text replaces
    supersedes: str = ""  # id of the memory that stops being true
    parent: tuple[str, ...] = ()
    confidence: str = ""
    light: str = ""
    balanced: str = ""
    strict: str = ""
    line: int = 1  # where it starts in what was written, from 1
    type_detected: bool = False  # nobody named the type: it was guessed from the text
    repeats: int = 0  # number of the earlier candidate that says exactly the same
    note: str = ""  # what a person added when asked


def read_candidates(
    text: str, *, default_type: str = "", roles: tuple[str, ...] = ()
) -> tuple[Candidate, ...]:
    """The candidates of `text`, in their order, none dropped.

    `default_type` and `roles` hold where a candidate names none. Raises InvalidRequest (code
    "candidate.…", details `line` and `field`) where a candidate cannot be what was meant.
    """
    drafts = drafts_of(text)
    if not drafts:
        raise InvalidRequest(
            "candidate.empty",
            "There is nothing to remember: the text is empty.",
            hint="Write one candidate a line: TYPE: rule | TEXT: what to remember",
        )
    if len(drafts) > MOST:
        raise InvalidRequest(
            "candidate.too_many",
            f"Line {drafts[MOST].line} starts candidate {MOST + 1}; one request takes {MOST}.",
            hint="Send the rest in another request. Nothing was kept of this one.",
            line=drafts[MOST].line,
        )
    found = [_candidate(draft, n, default_type, roles) for n, draft in enumerate(drafts, 1)]
    return _with_repeats(found)


def single(text: str, *, type: str = "", roles: tuple[str, ...] = ()) -> Candidate:
    """One candidate of the whole `text`, whatever lines it has, as `engram save` takes it.

    A text that is itself a candidate line (it opens with TYPE or TEXT) is read as one.
    Raises InvalidRequest: empty text, or lines of several candidates.
    """
    if opens_candidate(text):
        several = read_candidates(text, default_type=type, roles=roles)
        if len(several) > 1:
            raise InvalidRequest(
                "candidate.several",
                f"This holds {len(several)} candidates; one was expected.",
                hint="Use save-session (engram_save_session) for several.",
                line=several[1].line,
            )
        return several[0]
    return _candidate(whole(text), 1, type, roles)


def _candidate(draft: Draft, number: int, default_type: str, roles: tuple[str, ...]) -> Candidate:
    text = draft.said.get("text", "").strip()
    if not text:
        raise wrong(
            "empty",
            draft.line,
            "text",
            "has no text to remember",
            "Write it after TEXT: — TYPE: rule | TEXT: what to remember",
        )
    given = _type(draft) or default_type
    fields = {field: _read(draft, field) for field in FIELDS if field not in ("type", "text")}
    if fields["update"] and fields["supersedes"]:
        raise wrong(
            "two_targets",
            max(draft.lines["update"], draft.lines["supersedes"]),
            "supersedes",
            "names both UPDATE and SUPERSEDES",
            "UPDATE rewrites that memory, SUPERSEDES archives it for the new one: keep one.",
        )
    fields["roles"] = fields["roles"] or roles
    return Candidate(
        number,
        given or memory_type(text),
        text,
        line=draft.line,
        type_detected=not given,
        **fields,
    )


def _type(draft: Draft) -> str:
    said = draft.said.get("type", "").strip(" \t[]*`\"'.")
    if said.casefold() in _NOTHING:
        return ""
    named = TYPE_CALLED.get(key_of(said))
    if named is None:
        raise wrong(
            "unknown_type",
            draft.lines["type"],
            "type",
            f"has the TYPE {shortened(said)}, which does not exist",
            choices(said, ("rule", "skill", "workflow", "knowledge")),
        )
    return named


def _read(draft: Draft, field: str) -> Any:
    """What the candidate says of `field`, in the form that its record holds."""
    said = draft.said.get(field, "").strip()
    if field in LISTS:
        return _list(said, ids=field in _IDS)
    if field in PROSE:
        return said
    if said.casefold() in _NOTHING:
        return ""
    if field in _IDS:
        return _one_id(draft, field, said)
    if field == "confidence" and said.casefold() not in _CONFIDENCES:
        raise wrong(
            "unknown_confidence",
            draft.lines[field],
            field,
            f"has the CONFIDENCE {shortened(said)}, which does not exist",
            choices(said, _CONFIDENCES),
        )
    return said.casefold() if field == "confidence" else said


def _one_id(draft: Draft, field: str, said: str) -> str:
    ids = _list(said, ids=True)
    if len(ids) != 1 or any(letter.isspace() for letter in ids[0]):
        raise wrong(
            "not_an_id",
            draft.lines[field],
            field,
            f"has {field.upper()}: {shortened(said)}, which is not the id of one memory",
            "Look it up with `engram search`; in a text that opens so, put TEXT: before it.",
        )
    return ids[0]


def _list(said: str, *, ids: bool) -> tuple[str, ...]:
    """The parts of a list with commas, each once, without brackets, quotes or "#"."""
    parts: dict[str, str] = {}
    for part in re.split(r"[,\uff0c、;\uff1b\n]", said.strip().strip("[]")):
        clean = part.strip(" \t[]`\"'“”").removeprefix("#")
        if ids:  # a memory may be named by its file
            clean = clean.rpartition("/")[2].removesuffix(".md")
        if clean.casefold() not in _NOTHING:
            parts.setdefault(clean.casefold(), clean)
    return tuple(parts.values())


def _with_repeats(found: list[Candidate]) -> tuple[Candidate, ...]:
    """The candidates, each that says what an earlier one says marked with that one's number."""
    first: dict[object, int] = {}
    marked: list[Candidate] = []
    for each in found:
        said = (each.type, same_text(each.text), each.update, each.supersedes)
        earlier = first.setdefault(said, each.number)
        marked.append(each if earlier == each.number else replace(each, repeats=earlier))
    return tuple(marked)


def same_text(text: str) -> str:
    """`text` without what makes no difference: case, width, white space, a final full stop."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split()).rstrip(".!。\uff01 ")
