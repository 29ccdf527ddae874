"""Files are replaced whole, read within bounds and never through a planted link."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import Damaged, EngramError, NotFound, Unavailable, Unsafe
from engram.system import files
from engram.system.refusals import failure


class Steps:
    """Records the steps on the disk, and stops at the one whose number is `failing`."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str]] = []
        self.failing = -1
        self.errno = errno.EIO

    def __call__(self, step: str, path: str) -> None:
        self.taken.append((step, path))
        if len(self.taken) - 1 == self.failing:
            raise OSError(self.errno, os.strerror(self.errno), path)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    recorded = Steps()
    monkeypatch.setattr(files, "on_step", recorded)
    return recorded


def test_replacing_makes_the_file_with_the_mode_that_the_umask_gives(tmp_path: Path) -> None:
    files.replace_file(str(tmp_path / "a"), b"one")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").read_bytes() == b"one"
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_replacing_keeps_the_mode_of_the_file(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    target.chmod(0o750)
    files.replace_file(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def test_replacing_gives_the_mode_that_is_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    files.replace_file(str(target), b"new", 0o600)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_replacing_works_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files.replace_file("a", b"one")
    files.append("b", b"two\n")
    files.remove_file("a")
    assert [each.name for each in tmp_path.iterdir()] == ["b"]


def test_replacing_refuses_a_link_planted_at_the_target(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    (tmp_path / "a").symlink_to(outside)
    with pytest.raises(Unsafe) as raised:
        files.replace_file(str(tmp_path / "a"), b"new")
    assert raised.value.code == "file.symlink"
    assert outside.read_bytes() == b"precious"
    with pytest.raises(Unsafe):
        files.append(str(tmp_path / "a"), b"new")


def test_replacing_through_a_link_on_purpose_keeps_the_link(tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.write_bytes(b"old")
    link = tmp_path / "settings"
    link.symlink_to(dotfiles)
    files.replace_file(str(link), b"new", follow=True)
    assert link.is_symlink()
    assert dotfiles.read_bytes() == b"new"
    assert files.read_bounded(str(link), 10, follow=True) == b"new"


def test_a_temporary_name_that_is_taken_is_passed_over(tmp_path: Path) -> None:
    files.replace_file(str(tmp_path / "a"), b"one")
    taken = next(files._numbers) + 1
    planted = tmp_path / f".a.{os.getpid()}.{taken}.tmp"
    planted.symlink_to(tmp_path / "elsewhere")
    files.replace_file(str(tmp_path / "a"), b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert not (tmp_path / "elsewhere").exists()


def test_the_longest_name_still_has_room_for_a_temporary_one(tmp_path: Path) -> None:
    target = tmp_path / ("ж" * 127)
    files.replace_file(str(target), b"one")
    assert target.read_bytes() == b"one"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_replacement_that_fails_at_any_step_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, steps: Steps, code: int
) -> None:
    target = tmp_path / "a"
    files.replace_file(str(target), b"old")
    total = len(steps.taken)
    assert [step for step, _ in steps.taken] == [
        "create",
        "write",
        "sync",
        "replace",
        "sync-folder",
    ]
    for number in range(total):
        steps.taken.clear()
        steps.failing, steps.errno = number, code
        with pytest.raises(Unavailable) as raised:
            files.replace_file(str(target), b"new")
        assert "a" in raised.value.message
        steps.failing = -1
        expected = b"new" if steps.taken[-1][0] == "sync-folder" else b"old"
        assert target.read_bytes() == expected
        assert [each.name for each in tmp_path.iterdir()] == ["a"]
        files.replace_file(str(target), b"old")


def test_what_cannot_be_discarded_does_not_hide_the_failure(tmp_path: Path) -> None:
    files._discard(str(tmp_path / "missing"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (errno.EROFS, "file.read_only"),
        (errno.ENOSPC, "file.no_space"),
        (errno.EACCES, "file.not_permitted"),
        (errno.EIO, "file.failed"),
        (errno.ENOLCK, "lock.unsupported"),
    ],
)
def test_a_refusal_of_the_system_says_why_and_where(code: int, expected: str) -> None:
    told = failure(OSError(code, os.strerror(code)), "/some/file", "write")
    assert isinstance(told, Unavailable)
    assert told.code == expected
    assert "/some/file" in told.message


def test_an_error_without_a_number_still_has_its_words() -> None:
    assert "odd" in failure(OSError("odd"), "/some/file", "write").message


def test_writing_into_a_missing_folder_or_over_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as raised:
        files.replace_file(str(tmp_path / "no" / "a"), b"")
    assert raised.value.code == "file.no_folder"
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unavailable) as raised:
        files.replace_file(str(tmp_path / "folder"), b"")
    assert raised.value.code == "file.is_folder"


def test_reading_is_bounded(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"x" * 10)
    assert files.read_bounded(str(target), 10) == b"x" * 10
    with pytest.raises(Damaged) as raised:
        files.read_bounded(str(target), 9)
    assert raised.value.code == "file.too_large"


def test_reading_takes_regular_files_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(Damaged) as raised:
            files.read_bounded(str(tmp_path / name), 10)
        assert raised.value.code == "file.not_regular"
    with pytest.raises(NotFound):
        files.read_bounded(str(tmp_path / "missing"), 10)


def test_reading_follows_no_link_unless_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(Unsafe):
        files.read_bounded(str(tmp_path / "link"), 10)
    monkeypatch.setattr(files, "_NO_FOLLOW", 0)  # as on a system without O_NOFOLLOW
    with pytest.raises(Unsafe):
        files.read_bounded(str(tmp_path / "link"), 10)
    assert files.read_bounded(str(tmp_path / "a"), 10) == b"one"


def test_appending_makes_the_file_and_ends_a_torn_line_first(tmp_path: Path) -> None:
    target = tmp_path / "log"
    files.append(str(target), b"one\n")
    files.append(str(target), b"two\n")
    target.write_bytes(target.read_bytes() + b"torn")
    files.append(str(target), b"three\n")
    assert target.read_bytes() == b"one\ntwo\ntorn\nthree\n"


def test_an_append_that_cannot_be_made_durable_is_taken_back(tmp_path: Path, steps: Steps) -> None:
    target = tmp_path / "log"
    files.append(str(target), b"one\n")
    steps.taken.clear()
    steps.failing = 1
    with pytest.raises(Unavailable):
        files.append(str(target), b"two\n")
    assert steps.taken[-1][0] == "sync"
    assert target.read_bytes() == b"one\n"


def test_removing_takes_the_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    files.remove_file(str(tmp_path / "link"))
    files.remove_file(str(tmp_path / "missing"))
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unavailable):
        files.remove_file(str(tmp_path / "folder"))


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    files.make_folder(str(folder), 0o700)
    files.make_folder(str(folder), 0o700)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (tmp_path / "file").write_bytes(b"")
    for name in ("file", "file/below"):
        with pytest.raises(Unavailable) as raised:
            files.make_folder(str(tmp_path / name))
        assert raised.value.code == "file.no_folder"
    with pytest.raises(Unavailable) as raised:
        files.make_folder(str(tmp_path / ("x" * 300)))
    assert raised.value.code == "file.name_too_long"


def test_a_folder_that_another_process_made_meanwhile_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a"

    def make_it(step: str, path: str) -> None:
        assert step == "make-folder"
        os.mkdir(path)

    monkeypatch.setattr(files, "on_step", make_it)
    files.make_folder(str(folder))
    assert folder.is_dir()


def test_sweeping_removes_old_temporary_files_alone(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    for name, age in (
        (".a.md.12.3.tmp", 7200),
        (".b.md.12.4.tmp", 10),
        (".keep.tmp", 7200),
        ("a.md.12.3.tmp", 7200),
        (".a.md", 7200),
    ):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (now - age, now - age))
    (tmp_path / ".c.md.12.5.tmp").mkdir()
    assert files.sweep(str(tmp_path), now) == [str(tmp_path / ".a.md.12.3.tmp")]
    assert files.sweep(str(tmp_path / "missing"), now) == []


def test_inside_looks_at_real_paths(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (tmp_path / "rooted").mkdir()
    (root / "out").symlink_to(tmp_path / "rooted")
    (tmp_path / "alias").symlink_to(root)
    assert files.inside(str(root), str(root))
    assert files.inside(str(root), str(root / "a" / "new.md"))
    assert files.inside(str(tmp_path / "alias"), str(root / "a"))
    (root / "within").symlink_to(root / "a")
    assert files.inside(str(root), str(root / "within" / "new.md"))
    assert files.inside(str(tmp_path / "alias"), str(tmp_path / "alias" / "a" / "new.md"))
    assert not files.inside(str(root), str(root / "out" / "x"))
    assert not files.inside(str(root), str(tmp_path / "rooted"))
    assert not files.inside(str(root), str(root / ".." / "x"))
    assert files.inside("/", str(root))


@given(st.text(st.characters(), max_size=30), st.integers(-1, 100))
def test_a_cut_text_is_a_head_of_the_text_within_the_limit(text: str, limit: int) -> None:
    head = files.cut_text(text, limit)
    size = len(head.encode("utf-8", "surrogatepass"))
    assert text.startswith(head)
    assert size <= max(limit, 0)
    if size < len(text.encode("utf-8", "surrogatepass")):
        assert size > limit - 4


@given(st.binary(max_size=200))
def test_the_cheap_hash_is_sha256(data: bytes) -> None:
    assert files.sha256(data) == hashlib.sha256(data).hexdigest()


def test_the_hash_is_found_where_this_python_has_it() -> None:
    found = files._first_sha256(("no_such_module", "hashlib"))
    assert found(b"a").hexdigest() == files.sha256(b"a")


def test_every_failure_is_one_of_the_family() -> None:
    assert isinstance(failure(OSError(errno.ELOOP, ""), "/x", "read"), EngramError)
