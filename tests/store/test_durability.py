"""Every operation that writes, stopped at every durable step: before or after, never between."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from engram.app.asking import DECLINE, Reply
from engram.errors import EngramError
from engram.system import files
from tests.support.world import FakePerson, World, yes

LIMIT = "the-upload-limit-is-20-mb"
Operation = Callable[[World], object]


class Crash(BaseException):
    """The process dies here."""


@contextmanager
def failing(error: BaseException, at: int) -> Iterator[list[int]]:
    """Raise before the `at`-th step that changes the disk; the list counts the steps."""
    count = [0]

    def step(kind: str, _path: str) -> None:
        count[0] += kind != "read"
        if kind != "read" and count[0] == at:
            raise error

    before, files.on_step = files.on_step, step
    try:
        yield count
    finally:
        files.on_step = before


def prepared(root: Path) -> World:
    """A store with two memories, one of them archived, a note, and an editor that adds a line."""
    world = World(root).with_store().with_global()
    world.save("The upload limit is 20 MB.")
    world.save("Ask before you raise a limit.")
    world.run("archive", yes(), id="ask-before-you-raise-a-limit", reason="old")
    world.run("note", text="The export fails before noon.", force=True)
    script = root / "editor.sh"
    script.write_text('#!/bin/sh\nprintf "\\n- It is checked at the gateway.\\n" >> "$1"\n')
    script.chmod(0o755)
    world.variables["EDITOR"] = str(script)
    return world


def edited_by_hand(world: World) -> object:
    path = Path(world.layout.root, "knowledge", f"{LIMIT}.md")
    path.write_text(path.read_text("utf-8").replace("20 MB", "25 MB"), "utf-8")
    return world.run("verify", accept=LIMIT, force=True)


def reviewed(world: World) -> object:
    world.run("save", text="Exports are kept for a year.", type="knowledge")
    return world.run("review", yes())


OPERATIONS: dict[str, Operation] = {
    "save": lambda world: world.save("Exports are kept for a year.", type="knowledge"),
    "save to both": lambda world: world.save("Exports are kept for a year.", scope="both"),
    "save several": lambda world: world.run(
        "save-session",
        text="TYPE: rule | TEXT: Lint first.\nTYPE: knowledge | TEXT: The upload limit is 50 MB. "
        f"| SUPERSEDES: {LIMIT}",
        force=True,
    ),
    "archive": lambda world: world.run("archive", yes(), id=LIMIT, reason="old"),
    "restore": lambda world: world.run(
        "archive", yes(), id="ask-before-you-raise-a-limit", undo=True
    ),
    "edit": lambda world: world.run("edit", yes(), id=LIMIT),
    "note": lambda world: world.run("note", text="The retry is off by one.", force=True),
    "promote": lambda world: world.run("promote", id="the-export-fails-before-noon", force=True),
    "accept": edited_by_hand,
    "review": reviewed,
}


def durable(world: World) -> dict[str, str]:
    """All that is kept in both stores but for what is only about this machine."""
    stores = {"workspace": world.layout, "global": world.global_layout}
    return {
        f"{scope}:{path.relative_to(layout.root).as_posix()}": path.read_text("utf-8")
        for scope, layout in stores.items()
        for path in sorted(Path(layout.root).rglob("*.md"))
        if path.name != "changelog.md"
    }


def outcome(root: Path, operation: Operation) -> tuple[dict[str, str], dict[str, str], int]:
    """What is kept before and after the operation, and how many steps it takes."""
    world = prepared(root)
    before = durable(world)
    with failing(Crash(), at=0) as count:
        operation(world)
    return before, durable(world), count[0]


def assert_sound(world: World) -> None:
    """Nothing half: what verify finds is what a person changed by hand, and no file is left over."""
    told = world.run("verify")
    assert "missing" not in told.text
    left = [path for path in Path(world.layout.root).rglob("*") if ".tmp" in path.name]
    assert left == []
    assert not Path(world.layout.journal).exists()


CRASH, FULL = Crash(), OSError(errno.ENOSPC, "No space left on device")
DENIED = PermissionError(errno.EACCES, "Permission denied")
CASES = [
    *((name, error) for name in OPERATIONS for error in (CRASH, FULL)),
    ("save several", DENIED),
]


@pytest.mark.parametrize(
    ("name", "error"), CASES, ids=[f"{name}, {error!r}" for name, error in CASES]
)
def test_an_operation_stopped_at_any_step_is_done_or_not_done(
    tmp_path: Path, name: str, error: BaseException
) -> None:
    operation = OPERATIONS[name]
    before, after, steps = outcome(tmp_path / "whole", operation)
    assert steps > 1
    for n in range(1, steps + 1):
        world = prepared(tmp_path / str(n))
        with failing(error, at=n), suppress(Crash, EngramError):
            operation(world)
        world.run("status")  # any later run finishes what was decided

        kept = durable(world)

        if name == "accept":  # the hand edit itself is not ours
            kept = {path: text.replace("25 MB", "20 MB") for path, text in kept.items()}
            assert kept.keys() in (before.keys(), after.keys())
        else:
            assert kept in (before, after), f"between the two at step {n}"
        assert_sound(world)


def test_an_edit_that_nobody_approved_leaves_the_file(tmp_path: Path) -> None:
    world = prepared(tmp_path)
    before = durable(world)

    world.run("edit", FakePerson(Reply(DECLINE)), id=LIMIT)

    assert durable(world) == before


def test_a_disk_that_takes_nothing_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = prepared(tmp_path)
    before = durable(world)

    def step(kind: str, path: str) -> None:
        if kind != "read" and path.startswith(world.layout.root):
            raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(files, "on_step", step)
    with pytest.raises(EngramError) as refused:
        world.save("Exports are kept for a year.", type="knowledge")

    assert "the file system is read-only" in refused.value.message
    assert refused.value.hint
    assert durable(world) == before
