"""The Markdown body of a memory: its sections, a rule's variants, and what a briefing shows of it."""

from __future__ import annotations

from engram.core.memory import VARIANTS, Entry, Memory
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CONTENT = "Content"
ORIGIN = "Origin"
RULE_VARIANTS = "Rule Variants"
HUMAN_NOTE = "Human Note"
SUMMARY_LENGTH = 140
_TOLD_ALREADY = (CONTENT.casefold(), RULE_VARIANTS.casefold())
FALLBACKS = {  # where a variant is missing, the next one of its row is taken
    "light": ("light", "balanced", "strict"),
    "balanced": ("balanced", "light", "strict"),
    "strict": ("strict", "balanced", "light"),
}
LIGHT_PREFIX = "Advice, to be weighed against the task at hand: "
STRICT_PREFIX = "Without exception, until a person of the team says otherwise: "


class Section(Record):
    """A level-two heading and the text below it; the text before the first has the name ""."""

    name: str
    text: str  # blank lines at both ends taken off
    start: int  # offset of the heading in the body
    end: int


def sections(body: str) -> tuple[Section, ...]:
    """The sections of a body, in their order; headings inside fenced code are none."""
    starts = [(0, "")]
    starts += [(place, line[3:].strip()) for place, line in _headings(body) if line[:3] == "## "]
    ends = [place for place, _ in starts[1:]] + [len(body)]
    return tuple(
        Section(name, _below(body[start:end], name), start, end)
        for (start, name), end in zip(starts, ends, strict=True)
    )


def section(body: str, name: str) -> str:
    """The text of the first section of that name, any case; "" where there is none."""
    return _named(sections(body), name)


def _named(parts: Iterable[Section], name: str) -> str:
    """The text of the first of some sections that has a name, any case; "" where none has."""
    wanted = name.casefold()
    return next((each.text for each in parts if each.name.casefold() == wanted), "")


def content(body: str) -> str:
    """What the memory says: its content section, else all but the title."""
    return section(body, CONTENT) or _without_titles(body)


def title_of(body: str) -> str:
    """The first level-one heading, or ""."""
    return next((line[2:].strip() for _, line in _headings(body) if line[:2] == "# "), "")


def variants(body: str) -> dict[str, str]:
    """A rule's wordings by mode, those that it has."""
    return _wordings(section(body, RULE_VARIANTS))


def _wordings(text: str) -> dict[str, str]:
    """The wordings in the text of a section of variants."""
    found: dict[str, str] = {}
    places = [(place, line[4:].strip().casefold()) for place, line in _headings(text, "### ")]
    for number, (place, name) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(text)
        if name in VARIANTS and name not in found:
            found[name] = _below(text[place:end], name)
    return {name: told for name, told in found.items() if told}


def variant(body: str, mode: str) -> str:
    """A rule's text in a mode ("off" counts as balanced), with the nearest that it has."""
    return _worded(section(body, RULE_VARIANTS), mode) or content(body)


def _worded(text: str, mode: str) -> str:
    """The wording for a mode in the text of a section of variants; "" where there is none."""
    found = _wordings(text)
    row = FALLBACKS.get(mode, FALLBACKS["balanced"])
    return next((found[name] for name in row if name in found), "")


def summary(memory: Memory) -> str:
    """One line for a card, at most SUMMARY_LENGTH characters, without Markdown's signs."""
    plain = " ".join(_bare(line) for line in content(memory.body).split("\n") if line.strip())
    plain = " ".join(plain.split())
    return plain if len(plain) <= SUMMARY_LENGTH else plain[: SUMMARY_LENGTH - 1].rstrip() + "…"


def compact(entry: Entry, text: str, mode: str) -> str:
    """What a briefing shows of the body `text`: the title, what it says, its other sections.

    A rule is given in one wording: that of the active `mode`, else the balanced one.
    """
    parts = sections(text)
    said = _named(parts, CONTENT)
    whole = said or _without_titles(text)
    told = _worded(_named(parts, RULE_VARIANTS), mode) or whole if entry.type == "rule" else whole
    kept = [
        f"## {each.name}\n\n{each.text}"
        for each in parts
        if each.name and each.text and each.name.casefold() not in _TOLD_ALREADY
    ]
    if told == whole and not said:
        kept = []  # what is said is the whole body already
    return "\n\n".join([f"# {entry.title}", told, *kept]).strip() + "\n"


def new_body(
    type: str,
    text: str,
    context: str = "",
    given: Mapping[str, str] | None = None,
    note: str = "",
) -> str:
    """The body of a new memory: the text kept whole, its reason, and for a rule its variants."""
    from engram.core.titles import title_from  # noqa: PLC0415 - only a writer names a memory

    told = _as_list(text)
    parts = [f"# {title_from(text)}", f"## {CONTENT}", told]
    if context.strip():
        parts += [f"## {ORIGIN}", _safe(context.strip())]
    if type == "rule":
        parts += _variant_parts(told, given or {})
    if note.strip():
        parts += [f"## {HUMAN_NOTE}", _safe(note.strip())]
    return "\n\n".join(parts) + "\n"


def with_content(body: str, text: str, context: str = "", note: str = "") -> str:
    """The body with another content; wordings of the person's own and other sections stay.

    Variants that were made from the old content are made anew from the new one.
    """
    old = content(body)
    told = _as_list(text)
    changed = _with_section(body, CONTENT, told)
    own = {name: each for name, each in variants(body).items() if not _is_made(name, each, old)}
    if section(body, RULE_VARIANTS):
        parts = _variant_parts(told, own)[1:]
        changed = _with_section(changed, RULE_VARIANTS, "\n\n".join(parts))
    if context.strip():
        changed = _with_section(changed, ORIGIN, _safe(context.strip()))
    if note.strip():
        changed = _with_section(changed, HUMAN_NOTE, _safe(note.strip()))
    return changed


def _without_titles(body: str) -> str:
    rest, end = "", 0
    for place, line in _headings(body, "# "):
        rest += body[end:place]
        end = place + len(line) + 1
    return (rest + body[end:]).strip()


def _with_section(body: str, name: str, text: str) -> str:
    """The body with one section's text replaced, or the section added at the end."""
    for each in sections(body):
        if each.name.casefold() == name.casefold():
            heading = body[each.start : each.end].split("\n", 1)[0]
            tail = "\n" if each.end == len(body) else "\n\n"
            return f"{body[: each.start]}{heading}\n\n{text}{tail}{body[each.end :]}"
    return f"{body.rstrip()}\n\n## {name}\n\n{text}\n"


def _variant_parts(told: str, given: Mapping[str, str]) -> list[str]:
    made = {name: _made(name, told) for name in VARIANTS}
    made.update({name: _as_list(text) for name, text in given.items() if text.strip()})
    parts = [f"## {RULE_VARIANTS}"]
    for name in VARIANTS:
        parts += [f"### {name.capitalize()}", made[name]]
    return parts


def _made(name: str, told: str) -> str:
    """The wording of a mode that is made from the content."""
    prefix = {"light": LIGHT_PREFIX, "strict": STRICT_PREFIX}.get(name, "")
    if told[:2] in ("- ", "* "):
        return told[:2] + prefix + told[2:]
    if prefix and _fence_after("", told.partition("\n")[0]):
        return f"{prefix.rstrip()}\n\n{told}"
    return prefix + told


def _is_made(name: str, told: str, old: str) -> bool:
    """Whether a stored wording is no person's own: it ends with the old content, word for word."""
    return _words(told).endswith(_words(old)) or name == "balanced"


def _words(text: str) -> str:
    return " ".join(_bare(line) for line in text.split("\n")).strip()


def _as_list(text: str) -> str:
    """A text as the content of a memory: one line becomes a bullet, several stay as they are."""
    text = text.strip()
    if "\n" in text:
        return _safe(text)
    return text if text[:2] in ("- ", "* ") else f"- {text}"


def _safe(text: str) -> str:
    """The text as no section and no part of one but its own can be met.

    Its headings are lowered to level four, and code that it leaves open is closed.
    """
    lines = text.split("\n")
    for place, _ in _heading_lines(lines):
        mark = len(lines[place]) - len(lines[place].lstrip("#"))
        lines[place] = "#" * max(mark, 4) + lines[place][mark:]
    fence = _open_fence(lines)
    return "\n".join([*lines, fence] if fence else lines)


def _headings(text: str, mark: str = "#") -> Iterable[tuple[int, str]]:
    """Each heading line outside fenced code with its offset."""
    lines = text.split("\n")
    before, offset = 0, 0
    for number, line in _heading_lines(lines):
        offset += sum(map(len, lines[before:number])) + number - before
        before = number
        if line.startswith(mark):
            yield offset, line


_MAY_MARK = frozenset("#`~ ")  # how a heading or a fence begins


def _heading_lines(lines: list[str]) -> Iterable[tuple[int, str]]:
    """Each heading outside fenced code with its number."""
    fence = ""
    for number, line in enumerate(lines):
        if not fence and line[:1] not in _MAY_MARK:
            continue
        was, fence = fence, _fence_after(fence, line)
        if not (was or fence) and line.startswith("#") and line.lstrip("#")[:1] in (" ", ""):
            yield number, line


def _open_fence(lines: list[str]) -> str:
    """The fence of the code that is still open after the lines, or ""."""
    fence = ""
    for line in lines:
        fence = _fence_after(fence, line)
    return fence


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line where `fence` ("": none) was open before it."""
    stripped = line.strip()
    if fence:
        closes = len(stripped) >= len(fence) and not stripped.strip(fence[0])
        return "" if closes else fence
    if stripped[:3] not in ("```", "~~~"):
        return ""
    rest = stripped.lstrip(stripped[0])
    if stripped[0] == "`" and "`" in rest:
        return ""  # code within a line
    return stripped[: len(stripped) - len(rest)]


def _below(text: str, name: str) -> str:
    """The text of a section without its heading line."""
    if name:
        text = text.partition("\n")[2]
    return text.strip("\n").rstrip()


def _bare(line: str) -> str:
    """A line without the Markdown signs at its beginning and those of emphasis and code."""
    line = line.strip().lstrip("#>").strip()
    if line[:2] in ("- ", "* ", "+ "):
        line = line[2:]
    return line.replace("**", "").replace("`", "")
