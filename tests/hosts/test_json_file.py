"""Edits of JSON files that hosts and people really have, to the byte."""

from __future__ import annotations

import json

import pytest

from engram.errors import Damaged, InvalidRequest
from engram.hosts.edits import BOM, MISSING
from engram.hosts.json_file import (
    absent,
    append_item,
    get,
    remove_entry,
    remove_item,
    set_entry,
)

PATH = ("mcpServers", "engram")
ENTRY = {"command": "engram-mcp", "args": ["--x"], "env": {}}
NEW_FILE = """{
  "mcpServers": {
    "engram": {
      "command": "engram-mcp",
      "args": ["--x"],
      "env": {}
    }
  }
}
"""


def set_text(text: str, value: object = ENTRY, path: tuple[str | int, ...] = PATH) -> str:
    return set_entry(text.encode(), path, value).decode()


@pytest.mark.parametrize("text", ["", "\n", "// ours\n", "/* c */\r\n"])
def test_a_file_that_is_absent_or_empty_becomes_a_document_in_the_house_style(text: str) -> None:
    newline = "\r\n" if "\r" in text else "\n"
    assert set_text(text) == text + NEW_FILE.replace("\n", newline)


def test_a_new_file_has_no_byte_order_mark_and_an_old_one_keeps_it() -> None:
    assert set_entry(b"", PATH, ENTRY) == NEW_FILE.encode()
    made = set_entry(BOM + b'{"a": 1}\n', PATH, 1)
    assert made == BOM + b'{"a": 1, "mcpServers": {"engram": 1}}\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", NEW_FILE.rstrip("\n")),
        ("{ }", '{ "mcpServers": {"engram": [1, {"b": 2}]} }'),
        ('{"a":1}', '{"a":1,"mcpServers":{"engram":[1,{"b":2}]}}'),
        ('{"a": 1,}', '{"a": 1, "mcpServers": {"engram": [1, {"b": 2}]},}'),
        ('{"a": 1 /* one */ }', '{"a": 1, /* one */ "mcpServers": {"engram": [1, {"b": 2}]} }'),
        ('{"a": 1,"b":  2}', '{"a": 1,"b":  2,"mcpServers":  {"engram":  [1,{"b":  2}]}}'),
        (
            '{\n\t"mcpServers" : {\n\t\t"a" : 1 // one\n\t}\n}',
            (
                '{\n\t"mcpServers" : {\n\t\t"a" : 1, // one\n\t\t"engram" : [\n\t\t\t1,\n\t\t\t{\n'
                '\t\t\t\t"b" : 2\n\t\t\t}\n\t\t]\n\t}\n}'
            ),
        ),
        (
            '{\r\n    "a": {},\r\n    "mcpServers": {}\r\n}',
            (
                '{\r\n    "a": {},\r\n    "mcpServers": {\r\n        "engram": [\r\n            1,\r\n'
                '            {\r\n                "b": 2\r\n            }\r\n        ]\r\n    }\r\n}'
            ),
        ),
        (
            '{\n  "mcpServers": {\n    // none yet\n  }\n}',
            (
                '{\n  "mcpServers": {\n    // none yet\n    "engram": [\n      1,\n      {\n'
                '        "b": 2\n      }\n    ]\n  }\n}'
            ),
        ),
        (
            '{"mcpServers": 0, "mcpServers": {"engram": 1}, "a": "\\u0041"}',
            '{"mcpServers": 0, "mcpServers": {"engram": [1, {"b": 2}]}, "a": "\\u0041"}',
        ),
        (
            '{ "mcpServers": { "a": 1 // one\n} }',
            (
                '{ "mcpServers": { "a": 1, // one\n  "engram": [\n    1,\n    {\n      "b": 2\n    }\n'
                "  ]\n} }"
            ),
        ),
        (
            '{\n"a": 1,\n"mcpServers": {\n"engram": 1\n}\n}',
            '{\n"a": 1,\n"mcpServers": {\n"engram": [\n  1,\n  {\n    "b": 2\n  }\n]\n}\n}',
        ),
    ],
)
def test_an_entry_is_written_as_its_neighbours_are(before: str, after: str) -> None:
    value = ENTRY if "engram-mcp" in after else [1, {"b": 2}]
    assert set_text(before, value) == after


def test_an_old_entry_is_replaced_where_it_stands() -> None:
    text = '{\n    "mcpServers": {\n        "engram": {"command": "old"}, // ours\n        "b": 1\n    }\n}'
    assert set_text(text, {"command": "new"}) == text.replace(
        '{"command": "old"}', '{\n            "command": "new"\n        }'
    )
    assert set_text('{"mcpServers": {"engram": {\n}}}', {"a": 1}) == (
        '{"mcpServers": {"engram": {\n  "a": 1\n}}}'
    )


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (1, 1.0), ({"a": 1}, {"a": 1, "b": 1}), ([1], [])]
)
def test_values_of_another_type_or_size_are_another_value(one: object, other: object) -> None:
    written = set_entry(b"{}", PATH, one)
    assert get(written, PATH) == one
    assert set_entry(written, PATH, other) != written


def test_the_order_of_keys_in_an_entry_does_not_count() -> None:
    text = b'{"mcpServers": {"engram": {"b": 1, "a": 2}}}'
    assert set_entry(text, PATH, {"a": 2, "b": 1}) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"engram": 1, "b": 2}', '{"b": 2}'),
        ('{"a": 1, "engram": 1, "b": 2}', '{"a": 1, "b": 2}'),
        ('{"a": 1, "engram": 1}', '{"a": 1}'),
        ('{"a": 1, "engram": 1, }', '{"a": 1, }'),
        ('{"engram": 1}', "{}"),
        ('{/* c */"engram": 1}', "{/* c */}"),
        ('{"engram": 1, /* c */}', "{ /* c */}"),
        ('{\n  "engram": 1, // ours\n  "b": 2\n}', '{ // ours\n  "b": 2\n}'),
        ('{\n  // c\n  "engram": 1 }', "{\n  // c\n }"),
        ('{\n  "engram": 1\n  // c\n}', "{\n  // c\n}"),
        ('{// c\n"engram": 1/* d */,\n}', "{// c\n/* d */\n}"),
        ('{ "engram": 1,\n  "b": 2 }', '{\n  "b": 2 }'),
        ('{"engram": 1, "engram": 2, "b": 3}', '{"b": 3}'),
        ('{"engram": 1, "engram": 2}', "{}"),
        ('{"a": 1}', '{"a": 1}'),
        ("", ""),
        ("[]", "[]"),
    ],
)
def test_an_entry_is_taken_out_and_comments_stay(before: str, after: str) -> None:
    assert remove_entry(before.encode(), ("engram",), prune=[]).decode() == after


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"a": {"mcpServers": {"engram": 1}}}', '{"a": {}}'),
        ('{"a": {"mcpServers": {"engram": 1}, "b": {}}}', '{"a": {"b": {}}}'),
        ('{"a": {"mcpServers": {"engram": 1,}, "b": {}}}', '{"a": {"b": {}}}'),
        ('{"a": {"mcpServers": {"engram": 1 /* c */}}}', '{"a": {"mcpServers": { /* c */}}}'),
        ('{"a": {"mcpServers": {"engram": 1, "b": 2}}}', '{"a": {"mcpServers": {"b": 2}}}'),
        (
            '{"a": {"mcpServers": {"b": 1}, "mcpServers": {"engram": 1}}}',
            '{"a": {"mcpServers": {"b": 1}, "mcpServers": {}}}',
        ),
    ],
)
def test_a_container_goes_with_its_last_entry_only_if_the_caller_made_it(
    text: str, left: str
) -> None:
    path = ("a", *PATH)
    assert remove_entry(text.encode(), path, prune=[("a", "mcpServers")]).decode() == left
    assert get(remove_entry(text.encode(), path), ("a", "mcpServers")) is not MISSING


def test_what_setting_would_make_is_told_from_what_is_there() -> None:
    assert absent(b"", PATH) == ((), ("mcpServers",))
    assert absent(b"{}", PATH) == (("mcpServers",),)
    assert absent(b'{"mcpServers": {}}', PATH) == ()
    assert absent(b'{"hooks": {}}', ("hooks", "Start", 0)) == (("hooks", "Start"),)


@pytest.mark.parametrize(
    ("text", "kept"),
    [(NEW_FILE, ""), (NEW_FILE[:-1], ""), ("// c\n" + NEW_FILE + "// d\n", "// c\n// d\n"),
     ("// c\n" + NEW_FILE[:-1] + "// d", "// c\n// d")],
)  # fmt: skip
def test_a_document_that_was_made_for_the_entry_goes_with_it(text: str, kept: str) -> None:
    made = remove_entry(text.encode(), PATH, prune=[(), ("mcpServers",)])
    assert made.decode() == kept


def test_an_item_joins_an_array_once_and_the_items_of_others_stay() -> None:
    theirs = b'{"hooks": {"Start": [{"hooks": [{"command": "theirs"}]}, "odd"]}}'
    path = ("hooks", "Start")
    ours = {"hooks": [{"command": "engram"}]}
    made = append_item(append_item(theirs, path, ours), path, ours)
    assert get(made, path) == [{"hooks": [{"command": "theirs"}]}, "odd", ours]
    assert remove_item(made, path, lambda each: each == ours) == theirs
    assert remove_entry(made, ("hooks", "Start", 0, "hooks", 0)) == made.replace(
        b'{"command": "theirs"}', b"", 1
    )


def test_an_array_that_was_made_for_an_item_goes_with_it() -> None:
    before = b'{\n  "a": 1\n}\n'
    path = ("hooks", "Start")
    prune = absent(before, (*path, 0))
    made = append_item(before, path, {"command": "engram"})
    assert json.loads(made) == {"a": 1, "hooks": {"Start": [{"command": "engram"}]}}
    assert remove_item(made, path, lambda _: True, prune=prune) == before
    assert remove_item(before, ("a",), lambda _: True) == before


@pytest.mark.parametrize(
    ("text", "line", "column", "found"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma or a closing bracket is missing"),
        ('{\r\n  "a" 1\r\n}', 2, 7, "a colon is missing"),
        ('// c\n{"a": }', 2, 7, "a value is missing"),
        ("{\n a: 1}", 2, 2, 'a name in "double quotes" is missing'),
        ("{} x", 1, 4, "something follows the end of the value"),
        ('{"a": "b', 1, 7, "a text does not end"),
        ('{"a": "b // c\n"}', 1, 14, "a text does not end on its line"),
        ('{"a": "\\q"}', 1, 8, "this is not JSON"),
        ("{\n/* c", 2, 1, "a comment does not end"),
        ('{"a": [,]}', 1, 8, "a value is missing"),
        ('{"a": [1,,]}', 1, 10, "a value is missing"),
        ('{"a": "NaN",\n"b": -Infinity}', 2, 6, "this is no number of JSON"),
        ('{"a": ' + "1" * 5000 + "}", 1, 7, "this is no number of JSON"),
        ("[" * 100_000 + "]" * 100_000, 1, 1, "it is nested too deeply"),
        ('{"a": 1, // c\n"b": [1, 2, }', 2, 13, "a comma or a closing bracket is missing"),
    ],
)
def test_a_file_that_does_not_parse_is_refused_with_line_and_column(
    text: str, line: int, column: int, found: str
) -> None:
    with pytest.raises(Damaged) as refused:
        set_entry(text.encode(), PATH, {"command": "x"})
    error = refused.value
    assert error.code == "host.malformed"
    assert error.message == f"Line {line}, column {column}: {found}."
    assert error.details == {"line": line, "column": column}
    snippet = '{"mcpServers": {"engram": {"command": "x"}}}'
    assert error.hint == f"Mend that line and try again, or add this by hand: {snippet}"
    for edit in (get, remove_entry, absent):
        with pytest.raises(Damaged, match=f"Line {line}, column {column}"):
            edit(text.encode(), PATH)


@pytest.mark.parametrize(
    ("content", "line"),
    [('{"a": 1}'.encode("utf-16"), 1), (b'{\n"a": "\xe9"}', 2), (BOM + b"\xff", 1)],
)
def test_a_file_that_is_not_utf_8_is_refused(content: bytes, line: int) -> None:
    with pytest.raises(Damaged, match=f"Line {line}: the file is not text in UTF-8") as refused:
        set_entry(content, PATH, 1)
    assert refused.value.code == "host.not_text"
    assert "add this by hand" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ('{\n"mcpServers": []}', PATH, "Line 2: “mcpServers” is not an object."),
        ('{\n"mcpServers": null}', PATH, "Line 2: “mcpServers” is not an object."),
        ("\n[]", PATH, "Line 2: the file is not an object."),
        ("3", PATH, "Line 1: the file is not an object."),
        ('{"a": {"b": {}}}', ("a", "b", 0), "Line 1: “a.b” is not an array."),
    ],
)
def test_a_file_of_another_shape_is_refused_by_line(
    text: str, path: tuple[str | int, ...], found: str
) -> None:
    with pytest.raises(Damaged) as refused:
        set_entry(text.encode(), path, 1)
    assert (refused.value.code, refused.value.message) == ("host.shape", found)
    assert "then add this by hand: {" in refused.value.hint
    assert remove_entry(text.encode(), path) == text.encode()
    assert get(text.encode(), path) is MISSING


def test_the_value_of_the_whole_file_can_be_read() -> None:
    assert get(b'{"a": [1,], /* c */ }', ()) == {"a": [1]}
    assert get(b"", ()) is MISSING
    assert repr(get(b"{}", ("a",))) == "MISSING"


def test_a_path_that_is_not_utf_8_cannot_be_written() -> None:
    with pytest.raises(InvalidRequest, match="not text in UTF-8"):
        set_entry(b"{}", PATH, {"command": "/home/\udce9/engram-mcp"})


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("comment", ["", "// first\n"])
def test_a_file_of_megabytes_is_edited_as_a_small_one(indent: int | None, comment: str) -> None:
    rows = [{"id": n, "text": f"line // {n}", "ok": [1, {"a": None}]} for n in range(40_000)]
    before = (comment + json.dumps({"rows": rows}, indent=indent)).encode()
    made = set_entry(before, PATH, ENTRY)
    assert get(made, PATH) == ENTRY
    assert remove_entry(made, PATH, prune=[("mcpServers",)]) == before
