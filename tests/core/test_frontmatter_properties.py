"""What holds of every memory file: round trips, edits that touch one line, agreement with PyYAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from engram.core.frontmatter import FIELDS, Field, Malformed, edit, parse, render
from engram.core.memory import SCOPES, TYPES, Memory
from engram.core.parts import take_apart, unified
from tests.support.builders import a_memory

BY_NAME = {field.name: field for field in FIELDS}
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
WORDS = st.text("abcÄéжя数据 -_.:/@#'\"[]{},&*!|>%`\\~?=0123", min_size=1, max_size=14)
DAYS = st.dates().map(lambda day: f"{day.year:04}-{day.month:02}-{day.day:02}")
ITEMS = st.lists(st.one_of(TEXTS, WORDS).map(str.strip).filter(bool), max_size=4, unique=True)


def values_of(field: Field) -> st.SearchStrategy[Any]:
    if field.kind == "list":
        return ITEMS.map(tuple)
    if field.kind == "date":
        return DAYS
    if field.kind == "whole number":
        return st.integers(1, 999_999_999)
    if field.choices:
        return st.sampled_from(field.choices)
    return st.one_of(TEXTS, WORDS)


FILED = [each for each in FIELDS if each.name not in ("id", "schema_version", "scope")]
MEMORIES = st.builds(
    lambda scope, values: a_memory(scope=scope, **values),
    st.sampled_from(SCOPES),
    st.fixed_dictionaries({}, optional={each.attribute: values_of(each) for each in FILED}),
)


def fields_of(memory: Memory) -> dict[str, object]:
    return {field.name: getattr(memory, field.attribute) for field in FIELDS}


# Round trips


@given(MEMORIES)
def test_what_is_written_is_read_back_field_by_field(memory: Memory) -> None:
    back = parse(render(memory), id=memory.id, scope=memory.scope)
    assert fields_of(back) == fields_of(memory)
    assert (back.title, back.body.lstrip("\n")) == (memory.title, memory.body)


@given(MEMORIES)
def test_a_yaml_library_reads_what_is_written_as_meant(memory: Memory) -> None:
    front = "".join(take_apart(render(memory)).front)
    said = yaml.safe_load(front)
    for name, value in fields_of(memory).items():
        if name in said:
            wanted = list(value) if isinstance(value, tuple) else value
            got = str(said[name]) if BY_NAME[name].kind == "date" else said[name]
            assert got == wanted


@given(MEMORIES)
def test_writing_what_was_read_gives_the_same_file(memory: Memory) -> None:
    text = render(memory)
    assert render(parse(text, id=memory.id, scope=memory.scope)) == text


# Files by a person's hand


def spelled(draw: st.DrawFn, name: str, value: object) -> list[str]:
    """A field as somebody might write it; the first line begins with its key."""
    comment = draw(st.sampled_from(["", "", " # why", "   #  [x] 'y"]))
    blank = draw(st.sampled_from([" ", "   "]))
    if not isinstance(value, tuple):
        return [f"{name}:{blank}{scalar(draw, str(value))}{comment}"]
    items = [scalar(draw, item) for item in value]
    shape = draw(st.sampled_from(["block", "inline", "lines"]))
    if shape == "block" and items:
        indent = " " * draw(st.integers(0, 5))
        between = draw(st.sampled_from([[], [""], [f"{indent}# between"], ["# at the left"]]))
        lines = [f"{name}:{comment}"]
        for item in items:
            lines += [f"{indent}- {item}", *between]
        return lines[: len(lines) - len(between)]
    if shape == "lines" and items:
        return [
            f"{name}: [",
            *(f"    {item}," for item in items),
            draw(st.sampled_from(["  ]", "]"])),
        ]
    return [f"{name}: [{', '.join(items)}]{comment}"]


def scalar(draw: st.DrawFn, text: str) -> str:
    plain = text.replace("-", "").replace("/", "").isalnum() and text[0].isalnum()
    shapes = ["double", "single"] + ["plain"] * 3 * (plain and text.lower() != "null")
    shape = draw(st.sampled_from(shapes))
    if shape == "plain":
        return text
    if shape == "single":
        return "'" + text.replace("'", "''") + "'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


HAND_WORDS = st.text("abcÄéжя数据 -_.:/@#'\"[]{},&*!\\~?0123", min_size=1, max_size=14)
HAND_ITEMS = st.lists(HAND_WORDS.map(str.strip).filter(bool), max_size=3, unique=True).map(tuple)


def by_hand(field: Field) -> st.SearchStrategy[Any]:
    if field.kind == "list":
        return HAND_ITEMS
    return values_of(field) if field.choices or field.kind != "text" else HAND_WORDS


UNKNOWN = st.sampled_from(
    [
        ["custom: {a: [1, 2]}"],
        ["мой_ключ: значение  # да"],
        ["note: |", "  # not a comment", "    deeper", "", "  end"],
        ["note: >-", " folded", " text"],
        ["owners:", "- a", "", "- b"],
        ["nested:", "    a: 1", "    b:", "      - c"],
        ["'quoted key': \"v # w\" # x"],
        ["a:b: 10:30"],
        ["two words: x"],
    ]
)
GAPS = st.sampled_from([[], [], [], [""], ["# a comment"], ["  # indented"], ["", "# c", ""]])


class ByHand:
    """A generated file: its text, the fields in it, and how each line ends."""

    def __init__(self, text: str, fields: dict[str, Any]) -> None:
        self.text = text
        self.fields = fields

    def __repr__(self) -> str:
        return f"ByHand({self.text!r}, {self.fields!r})"


@st.composite
def files(draw: st.DrawFn) -> ByHand:
    names = draw(st.lists(st.sampled_from(FILED), max_size=6, unique_by=lambda f: f.name))
    fields = {field.name: draw(by_hand(field)) for field in names}
    fields.setdefault("type", draw(st.sampled_from(TYPES)))
    groups = [spelled(draw, name, value) for name, value in fields.items()]
    unknown = draw(
        st.lists(UNKNOWN, max_size=3, unique_by=lambda lines: lines[0].partition(":")[0])
    )
    groups = draw(st.permutations(groups + unknown))
    lines = ["---"]
    for group in groups:
        lines += [*draw(GAPS), *group]
    body = ["", "# Title", "", "- Текст — text", "", "---", "last"]
    lines += [*draw(GAPS), draw(st.sampled_from(["---", "---  ", "..."])), *body]
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"]]))
    chosen = [draw(st.sampled_from(ends)) if len(ends) > 1 else ends[0] for _ in lines]
    if draw(st.booleans()):
        chosen[-1] = ""
    bom = draw(st.sampled_from(["", "\ufeff"]))
    text = bom + "".join(line + end for line, end in zip(lines, chosen, strict=True))
    return ByHand(text, fields)


def new_values() -> st.SearchStrategy[dict[str, Any]]:
    named = {field.name: values_of(field) for field in FILED}
    return st.fixed_dictionaries({}, optional=named).map(lambda d: dict(list(d.items())[:4]))


@given(files())
def test_a_file_by_hand_reads_as_it_was_meant(file: ByHand) -> None:
    memory = parse(file.text, id="x")
    for name, value in file.fields.items():
        got = getattr(memory, BY_NAME[name].attribute)
        assert got == (tuple(v.strip() for v in value) if isinstance(value, tuple) else value)
    assert memory.title == "Title"


@given(files())
def test_every_field_is_what_the_yaml_library_reads(file: ByHand) -> None:
    memory = parse(file.text, id="x")
    front = unified("".join(take_apart(file.text).front))
    said = yaml.load(front, Loader=yaml.BaseLoader)  # noqa: S506 - texts alone
    for name in file.fields:
        got = getattr(memory, BY_NAME[name].attribute)
        assert (list(got) if isinstance(got, tuple) else str(got)) == said[name]


@given(files())
def test_an_edit_to_the_values_there_are_changes_nothing(file: ByHand) -> None:
    assert edit(file.text, file.fields) == file.text
    memory = parse(file.text, id="x")
    read = {name: getattr(memory, BY_NAME[name].attribute) for name in file.fields}
    assert edit(file.text, read) == file.text


@given(files(), new_values())
def test_an_edit_says_what_it_should_and_leaves_the_other_fields(
    file: ByHand, changes: dict[str, Any]
) -> None:
    before, after = parse(file.text, id="x"), parse(edit(file.text, changes), id="x")
    assert fields_of(after) == fields_of(before) | changes
    assert after.body == before.body
    assert edit(edit(file.text, changes), changes) == edit(file.text, changes)


@given(files(), new_values(), st.booleans())
def test_an_edit_leaves_every_byte_outside_the_lines_of_its_fields(
    file: ByHand, changes: dict[str, Any], removing: bool
) -> None:
    """The file without the fields' own lines stays, sign by sign, in its order."""
    if removing:
        changes = dict.fromkeys(set(changes) - {"type"})
    edited = edit(file.text, changes)
    assert without(edited, changes) == without(file.text, changes)


def without(text: str, names: dict[str, Any]) -> str:
    """The text without the lines of these fields, found by PyYAML's own marks."""
    parts = take_apart(text)
    front = list(parts.front)
    node = yaml.compose(unified("".join(front)), Loader=yaml.SafeLoader)
    gone: set[int] = set()
    for key, value in node.value if node else ():
        if key.value in names:
            last = value.end_mark
            # A block list's mark stands where the next token does; its last item's does not.
            if isinstance(value, yaml.SequenceNode) and not value.flow_style:
                last = value.value[-1].end_mark
            gone |= set(range(key.start_mark.line, last.line + 1))
    kept = "".join(line for number, line in enumerate(front) if number not in gone)
    return parts.head + kept + parts.fence + parts.body


# Any text


FRONT_SIGNS = "-#:[]{}'\"\\ \t\n\r,abc&*!|>?%@`\ufeffд0~<=\x00\x07\x85\u2028"
PIECES = st.sampled_from(
    (
        *("tags: ", "source: ", "type: rule\n", "valid_until: ", "!!int ", "!!timestamp ", "- "),
        *("\n", "  ", "---\n", "...\n", "|\n", ">-\n", "[", "]", "{", "}", '"', "'", "\\u12"),
        *("# ", ": ", "&a ", "*a", "<<: ", "? ", "null", "2026-01-31", "x", "\r", "\r\n", "!x "),
    )
)


@given(
    st.one_of(
        st.text(max_size=60),
        st.text(FRONT_SIGNS, max_size=80),
        st.lists(PIECES, max_size=14).map("".join),
    ),
    st.sampled_from(
        ["{}", "---\n{}", "---\ntype: rule\n{}\n---\n\n# T\n", "\ufeff---\r\n{}\r\n---"]
    ),
    st.sampled_from(["", "rules"]),
)
@example('source: !!int ""', "---\ntype: rule\n{}\n---\n", "")
@example("source: !!timestamp x", "---\ntype: rule\n{}\n---\n", "")
def test_any_text_is_read_or_refused_with_a_line_of_the_file(
    inside: str, around: str, folder: str
) -> None:
    text = around.replace("{}", inside)
    try:
        memory = parse(text, id="x", folder=folder)
    except Malformed as refused:
        assert 1 <= refused.line <= max(1, unified(text).count("\n") + 1)  # noqa: PT017
        return
    edited = edit(text, {"revision": 7, "tags": ("a", "б: c"), "objective": None})
    again = parse(edited, id="x", folder=folder)
    assert (again.revision, again.tags, again.objective) == (7, ("a", "б: c"), "")
    assert fields_of(again) == fields_of(memory) | {
        "revision": 7,
        "tags": ("a", "б: c"),
        "objective": "",
    }


# Front matter as people and other tools write it

REAL = [
    "title: Deploy checklist\ntags: [deploy, production]\ncreated: 2026-03-01\n",
    "# written by hand\ntags:\n  - api\n  - http   # both\nauthor_name: Ana María López\n",
    'description: "Use when: the build fails"\nglobs: ["src/**/*.ts", "*.md"]\nalwaysApply: false\n',
    "description: >-\n  Folded over\n  two lines\nsource: manual\ntags: []\n",
    "name: code-review\nallowed-tools: Read, Grep, Bash(git diff:*)\nmodel: opus\ntags: [a]\n",
    "paths:\n- 'src/**'\n- \"tests/**\"\ntags: ['it''s', \"a, b\"]\n",
    "depends_on:\n    - use-pnpm\n    - 'никогда: так'\nrole: [backend, frontend]\n",
    "source: https://example.org/a?b=c#d  # where from\nobjective: ship 2.0 by 10:30\n",
    "tags: [task_type:deployment, ключи, 数据库]\nlevel: '2'\nrevision: 12\n",
    "author_name: 'O''Neil, \"Pat\"'\nauthor_email: pat.o'neil@example.org\n",
    "tags: [\n  a,\n  b # why\n]\nauthor_name: |-\n  Two\n  Lines\n",
    "metadata:\n  owner: {team: core, since: 2024}\n  links:\n    - a: b\ntriggers: [on push]\n",
    "valid_from: 2026-01-01\nvalid_until: null\nlast_confirmed: ~\nconfidence: high\n",
    "tags:\nsource:\nobjective: ''\n",
    'author_name: 山田 太郎\nobjective: "tab\\there, \\u0416 and \\\\"\n',
    "objective: a - b -- c\ntags: [-x, a-b, --flag]\n",
]


@pytest.mark.parametrize("front", REAL)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_of_real_shapes_reads_as_the_library_reads_it(front: str, end: str) -> None:
    said = yaml.safe_load(front)
    memory = parse(f"---\n{front}---\n\n# T\n".replace("\n", end), id="x", folder="rules")
    for name, value in said.items():
        field = BY_NAME.get(name)
        if field is not None:
            got = getattr(memory, field.attribute)
            if field.kind == "list":
                assert list(got) == ([str(each) for each in value] if value else [])
            else:
                assert str(got) == ("" if value is None else str(value))
    assert edit(front, {}) == front
