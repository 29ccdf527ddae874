"""What holds of an edit in any JSON file: nothing else moves, and removing undoes setting."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import Damaged, EngramError
from engram.hosts.edits import BOM, MISSING
from engram.hosts.json_file import (
    absent,
    append_item,
    get,
    remove_entry,
    remove_item,
    set_entry,
)

PATHS = (("mcpServers", "engram"), ("engram",), ("a", "mcpServers", "engram"))
VALUES: tuple[object, ...] = (
    {"command": "engram-mcp", "args": []},
    {"command": "uvx", "args": ["--from", "x==1"], "env": {"A": "\u6f22"}, "nested": [{"b": [1]}]},
    "text",
    True,
    [],
    {},
)
NAMES = ('"mcpServers"', '"engram"', '"a"', '"x,}"', '"\\u0061"', '"//"')
SCALARS: tuple[str, ...] = (
    "1",
    "1.50",
    '"a//b"',
    '"\\u0041"',
    "true",
    "null",
    '"}"',
    "-0",
    "1e3",
    '"\u6f22"',
)
SCALARS += ('"\\""', '"/*"', '",]"', '"\\\\"', '""')
BLANKS = ("", "", "", " ", "\n", "\n  ", "\t", "\n\t", "\r\n", "\r\n    ", "  \n")
COMMENTS = ("// c\n", '/* , } */"'[:-1], ' // "q\n', "\n  // own line\r\n", "/* a\n b */", "//\r\n")


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, bool]:
    """The text of an object as anybody may have written it, and whether it is strict JSON."""
    strict = draw(st.booleans())
    blanks = st.sampled_from(BLANKS if strict else BLANKS + COMMENTS)
    text = draw(blanks) + _object(draw, blanks, 0 if strict else 3, 0) + draw(blanks)
    return text, strict


def _value(draw: st.DrawFn, blanks: st.SearchStrategy[str], trailing: int, depth: int) -> str:
    kind = draw(st.integers(0, 3 if depth < 3 else 1))
    if kind < 2:
        return draw(st.sampled_from(SCALARS))
    if kind == 2:
        return _object(draw, blanks, trailing, depth)
    items = [
        draw(blanks) + _value(draw, blanks, trailing, depth + 1) + draw(blanks)
        for _ in range(draw(st.integers(0, 2)))
    ]
    return f"[{_joined(draw, items, trailing)}{draw(blanks)}]"


def _object(draw: st.DrawFn, blanks: st.SearchStrategy[str], trailing: int, depth: int) -> str:
    members = [
        draw(blanks)
        + draw(st.sampled_from(NAMES))
        + draw(blanks)
        + ":"
        + draw(blanks)
        + _value(draw, blanks, trailing, depth + 1)
        + draw(blanks)
        for _ in range(draw(st.integers(0, 3)))
    ]
    return f"{{{_joined(draw, members, trailing)}{draw(blanks)}}}"


def _joined(draw: st.DrawFn, parts: list[str], trailing: int) -> str:
    last = "," if parts and draw(st.integers(0, 3)) < trailing else ""
    return ",".join(parts) + last


TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\r\n]*|/\*.*?\*/|.', re.DOTALL)
TRAILING = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)


def plain(text: str) -> tuple[str, list[str]]:
    """An independent reading: the text without comments and trailing commas, and the comments."""
    tokens = TOKEN.findall(text)
    comments = [each for each in tokens if each.startswith(("//", "/*"))]
    bare = "".join(" " if each.startswith(("//", "/*")) else each for each in tokens)
    return TRAILING.sub(lambda found: found[1] or "", bare), sorted(comments)


def parsed(content: bytes) -> Any:
    return json.loads(plain(content.removeprefix(BOM).decode())[0])


def comments_of(content: bytes) -> list[str]:
    return sorted(each.rstrip() for each in plain(content.decode())[1])


def is_strict(content: bytes) -> bool:
    try:
        json.loads(content.removeprefix(BOM))
    except json.JSONDecodeError:
        return False
    return True


def reached(tree: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        tree = tree.get(name, MISSING) if isinstance(tree, dict) else MISSING
    return tree


def placed(tree: Any, path: tuple[str, ...], value: object) -> Any:
    """The tree with a value at a path; MISSING where something else than an object is in the way."""
    if not isinstance(tree, dict):
        return MISSING
    inner = value if len(path) == 1 else placed(tree.get(path[0], {}), path[1:], value)
    return MISSING if inner is MISSING else {**tree, path[0]: inner}


def encoded(text: str, bom: bool) -> bytes:
    return (BOM if bom else b"") + text.encode()


@given(documents(), st.booleans(), st.sampled_from(PATHS), st.sampled_from(VALUES))
def test_setting_changes_the_entry_and_nothing_else(
    document: tuple[str, bool], bom: bool, path: tuple[str, ...], value: object
) -> None:
    content, strict = encoded(document[0], bom), document[1]
    before = parsed(content)
    expected = placed(before, path, value)
    if expected is MISSING:
        with pytest.raises(Damaged, match="is not an object") as refused:
            set_entry(content, path, value)
        assert "add this by hand" in refused.value.hint
        return
    made = set_entry(content, path, value)
    assert parsed(made) == expected
    assert get(made, path) == value
    assert made.startswith(BOM) == bom
    assert is_strict(made) or not strict
    assert set_entry(made, path, value) == made
    if reached(before, path) is MISSING:
        assert comments_of(made) == comments_of(content)
        assert remove_entry(made, path, prune=absent(content, path)) == content
        assert parsed(remove_entry(made, path)) == _without(expected, path)


@given(documents(), st.sampled_from(PATHS))
def test_removing_takes_the_entry_and_nothing_else(
    document: tuple[str, bool], path: tuple[str, ...]
) -> None:
    content = document[0].encode()
    before = parsed(content)
    made = remove_entry(content, path)
    if reached(before, path) is MISSING:
        assert made == content
        return
    assert parsed(made) == _without(before, path)
    assert is_strict(made) or not document[1]
    assert remove_entry(made, path) == made
    assert set(comments_of(made)) <= set(comments_of(content))


def _without(tree: Any, path: tuple[str, ...]) -> Any:
    rest = {name: value for name, value in tree.items() if name != path[0]}
    return rest if len(path) == 1 else {**rest, path[0]: _without(tree[path[0]], path[1:])}


@given(documents(), st.sampled_from([("a",), ("mcpServers", "a")]), st.sampled_from(VALUES))
def test_an_item_can_be_appended_and_removed_again(
    document: tuple[str, bool], path: tuple[str, ...], value: object
) -> None:
    content = document[0].encode()
    before = reached(parsed(content), path)
    items = [] if before is MISSING else before
    expected = MISSING
    if isinstance(items, list):
        expected = placed(parsed(content), path, [*items, value])
    if expected is MISSING:
        with pytest.raises(Damaged, match=r"is not an (object|array)"):
            append_item(content, path, value)
        return
    if any(type(each) is type(value) and each == value for each in items):
        assert append_item(content, path, value) == content
        return
    made = append_item(content, path, value)
    assert parsed(made) == expected
    assert is_strict(made) or not document[1]
    assert append_item(made, path, value) == made
    prune = absent(content, (*path, 0))
    undone = remove_entry(made, (*path, len(items)), prune=prune)
    assert undone == content
    assert remove_item(made, path, lambda _: False) == made


@given(documents(), st.data())
def test_an_item_is_removed_from_any_array(document: tuple[str, bool], data: st.DataObject) -> None:
    content = document[0].encode()
    path = data.draw(st.sampled_from(_arrays(parsed(content), ()) or [("none",)]))
    items = get(content, path)
    if items is MISSING:
        assert remove_item(content, path, lambda _: True) == content
        return
    gone = data.draw(st.sampled_from(items or [None]))
    made = remove_item(content, path, lambda each: bool(each == gone))
    assert get(made, path) == [each for each in items if each != gone]
    assert is_strict(made) or not document[1]


def _arrays(tree: Any, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    if isinstance(tree, dict):
        return [found for name, each in tree.items() for found in _arrays(each, (*path, name))]
    if isinstance(tree, list):
        inner = [_arrays(each, (*path, place)) for place, each in enumerate(tree)]
        return [path, *(found for each in inner for found in each)]
    return []


@given(st.lists(st.sampled_from(BLANKS + COMMENTS)).map("".join), st.booleans())
def test_a_file_without_a_value_gets_one_and_gives_it_back(text: str, bom: bool) -> None:
    content, path = encoded(text, bom), PATHS[0]
    made = set_entry(content, path, VALUES[0])
    assert parsed(made) == {"mcpServers": {"engram": VALUES[0]}}
    assert remove_entry(made, path, prune=absent(content, path)) == content
    assert get(content, path) is MISSING


@given(
    st.one_of(
        st.binary(max_size=40),
        st.text('{}[],:"\\/* \n\r1aNtrue', max_size=40).map(str.encode),
    )
)
def test_any_bytes_are_edited_rightly_or_refused(content: bytes) -> None:
    try:
        made = set_entry(content, PATHS[0], VALUES[0])
    except EngramError as refused:
        assert refused.details["line"]  # noqa: PT017
        assert "by hand" in refused.hint  # noqa: PT017
        return
    assert parsed(made)["mcpServers"]["engram"] == VALUES[0]
    assert remove_entry(made, PATHS[0], prune=absent(content, PATHS[0])) == content or (
        get(content, PATHS[0]) is not MISSING
    )
