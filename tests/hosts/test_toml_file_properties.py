"""What holds of an edit in any TOML file: nothing else moves, and removing undoes setting."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from engram.errors import Damaged, EngramError
from engram.hosts.edits import BOM, MISSING
from engram.hosts.toml_file import get, remove_entry, set_entry

PATHS = (("mcp_servers", "engram"), ("engram",), ("a", "b", "engram"))
TABLES: tuple[dict[str, Any], ...] = (
    {"command": "engram-mcp", "args": []},
    {"command": "x", "tools": {"t": {"approval_mode": "prompt"}, "u v": {}}, "n": 1, "f": 1.5},
    {},
)
HEADERS: tuple[str, ...] = (
    "[a]",
    "[ a . b ]",
    "[mcp_servers]",
    "[mcp_servers.x] # x",
    "[[rows]]",
    '["a\\"b"]',
)
HEADERS += ("[mcp_servers.engram]", "[mcp_servers.'engram'.env]", "  [engram]", "[a.b.engram.c]")
KEYS = ("a", "b", "command", "engram", "engram.x", "'q # q'", "mcp_servers.y.z", "a.b.engram.k")
VALUES: tuple[str, ...] = (
    "1",
    "'x' # c",
    '"""\n[engram]\n"""',
    "'''\n#'\n''''",
    "[ # c\n  1,\n]",
    "nan",
    '"]\\""',
)
VALUES += ("{ a = 1 }", "{ engram = {} }", "[[1], {b = ']'}]", "1979-05-27", '""""x"""""')  # fmt: skip
LOOSE = ("", "# [engram]", "   ", "\t# engram = 1")

lines = st.one_of(
    st.sampled_from(HEADERS),
    st.sampled_from(LOOSE),
    st.tuples(st.sampled_from(KEYS), st.sampled_from([" = ", "="]), st.sampled_from(VALUES)).map(
        "".join
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A TOML file that parses, as anybody may have written it."""
    text = ""
    for line in draw(st.lists(lines, max_size=10)):
        longer = f"{text}{line}\n"
        if _parses(longer):
            text = longer
    if draw(st.booleans()) and _parses(text[:-1]):
        text = text[:-1]
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (BOM if draw(st.booleans()) else b"") + text.encode()


def _parses(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def parsed(content: bytes) -> dict[str, Any]:
    return tomllib.loads(content.removeprefix(BOM).decode())


def others(tree: Any, path: tuple[str, ...], at: tuple[str, ...] = ()) -> list[str]:
    """All that a file means but for a path, and the tables that lead there."""
    if at == path:
        return []
    if not isinstance(tree, dict) or (not tree and at != path[: len(at)]):
        return [f"{at} {tree!r}"]  # nan is equal to nothing, but its spelling is
    return sorted(found for name, each in tree.items() for found in others(each, path, (*at, name)))


def comments_of(content: bytes) -> int:
    return content.count(b"# c") + content.count(b"# x") + content.count(b"# engram")


@given(documents(), st.sampled_from(PATHS), st.sampled_from(TABLES))
def test_setting_changes_the_table_and_nothing_else(
    content: bytes, path: tuple[str, ...], table: dict[str, Any]
) -> None:
    before = get(content, path)
    try:
        made = set_entry(content, path, table)
    except Damaged as refused:
        assert refused.code == "host.shape"  # noqa: PT017
        assert refused.details["line"]  # noqa: PT017
        return
    assert get(made, path) == parsed_at(made, path) == table
    assert others(parsed(made), path) == others(parsed(content), path)
    assert set_entry(made, path, table) == made
    assert made.startswith(BOM) == content.startswith(BOM)
    if before is MISSING:
        assert remove_entry(made, path) == content
        assert comments_of(made) == comments_of(content)
    if b"\r\n" in content:
        assert made.count(b"\n") == made.count(b"\r\n")


def parsed_at(content: bytes, path: tuple[str, ...]) -> Any:
    tree: Any = parsed(content)
    for name in path:
        tree = tree[name]
    return tree


@given(documents(), st.sampled_from(PATHS))
def test_removing_takes_the_table_and_nothing_else(content: bytes, path: tuple[str, ...]) -> None:
    if get(content, path) is MISSING:
        assert remove_entry(content, path) == content
        return
    try:
        made = remove_entry(content, path)
    except Damaged as refused:
        assert refused.code == "host.shape"  # noqa: PT017
        assert "by hand" in refused.hint  # noqa: PT017
        return
    assert get(made, path) is MISSING
    assert others(parsed(made), path) == others(parsed(content), path)
    assert remove_entry(made, path) == made
    lines_before = content.removeprefix(BOM).splitlines()
    assert [each for each in made.removeprefix(BOM).splitlines() if each not in lines_before] == []


@given(documents(), st.sampled_from(PATHS), st.sampled_from(TABLES), st.sampled_from(TABLES))
def test_a_table_that_was_set_twice_leaves_the_file_as_it_was(
    content: bytes, path: tuple[str, ...], first: dict[str, Any], second: dict[str, Any]
) -> None:
    assume(get(content, path) is MISSING)
    try:
        made = set_entry(set_entry(content, path, first), path, second)
    except Damaged:
        assume(False)  # noqa: FBT003
        raise
    assert remove_entry(made, path) == content


@given(
    st.one_of(
        st.binary(max_size=40),
        st.text("[]{}=.,\"'\\# \n\r1ab", max_size=40).map(str.encode),
    )
)
def test_any_bytes_are_edited_rightly_or_refused(content: bytes) -> None:
    try:
        made = set_entry(content, PATHS[0], TABLES[0])
    except EngramError as refused:
        assert refused.details["line"]  # noqa: PT017
        assert "by hand" in refused.hint  # noqa: PT017
        return
    assert parsed_at(made, PATHS[0]) == TABLES[0]
    assert remove_entry(made, PATHS[0]) == content
