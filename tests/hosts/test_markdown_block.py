"""One marked block in files of instructions that a person owns, to the byte."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import Damaged, EngramError, InvalidRequest
from engram.hosts.edits import BOM
from engram.hosts.markdown_block import read_block, remove_block, set_block

TEXT = "## Memory\n\nLoad it first."
DIGEST = "864b8dff88f4"
BLOCK = f"<!-- engram:begin {DIGEST} -->\n{TEXT}\n<!-- engram:end -->\n"
FENCED = f"```html\n{BLOCK}```\n"


def set_text(before: str, text: str = TEXT) -> str:
    return set_block(before.encode(), text).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", BLOCK),
        ("# Rules\n", "# Rules\n\n" + BLOCK),
        ("# Rules", "# Rules\n\n" + BLOCK[:-1]),
        ("# Rules\r\n", ("# Rules\n\n" + BLOCK).replace("\n", "\r\n")),
        ("# Rules\r", ("# Rules\n\n" + BLOCK).replace("\n", "\r")),
        ("# Rules  \n\n\n", "# Rules  \n\n\n\n" + BLOCK),
        ("---\nglobs: '*'\n---\n", "---\nglobs: '*'\n---\n\n" + BLOCK),
        ("---\n<!-- engram:end -->\n...\na\n", "---\n<!-- engram:end -->\n...\na\n\n" + BLOCK),
        (FENCED, FENCED + "\n" + BLOCK),
        ("   ~~~~\n<!-- engram:end -->\n~~~\n ~~~~~ \n", None),
        ("``` no `fence`\n", None),
        ("    ```\n", None),
        (" <!-- engram:begin -->\nSee `<!-- engram:end -->`.\n", None),
    ],
)
def test_a_block_is_added_at_the_end_and_taken_out_again(before: str, after: str | None) -> None:
    made = set_text(before)
    assert made == (f"{before}\n{BLOCK}" if after is None else after)
    assert set_text(made) == made
    assert remove_block(made.encode()).decode() == before
    block = read_block(made.encode())
    assert block is not None
    assert (block.text, block.altered) == (TEXT, False)
    assert made.splitlines()[block.line - 1] == f"<!-- engram:begin {DIGEST} -->"


def test_a_file_without_a_block_is_left_alone() -> None:
    for before in ("", "# Rules\n", FENCED, "---\nno end\n", "\n---\na\n---\n"):
        assert read_block(before.encode()) is None
        assert remove_block(before.encode()) == before.encode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_block_is_replaced_where_it_stands(newline: str) -> None:
    before = f"# A\n\n{BLOCK}\n# B".replace("\n", newline)
    made = set_text(before, "New.\r\nLines.\n")
    assert made == before.replace(TEXT.replace("\n", newline), f"New.{newline}Lines.").replace(
        DIGEST, read_digest(made)
    )
    assert set_text(made) == before
    assert remove_block(made.encode()).decode() == f"# A{newline}{newline}# B"


def read_digest(text: str) -> str:
    found = re.search("engram:begin ([0-9a-f]{12}) ", text)
    assert found
    return found[1]


def test_a_block_at_the_end_without_a_line_break_gets_none() -> None:
    made = set_text("# A\n\n" + BLOCK[:-1], "New.")
    assert made.endswith("\nNew.\n<!-- engram:end -->")
    assert remove_block(made.encode()) == b"# A"


@pytest.mark.parametrize(
    "changed",
    [
        BLOCK.replace("first", "last"),
        BLOCK.replace(DIGEST, "0" * 12),
        BLOCK.replace(f" {DIGEST}", ""),
        BLOCK.replace("Load", "\nLoad"),
    ],
)
def test_a_block_that_was_changed_by_hand_is_known_and_can_be_renewed(changed: str) -> None:
    block = read_block(changed.encode())
    assert block is not None
    assert block.altered
    assert set_text(changed) == BLOCK


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_breaks_do_not_make_a_block_a_changed_one(newline: str) -> None:
    content = ("# A\n\n" + BLOCK).replace("\n", newline).encode()
    block = read_block(content)
    assert block is not None
    assert not block.altered
    assert set_block(content, TEXT) == content


def test_an_open_fence_that_a_person_left_inside_a_block_does_not_hide_its_end() -> None:
    changed = BLOCK.replace("Load", "```\nLoad")
    assert remove_block(f"# A\n\n{changed}\n# B\n".encode()) == b"# A\n\n# B\n"


BEGIN, END = "<!-- engram:begin -->\n", "<!-- engram:end -->\n"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (f"a\n{BEGIN}b\n", 2, "this block does not end"),
        (f"a\nb\n{END}", 3, "this marker ends no block"),
        (f"{END}{BEGIN}", 1, "this marker ends no block"),
        (f"{BEGIN}a\n{BEGIN}{END}", 1, "this block does not end"),
        (f"{BEGIN}{END}mine\n{BEGIN}{END}", 4, "a second block begins here"),
        (f"{BEGIN}{END}{END}", 3, "this marker ends no block"),
        (f"{BEGIN}a\r\n```\r\n{FENCED}", 1, "this block does not end"),
    ],
)
def test_stray_markers_are_refused_by_line_and_nothing_between_them_is_lost(
    text: str, line: int, found: str
) -> None:
    content = text.encode()
    with pytest.raises(Damaged) as refused:
        set_block(content, TEXT)
    error = refused.value
    assert (error.code, error.message) == ("host.shape", f"Line {line}: {found}.")
    assert error.hint == f"Change that line, then add this by hand:\n{BLOCK[:-1]}"
    for edit in (read_block, remove_block):
        with pytest.raises(Damaged, match=f"Line {line}: {found}"):
            edit(content)


def test_a_code_fence_that_never_ends_would_swallow_the_block() -> None:
    content = b"# A\n```sh\nrun\n"
    with pytest.raises(Damaged, match="Line 2: this code fence is never closed"):
        set_block(content, TEXT)
    assert remove_block(content) == content
    after = (BLOCK + content.decode()).encode()
    assert set_block(after, "New.").endswith(content)


def test_a_text_that_holds_a_marker_is_no_text_for_a_block() -> None:
    for text in (f"a\n{END}", BEGIN):
        with pytest.raises(InvalidRequest, match="holds a marker"):
            set_block(b"", text)
    assert set_text("", f"`{END.strip()}`")


def test_a_file_that_is_not_utf_8_is_refused() -> None:
    for content in (b"a\n\xe9\n", BOM + b"\n\xff"):
        with pytest.raises(Damaged, match="Line 2: the file is not text in UTF-8") as refused:
            set_block(content, TEXT)
        assert "add this by hand" in refused.value.hint


LINES = (
    "",
    "# A",
    "text  ",
    "```",
    "~~~~",
    "---",
    "```js",
    "    ```",
    " <!-- engram:end -->",
    "\x0b",
    "\u2028",
)
MARKERS = (BEGIN.strip(), END.strip(), f"<!-- engram:begin {DIGEST} --> ")
texts = st.lists(st.sampled_from(["x", "", "```", "# \u6f22", "  y "])).map("\n".join)


def files(lines: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    breaks = st.sampled_from(["\n", "\n", "\r\n", "\r"])
    rows = st.lists(st.tuples(st.sampled_from(lines), breaks).map("".join), max_size=8)
    whole = st.tuples(rows.map("".join), st.sampled_from(["", "", "end", " "])).map("".join)
    return st.tuples(st.sampled_from([b"", BOM]), whole.map(str.encode)).map(b"".join)


@given(files(LINES), texts, texts)
def test_setting_and_removing_a_block_restores_any_file(
    content: bytes, text: str, other: str
) -> None:
    try:
        made = set_block(content, text)
    except Damaged as refused:
        assert "fence" in refused.message  # noqa: PT017
        return
    assert made.startswith(content)
    assert set_block(made, text) == made
    assert remove_block(made) == content
    assert set_block(set_block(made, other), text) == made
    assert remove_block(set_block(made, other)) == content
    block = read_block(made)
    assert block is not None
    assert (block.text, block.altered) == (text.strip("\n"), False)


@given(files(LINES + MARKERS), texts)
def test_whatever_the_markers_what_stands_outside_a_block_stays(content: bytes, text: str) -> None:
    try:
        block = read_block(content)
        made = set_block(content, text)
    except EngramError as refused:
        assert refused.details["line"]  # noqa: PT017
        return
    whole = content.removeprefix(BOM).decode()
    if block is not None:
        before, after = whole[: block.start].encode(), whole[block.end :].encode()
        assert made.removeprefix(BOM).startswith(before)
        assert made.endswith(after)
        removed = remove_block(content).removeprefix(BOM)
        assert removed.endswith(after)
        kept = removed[: len(removed) - len(after)]
        assert before.startswith(kept)
        assert before[len(kept) :] in (b"", b"\n", b"\r", b"\r\n") or not after
        assert not before[len(kept) :].strip(b"\r\n")
    assert set_block(made, text) == made
