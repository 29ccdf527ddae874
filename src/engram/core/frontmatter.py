"""Markdown text to memory and back; what a person wrote survives an edit byte for byte."""

from __future__ import annotations

from engram.core import body as bodies
from engram.core.memory import FOLDERS, SCOPES, TYPES, Memory
from engram.core.parts import BOM, FENCE, Parts, take_apart, unified
from engram.core.parts import body_of as body_of  # noqa: PLC0414 - `parse`'s, without its cost
from engram.core.yaml_lines import Malformed as Malformed  # noqa: PLC0414 - raised by `parse`
from engram.core.yaml_lines import YamlEntry, read_entries
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TEXT, DATE, WHOLE, LIST, CHOICE = "text", "date", "whole number", "list", "choice"


class Field(Record):
    """A field of the front matter: its name in the file, the memory's attribute, what it holds."""

    name: str
    attribute: str
    kind: str = TEXT
    choices: tuple[str, ...] = ()


FIELDS = (
    Field("author_email", "author_email"),
    Field("author_name", "author_name"),
    Field("authority", "authority", CHOICE, ("instruction", "reference", "evidence")),
    Field("confidence", "confidence", CHOICE, ("high", "medium", "low")),
    Field("created", "created", DATE),
    Field("depends_on", "depends_on", LIST),
    Field("id", "id"),
    Field("last_confirmed", "last_confirmed", DATE),
    Field("level", "level"),
    Field("lifecycle", "lifecycle", CHOICE, ("active", "review_due", "superseded", "archived")),
    Field("objective", "objective"),
    Field("parent", "parent", LIST),
    Field("revision", "revision", WHOLE),
    Field("role", "roles", LIST),
    Field("schema_version", "schema_version", WHOLE),
    Field("scope", "scope", CHOICE, SCOPES),
    Field("source", "source"),
    Field("superseded_by", "superseded_by", LIST),
    Field("supersedes", "supersedes", LIST),
    Field("tags", "tags", LIST),
    Field("task_types", "task_types", LIST),
    Field("tier", "tier", CHOICE, ("durable", "working")),
    Field("triggers", "triggers", LIST),
    Field("type", "type", CHOICE, TYPES),
    Field("updated", "updated", DATE),
    Field("valid_from", "valid_from", DATE),
    Field("valid_until", "valid_until", DATE),
)
_BY_NAME = {field.name: field for field in FIELDS}
# What a memory can do without: a wrong value is passed over and does not keep it from loading.
_DECORATIVE = frozenset(
    (
        *("author_email", "author_name", "authority", "created", "id", "last_confirmed", "level"),
        *("scope", "source", "updated", "valid_from", "schema_version"),
    )
)
_OTHER_NAMES = {
    "roles": "role",
    "author": "author_email",
    "depth": "level",
    "dependency_depth": "level",
}
_TYPE_OF = {folder: type_ for type_, folder in FOLDERS.items()}
_UNSAID = {
    "confidence": "medium",
    "lifecycle": "active",
    "tier": "durable",
}


def parse(text: str, *, id: str, folder: str = "", scope: str = "workspace") -> Memory:
    """The memory in a file's text; its id is the file's stem, whatever the front matter says.

    `folder` names the type where the front matter does not ("rules", or a path with it in). Line
    ends, a byte-order mark and a missing final newline make no difference. Raises Malformed.
    """
    parts = take_apart(text)
    if not parts.fence and _is_left_open(parts.body):
        raise Malformed(
            1, "The front matter that begins here never ends.", f"Close it with a line “{FENCE}”."
        )
    entries = read_entries([line.rstrip("\r\n") for line in parts.front], parts.first)
    values = _values(entries, parts.first)
    below = unified(parts.body)
    kind = values.pop("type", "") or _type_in(folder)
    if not kind:
        raise Malformed(
            1, "The memory has no type.", f"Add a line “type: {' | '.join(TYPES)}” at its top."
        )
    for name in ("id", "scope"):
        values.pop(name, None)
    values.setdefault("schema_version", 1 if bodies.section(below, "Example") else 2)
    title = bodies.title_of(below) or id
    return Memory(id=id, type=kind, title=title, body=below, scope=scope, **values)


def render(memory: Memory) -> str:
    """The text of a new memory's file: schema v3, the fields in alphabetical order."""
    lines = [
        f"{field.name}: {_rendered(value)}\n"
        for field in FIELDS
        if (value := _told(memory, field)) is not None
    ]
    return f"{FENCE}\n{''.join(lines)}{FENCE}\n\n{memory.body.lstrip(chr(10))}"


def edit(text: str, changes: Mapping[str, object]) -> str:
    """The text with some fields changed, added or (None) removed; every other byte stays.

    A field that holds the value already stays as it is written, and a changed one keeps its line's
    comment; a new field goes to the end of the front matter, which is made where there is none.
    Raises Malformed.
    """
    parts = take_apart(text)
    lines = list(parts.front)
    end = _line_end(text)
    entries = read_entries([line.rstrip("\r\n") for line in lines], parts.first)
    by_name: dict[str, list[YamlEntry]] = {}
    for entry in _by_rank(entries):
        by_name.setdefault(_OTHER_NAMES.get(entry.key, entry.key), []).append(entry)
    added = []
    replaced: list[tuple[int, int, list[str]]] = []
    for name, value in changes.items():
        there = by_name.get(_OTHER_NAMES.get(name, name), [])
        if value is None:
            replaced += [(entry.start, entry.end, []) for entry in there]
        elif not there:
            added.append(f"{name}: {_rendered(value)}{end}")
        elif not _holds(there[0], name, value):
            replaced.append((there[0].start, there[0].end, [_line(there[0], value, lines)]))
    for start, stop, new in sorted(replaced, reverse=True):
        lines[start:stop] = new
    if parts.fence:
        return parts.head + "".join(lines + added) + parts.fence + parts.body
    bom = BOM if text.startswith(BOM) else ""
    front = f"{bom}{FENCE}{end}{''.join(added)}{FENCE}{end}{end}"
    return front + parts.body if added else text


def with_body(parts: Parts, body: str) -> str:
    """The text of a file with another body (line feeds alone), in the line ends that it has."""
    old = unified(parts.body)
    if body == old:
        return parts.head + "".join(parts.front) + parts.fence + parts.body
    if "\r\n" in parts.body:
        body = body.replace("\n", "\r\n")
    return parts.head + "".join(parts.front) + parts.fence + body


def _is_left_open(body: str) -> bool:
    """Whether a text begins with front matter that no second fence ends."""
    lines = [line for line in unified(body).split("\n") if line.strip()]
    key = lines[1].partition(":")[0] if len(lines) > 1 and lines[0].rstrip() == FENCE else ""
    return _OTHER_NAMES.get(key, key) in _BY_NAME


def _line_end(text: str) -> str:
    first = text.find("\n")
    if first < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if first and text[first - 1] == "\r" else "\n"


def _line(entry: YamlEntry, value: object, lines: list[str]) -> str:
    last = lines[entry.end - 1]
    end = last[len(last.rstrip("\r\n")) :]
    head = lines[entry.start]
    key = head.partition(":")[0] if head[0] in "\"'" else entry.key
    return f"{key}: {_rendered(value)}{entry.comment}{end}"


def _by_rank(entries: tuple[YamlEntry, ...]) -> list[YamlEntry]:
    """The entries with each field's own name before the other names that it goes by."""
    return sorted(entries, key=lambda entry: entry.key in _OTHER_NAMES)


def _holds(entry: YamlEntry, name: str, value: object) -> bool:
    """Whether the entry says this value already, in whatever shape."""
    field = _BY_NAME.get(_OTHER_NAMES.get(name, name))
    if field is None or entry.value is None:
        return entry.value == value
    said = _read(field, entry.value)
    if field.kind == LIST:
        return said == _list(list(value) if isinstance(value, tuple) else value)
    return said is not None and str(said) == str(value)


def _type_in(folder: str) -> str:
    return next((_TYPE_OF[part] for part in folder.split("/") if part in _TYPE_OF), "")


def _values(entries: tuple[YamlEntry, ...], first: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for entry in _by_rank(entries):
        field = _BY_NAME.get(_OTHER_NAMES.get(entry.key, entry.key))
        if field is None or entry.value in (None, "") or field.attribute in values:
            continue
        read = _read(field, entry.value)
        if read is not None:
            values[field.attribute] = read
        elif field.name not in _DECORATIVE:
            raise Malformed(
                entry.start + first,
                f"“{entry.key}” holds what it cannot: {_expected(field)} is wanted.",
            )
    return values


def _read(field: Field, value: object) -> object:
    """The value of a field, or None when it is not one that the field takes."""
    if field.kind == LIST:
        return _list(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if field.kind == WHOLE:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    if field.kind == CHOICE:
        return text.lower() if text.lower() in field.choices else None
    if field.kind == DATE:
        return text if _is_date(text) else None
    return value


def _list(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = value.strip().removeprefix("[").removesuffix("]").split(",")
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(dict.fromkeys(item.strip() for item in value if item.strip()))


def _is_date(text: str) -> bool:
    """Whether this begins as an ISO date, 2026-01-31; a time may follow."""
    year, month, day = text[:4], text[5:7], text[8:10]
    digits = year + month + day
    is_number = digits.isascii() and digits.isdigit() and len(digits) == 8
    return is_number and text[4:5] == text[7:8] == "-"


def _expected(field: Field) -> str:
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    return f"a {field.kind}" + (" such as 2026-01-31" if field.kind == DATE else "")


def _told(memory: Memory, field: Field) -> object:
    """What a new file says of a field; None where it goes without saying."""
    value = getattr(memory, field.attribute)
    if field.name == "schema_version":
        return 3
    if value in ("", ()) or _UNSAID.get(field.name) == value:
        return None if field.name != "confidence" else value
    return value


def _rendered(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_quoted(str(item)) for item in value)}]"
    return str(value) if isinstance(value, int) else _quoted(str(value))


def _quoted(text: str) -> str:
    """A text as YAML: plain where no reader can take it for anything else, else as JSON quotes it."""
    plain = text.isascii() and not text.strip(_PLAIN) and text[:1] not in "-:@" and text[-1:] != ":"
    if text and plain and not _means_something(text):
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(_escaped(letter) for letter in quoted)}"'


_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./@+:-"
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"))


def _means_something(text: str) -> bool:
    """Whether YAML or JSON readers take the text for a number, a date-like or a word of theirs."""
    lowered = text.lower()
    is_date = _is_date(text) and len(text) == 10
    number = text[0].isdigit() or text[0] in "+."
    return lowered in _WORDS or (number and not is_date)


def _escaped(letter: str) -> str:
    code = ord(letter)
    if code in (0x0A, 0x0D, 0x09):
        return {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}[code]
    if letter.isprintable():
        return letter
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
