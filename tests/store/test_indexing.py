"""What changed on the disk is noticed, and nothing else is read again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.core import words
from engram.store import indexing
from engram.store.freshness import signature
from engram.store.index import Index, open_index
from engram.store.layout import Layout
from engram.system import files
from tests.support.stores import Store, ids, put_back


class Reads:
    """Counts the files that are read, and refuses those that `refused` names."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.refused: dict[str, str] = {}  # the end of a path to the step refused there

    def __call__(self, step: str, path: str) -> None:
        if step == "read":
            self.paths.append(path)
        for end, refused in self.refused.items():
            if path.endswith(end) and step == refused:
                raise PermissionError(13, "Permission denied", path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    counted = Reads()
    monkeypatch.setattr(files, "on_step", counted)
    return counted


@pytest.fixture
def filled(store: Store) -> Store:
    store.put("rules/apple.md", "Apples are red")
    store.put("knowledge/fruit/banana.md", "Bananas are yellow")
    return store


def find(index: Index, question: str) -> list[str]:
    return ids(index.find(words.query_terms(question), 10))


# Changes


def test_a_new_file_an_edit_a_rename_and_a_removal_are_noticed(filled: Store) -> None:
    assert filled.ask("yellow") == ["banana"]
    filled.put("skills/deep/cherry.md", "Cherries are yellow")
    assert sorted(filled.ask("yellow")) == ["banana", "cherry"]
    filled.put("rules/apple.md", "Apples are yellow")
    assert "apple" in filled.ask("yellow")
    assert filled.ask("red") == []
    filled.place("rules/apple.md").rename(filled.place("rules/pear.md"))
    assert sorted(filled.ask("yellow")) == ["banana", "cherry", "pear"]
    filled.place("skills/deep/cherry.md").unlink()
    filled.place("rules/pear.md").unlink()
    assert filled.ask("yellow") == ["banana"]


def test_a_file_that_was_made_and_removed_at_once_is_gone(filled: Store) -> None:
    filled.put("rules/cherry.md", "Cherries are yellow")
    assert "cherry" in filled.ask("yellow", ahead=0)
    filled.place("rules/cherry.md").unlink()
    assert filled.ask("yellow", ahead=0) == ["banana"]


def test_other_content_of_the_same_size_and_time_is_noticed(filled: Store) -> None:
    place = filled.place("rules/apple.md")
    assert filled.ask("red") == ["apple"]
    state = place.stat()
    filled.put("rules/apple.md", "Apples are big")
    put_back(place, state)
    assert place.stat().st_size == state.st_size
    assert place.stat().st_mtime_ns == state.st_mtime_ns
    assert filled.ask("red") == []
    assert filled.ask("big") == ["apple"]


def test_an_edit_within_the_clocks_tick_is_noticed(filled: Store) -> None:
    """Even where the signature is the same: the file was too young to trust it."""
    place = filled.place("rules/apple.md")
    with filled.open(ahead=0) as index:
        index.refresh(complete=True)
        filled.put("rules/apple.md", "Apples are big")
        state = place.stat()
        index._database.execute(
            "UPDATE file SET mtime = ?, ctime = ?, size = ? WHERE id = 'apple'",
            (state.st_mtime_ns, state.st_ctime_ns, state.st_size),
        )
        index.refresh(complete=True)
        assert find(index, "big") == ["apple"]


def test_a_clock_that_was_put_back_hides_no_edit(filled: Store, reads: Reads) -> None:
    future = time.time() + 86_400
    place = filled.place("rules/apple.md")
    os.utime(place, (future, future))
    assert filled.ask("red") == ["apple"]
    reads.paths.clear()
    assert filled.ask("red") == ["apple"]
    assert [os.path.basename(path) for path in reads.paths] == ["apple.md"]
    filled.put("rules/apple.md", "Apples are big")
    os.utime(place, (future, future))
    assert filled.ask("big") == ["apple"]


def test_a_row_for_a_deleted_file_and_a_file_without_a_row_are_mended(filled: Store) -> None:
    filled.ask("red")
    state = filled.place("rules").stat()
    filled.place("rules/apple.md").unlink()
    filled.put("rules/cherry.md", "Cherries are red")
    os.utime(filled.place("rules/cherry.md"), (0, 0))
    put_back(filled.place("rules"), state)
    assert filled.ask("red") == ["cherry"]


def test_another_branch_is_another_set_of_memories(filled: Store) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-C", str(filled.project), *arguments], check=True, capture_output=True
        )

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "Fruit")
    git("switch", "-q", "-c", "other")
    filled.put("rules/apple.md", "Apples are big")
    filled.place("knowledge/fruit/banana.md").unlink()
    filled.put("knowledge/cherry.md", "Cherries are red")
    git("add", "-A", ".")
    git("commit", "-q", "-m", "Other fruit")
    assert filled.ask("red") == ["cherry"]
    git("switch", "-q", "main")
    assert filled.ask("red") == ["apple"]
    assert filled.ask("yellow") == ["banana"]
    git("switch", "-q", "other")
    assert filled.ask("red") == ["cherry"]
    assert filled.ask("yellow") == []


VARIANTS: list[Callable[[bytes], bytes]] = [
    lambda text: text.replace(b"\n", b"\r\n"),
    lambda text: b"\xef\xbb\xbf" + text,
    lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"),
    lambda text: text.replace(b"\n", b"\r\n", 5),
    lambda text: text.rstrip(b"\n"),
    lambda text: text.replace(b"\n", b"\r"),
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kind_of_line_end_gives_the_same_memory(
    filled: Store, variant: Callable[[bytes], bytes]
) -> None:
    place = filled.place("rules/apple.md")
    filled.approve("rules/apple.md")
    with filled.open() as index:
        index.refresh(complete=True)
        plain = index.entry("apple")
        text = place.read_bytes()
        changed = variant(text)
        place.write_bytes(changed)
        index.refresh(complete=True)
        other = index.entry("apple")
        assert find(index, "red") == ["apple"]
        assert index.problems() == []
    assert plain is not None
    assert other is not None
    assert (other.title, other.tags, other.summary) == (plain.title, plain.tags, plain.summary)
    assert plain.state == "approved"
    expected = "changed" if changed == text.rstrip(b"\n") else "approved"
    assert other.state == expected


# How much is looked at


def test_in_a_steady_state_no_file_is_read_and_nothing_is_written(
    filled: Store, reads: Reads
) -> None:
    filled.put("archive/x/rules/old.md", "Old apples")
    filled.put("working/note.md", "A note", extra="tier: working\n")
    filled.approve("rules/apple.md")
    filled.ask("red")
    filled.ask("red")
    reads.paths.clear()
    with filled.open() as index:
        before = index._database.total_changes
        for complete in (True, False):
            index.refresh(complete=complete, terms=words.query_terms("red"))
        assert index._database.total_changes == before
    assert reads.paths == []


def test_a_young_file_is_read_again_once_it_has_settled_and_then_no_more(
    filled: Store, reads: Reads
) -> None:
    filled.ask("red", ahead=0)
    counts = []
    for ahead in (0, 10, 10):
        reads.paths.clear()
        filled.ask("red", ahead=ahead)
        counts.append(len(reads.paths))
    assert counts == [2, 2, 0]


@pytest.fixture
def large(filled: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of twelve memories where three are few, and two are looked at in turn."""
    monkeypatch.setattr(indexing, "SMALL", 3)
    monkeypatch.setattr(indexing, "SLICE", 2)
    for number in range(10):
        filled.put(f"skills/skill-{number}.md", f"Skill {number}", "Peel an orange")
    filled.ask("orange")
    return filled


def edit_in_place(place: Path, old: str, new: str) -> None:
    """As an editor that writes into the file: the folder does not change."""
    text = place.read_text()
    with open(place, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def test_of_a_large_store_a_prompt_looks_at_folders_and_some_files_in_turn(large: Store) -> None:
    edited = [f"skill-{number}" for number in range(5)]
    for id in edited:
        edit_in_place(large.place(f"skills/{id}.md"), "an orange", "a red grape")
    turns = [large.ask("red", complete=False, ahead=10 + seconds) for seconds in range(30)]
    seen = [len(set(edited).intersection(found)) for found in turns]
    assert seen[0] <= indexing.SLICE
    assert sorted(seen) == seen
    assert seen[-1] == len(edited)


def test_in_a_large_store_a_new_word_brings_the_whole_of_it(large: Store) -> None:
    edit_in_place(large.place("skills/skill-9.md"), "an orange", "a grape")
    assert large.ask("grape", complete=False) == ["skill-9"]


def test_in_a_large_store_a_changed_folder_brings_the_whole_of_it(large: Store) -> None:
    large.put("skills/skill-x.md", "Red skill")
    assert "skill-x" in large.ask("red", complete=False)
    large.place("knowledge/fruit/banana.md").unlink()
    assert large.ask("yellow", complete=False) == []
    large.put("rules/new/folder/cherry.md", "Red cherry")
    assert "cherry" in large.ask("red", complete=False)
    large.put("working/note.md", "Red note", extra="tier: working\n")
    assert "note" in large.ask("red", complete=False)


def test_a_prompt_in_a_large_store_that_did_not_change_writes_nothing(large: Store) -> None:
    with large.open() as index:
        index._database.execute("PRAGMA query_only = ON")
        index.refresh(complete=False, terms=words.query_terms("orange"))
        assert index.notes == []
        assert index.path


def test_what_an_index_left_undone_is_done_by_the_next(
    large: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders are remembered after their files: a run that is cut short hides nothing."""
    monkeypatch.setattr(indexing, "BATCH", 1)
    for number in range(3):
        large.put(f"rules/plum-{number}.md", "Red plum")

    def stop(done: int, total: int) -> None:
        assert done < total
        raise KeyboardInterrupt

    index = open_index(large.layout, large.cache, time.time() + 10, stop)
    with index, pytest.raises(KeyboardInterrupt):
        index.refresh(complete=False, terms=words.query_terms("red"))
    found = large.ask("plum", complete=False)
    assert sorted(found) == ["plum-0", "plum-1", "plum-2"]


def test_a_change_that_is_broken_off_leaves_no_half_of_it(filled: Store) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with filled.open() as index:
        index.refresh(complete=True)
        half = indexing.Indexing(index._database, filled.layout, index._now)
        with pytest.raises(KeyboardInterrupt):
            half._write([lambda: index._database.execute("DELETE FROM file"), stop])
        assert len(index.entries()) == 2


def test_the_archive_is_listed_again_only_when_a_folder_of_it_changed(
    filled: Store, reads: Reads
) -> None:
    old = filled.put("archive/x/rules/old.md", "Old apples")
    filled.ask("red")
    edit_in_place(old, "Old", "Elderly")
    reads.paths.clear()
    with filled.open() as index:
        index.refresh(complete=True)
        assert reads.paths == []
        filled.put("archive/x/rules/older.md", "Older apples")
        index.refresh(complete=True)
        found = index.find(words.query_terms("apples"), 9, archived=True)
        assert sorted(ids(found)) == ["old", "older"]


# What cannot be read


def test_a_file_that_cannot_be_read_keeps_what_was_known_of_it(filled: Store, reads: Reads) -> None:
    filled.ask("red")
    filled.put("rules/apple.md", "Apples are big")
    filled.put("rules/cherry.md", "Cherries are big")
    reads.refused = {"apple.md": "read", "cherry.md": "read"}
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "red") == ["apple"]
        assert find(index, "yellow") == ["banana"]
        problems = index.problems()
        assert [problem.path for problem in problems] == ["rules/apple.md", "rules/cherry.md"]
        assert "permission" in problems[0].message
        reads.refused = {}
        index.refresh(complete=True)
        assert sorted(find(index, "big")) == ["apple", "cherry"]
        assert index.problems() == []


def test_a_folder_that_cannot_be_listed_keeps_what_was_known_of_it(
    filled: Store, reads: Reads
) -> None:
    filled.ask("red")
    reads.refused = {"knowledge/fruit": "list"}
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "yellow") == ["banana"]
        assert any("knowledge/fruit" in note for note in index.notes)
    filled.place("knowledge/fruit/banana.md").unlink()
    reads.refused = {}
    assert filled.ask("yellow") == []


def test_a_malformed_file_is_a_problem_and_no_memory_and_hides_no_other(filled: Store) -> None:
    filled.put("rules/cherry.md", "Cherries are red").write_text("---\ntags: [a\n---\n")
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "red") == ["apple"]
        assert index.entry("cherry") is None
        assert [(each.path, each.line) for each in index.problems()] == [("rules/cherry.md", 2)]
        filled.put("rules/cherry.md", "Cherries are red")
        index.refresh(complete=True)
        assert index.problems() == []
        assert len(find(index, "red")) == 2


def test_every_file_that_is_no_memory_is_told(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "folder").mkdir()
    filled.put("rules/whole.md", "Red whole")
    filled.place("rules/link.md").symlink_to(tmp_path / "secret.md")
    filled.place("rules/linked").symlink_to(tmp_path / "folder")
    filled.place("skills").symlink_to(tmp_path / "folder")
    filled.place("rules/latin.md").write_bytes(b"---\nid: latin\n---\n# caf\xe9\n")
    filled.place("rules/large.md").write_bytes(b"x" * (1 << 20) + b"x")
    filled.put("rules/half.md", "Half", extra='objective: "\\ud800"\n')
    Path(os.fsdecode(os.fsencode(filled.place("rules")) + b"/\xff.md")).write_text("x")
    filled.place("rules/.hidden.md").write_text("x")
    filled.place("rules/notes.txt").write_text("x")
    filled.place("rules/folder.md").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with filled.open() as index:
        index.refresh(complete=True)
        told = {problem.path: problem.message for problem in index.problems()}
        assert find(index, "red") == ["apple", "whole"] or find(index, "red") == ["whole", "apple"]
        again = Index(filled.layout, filled.cache, time.time() + 10)
        again.refresh(complete=True)
        assert {problem.path for problem in again.problems()} == set(told)
        again.close()
    assert set(told) == {
        "rules/link.md",
        "rules/linked",
        "skills",
        "rules/latin.md",
        "rules/large.md",
        "rules/half.md",
        "rules/?.md",
    }
    assert "symbolic link" in told["rules/link.md"]
    assert "UTF-8" in told["rules/latin.md"]
    assert "larger" in told["rules/large.md"]
    assert "surrogate" in told["rules/half.md"]


def test_a_file_that_goes_while_the_folder_is_listed_is_no_failure(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = filled.place("rules/apple.md")

    def remove(step: str, path: str) -> None:
        if step == "read" and path.endswith("apple.md"):
            gone.unlink()

    monkeypatch.setattr(files, "on_step", remove)
    assert filled.ask("red") == []
    monkeypatch.undo()
    assert filled.ask("yellow") == ["banana"]


# What is approved


def state(store: Store, id: str) -> str:
    with store.open() as index:
        index.refresh(complete=False)
        entry = index.entry(id)
        assert entry is not None
        return entry.state


def test_the_state_follows_the_manifest_and_the_file(filled: Store) -> None:
    assert state(filled, "apple") == "unreviewed"
    filled.approve("rules/apple.md")
    assert state(filled, "apple") == "approved"
    assert state(filled, "banana") == "unreviewed"
    filled.put("rules/apple.md", "Apples are big")
    assert state(filled, "apple") == "changed"
    filled.put("rules/apple.md", "Apples are red")
    assert state(filled, "apple") == "approved"
    Path(filled.layout.manifest).unlink()
    assert state(filled, "apple") == "unreviewed"


def test_the_earlier_editions_manifest_counts_while_it_is_the_only_one(filled: Store) -> None:
    place = filled.place("rules/apple.md")
    digest = files.sha256(place.read_bytes())
    Path(filled.layout.legacy_manifest).write_text(f'{{"rules/apple.md": "{digest}"}}')
    assert state(filled, "apple") == "approved"
    filled.approve("knowledge/fruit/banana.md")
    assert state(filled, "apple") == "unreviewed"


def test_a_note_has_a_manifest_of_its_own(filled: Store) -> None:
    place = filled.put("working/note.md", "A note", extra="tier: working\n")
    filled.approve("working/note.md")
    assert state(filled, "note") == "unreviewed"
    Path(filled.layout.local).mkdir()
    line = f"{files.sha256(place.read_bytes())}  working/note.md\n"
    Path(filled.layout.working_manifest).write_text(line)
    assert state(filled, "note") == "approved"


def test_a_manifest_that_needs_a_look_is_told_every_time(filled: Store) -> None:
    filled.approve("rules/apple.md")
    with open(filled.layout.manifest, "a", encoding="utf-8") as file:
        file.write("<<<<<<< HEAD\n")
    for _ in range(2):
        with filled.open() as index:
            index.refresh(complete=True)
            index.refresh(complete=True)
            assert [note for note in index.notes if "merge conflict" in note] == index.notes
            assert len(index.notes) == 1
    assert state(filled, "apple") == "approved"


def test_a_damaged_manifest_approves_nothing_and_says_so(filled: Store) -> None:
    Path(filled.layout.legacy_manifest).write_text("{")
    with filled.open() as index:
        index.refresh(complete=True)
        assert any("memory.hashes.json" in note for note in index.notes)
    assert state(filled, "apple") == "unreviewed"


# Several at once

ASKING = """
import sys, time
from engram.core import words
from engram.store.index import open_index
from engram.store.layout import Layout
with open_index(Layout(sys.argv[1]), sys.argv[2], time.time() + 10) as index:
    index.refresh(complete=sys.argv[3] == "all")
    found = index.find(words.query_terms("red plum"), 500)
    print(len(found), len(index.entries()), index.notes)
"""

HOLDING = """
import sys
from engram.system.files import lock
with lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def start(store: Store, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ASKING, store.layout.root, store.cache, how],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_twelve_processes_at_once_make_one_good_index(filled: Store) -> None:
    for number in range(300):
        filled.put(f"rules/plum-{number:03}.md", f"Red plum {number}")
    running = [start(filled, how) for how in ("all", "some") * 6]
    told = {each.communicate()[0] for each in running}
    assert told == {"301 302 []\n"}


def test_much_work_is_done_even_when_the_turn_never_comes(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "BATCH", 1)
    monkeypatch.setattr(indexing, "TURN_SECONDS", 0)
    with filled.open() as index:
        lock = str(filled.index_file.with_name("index.lock"))
        held = subprocess.Popen(
            [sys.executable, "-c", HOLDING, lock],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert held.stdout is not None
        assert held.stdout.readline() == "held\n"
        index.refresh(complete=True)
        assert find(index, "red") == ["apple"]
        held.communicate()


def test_what_another_process_indexed_meanwhile_is_not_done_again(filled: Store) -> None:
    """So that a reader between the two does not lose the row."""
    with filled.open() as index:
        first = indexing.Indexing(index._database, filled.layout, index._now)
        late = first._actions("rules/apple.md", signature(str(filled.place("rules/apple.md"))))
        index.refresh(complete=True)
        number = index._database.execute("SELECT number FROM file WHERE id = 'apple'").fetchone()
        first._write(late)
        again = index._database.execute("SELECT number FROM file WHERE id = 'apple'").fetchone()
        assert number == again


def test_a_killed_process_leaves_an_index_that_the_next_one_completes(filled: Store) -> None:
    for number in range(600):
        filled.put(f"rules/plum-{number:03}.md", f"Red plum {number}")
    first = start(filled, "all")
    while first.poll() is None and not filled.index_file.exists():
        pass
    first.kill()
    first.communicate()
    told, _ = start(filled, "all").communicate()
    assert told == "500 602 []\n"


def test_reading_makes_no_file_in_the_project(filled: Store) -> None:
    before = sorted(filled.project.rglob("*"))
    filled.ask("red")
    assert sorted(filled.project.rglob("*")) == before


def test_a_store_that_is_not_there_has_no_memories(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path / "none"))
    with open_index(layout, str(tmp_path / "cache"), time.time()) as index:
        index.refresh(complete=True)
        assert index.entries() == []
