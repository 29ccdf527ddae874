"""Memories are written whole, over what they were made from, and put on record."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.errors import (
    Conflict,
    Damaged,
    EngramError,
    InvalidRequest,
    NotFound,
    Unavailable,
    Unsafe,
)
from engram.store.layout import ARCHIVE, WORKING, Layout
from engram.store.manifest import manifest_of, working_manifest_of
from engram.store.memories import (
    Logged,
    accept_memory,
    archive_path,
    create_store,
    list_files,
    lock_store,
    read_memory,
    remove_memory,
    sweep_store,
    write_memory,
)
from engram.system import files
from engram.system.files import sha256
from tests.support.stores import Store, a_text

OLD = a_text("rules/a.md", "Use pnpm", "Use pnpm").encode()
NEW = a_text("rules/a.md", "Use yarn", "Use yarn").encode()
NOW = Logged("2026-12-01T10:00:00Z", "ADD a: Use\npnpm")


def state(layout: Layout, path: str) -> str:
    return manifest_of(layout).state(path, Path(layout.absolute(path)).read_bytes())


def log(layout: Layout) -> list[str]:
    return Path(layout.changelog).read_text().splitlines()


# A new store


def test_a_new_store_has_what_it_needs_and_no_empty_folders(tmp_path: Path) -> None:
    layout = Layout.of_project(str(tmp_path))
    made = create_store(layout)
    assert [os.path.basename(path) for path in made] == [
        ".gitignore",
        ".gitattributes",
        "engram.config.json",
    ]
    assert sorted(os.listdir(layout.root)) == [
        ".gitattributes",
        ".gitignore",
        "engram.config.json",
        "local",
    ]
    assert stat.S_IMODE(os.stat(layout.local).st_mode) == 0o700
    assert Path(layout.config).read_text() == "{\n}\n"
    assert create_store(layout) == ()


def test_git_sees_memories_and_not_what_belongs_to_the_machine(store: Store) -> None:
    create_store(store.layout)
    store.put("rules/a.md", "A")
    store.put("working/n.md", "N")
    git = ["git", "-C", str(store.project)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    listed = subprocess.run([*git, "ls-files"], check=True, capture_output=True, text=True)
    assert [path.removeprefix(".agents/.engram/") for path in listed.stdout.split()] == [
        ".gitattributes",
        ".gitignore",
        "engram.config.json",
        "rules/a.md",
    ]


def test_branches_that_both_wrote_merge_without_a_conflict(store: Store) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-C", str(store.project), *arguments], check=True, capture_output=True
        )

    create_store(store.layout)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    for branch, name in (("one", "a"), ("two", "b")):
        git("switch", "-q", "-c", branch, "main")
        write_memory(store.layout, f"rules/{name}.md", NEW, None, NOW)
        git("add", "-A")
        git("commit", "-q", "-m", branch)
    git("merge", "-q", "--no-edit", "one")
    assert state(store.layout, "rules/a.md") == "approved"
    assert state(store.layout, "rules/b.md") == "approved"
    assert len([line for line in log(store.layout) if line.startswith("- ")]) == 2


def test_what_is_there_is_kept_and_missing_lines_are_added(store: Store) -> None:
    root = store.root
    (root / ".gitignore").write_bytes(b"mine\nworking/")
    (root / "engram.config.json").write_text('{"theme": "light"}')
    create_store(store.layout)
    ignored = (root / ".gitignore").read_text().splitlines()
    assert ignored[:2] == ["mine", "working/"]
    assert ignored.count("working/") == 1
    assert "local/" in ignored
    assert (root / "engram.config.json").read_text() == '{"theme": "light"}'


def test_a_store_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    (tmp_path / ".agents").write_text("a file")
    with pytest.raises(Unavailable):
        create_store(Layout.of_project(str(tmp_path)))


# Reading


def test_a_memory_is_read_with_its_bytes_and_digest(store: Store) -> None:
    store.put("rules/team/a.md", "Use pnpm")
    read = read_memory(store.layout, "rules/team/a.md")
    assert read.memory.title == "Use pnpm"
    assert read.memory.id == "a"
    assert read.memory.type == "rule"
    assert read.data == store.place("rules/team/a.md").read_bytes()
    assert read.text.encode() == read.data
    assert read.digest == sha256(read.data)


def test_files_are_listed_by_part(store: Store) -> None:
    for path in ("skills/b.md", "rules/a.md", "working/n.md", "archive/x/rules/o.md"):
        store.put(path, "Text")
    assert list_files(store.layout) == ["rules/a.md", "skills/b.md"]
    assert list_files(store.layout, WORKING) == ["working/n.md"]
    assert list_files(store.layout, ARCHIVE) == ["archive/x/rules/o.md"]


def test_what_is_no_memory_is_refused_with_its_line(store: Store) -> None:
    store.put("rules/a.md", "A").write_bytes(b"---\nid: a\n---\n\n# caf\xe9\n")
    with pytest.raises(Damaged) as raised:
        read_memory(store.layout, "rules/a.md")
    assert (raised.value.code, raised.value.details["line"]) == ("memory.not_text", 5)
    store.put("rules/b.md", "B").write_text("---\ntags: [a\n---\n")
    with pytest.raises(Damaged) as raised:
        read_memory(store.layout, "rules/b.md")
    assert raised.value.code == "memory.malformed"
    with pytest.raises(NotFound):
        read_memory(store.layout, "rules/none.md")


@pytest.mark.parametrize(
    "path",
    [
        "../a.md",
        "rules/../../a.md",
        "/etc/a.md",
        "rules",
        "rules/a.txt",
        "elsewhere/a.md",
        "rules//a.md",
        "rules/./a.md",
        "rules/a\\..\\b.md",
        "memory.sha256",
        "a.md",
        "",
    ],
)
def test_no_path_leads_out_of_the_places_for_memories(store: Store, path: str) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: read_memory(store.layout, path),
        lambda: write_memory(store.layout, path, NEW, None),
        lambda: remove_memory(store.layout, path, ""),
        lambda: accept_memory(store.layout, path, ""),
    ]
    for attempt in attempts:
        with pytest.raises(Unsafe) as raised:
            attempt()
        assert raised.value.code == "memory.outside"
    assert os.listdir(store.root) == []


def test_a_linked_folder_leads_nowhere(store: Store, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    store.place("rules").symlink_to(tmp_path / "outside")
    with pytest.raises(Unsafe):
        write_memory(store.layout, "rules/a.md", NEW, None)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_linked_file_is_not_written_through(store: Store, tmp_path: Path) -> None:
    store.place("rules").mkdir()
    (tmp_path / "precious").write_bytes(b"precious")
    store.place("rules/a.md").symlink_to(tmp_path / "precious")
    with pytest.raises(Unsafe):
        write_memory(store.layout, "rules/a.md", NEW, sha256(b"precious"))
    assert (tmp_path / "precious").read_bytes() == b"precious"


# Writing


def test_a_write_is_a_file_an_approval_and_a_line(store: Store) -> None:
    layout = store.layout
    write_memory(layout, "rules/team/a.md", OLD, None, NOW)
    assert store.place("rules/team/a.md").read_bytes() == OLD
    assert state(layout, "rules/team/a.md") == "approved"
    checked = subprocess.run(["sha256sum", "-c", "memory.sha256"], cwd=layout.root, check=False)
    assert checked.returncode == 0
    assert log(layout) == [
        "# Changes",
        "",
        f"- 2026-12-01T10:00:00Z rules/team/a.md {sha256(OLD)[:12]} ADD a: Use pnpm",
    ]
    write_memory(layout, "rules/team/a.md", NEW, sha256(OLD))
    assert state(layout, "rules/team/a.md") == "approved"
    assert len(log(layout)) == 3


def test_a_file_that_moved_on_is_not_written_over(store: Store) -> None:
    layout = store.layout
    write_memory(layout, "rules/a.md", OLD, None)
    attempts: list[tuple[Callable[[], None], str]] = [
        (lambda: write_memory(layout, "rules/a.md", NEW, sha256(OLD)), "memory.changed"),
        (lambda: write_memory(layout, "rules/a.md", NEW, None), "memory.exists"),
        (lambda: remove_memory(layout, "rules/a.md", sha256(OLD)), "memory.changed"),
        (lambda: accept_memory(layout, "rules/a.md", sha256(OLD)), "memory.changed"),
        (lambda: write_memory(layout, "rules/b.md", NEW, sha256(OLD)), "memory.changed"),
    ]
    edited = OLD + b"by hand\n"
    store.place("rules/a.md").write_bytes(edited)
    before = Path(layout.manifest).read_bytes()
    for attempt, code in attempts:
        with pytest.raises(Conflict) as raised:
            attempt()
        assert raised.value.code == code
    assert store.place("rules/a.md").read_bytes() == edited
    assert Path(layout.manifest).read_bytes() == before
    assert not store.place("rules/b.md").exists()


def test_a_new_memory_needs_a_name_that_every_system_takes(store: Store) -> None:
    for name in ("con", "a b", "x" * 101):
        with pytest.raises(InvalidRequest):
            write_memory(store.layout, f"rules/{name}.md", NEW, None)
    odd = store.put("rules/A rule.md", "Old").read_bytes()
    write_memory(store.layout, "rules/A rule.md", NEW, sha256(odd))
    assert state(store.layout, "rules/A rule.md") == "approved"


def test_a_note_is_on_record_where_git_does_not_look(store: Store) -> None:
    write_memory(store.layout, "working/n.md", NEW, None, NOW)
    assert working_manifest_of(store.layout).state("working/n.md", NEW) == "approved"
    assert not os.path.exists(store.layout.manifest)
    assert not os.path.exists(store.layout.changelog)


def test_the_earlier_editions_approvals_are_taken_over_by_the_first_write(store: Store) -> None:
    place = store.put("rules/old.md", "Old")
    digest = sha256(place.read_bytes())
    Path(store.layout.legacy_manifest).write_text(f'{{"rules/old.md": "{digest}"}}')
    write_memory(store.layout, "rules/a.md", NEW, None)
    assert state(store.layout, "rules/old.md") == "approved"
    assert state(store.layout, "rules/a.md") == "approved"


def test_removing_takes_the_file_and_its_approval(store: Store) -> None:
    write_memory(store.layout, "rules/a.md", OLD, None)
    remove_memory(store.layout, "rules/a.md", sha256(OLD), NOW)
    assert not store.place("rules/a.md").exists()
    assert list(manifest_of(store.layout).paths) == []
    assert log(store.layout)[-1] == "- 2026-12-01T10:00:00Z rules/a.md removed ADD a: Use pnpm"
    remove_memory(store.layout, "rules/a.md", sha256(OLD), NOW)
    assert len(log(store.layout)) == 3


def test_accepting_approves_what_a_person_looked_at(store: Store) -> None:
    data = store.put("rules/a.md", "By hand").read_bytes()
    accept_memory(store.layout, "rules/a.md", sha256(data), NOW)
    assert state(store.layout, "rules/a.md") == "approved"
    with pytest.raises(NotFound):
        accept_memory(store.layout, "rules/none.md", sha256(data))


def test_an_archived_copy_is_in_no_others_way(store: Store) -> None:
    assert archive_path(store.layout, "rules/a.md", "2026-12-01") == "archive/2026-12-01/rules/a.md"
    for expected in ("a.md", "a-2.md", "a-3.md"):
        path = archive_path(store.layout, "rules/a.md", "2026-12-01")
        assert path == f"archive/2026-12-01/rules/{expected}"
        write_memory(store.layout, path, OLD, None)


class Crash(BaseException):
    """The power goes off."""


def outcome(layout: Layout) -> tuple[bool, bool, int]:
    """Whether the new file stands, is approved, and how many lines the log has."""
    place = Path(layout.absolute("rules/a.md"))
    lines = log(layout) if os.path.exists(layout.changelog) else []
    return (
        place.read_bytes() == NEW,
        state(layout, "rules/a.md") == "approved",
        len([line for line in lines if line.startswith("- ")]),
    )


@pytest.mark.parametrize("error", [Crash(), OSError(errno.ENOSPC, "No space left on device")])
def test_a_write_cut_short_at_any_step_is_old_or_new_and_can_be_finished(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    layout = store.layout
    write_memory(layout, "rules/a.md", OLD, None)
    taken = 0
    number = 0

    def cut_short(*step: str) -> None:
        nonlocal taken
        assert step
        if taken == number:
            raise error
        taken += 1

    while True:
        monkeypatch.setattr(files, "on_step", cut_short)
        taken = 0
        try:
            write_memory(layout, "rules/a.md", NEW, sha256(OLD), NOW)
            finished = True
        except (Crash, EngramError):
            finished = False
        monkeypatch.undo()
        assert store.place("rules/a.md").read_bytes() in (OLD, NEW)
        write_memory(layout, "rules/a.md", NEW, sha256(OLD), NOW)
        assert outcome(layout) == (True, True, 1)
        if finished:
            break
        number += 1
        write_memory(layout, "rules/a.md", OLD, sha256(NEW))
        os.unlink(layout.changelog)
    assert number > 10
    left = list(store.root.rglob(".*.tmp"))
    assert left == []


WRITING = """
import sys
from engram.store.layout import Layout
from engram.store.memories import Logged, write_memory
layout, name = Layout(sys.argv[1]), sys.argv[2]
write_memory(layout, f"rules/{name}.md", sys.stdin.buffer.read(), None, Logged("2026-12-01", name))
"""


def test_twelve_writers_at_once_lose_nothing(store: Store) -> None:
    layout = store.layout
    running = []
    for number in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITING, layout.root, f"memory-{number}"], stdin=subprocess.PIPE
        )
        assert writer.stdin is not None
        writer.stdin.write(NEW)
        writer.stdin.close()
        running.append(writer)
    assert [writer.wait() for writer in running] == [0] * 12
    paths = list_files(layout)
    assert len(paths) == 12
    assert {state(layout, path) for path in paths} == {"approved"}
    assert len([line for line in log(layout) if line.startswith("- ")]) == 12
    assert list(store.root.rglob(".*.tmp")) == []


def test_who_holds_the_lock_writes_within_it_and_others_wait(store: Store) -> None:
    with lock_store(store.layout):
        write_memory(store.layout, "rules/a.md", OLD, None)
        other = subprocess.run(
            [sys.executable, "-c", LOCKING, store.layout.root], check=False, capture_output=True
        )
    assert other.stdout == b"lock.busy\n"


LOCKING = """
import sys
from engram.errors import Unavailable
from engram.store.layout import Layout
from engram.store.memories import lock_store
try:
    with lock_store(Layout(sys.argv[1]), 0):
        pass
except Unavailable as error:
    print(error.code)
"""


def test_what_killed_writers_left_is_swept(store: Store) -> None:
    store.put("rules/deep/a.md", "A")
    left = store.place("rules/deep/.a.md.12.3.tmp")
    left.write_text("half")
    os.utime(left, (0, 0))
    assert sweep_store(store.layout, 10_000) == [str(left)]
    assert store.place("rules/deep/a.md").exists()
