"""Counts that help and never hurt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engram.store.layout import Layout
from engram.store.usage import Usage

LAYOUT = Layout("/a/project/.agents/.engram")


def usage(folder: Path) -> Usage:
    return Usage(LAYOUT, str(folder))


def test_fetches_are_counted_by_id(tmp_path: Path) -> None:
    counts = usage(tmp_path)
    assert counts.counts() == {}
    counts.add(["a", "b"])
    counts.add(["a", "a"])
    assert usage(tmp_path).counts() == {"a": 3, "b": 1}
    assert counts.counts(iter(["a", "none"])) == {"a": 3}
    assert counts.best(1) == [("a", 3)]
    assert counts.best(9) == [("a", 3), ("b", 1)]


def test_reading_and_an_empty_count_make_no_file(tmp_path: Path) -> None:
    counts = usage(tmp_path)
    counts.add([])
    assert counts.best(3) == []
    assert list(tmp_path.iterdir()) == []


def test_stores_do_not_mix(tmp_path: Path) -> None:
    usage(tmp_path).add(["a"])
    assert Usage(Layout("/another"), str(tmp_path)).counts() == {}


def test_without_a_state_folder_nothing_is_counted() -> None:
    counts = Usage(LAYOUT, "")
    counts.add(["a"])
    assert counts.counts() == {}


def test_where_no_file_can_be_made_nothing_is_counted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    counts = usage(tmp_path / "file")
    counts.add(["a"])
    assert counts.best(1) == []


@pytest.mark.parametrize("content", [b"{", b"", b"x" * 5000])
def test_a_damaged_file_begins_anew(tmp_path: Path, content: bytes) -> None:
    counts = usage(tmp_path)
    counts.add(["old"])
    Path(counts.path).write_bytes(content)
    assert counts.counts() == {}
    counts.add(["a"])
    assert counts.counts() == {"a": 1}


def test_a_folder_in_the_place_of_the_file_is_harmless(tmp_path: Path) -> None:
    counts = usage(tmp_path)
    Path(counts.path).mkdir(parents=True)
    counts.add(["a"])
    assert counts.counts() == {}


def test_what_cannot_be_forgotten_is_left(tmp_path: Path) -> None:
    counts = usage(tmp_path)
    counts._forget()
    assert counts.counts() == {}


ADDING = """
import sys
from engram.store.layout import Layout
from engram.store.usage import Usage
for _ in range(20):
    Usage(Layout(sys.argv[1]), sys.argv[2]).add(["a"])
"""


def test_processes_count_side_by_side(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ADDING, LAYOUT.root, str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(4)]
    assert [each.wait() for each in running] == [0] * 4
    counted = usage(tmp_path).counts()["a"]
    assert 20 <= counted <= 80  # a count may be lost to a busy file, never the file itself
