"""JSON without the json module, held against it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import InvalidRequest
from engram.system.plain_json import quoted, texts_at, tools


@given(st.text())
def test_a_quoted_text_reads_back_as_itself(text: str) -> None:
    written = quoted(text)
    assert written.isascii()
    assert json.loads(written) == text


@pytest.mark.parametrize("text", ["\x00\x1f\x7f", '"\\/', "\u2028\u2029", "😀 ё 漢", "\n\r\t"])
def test_signs_that_need_care_are_escaped(text: str) -> None:
    assert json.loads(quoted(text)) == text
    assert "\n" not in quoted(text)


def test_texts_are_found_by_path() -> None:
    told = json.dumps({"a": "x", "b": {"c": ["y", 7]}, "n": None, "u": "\ud83d\ude00é"}).encode()
    paths = ("$.a", "$.b.c[0]", "$.b.c[1]", "$.n", "$.none", "$.u")
    assert texts_at(told, paths) == ["x", "y", "", "", "", "😀é"]


def test_a_byte_order_mark_and_torn_bytes_are_survived() -> None:
    assert texts_at(b'\xef\xbb\xbf{"a": "x"}', ("$.a",)) == ["x"]
    assert texts_at(b'{"a": "x\xff"}', ("$.a",)) == ["x\ufffd"]


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'"text"', b"null", b"\xff\xfe{}", b"{a: 1}"])
def test_anything_but_an_object_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidRequest):
        texts_at(data, ("$.a",))


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    with suppress(InvalidRequest):
        assert len(texts_at(data, ("$.a", "$.b"))) == 2


def test_half_a_character_is_replaced_and_long_numbers_are_survived() -> None:
    told = b'{"n": ' + b"9" * 6000 + rb', "a": "\ud83d", "t": "a' + b"\tb" + rb'", "i": NaN}'
    assert texts_at(told, ("$.a", "$.n", "$.t", "$.i")) == ["?", "", "a\tb", ""]


def test_what_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        texts_at(b'{"a":' * 100_000, ("$.a",))


def test_a_path_that_leads_through_a_text_or_past_a_list_finds_nothing() -> None:
    assert texts_at(b'{"a": "x", "b": []}', ("$.a.b", "$.b[0]", "$.b.c")) == ["", "", ""]


@given(st.text())
def test_a_python_without_the_compiled_parts_does_the_same(text: str) -> None:
    scan, quote = tools("_engram_has_no_such_module")
    assert scan(quote(text), 0) == (text, len(quote(text)))
    assert quote(text) == quoted(text)
