"""What a look at the disk says, and when a signature proves anything."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engram.store.freshness import NO_SIGNATURE, settled, signature, survey
from engram.store.layout import ARCHIVE, MEMORY, WORKING
from engram.system import files
from tests.support.stores import Store


def paths(store: Store, part: str) -> set[str]:
    return {path for path, *_ in survey(store.layout, part).files}


def test_each_part_has_its_files_at_any_depth(store: Store) -> None:
    store.put("rules/a.md", "A")
    store.put("knowledge/deep/er/b.md", "B")
    store.put("rules/правило.md", "R")
    store.put("working/n.md", "N")
    store.put("archive/2026-01-01/rules/old.md", "Old")
    store.put("elsewhere/c.md", "C")
    assert paths(store, MEMORY) == {
        "rules/a.md",
        "rules/правило.md",
        "knowledge/deep/er/b.md",
    }
    assert paths(store, WORKING) == {"working/n.md"}
    assert paths(store, ARCHIVE) == {"archive/2026-01-01/rules/old.md"}
    assert set(survey(store.layout, MEMORY).folders) == {
        "rules",
        "knowledge",
        "knowledge/deep",
        "knowledge/deep/er",
    }


def test_links_are_named_and_not_followed(store: Store, tmp_path: Path) -> None:
    store.put("rules/a.md", "A")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    store.place("rules/link.md").symlink_to(tmp_path / "outside" / "secret.md")
    store.place("rules/dangling.md").symlink_to(tmp_path / "nowhere")
    store.place("rules/folder").symlink_to(tmp_path / "outside")
    store.place("skills").symlink_to(tmp_path / "outside")
    found = survey(store.layout, MEMORY)
    assert {path for path, *_ in found.files} == {"rules/a.md"}
    assert sorted(found.links) == ["rules/dangling.md", "rules/folder", "rules/link.md", "skills"]


def test_a_file_that_goes_while_its_folder_is_listed_is_not_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = store.put("rules/a.md", "A")
    scandir = os.scandir

    class Listing:
        def __init__(self, path: str) -> None:
            with scandir(path) as entries:
                self.entries = list(entries)
            place.unlink()

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", Listing)
    assert paths(store, MEMORY) == set()


def test_a_folder_that_cannot_be_listed_is_named(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("rules/a.md", "A")
    store.put("skills/b.md", "B")

    def refuse(step: str, path: str) -> None:
        if step == "list" and path.endswith("rules"):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "on_step", refuse)
    found = survey(store.layout, MEMORY)
    assert found.unreadable == ("rules",)
    assert {path for path, *_ in found.files} == {"skills/b.md"}


def test_a_file_of_another_kind_is_no_memory(store: Store) -> None:
    store.put("rules/a.md", "A")
    os.mkfifo(store.place("rules/pipe.md"))
    assert paths(store, MEMORY) == {"rules/a.md"}


def test_a_signature_changes_with_the_time_the_change_and_the_size(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = store.put("rules/a.md", "A")
    state = place.stat()
    assert signature(str(place)) == (state.st_mtime_ns, state.st_ctime_ns, state.st_size)
    assert signature(str(store.place("rules/none.md"))) == NO_SIGNATURE
    monkeypatch.setattr(sys, "platform", "win32")  # where it is the time of creation
    assert signature(str(place)) == (state.st_mtime_ns, 0, state.st_size)


def test_only_a_file_older_than_the_clocks_tick_is_settled() -> None:
    second = 1_000_000_000
    assert settled((0, 0, 1), 3 * second)
    assert not settled((second, 0, 1), 3 * second)
    assert not settled((0, second, 1), 3 * second)
    assert not settled((9 * second, 0, 1), 3 * second)
