"""The line reader of YAML: what it takes itself, what it leaves to PyYAML, which lines it names."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from engram.core.yaml_lines import Malformed, YamlEntry, read_entries


def the_entry(*lines: str) -> YamlEntry:
    (entry,) = read_entries(list(lines))
    return entry


# Values

SCALARS = [
    ("plain", "plain"),
    ("two words", "two words"),
    ("a#b", "a#b"),
    ("https://example.org/x?y=1#z", "https://example.org/x?y=1#z"),
    ("10:30", "10:30"),
    ("2026-01-31", "2026-01-31"),
    ("true", "true"),
    ("0x1f", "0x1f"),
    ("-5", "-5"),
    ("it's", "it's"),
    ('say "yes"', 'say "yes"'),
    ("ключ", "ключ"),
    ("数据库", "数据库"),
    ("\u00a0x\u00a0", "\u00a0x\u00a0"),
    ("''", ""),
    ('""', ""),
    ("'it''s'", "it's"),
    ("'''a'''", "'a'"),
    ("'a # b'", "a # b"),
    ("'a\\n'", "a\\n"),
    ('"a # b"', "a # b"),
    ('"a\\"b"', 'a"b'),
    ('"a\\\\"', "a\\"),
    ('"\\x41\\u0416\\U0001F600"', "AЖ😀"),
    ('"\\ud83d\\ude00"', "😀"),
    ('"\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\/\\N\\_\\L\\P"',
     "\0\a\b\t\n\v\f\r\x1b /\x85\xa0\u2028\u2029"),
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("nullable", "nullable"),
    ("[]", []),
    ("[a]", ["a"]),
    ("[ a , b ]", ["a", "b"]),
    ("[a, b,]", ["a", "b"]),
    ("[task_type:review, a/b]", ["task_type:review", "a/b"]),
    ("['a, b', \"c]\"]", ["a, b", "c]"]),
    ("['it''s, it', b]", ["it's, it", "b"]),
    ("[it's, b's]", ["it's", "b's"]),
    ('["a\\", b", c]', ['a", b', "c"]),
    ('["a\\\\", c]', ["a\\", "c"]),
]  # fmt: skip


@pytest.mark.parametrize(("written", "value"), SCALARS)
@pytest.mark.parametrize("comment", ["", " # c", "\t# c [d] \"e' # f"])
def test_a_value_is_read_with_and_without_a_comment(
    written: str, value: object, comment: str
) -> None:
    entry = the_entry(f"key: {written}{comment}")
    assert (entry.key, entry.value) == ("key", value)
    assert entry.comment.strip() == comment.strip()
    assert (entry.start, entry.end) == (0, 1)


@pytest.mark.parametrize("item", [each for each in SCALARS if isinstance(each[1], str)])
@pytest.mark.parametrize("indent", ["", " ", "  ", "       "])
def test_an_item_of_a_block_list_is_read_as_the_value_would_be(
    item: tuple[str, str], indent: str
) -> None:
    written, value = item
    entry = the_entry("key:  # c", f"{indent}- {written}", "", f"{indent}-   last  # d")
    assert entry.value == [value, "last"]
    assert (entry.comment, entry.end) == ("  # c", 4)


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (("key: |", "  a", "  # b", "", "  c"), "a\n# b\n\nc\n"),
        (("key: >-  # folded", "  a", "  b"), "a b"),
        (("key: a", "  b"), "a b"),
        (("key:", "  a"), "a"),
        (('key: "a', '  b"'), "a b"),
        (("key: 'a # b", "  c'"), "a # b c"),
        (("key: [a, # first", "  b]"), ["a", "b"]),
        (("key: [a, # see [c]", "  b]"), ["a", "b"]),
        (("key: [", "  a,", "  b", "]  # c"), ["a", "b"]),
        (("key: {", "  a: b", "}"), {"a": "b"}),
        (("key:", "  - a: 1"), [{"a": "1"}]),
        (("key:", "  - 'a': 1"), [{"a": "1"}]),
        (("key:", "  -", "    a"), ["a"]),
        (("key:", "- a", "- "), ["a", None]),
        (("key: [[a], b]",), [["a"], "b"]),
        (("key: [a: b]",), [{"a": "b"}]),
        (("key: ['a': b]",), [{"a": "b"}]),
        (("key: {a: [1, 2]}",), {"a": ["1", "2"]}),
        (("key:", "  a: yes", "  b: 1.5"), {"a": "yes", "b": "1.5"}),
        (("key: !!str 5",), "5"),
        (("key: &name a",), "a"),
    ],
)
def test_another_shape_is_read_by_the_library_and_stays_text(
    lines: tuple[str, ...], value: object
) -> None:
    assert the_entry(*lines).value == value


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("key: v", "key"),
        ("key : v", "key"),
        ("key:\tv", "key"),
        ("two words: v", "two words"),
        ("Мой ключ: v", "Мой ключ"),
        ("键: v", "键"),
        ("a:b: v", "a:b"),
        ('"key": v', "key"),
        ("'key' : v", "key"),
        ('"a: b": v', "a: b"),
        ('"a\\": b": v', 'a\\": b'),
        ("key.of-some_kind: v", "key.of-some_kind"),
    ],
)
def test_a_key_may_be_anything_before_a_colon_and_a_blank(line: str, key: str) -> None:
    assert the_entry(line) == YamlEntry(key, "v", 0, 1)


# Lines


def test_an_entry_ends_before_the_blank_lines_and_comments_that_follow_it() -> None:
    lines = [
        "# top",
        "a: 1",
        "",
        "# of b",
        "b:",
        "  - x",
        "  # in b",
        "  - y",
        "  # after",
        "",
        "c:",
    ]
    entries = read_entries(lines)
    assert [(each.key, each.start, each.end) for each in entries] == [
        ("a", 1, 2),
        ("b", 4, 8),
        ("c", 10, 11),
    ]


def test_what_is_indented_in_a_block_of_text_is_no_comment() -> None:
    entry, following = read_entries(["a: |", "  # Title", "  # End", "# comment", "b: 1"])
    assert (entry.value, entry.end) == ("# Title\n# End\n", 3)
    assert following.start == 4


def test_nothing_but_comments_has_no_entries() -> None:
    assert read_entries([]) == ()
    assert read_entries(["", "# a", "  # b", "\t"]) == ()


# Refusals


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["a: 1", "a: 2"], 3),
        (["a: 1", '"a": 2'], 3),
        (["- a"], 2),
        (["", "  a: 1"], 3),
        (["a: 1", "\tb: 2"], 3),
        (["a: 1", "b"], 3),
        (["a: 1", "b:c"], 3),
        (["a: 1", ": c"], 3),
        (["a: 1", '"b" c: d'], 3),
        (["a: 1", '"b'], 3),
        (["a: 1", "'b':c"], 3),
        (["{a: 1}"], 2),
        (["[a]: 1"], 2),
        (["&x a: 1"], 2),
        (["? a", ": b"], 2),
        (["a: 1", "b # c: [[d]]"], 3),
        (["a: 1", "b: [x"], 3),
        (["a: 1", "b:", "  - x", "  - {y"], 5),
        (["a: 1", "b: |", "   x", "  y"], 5),
        (["a: *b"], 2),
        (["a: &x [*x]"], 2),
        (["a: b: c"], 2),
        (["a: 'x"], 2),
        (["a: 'x'y'"], 2),
        (["a: 'x''"], 2),
        (['a: "x'], 2),
        (['a: "'], 2),
        (["a: '"], 2),
        (['a: "x" y'], 2),
        (['a: "x"y"'], 2),
        (['a: "x\\n"y"'], 2),
        (['a: "\\q"'], 2),
        (['a: "\\u12"'], 2),
        (['a: "\\x4g"'], 2),
        (['a: "\\U00110000"'], 2),
        (["a: @b"], 2),
        (["a: %b"], 2),
        (["a: `b`"], 2),
        (["a: - b"], 2),
        (["a: [x, , y]"], 2),
        (["a: [x] y"], 2),
        (["a: ['x]"], 2),
        (["a: >", "  \x07"], 2),
        (["a: " + "[" * 5000], 2),
        (["a:", "  - x", " - y"], 4),
        (["a: x", "- y"], 3),
        (["a: |", "- y"], 3),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line_in_the_file(
    lines: list[str], line: int
) -> None:
    with pytest.raises(Malformed) as refused:
        read_entries(lines)
    assert refused.value.line == line
    assert refused.value.details["line"] == line
    assert refused.value.code == "memory.malformed"


@pytest.mark.parametrize(
    "tagged",
    [
        *("!!timestamp x", '!!int ""', "!!bool x", "!!float x", "!!binary é", "!!set {a}"),
        *("!!omap [a]", "!!pairs [a]", "!!python/object/apply:os.getcwd []", "!mine x"),
    ],
)
def test_a_tag_that_asks_for_more_than_text_is_refused(tagged: str) -> None:
    with pytest.raises(Malformed) as refused:
        read_entries(["a: 1", f"b: {tagged}"])
    assert refused.value.line == 3


def test_an_ordinary_front_matter_is_read_without_importing_the_library() -> None:
    asked = (
        "import sys\nfrom engram.core.yaml_lines import read_entries\n"
        "read_entries(['a: [b, \"c\"]  # d', 'e:', '- f', 'g: \"\\\\u0416\"'])\n"
        "assert 'yaml' not in sys.modules\n"
        "read_entries(['a: {b: c}'])\nassert 'yaml' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", asked], check=True)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('a: ["' + "x" * 2_000_000 + '"]', ["x" * 2_000_000]),
        ('a: "' + '\\"' * 200_000 + '"', '"' * 200_000),
        ("a: [" + "x" * 2_000_000 + ", 'y']", ["x" * 2_000_000, "y"]),
        ("a: [" + "'x', " * 80_000 + "'y']  # c", ["x"] * 80_000 + ["y"]),
        ("a: '" + "''" * 200_000 + "'  # c", "'" * 200_000),
    ],
    ids=["one item", "escapes", "two items", "many items", "single quotes"],
)
def test_a_line_of_megabytes_is_read_letter_by_letter_but_once(line: str, value: object) -> None:
    assert the_entry(line).value == value


@pytest.mark.parametrize(("written", "value"), SCALARS)
def test_the_table_of_values_is_what_the_library_says(written: str, value: object) -> None:
    if not written.startswith('"\\ud83d'):  # where JSON and YAML differ, the character is meant
        said = yaml.load(f"key: {written}", Loader=yaml.BaseLoader)["key"]  # noqa: S506 - texts
        assert (said or None if value is None else said) == (
            {"": None}.get(written, written) if value is None else value
        )
