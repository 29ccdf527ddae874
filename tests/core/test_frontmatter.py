"""Memory files: read in any ordinary shape, edited without touching what a person wrote."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engram.core.frontmatter import (
    Malformed,
    body_of,
    edit,
    parse,
    render,
    with_body,
)
from engram.core.memory import Memory
from engram.core.parts import take_apart, unified
from tests.support.builders import a_memory

PLAIN = "---\nid: x\ntype: rule\n---\n\n# Title\n\n- Text.\n"


def front(*lines: str, end: str = "\n") -> str:
    return end.join(["---", *lines, "---", "", "# Title", "", "- Text.", ""])


def read(*lines: str, folder: str = "rules") -> Memory:
    return parse(front(*lines), id="x", folder=folder)


# Reading


@pytest.mark.parametrize(
    ("line", "attribute", "value"),
    [
        ("tags: [a, b]", "tags", ("a", "b")),
        ("tags: [a, b,]  # two", "tags", ("a", "b")),
        ("tags: a, b", "tags", ("a", "b")),
        ("tags:\n  - a\n\n  # c\n  - 'b, c'", "tags", ("a", "b, c")),
        ('tags:\n- a\n- "b # c"  # d', "tags", ("a", "b # c")),
        ("tags: [\"a, b\", 'it''s', c]", "tags", ("a, b", "it's", "c")),
        ("tags: []", "tags", ()),
        ("tags:", "tags", ()),
        ("tags: [a, a, ' ']", "tags", ("a",)),
        ("tags: {}", "tags", None),
        ("roles: [backend]", "roles", ("backend",)),
        ("role: backend", "roles", ("backend",)),
        ("author: me@example.org", "author_email", "me@example.org"),
        ('author_name: "Ада \\u041b. \\ud83d\\ude00\\t"', "author_name", "Ада Л. 😀\t"),
        ("author_name: 'O''Neil'", "author_name", "O'Neil"),
        ("tags: [a # b, c]", "tags", ("a # b", "c")),
        ("tags:\n  - a\n   - b", "tags", ("a - b",)),
        ("tags:\n  - a\n  # c\n  - 'b'\n  # d", "tags", ("a", "b")),
        ("tags: [a, [b]]", "tags", None),
        ("source: a#b # c", "source", "a#b"),
        ("source: [a]", "source", ""),
        ("{source: a, level: 2}", "source", None),
        ("source: >\n  \x07", "source", None),
        ('source: "a', "source", None),
        ('source: "', "source", None),
        ('source: "a\\n" b"', "source", None),
        ("author_name: 'a' b", "author_name", None),
        ('author_name: "a" b"', "author_name", None),
        ('author_name: "a\\u00zz"', "author_name", None),
        ('author_name: "a\\U00110000"', "author_name", None),
        ("author_name: 'a'b'", "author_name", None),
        ('author_name: "a\\"b\\\\c\\x41"', "author_name", 'a"b\\cA'),
        ("author_name: >-\n  a\n  b", "author_name", "a b"),
        ("author_name: |\n  a\n  b", "author_name", "a\nb\n"),
        ("author_name: &x a", "author_name", "a"),
        ("author_name: a: b", "author_name", ""),
        ("revision: 7", "revision", 7),
        ("confidence: HIGH", "confidence", "high"),
        ("created: 2026-01-31T10:00:00Z", "created", "2026-01-31T10:00:00Z"),
        ("created: yesterday", "created", ""),
        ("level: 2", "level", "2"),
        ('"level": "2"', "level", "2"),
        ("level: null", "level", ""),
        ("level: ~", "level", ""),
        ("unknown: [x", "level", ""),
    ],
)
def test_a_field_is_read_in_any_ordinary_shape(line: str, attribute: str, value: object) -> None:
    lines = ("type: rule", line)
    if value is None or line in ("unknown: [x", "author_name: a: b"):
        with pytest.raises(Malformed):
            read(*lines)
        return
    assert getattr(read(*lines), attribute) == value


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(end: str, bom: str) -> None:
    text = bom + PLAIN.replace("\n", end)
    memory = parse(text, id="x")
    assert (memory.type, memory.title, memory.body) == ("rule", "Title", "\n# Title\n\n- Text.\n")
    assert body_of(text) == memory.body
    assert parse(text.rstrip(end), id="x").title == "Title"


def test_the_id_is_the_files_and_the_type_the_folders_where_nothing_else_says() -> None:
    memory = parse(front("id: other", "scope: global"), id="mine", folder="skills/deep/mine.md")
    assert (memory.id, memory.type, memory.scope) == ("mine", "skill", "workspace")
    with pytest.raises(Malformed) as refused:
        parse(front("tags: []"), id="x", folder="notes")
    assert "type: rule | skill | knowledge" in refused.value.hint


def test_a_file_without_front_matter_is_all_body() -> None:
    memory = parse("# Title\n\n- Text.\n", id="x", folder="rules")
    assert (memory.title, memory.schema_version) == ("Title", 2)
    assert parse("", id="x", folder="rules").title == "x"
    prose = "---\n\nA rule: not yaml at all\n\n---\n\n# T\n"
    assert take_apart(prose).front == ()
    assert take_apart("---\nid: x\n# never closed\n").front == ()
    assert take_apart("---\n# only a comment\n---\n").front == ("# only a comment\n",)


def test_the_schema_is_told_or_seen_by_its_sections() -> None:
    assert read("type: rule", "schema_version: 3").schema_version == 3
    assert parse("# T\n\n## Example\n\nx\n", id="x", folder="rules").schema_version == 1


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("type: rule", "tags: [a"), 3),
        (("type: rule", "type: skill"), 3),
        (("type: law",), 2),
        (("type: rule", "confidence: sure"), 3),
        (("type: rule", "valid_until: soon"), 3),
        (("type: rule", "revision: many"), 3),
        (("type: rule", "\ttags: a"), 3),
        (("type: rule", "no colon here"), 3),
        (("type: rule", "key:value"), 3),
        (("type: rule", "tags:", "  - {a: b}"), 3),
        (("type: rule", "tags: *alias"), 3),
        (("type: rule", "tags: " + "[" * 3000), 3),
        (("type: rule", 'author_name: "open'), 3),
        (("type: rule", "author_name: 'open"), 3),
        (("type: rule", 'author_name: "bad \\q"'), 3),
        (("type: rule", "tags: [a, 'b]"), 3),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(lines: tuple[str, ...], line: int) -> None:
    with pytest.raises(Malformed) as refused:
        read(*lines)
    assert refused.value.line == line
    assert refused.value.details["line"] == line


def test_front_matter_that_nobody_closed_is_refused_rather_than_shown_as_the_memory() -> None:
    for field in ("lifecycle: archived", "author: me@example.org"):
        with pytest.raises(Malformed) as refused:
            parse(f"---\n\n{field}\n\n# T\n", id="x", folder="rules")
        assert refused.value.line == 1
        assert "“---”" in refused.value.hint
    prose = parse("---\nA rule above the title.\n", id="x", folder="rules")
    assert prose.body == "---\nA rule above the title.\n"
    assert parse("---\n", id="x", folder="rules").body == "---\n"


def test_a_first_key_of_two_words_does_not_make_prose_of_the_front_matter() -> None:
    assert read("my own key: x", "type: skill", "lifecycle: archived").lifecycle == "archived"
    with pytest.raises(Malformed) as refused:
        read("no colon here", "type: rule")
    assert refused.value.line == 2


def test_of_two_names_of_a_field_its_own_is_read_and_edited() -> None:
    text = front("type: rule", "author: old@example.org", "author_email: new@example.org")
    assert parse(text, id="x").author_email == "new@example.org"
    edited = edit(text, {"author_email": "third@example.org"})
    assert edited == text.replace("new@", "third@")
    assert parse(edited, id="x").author_email == "third@example.org"
    assert edit(text, {"author_email": None}) == front("type: rule")
    assert edit(text, {"author": "third@example.org"}) == edited


def test_a_field_without_a_value_is_as_if_it_were_not_there() -> None:
    memory = read("type: rule", 'valid_until: ""', "confidence:", "revision: ~", "tier: ''")
    assert (memory.valid_until, memory.confidence) == ("", "medium")
    assert (memory.revision, memory.tier) == (1, "durable")


@pytest.mark.parametrize(
    "date", ["2026-1-31", "2026-01", "２０２６-01-31", "26-01-31", "2026/01/31"]
)
def test_what_looks_a_little_like_a_date_is_none(date: str) -> None:
    with pytest.raises(Malformed):
        read("type: rule", f"valid_until: {date}")


def test_front_matter_begins_with_a_key() -> None:
    with pytest.raises(Malformed):
        parse("---\n# c\n  x: 1\nid: x\n---\n", id="x", folder="rules")


def test_a_wrong_value_of_a_field_that_decorates_is_passed_over() -> None:
    assert read("type: rule", "authority: boss", "created: never").authority == ""


# Rendering


def test_a_new_file_has_its_fields_in_order_and_nothing_that_goes_without_saying() -> None:
    text = render(a_memory(tags=("a", "b c"), author_name="Ада: Л.", confidence="high", level="2"))
    lines = text.split("---\n")[1].splitlines()
    assert lines == sorted(lines)
    assert 'author_name: "Ада: Л."' in lines
    assert 'tags: [a, "b c"]' in lines
    assert 'level: "2"' in lines
    assert "schema_version: 3" in lines
    assert not any(line.startswith(("lifecycle", "tier")) for line in lines)


WORDS = st.text(min_size=1, max_size=30).filter(
    lambda text: text.strip() == text and "\r" not in text
)
NAMES = st.text(
    alphabet=st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=20
)


@given(
    st.lists(WORDS.map(lambda t: " ".join(t.split())).filter(bool), max_size=4, unique=True),
    NAMES,
)
def test_what_is_rendered_reads_back(tags: list[str], name: str) -> None:
    memory = a_memory(tags=tuple(tags), author_name=name)
    text = render(memory)
    back = parse(text, id=memory.id)
    assert back.tags == tuple(tags)
    assert back.author_name == name
    loaded = yaml.safe_load(text.split("---\n", 2)[1])
    assert loaded["author_name"] == name
    assert loaded.get("tags", []) == tags


# Editing


@pytest.mark.parametrize(
    ("text", "changes", "edited"),
    [
        ("---\ntags: [a] # mine\ntype: rule\n---\nB", {"tags": ("b", "c")},
         "---\ntags: [b, c] # mine\ntype: rule\n---\nB"),
        ("---\ntags:\n  - a\n  # c\n  - b\n\n# d\ntype: rule\n---\n", {"tags": ("x",)},
         "---\ntags: [x]\n\n# d\ntype: rule\n---\n"),
        ("---\r\ntype: rule\r\n---\r\nB", {"revision": 2},
         "---\r\ntype: rule\r\nrevision: 2\r\n---\r\nB"),
        ("\ufeff---\ntype: rule\n---\n", {"type": None}, "\ufeff---\n---\n"),
        ("---\ntype: rule\n---\n", {"tags": None}, "---\ntype: rule\n---\n"),
        ("# T\n", {"revision": 2}, "---\nrevision: 2\n---\n\n# T\n"),
        ("\ufeff# T\r\n", {"revision": 2}, "\ufeff---\r\nrevision: 2\r\n---\r\n\r\n# T\r\n"),
        ("# T\r", {"revision": 2}, "---\rrevision: 2\r---\r\r# T\r"),
        ("# T", {"revision": None}, "# T"),
        ('---\n"tags": [a]\n---\n', {"tags": ("b",)}, '---\n"tags": [b]\n---\n'),
        ("---\ntags: [a] # see [b]\n---\n", {"tags": ("x",)}, "---\ntags: [x] # see [b]\n---\n"),
        ("---\ntags:  # mine\n- a\n---\n", {"tags": ("x",)}, "---\ntags: [x]  # mine\n---\n"),
        ("---\ntags: ['it''s, b'] # c\n---\n", {"tags": ()}, "---\ntags: [] # c\n---\n"),
        ("---\nsource: 'a'' # b' # c\n---\n", {"source": "x"}, "---\nsource: x # c\n---\n"),
        ("---\nsource: |\n  a\n  # b\n# c\n---\n", {"source": "x"},
         "---\nsource: x\n# c\n---\n"),
        ("---\ntags:\n  - a\n---\n", {"tags": ("a",)}, "---\ntags:\n  - a\n---\n"),
        ("---\nsuperseded_by: [b]\n---\n", {"superseded_by": "b"},
         "---\nsuperseded_by: [b]\n---\n"),
        ("---\nconfidence: HIGH\n---\n", {"confidence": "high"}, "---\nconfidence: HIGH\n---\n"),
        ("---\nmine: 'v'\n---\n", {"mine": "v"}, "---\nmine: 'v'\n---\n"),
        ("---\nmine:\n---\n", {"mine": "v"}, "---\nmine: v\n---\n"),
        ("---\na: 1\r\nrevision: 2\n---\r\n", {"revision": 3},
         "---\na: 1\r\nrevision: 3\n---\r\n"),
        ("---\nauthor: a@b.c\n---\n", {"author_email": "d@e.f"}, "---\nauthor: d@e.f\n---\n"),
    ],
)  # fmt: skip
def test_an_edit_changes_the_lines_of_its_fields_alone(
    text: str, changes: dict[str, Any], edited: str
) -> None:
    assert edit(text, changes) == edited


LINES = st.sampled_from(
    [
        "# a comment",
        "",
        "custom: {a: [1, 2]}",
        "tags: [one, two]  # kept",
        "triggers:\n  - 'first thing'\n\n  - second",
        "author_name: >-\n  folded\n  text",
        "revision: 3",
        "Мой: ключ",
        'note: "a # b" # c',
    ]
)


@given(
    st.lists(LINES, max_size=7, unique=True),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "\n# T\n\n- Text", "\nТекст\n\n"]),
    st.dictionaries(st.sampled_from(["revision", "tags", "updated"]), st.just("2026-12-01")),
)
def test_every_byte_outside_the_changed_fields_stays(
    lines: list[str], end: str, bom: str, body: str, changes: dict[str, Any]
) -> None:
    changes = {
        k: ("x", "y") if k == "tags" else 4 if k == "revision" else v for k, v in changes.items()
    }
    text = bom + "\n".join(["---", "type: rule", *lines, "---", body]).replace("\n", end)
    edited = edit(text, changes)
    names = tuple(f"{name}:" for name in changes)
    assert [each for each in edited.split(end) if not each.startswith(names)] == [
        each for each in text.split(end) if not each.startswith(names)
    ]
    assert edit(edited, changes) == edited
    memory = parse(edited, id="x")
    assert (memory.revision == 4) == ("revision" in changes)
    assert edit(text, {}) == text


def test_another_body_keeps_the_front_and_the_line_ends() -> None:
    text = "---\r\ntype: rule # c\r\n---\r\n\r\n# T\r\n"
    parts = take_apart(text)
    assert with_body(parts, unified(parts.body)) == text
    assert (
        with_body(parts, "\n# U\n\nx\n") == "---\r\ntype: rule # c\r\n---\r\n\r\n# U\r\n\r\nx\r\n"
    )
    assert with_body(take_apart(PLAIN), "\n# U\n") == "---\nid: x\ntype: rule\n---\n\n# U\n"


@given(st.text(alphabet="-#:[]{}'\"\\ \t\n\r,abc&*!|>?%@`\ufeffд0~", max_size=120), st.booleans())
def test_any_text_is_read_or_refused(text: str, fenced: bool) -> None:
    whole = f"---\ntype: rule\n{text}\n---\n\n# T\n" if fenced else text
    try:
        memory = parse(whole, id="x", folder="rules")
    except Malformed as refused:
        assert refused.line >= 1  # noqa: PT017 - either outcome is looked at
    else:
        assert memory.type in ("rule", "skill", "knowledge")
    parts = take_apart(whole)
    assert parts.head + "".join(parts.front) + parts.fence + parts.body == whole


@given(
    st.lists(
        st.one_of(
            st.text(alphabet="abc# :,'\"-[]\\é", max_size=12).map(lambda v: ("tags", repr(v))),
            st.text(alphabet="abc d.é/@", min_size=1, max_size=12).map(lambda v: ("source", v)),
            st.lists(st.text(alphabet="abcé -", max_size=6), max_size=3).map(
                lambda v: ("triggers", str(v))
            ),
        ),
        max_size=3,
        unique_by=lambda each: each[0],
    )
)
def test_what_is_read_is_what_a_yaml_library_reads(fields: list[tuple[str, str]]) -> None:
    lines = [f"{name}: {value}" for name, value in fields]
    try:
        loaded = yaml.load("\n".join(lines), Loader=yaml.BaseLoader) or {}  # noqa: S506 - texts alone
        memory = read("type: rule", *lines)
    except (yaml.YAMLError, Malformed):
        return
    if isinstance(loaded.get("source"), str):
        assert memory.source == loaded["source"]
    if isinstance(loaded.get("triggers"), list):
        wanted = dict.fromkeys(each.strip() for each in loaded["triggers"] if each.strip())
        assert memory.triggers == tuple(wanted)
