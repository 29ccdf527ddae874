"""Approved writes are whole or not at all, once, whatever stops them."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engram.app.recovery import recover
from engram.errors import EngramError, NotApproved, Unavailable
from engram.system import files
from tests.support.world import World

OLD = "The upload limit is 20 MB."
SUPERSEDE = (
    "TYPE: knowledge | TEXT: The upload limit is 50 MB. | SUPERSEDES: the-upload-limit-is-20-mb\n"
    "TYPE: rule | TEXT: Ask before you raise a limit."
)
READS = ("read",)


class Crash(BaseException):
    """The process dies here."""


@contextmanager
def watched(on_step: Callable[[str, str], None]) -> Iterator[None]:
    before = files.on_step
    files.on_step = on_step
    try:
        yield
    finally:
        files.on_step = before


def stop_at(n: int, error: BaseException) -> Callable[[str, str], None]:
    """Fail before the n-th step that changes the disk."""
    count = [0]

    def step(kind: str, _path: str) -> None:
        if kind in READS:
            return
        count[0] += 1
        if count[0] == n:
            raise error

    return step


def prepared(root: Path) -> tuple[World, str]:
    world = World(root).with_store()
    world.save(OLD, type="knowledge")
    token = world.run("save-session", text=SUPERSEDE).data["approval_token"]
    assert isinstance(token, str)
    return world, token


def steps_of_a_commit(root: Path) -> int:
    world, token = prepared(root)
    count = [0]

    def step(kind: str, _path: str) -> None:
        count[0] += kind not in READS

    with watched(step):
        world.run("commit", approval_token=token, approve="all")
    return count[0]


def assert_whole(world: World, token: str) -> bool:
    """Nothing written and the token usable, or all of it written; says which."""
    memories = world.memories()
    if "knowledge/the-upload-limit-is-20-mb.md" in memories:
        assert list(memories) == ["knowledge/the-upload-limit-is-20-mb.md"]
        assert world.files("archive") == {}
        world.run("commit", approval_token=token, approve="all")
        memories = world.memories()
        was_written = False
    else:
        was_written = True
        with pytest.raises(NotApproved, match="already used"):
            world.run("commit", approval_token=token, approve="all")
    assert sorted(memories) == [
        "knowledge/the-upload-limit-is-50-mb.md",
        "rules/ask-before-you-raise-a-limit.md",
    ]
    assert len(world.files("archive")) == 1
    assert world.run("verify").exit_status == 0
    log = Path(world.layout.changelog).read_text().splitlines()
    assert len(log) == len(set(log))
    assert sum("50-mb.md" in line for line in log) == 1
    return was_written


def test_a_crash_at_any_step_leaves_nothing_or_everything(tmp_path: Path) -> None:
    total = steps_of_a_commit(tmp_path / "count")
    written = set()
    for n in range(1, total + 1):
        world, token = prepared(tmp_path / f"crash{n}")
        with watched(stop_at(n, Crash())), pytest.raises(Crash):
            world.run("commit", approval_token=token, approve="all")

        world.run("status")  # whoever comes next finishes it

        written.add(assert_whole(world, token))
        assert not Path(world.layout.journal).exists()
    assert written == {True, False}


def test_a_full_disk_at_any_step_loses_nothing(tmp_path: Path) -> None:
    total = steps_of_a_commit(tmp_path / "count")
    for n in range(1, total + 1):
        world, token = prepared(tmp_path / f"full{n}")
        full = OSError(errno.ENOSPC, "No space left on device")
        with watched(stop_at(n, full)):
            try:
                world.run("commit", approval_token=token, approve="all")
            except Unavailable as error:
                assert "disk is full" in error.message  # noqa: PT017 - some steps forgive it

        world.run("status")

        assert_whole(world, token)


@pytest.mark.parametrize("n", [1, 3, 9, 15])
def test_a_crash_while_recovering_is_recovered_from(tmp_path: Path, n: int) -> None:
    world, token = prepared(tmp_path)
    with watched(stop_at(12, Crash())), pytest.raises(Crash):
        world.run("commit", approval_token=token, approve="all")
    with watched(stop_at(n, Crash())):
        try:
            world.run("status")
        except Crash:
            world.run("status")

    assert_whole(world, token)


def interrupted(tmp_path: Path) -> World:
    """A world whose commit was decided and not carried out."""
    world, token = prepared(tmp_path)
    journal = world.layout.journal

    def step(kind: str, _path: str) -> None:
        if Path(journal).exists() and kind not in READS:
            raise Crash

    with watched(step), pytest.raises(Crash):
        world.run("commit", approval_token=token, approve="all")
    assert Path(journal).exists()
    return world


def test_recovery_leaves_a_file_that_a_person_edited_since(tmp_path: Path) -> None:
    world = interrupted(tmp_path)
    old = Path(world.layout.root, "knowledge/the-upload-limit-is-20-mb.md")
    edited = old.read_text() + "\nMine.\n"
    old.write_text(edited)

    result = world.run("status")

    assert old.read_text() == edited
    assert "knowledge/the-upload-limit-is-20-mb.md" in result.text
    assert not Path(world.layout.journal).exists()


@pytest.mark.parametrize(
    "forge",
    [
        lambda text: text.replace("50 MB", "99 MB"),
        lambda _: "{",
        lambda _: "[]",
        lambda text: json.dumps({**json.loads(text), "seal": 7}),
        lambda text: json.dumps({**json.loads(text), "steps": [{"path": "x"}]}),
    ],
)
def test_a_journal_that_this_person_did_not_seal_is_set_aside(
    tmp_path: Path, forge: Callable[[str], str]
) -> None:
    world = interrupted(tmp_path)
    journal = Path(world.layout.journal)
    before = world.memories()
    journal.write_text(forge(journal.read_text()))

    result = world.run("status")

    assert world.memories() == before
    assert not journal.exists()
    assert "could not be trusted" in result.text


def test_a_read_that_cannot_finish_a_write_still_answers(tmp_path: Path) -> None:
    world = interrupted(tmp_path)

    with files.lock(world.layout.lock):
        pass
    with watched(stop_at(1, OSError(errno.EROFS, "Read-only file system"))):
        result = world.run("search", query="upload")

    assert "20 MB" in result.text
    assert any(each.id == "store.unfinished" for each in result.diagnostics)


def test_errors_on_the_way_are_ours(tmp_path: Path) -> None:
    world, token = prepared(tmp_path)
    Path(world.layout.root, "archive").write_text("a file in the way")

    with pytest.raises(EngramError):
        world.run("commit", approval_token=token, approve="all")

    assert "knowledge/the-upload-limit-is-20-mb.md" in world.memories()
    Path(world.layout.root, "archive").unlink()
    assert_whole(world, token)


def test_a_store_where_nothing_was_interrupted_has_nothing_to_finish(tmp_path: Path) -> None:
    world = World(tmp_path).with_store()

    assert recover(world.engram(), world.layout) == []


def test_what_another_process_finished_meanwhile_is_not_finished_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path).with_store()
    monkeypatch.setattr("os.path.lexists", lambda _: True)

    assert recover(world.engram(), world.layout) == []


def test_verify_finishes_what_was_interrupted_before_it_looks(tmp_path: Path) -> None:
    world = interrupted(tmp_path)

    result = world.run("verify")

    assert result.exit_status == 0
    assert [each.id for each in result.diagnostics] == ["store.recovered"]
    assert "knowledge/the-upload-limit-is-50-mb.md" in world.memories()
