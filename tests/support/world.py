"""A project with a store, and Engram put together on it in this process, with a person to ask."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engram.app.asking import ACCEPT, DECLINE, LATER, Reply
from engram.app.engram import Engram, compose
from engram.app.operations import operation
from engram.app.parameters import read
from engram.app.results import Result
from engram.core.proposal import Proposal
from engram.record import replace
from engram.store.layout import Layout
from engram.store.memories import create_store
from engram.system.environment import Environment

NOON = 1_796_126_400.0  # 2026-12-01T12:00:00Z


@dataclasses.dataclass
class Clock:
    """The time that the world's processes read."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


class FakePerson:
    """Answers as told, and remembers the exact bytes that were shown."""

    surface = "terminal"

    def __init__(self, *replies: Reply | Callable[[Proposal], Reply]) -> None:
        self.replies = list(replies)
        self.proposals: list[Proposal] = []
        self.shown: list[str] = []

    def decide(self, proposal: Proposal, shown: str) -> Reply:
        self.proposals.append(proposal)
        self.shown.append(shown)
        reply = self.replies.pop(0)
        return reply if isinstance(reply, Reply) else reply(proposal)


def yes(*numbers: int) -> FakePerson:
    """A person who approves these candidates, or all."""
    return FakePerson(lambda proposal: Reply(ACCEPT, numbers or proposal.numbers))


def no() -> FakePerson:
    return FakePerson(Reply(DECLINE))


def silence() -> FakePerson:
    return FakePerson(Reply(LATER, why="the dialog was closed"))


class World:
    """A scratch home with one project and, when asked, a global folder."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True, exist_ok=True)
        self.clock = Clock()
        self.variables: dict[str, str] = {}
        self.layout = Layout.of_project(str(self.project))

    def with_store(self) -> World:
        create_store(self.layout)
        return self

    def with_global(self) -> World:
        self.variables["ENGRAM_GLOBAL_DIR"] = str(self.home / "personal")
        (self.home / "personal").mkdir()
        create_store(self.global_layout)
        return self

    @property
    def global_layout(self) -> Layout:
        return Layout(str(self.home / "personal"), "global")

    @property
    def environment(self) -> Environment:
        return Environment(self.variables, str(self.home), str(self.project), "linux", self.clock)

    def engram(self, person: FakePerson | None = None, surface: str = "cli") -> Engram:
        composed = compose(self.environment)
        return replace(composed, person=person, surface=surface)

    def run(
        self, name: str, person: FakePerson | None = None, /, *, surface: str = "cli", **values: Any
    ) -> Result:
        """Run an operation as a surface would, its input checked."""
        chosen = operation(name, "cli") if name != "commit" else operation("engram_commit", "mcp")
        asked = read(chosen.input, values)
        return chosen.run(self.engram(person, surface), asked)

    def save(self, text: str, **values: Any) -> Result:
        """Write one memory without asking."""
        return self.run("save", text=text, force=True, **values)

    def files(self, folder: str = "") -> dict[str, str]:
        """Every file of the workspace store below `folder`, with its text."""
        root = Path(self.layout.root)
        return {
            path.relative_to(root).as_posix(): path.read_text("utf-8")
            for path in sorted((root / folder).rglob("*"))
            if path.is_file() and "local" not in path.relative_to(root).parts
        }

    def memories(self) -> dict[str, str]:
        """The durable memory files by path."""
        return {
            path: text
            for path, text in self.files().items()
            if path.split("/")[0] in ("rules", "skills", "knowledge")
        }
