"""Approved writes carried out whole and once: decided in one durable step, then finished.

The order, as *must*:

1. Nothing of a write is on disk before the journal is; once it is durable, the write is decided.
2. A memory comes before its manifest line, that before its changelog line, and the approval is
   spent last, all under the same locks.
3. Every step may be taken again: whoever opens the store next and finds the journal finishes it.
4. No step overwrites bytes other than those it was made for: a person's edit wins.
5. A journal without the seal of the person's own key is set aside, never carried out.
"""

from __future__ import annotations

import json

from engram.core.approval import ApprovedWrite
from engram.errors import Conflict, EngramError, NotFound
from engram.record import Record
from engram.store.layout import LIMIT_BYTES, Layout
from engram.store.memories import Logged, remove_memory, write_memory
from engram.store.pending import LARGEST, WRITTEN, Pending
from engram.store.seal import Key
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class Spent(Record):
    """The approval that a write spends, and what whoever comes with its token later is told."""

    token_hash: str  # "" where the approval had no token
    told: str


class _Step(Record):
    """One file: its whole new content, or None where it leaves its place."""

    scope: str
    path: str
    text: str | None
    replaces: str  # hex SHA-256 of the file as it was looked at, "" for none
    message: str


class Journal:
    """Carries out writes in the stores `layouts` (by scope); the file is kept in `owner`."""

    def __init__(
        self, owner: Layout, layouts: Mapping[str, Layout], pending: Pending, timestamp: str
    ) -> None:
        self.owner = owner
        self.layouts = layouts
        self.pending = pending
        self.timestamp = timestamp

    @property
    def _path(self) -> str:
        return self.owner.journal

    @property
    def _key(self) -> Key:
        return self.pending.key

    def carry_out(self, writes: Iterable[ApprovedWrite], spent: Spent) -> None:
        """Write what a person approved and spend the approval. The caller holds the stores' locks.

        Raises Conflict (memory.changed) with nothing written when a file moved on since it was
        looked at, Unavailable when the disk will not: then nothing is written, or the journal
        stays and the next run finishes it.
        """
        steps = [step for write in writes for step in _steps(write)]
        for step in steps:
            self._expect(step)
        self._decide(steps, spent)
        taken = 0
        try:
            for step in steps:
                self._take(step)
                taken += 1
        except EngramError:
            if not taken and self._digest(steps[0]) == steps[0].replaces:
                files.remove_file(self._path)
            raise
        self._finish(spent)

    def recover(self) -> str:
        """Finish what a crash interrupted; returns what a reader should know, or ""."""
        try:
            data = files.read_bounded(self._path, LARGEST)
        except NotFound:
            return ""
        opened = self._opened(data)
        if opened is None:
            aside = f"{self._path}.broken"
            files.replace_file(aside, data, 0o600)
            files.remove_file(self._path)
            return f"An unfinished write could not be trusted and was set aside as {aside}."
        steps, spent = opened
        kept = [place for step in steps if (place := self._take_again(step))]
        self._finish(spent)
        edited = f" Left as a person edited it since: {', '.join(kept)}." if kept else ""
        return f"A write that was interrupted has been finished.{edited}"

    def _decide(self, steps: list[_Step], spent: Spent) -> None:
        plain = {"steps": [vars(step) for step in steps], "spent": vars(spent)}
        text = json.dumps({**plain, "seal": self._key.seal(self._bytes(plain))})
        files.make_folder(self.owner.local, 0o700)
        files.replace_file(self._path, text.encode(), 0o600)

    def _opened(self, data: bytes) -> tuple[list[_Step], Spent] | None:
        try:
            content = json.loads(data)
            plain = {"steps": content["steps"], "spent": content["spent"]}
            if not self._key.holds(content["seal"], self._bytes(plain)):
                return None
            return [_Step(**step) for step in plain["steps"]], Spent(**plain["spent"])
        except (ValueError, LookupError, TypeError, RecursionError):
            return None

    def _bytes(self, plain: Mapping[str, Any]) -> bytes:
        return json.dumps([self.owner.name, "journal", plain], sort_keys=True).encode()

    def _expect(self, step: _Step) -> None:
        if self._digest(step) != step.replaces:
            raise Conflict(
                "memory.changed",
                f"{step.scope}:{step.path} has changed since it was looked at.",
                hint="Nothing was written. Propose again, from the file as it is now.",
            )

    def _take_again(self, step: _Step) -> str:
        """Take a step after a crash; returns the file that a person edited since, or ""."""
        try:
            self._take(step)
        except Conflict:
            return f"{step.scope}:{step.path}"
        return ""

    def _take(self, step: _Step) -> None:
        layout = self.layouts[step.scope]
        logged = Logged(self.timestamp, step.message) if step.message else None
        if step.text is None:
            remove_memory(layout, step.path, step.replaces, logged)
        else:
            data = step.text.encode("utf-8", "surrogateescape")
            write_memory(layout, step.path, data, step.replaces or None, logged)

    def _finish(self, spent: Spent) -> None:
        if spent.token_hash:
            self.pending.settle(WRITTEN, spent.told, token_hash=spent.token_hash)
        files.remove_file(self._path)

    def _digest(self, step: _Step) -> str:
        try:
            path = self.layouts[step.scope].absolute(step.path)
            return files.sha256(files.read_bounded(path, LIMIT_BYTES))
        except NotFound:
            return ""


def _steps(write: ApprovedWrite) -> Iterable[_Step]:
    """The files of one approved change; what is kept comes before what leaves."""
    change, message = write.change, f"{write.change.action} ({write.approval.surface})"
    if change.archived:
        yield _Step(change.scope, change.archived, change.archived_text, "", "")
    if change.path:
        yield _Step(change.scope, change.path, change.text, change.replaces, message)
    if change.retired:
        told = f"{change.action} archived" if change.archived else ""
        yield _Step(change.scope, change.retired, None, change.retired_digest, told)
