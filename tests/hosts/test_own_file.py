"""Whole files of ours tell whether somebody changed them."""

from __future__ import annotations

import pytest

from engram.hosts.own_file import is_ours, stamped

PATHS = ["a/SKILL.md", "a/engram.mdc", "a/engram.js", "a/engram.toml"]


@pytest.mark.parametrize("path", PATHS)
def test_a_stamped_file_is_known_with_any_line_ends(path: str) -> None:
    content = stamped("one\ntwo\n", path)
    assert content.startswith(b"one\ntwo\n")
    assert is_ours(content)
    assert is_ours(content.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize("path", PATHS)
def test_a_changed_file_is_not(path: str) -> None:
    content = stamped("one\ntwo\n", path)
    assert not is_ours(content.replace(b"two", b"three"))
    assert not is_ours(content + b"more\n")
    assert not is_ours(b"one\ntwo\n")


def test_a_file_without_comments_is_written_as_it_is() -> None:
    assert stamped('{"a": 1}\n\n', "plugin.json") == b'{"a": 1}\n'


def test_no_text_is_a_stamp_of_itself() -> None:
    twice = stamped(stamped("one\n", "a.md").decode(), "a.md")
    assert twice.count(b"engram:file") == 2
