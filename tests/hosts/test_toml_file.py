"""Edits of TOML files that hosts and people really have, to the byte."""

from __future__ import annotations

import tomllib

import pytest

from engram.errors import Damaged, InvalidRequest
from engram.hosts.edits import BOM, MISSING
from engram.hosts.toml_file import get, remove_entry, set_entry

PATH = ("mcp_servers", "engram")
GATE = {"engram_commit": {"approval_mode": "prompt"}}
TABLE = {"command": "engram-mcp", "args": ["--x"], "startup_timeout_sec": 60, "tools": GATE}
BLOCK = """[mcp_servers.engram]
command = "engram-mcp"
args = ["--x"]
startup_timeout_sec = 60

[mcp_servers.engram.tools.engram_commit]
approval_mode = "prompt"
"""


def set_text(text: str, table: dict[str, object] = TABLE) -> str:
    return set_entry(text.encode(), PATH, table).decode()


def remove_text(text: str) -> str:
    return remove_entry(text.encode(), PATH).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", BLOCK),
        ("# mine\n", "# mine\n\n" + BLOCK),
        ("a = 1", "a = 1\n\n" + BLOCK[:-1]),
        ("a = 1\n\n", "a = 1\n\n\n" + BLOCK),
        ("a = 1\r\n", ("a = 1\n\n" + BLOCK).replace("\n", "\r\n")),
        ("[mcp_servers]\n", "[mcp_servers]\n\n" + BLOCK),
        ("mcp_servers.x.command = 'y'\n", "mcp_servers.x.command = 'y'\n\n" + BLOCK),
        (
            '[b]\nc = """\n[mcp_servers.engram]\n"""\n[mcp_servers.x]\n',
            '[b]\nc = """\n[mcp_servers.engram]\n"""\n[mcp_servers.x]\n\n' + BLOCK,
        ),
    ],
)
def test_a_table_is_added_at_the_end_and_taken_out_again(before: str, after: str) -> None:
    assert set_text(before) == after
    assert set_text(after) == after
    assert remove_text(after) == before
    assert get(after.encode(), PATH) == TABLE


def test_a_byte_order_mark_stays() -> None:
    made = set_entry(BOM + b"a = 1\n", PATH, TABLE)
    assert made == BOM + b"a = 1\n\n" + BLOCK.encode()
    assert get(made, ("a",)) == 1


def test_new_values_keep_the_comments_and_the_order_of_a_table() -> None:
    text = (
        "# servers\n[mcp_servers.'engram'] # ours\nargs = [ # many\n  '--old',\n] # end\n"
        "command = 'engram-mcp' # here\nstartup_timeout_sec = 0x3C\n\n# commits\n"
        '[mcp_servers."engram".tools]\nengram_commit.approval_mode = "approve"   \n\n[z]\n'
    )
    made = text.replace("[ # many\n  '--old',\n]", '["--x"]').replace('"approve"', '"prompt"')
    assert set_text(text) == made
    assert set_text(text.replace("\n", "\r\n")) == made.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[mcp_servers.engram]\ncommand = "old"\n# mine\n[z]\n', BLOCK + "# mine\n[z]\n"),
        ('[mcp_servers.engram]\ncommand = "old"', BLOCK[:-1]),
        (
            '[mcp_servers.engram.tools.x]\na = 1\n\n[y]\n\n[mcp_servers.engram]\ncommand = "o"\n',
            BLOCK + "\n[y]\n",
        ),
        ('[mcp_servers]\nengram = { command = "old" } # x\nb.c = 1\n', "[mcp_servers]\nb.c = 1\n\n" + BLOCK),
        ('mcp_servers.engram.command = "old"\nb = 1\n', "b = 1\n\n" + BLOCK),
        ("[[mcp_servers.engram]]\na = 1\n", BLOCK),
    ],
)  # fmt: skip
def test_a_table_of_another_shape_is_written_anew(before: str, after: str) -> None:
    assert set_text(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1\n\n" + BLOCK + "\n[z]\nb = 2\n", "a = 1\n\n[z]\nb = 2\n"),
        (BLOCK + "# mine\n[z]\n", "# mine\n[z]\n"),
        ("[a]\n" + BLOCK, "[a]\n"),
        ("[a]\n" + BLOCK[:-1], "[a]"),
        (
            BLOCK.replace("\n\n", '\n\n[projects."/x"]\ntrust_level = "trusted"\n\n'),
            '\n[projects."/x"]\ntrust_level = "trusted"\n',
        ),
        ("[mcp_servers]\nengram.command = 'x'\nengram.args = []\nb.c = 1\n", "[mcp_servers]\nb.c = 1\n"),
        ("mcp_servers.engram = {}\n", ""),
        ("[mcp_servers]\nengram = {}", "[mcp_servers]\n"),
        ("a = 1\n", "a = 1\n"),
    ],
)  # fmt: skip
def test_a_table_is_found_by_what_the_file_means_and_taken_out(before: str, after: str) -> None:
    assert remove_text(before) == after


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("mcp_servers = {}\n", 1),
        ("a = 1\nmcp_servers = { engram = { command = 'x' }, b = {} }\n", 2),
        ("[[mcp_servers]]\na = 1\n", 1),
        ("# c\nmcp_servers = 3\n", 2),
    ],
)
def test_a_file_that_leaves_no_safe_place_is_refused_by_line(text: str, line: int) -> None:
    with pytest.raises(Damaged) as refused:
        set_text(text)
    error = refused.value
    assert (error.code, error.details) == ("host.shape", {"line": line})
    assert error.message == f"Line {line}: [mcp_servers.engram] cannot be edited safely here."
    assert error.hint == f"Change that line, then add this by hand:\n{BLOCK[:-1]}"


def test_a_key_of_the_same_name_in_another_table_is_no_obstacle() -> None:
    text = "[a]\nmcp_servers = nan\n[mcp_servers.engram.y]\nz = 1\n[c.mcp_servers.engram]\n"
    assert set_text(text) == text.replace("[mcp_servers.engram.y]\nz = 1\n", BLOCK)


def test_an_entry_in_an_inline_table_is_not_taken_out_but_told_of() -> None:
    text = "a = 1\nmcp_servers = { engram = { command = 'x' }, b = {} }\n"
    with pytest.raises(Damaged, match="Line 2") as refused:
        remove_text(text)
    assert refused.value.hint == "Change that line, then take out [mcp_servers.engram] by hand."


@pytest.mark.parametrize(
    ("text", "line", "column", "found"),
    [
        ("a = 1\r\nb =\r\n", 2, 4, "this is not TOML (invalid value)"),
        ("[a\nb = 1\n", 1, 3, "this is not TOML (expected ']' at the end of a table declaration)"),
        ("a = [1,\n2", 2, 2, "this is not TOML (unclosed array)"),
        ("a = " + "[" * 5000, 1, 1, "this is nested too deeply, or a number too long"),
        ("a = " + "1" * 5000, 1, 1, "this is nested too deeply, or a number too long"),
    ],
)
def test_a_file_that_does_not_parse_is_refused_with_line_and_column(
    text: str, line: int, column: int, found: str
) -> None:
    for edit in (set_text, remove_text, lambda text: get(text.encode(), PATH)):
        with pytest.raises(Damaged) as refused:
            edit(text)
        assert refused.value.code == "host.malformed"
        assert refused.value.message == f"Line {line}, column {column}: {found}."
    with pytest.raises(Damaged) as refused:
        set_text(text)
    assert refused.value.hint.startswith("Mend that line and try again, or add this by hand:\n[")


def test_a_file_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(Damaged, match="Line 2: the file is not text in UTF-8") as refused:
        set_entry(b"a = 1\nb = '\xe9'\n", PATH, TABLE)
    assert refused.value.code == "host.not_text"


def test_any_value_that_toml_knows_can_be_set() -> None:
    read = tomllib.loads('d = 2026-12-01T10:00:00Z\nt = 10:00:00\nf = 1e16\n"k k" = {a.b = 1}\n')
    table = {
        **read,
        "text": 'q"\\\n\x7f\t\u6f22',
        "yes": True,
        "rows": [{"a": [1]}, {}],
        "none": {},
    }
    made = set_entry(b"", PATH, table)
    assert get(made, PATH) == table
    assert get(made, (*PATH, "k k", "a", "b")) == 1
    assert get(made, (*PATH, "text", "b")) is MISSING


def test_a_path_that_is_not_utf_8_cannot_be_written() -> None:
    with pytest.raises(InvalidRequest, match="not text in UTF-8"):
        set_text("", {"command": "/home/\udce9/engram-mcp"})
