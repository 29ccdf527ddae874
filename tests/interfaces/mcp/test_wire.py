"""Lines on the wire: bounded, strict, whole; and the wire kept clean of everything else."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.interfaces.mcp.wire import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Refusal,
    Writer,
    encode,
    is_id,
    lines,
    parse,
)

LIMIT = 100_000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for end in (reader, writer):
        try:
            os.close(end)
        except OSError:
            continue


def through(pipe: tuple[int, int], *parts: bytes, limit: int = LIMIT) -> list[bytes | None]:
    """The lines that a reader makes of these writes and the end of input."""
    reader, writer = pipe

    def write() -> None:
        for part in parts:
            os.write(writer, part)
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    read = list(lines(reader, limit))
    thread.join()
    return read


def refused(line: bytes) -> Refusal:
    with pytest.raises(Refusal) as raised:
        parse(line)
    return raised.value


def test_lines_come_whole_however_they_were_written(pipe: tuple[int, int]) -> None:
    assert through(pipe, b"on", b"e\ntwo\nthr", b"ee\n\nfour") == [
        b"one",
        b"two",
        b"three",
        b"",
        b"four",
    ]


def test_a_line_of_the_largest_size_is_kept_and_a_longer_one_dropped(pipe: tuple[int, int]) -> None:
    longest = b"x" * LIMIT
    read = through(pipe, longest + b"\n", longest + b"y\n", b"short\n")
    assert read == [longest, None, b"short"]


def test_the_end_of_input_ends_a_line_that_is_too_long(pipe: tuple[int, int]) -> None:
    assert through(pipe, b"x" * 11, limit=10) == [None]


def test_a_reader_whose_input_is_gone_meets_the_end(pipe: tuple[int, int]) -> None:
    reader, _ = pipe
    os.close(reader)
    assert list(lines(reader)) == []


@given(st.binary(max_size=300), st.integers(min_value=1, max_value=50))
def test_no_byte_is_lost_between_newlines(data: bytes, size: int) -> None:
    reader, writer = os.pipe()
    try:
        parts = [data[at : at + size] for at in range(0, len(data), size)]
        expected = data.split(b"\n")
        read = through((reader, writer), *parts)
        assert read == (expected if expected[-1] else expected[:-1])
    finally:
        os.close(reader)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{oops", "Expecting property name"),
        (b"", "Expecting value"),
        (b'{"a":1} {"b":2}', "Extra data"),
        (b'{"a":"\xff"}', "not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
        ('{"a":1}'.encode("utf-16"), "not UTF-8"),
        (b"[" * 100_000, "too deep"),
        (b'{"a":' * 100_000, "too deep"),
        (b'{"a":NaN}', "NaN is not JSON"),
        (b'{"a":-Infinity}', "-Infinity is not JSON"),
        (b'{"a":1e999}', "too large"),
        (b'{"a":-1e999}', "too large"),
        (b'{"a":' + b"9" * 5000 + b"}", "Parse error"),
    ],
)
def test_what_is_no_strict_json_is_a_parse_error(line: bytes, why: str) -> None:
    refusal = refused(line)
    assert (refusal.code, refusal.id) == (PARSE_ERROR, None)
    assert why in refusal.message


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b'{"id":7,"a":"\\ud83d"}', 7),
        (b'{"id":"x","a":{"\\uDC00":1}}', "x"),
        (b'{"id":"\\ud83d"}', None),
        (b'{"id":null,"a":"\\ud83d"}', None),
        (b'["\\ud83d"]', None),
    ],
)
def test_half_a_surrogate_pair_is_refused_under_the_requests_id(
    line: bytes, id: str | int | None
) -> None:
    refusal = refused(line)
    assert (refusal.code, refusal.id) == (INVALID_REQUEST, id)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert parse(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_what_leaves_is_ascii_on_one_line() -> None:
    line = encode({"text": "a\nb\u2028c\x85d\U0001f600"})
    assert line.isascii()
    assert b"\n" not in line
    assert json.loads(line) == {"text": "a\nb\u2028c\x85d\U0001f600"}


def test_half_a_pair_never_leaves() -> None:
    assert json.loads(encode({"\udc80": ["\ud83d!"]})) == {"\ufffd": ["\ufffd!"]}


def test_a_number_that_json_does_not_have_never_leaves() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(float("nan"))


@pytest.mark.parametrize(
    ("value", "usable"),
    [("", True), (0, True), (-1, True), (True, False), (None, False), (1.0, False), ([], False)],
)
def test_an_id_is_text_or_a_whole_number(value: object, usable: bool) -> None:
    assert is_id(value) is usable


def test_lines_of_several_threads_never_mix(pipe: tuple[int, int]) -> None:
    reader, descriptor = pipe
    writer = Writer(descriptor, closed=lambda: None)
    long = [bytes([letter]) * 200_000 for letter in b"abcd"]
    threads = [threading.Thread(target=writer.write, args=(line,)) for line in long]
    for thread in threads:
        thread.start()
    read = [next(source) for source in [lines(reader, 1 << 20)] for _ in long]
    for thread in threads:
        thread.join()
    assert sorted(line for line in read if line) == long


def test_a_closed_reader_is_told_once_a_line_and_raises_nothing(pipe: tuple[int, int]) -> None:
    reader, descriptor = pipe
    told: list[str] = []
    writer = Writer(descriptor, closed=lambda: told.append("closed"))
    os.close(reader)
    writer.write(b"x")
    assert told == ["closed"]
