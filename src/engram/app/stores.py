"""The stores of a run with their indexes open: one place to find, look up and read memories."""

from __future__ import annotations

import os

from engram.app.results import Diagnostic
from engram.core.memory import APPROVED, Entry, Hit
from engram.record import replace
from engram.store.index import Index, open_index
from engram.store.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engram.app.engram import Engram
    from engram.store.layout import Layout


class OpenStores:
    """Open with `with`; notes what a reader should know in `diagnostics`."""

    def __init__(self, engram: Engram) -> None:
        self.engram = engram
        self.diagnostics: list[Diagnostic] = list(engram.settings.problems)
        self._indexes: dict[str, Index] = {}
        self._usages: dict[str, Usage] = {}
        self._refused: set[str] = set()

    def _recover(self) -> None:
        """Finish what a crash interrupted; a store that cannot be written is read as it stands."""
        for layout in self.engram.stores:
            if not os.path.lexists(layout.journal):
                continue
            from engram.app.recovery import recover  # noqa: PLC0415 - seldom needed

            self.diagnostics += recover(self.engram, layout)

    def __enter__(self) -> OpenStores:
        self._recover()
        environment = self.engram.environment
        for layout in self.engram.stores:
            self._indexes[layout.scope] = open_index(
                layout, environment.cache_folder, environment.now(), self.engram.progress
            )
        return self

    def __exit__(self, *_: object) -> None:
        for index in self._indexes.values():
            index.close()
        for usage in self._usages.values():
            usage.close()

    def refresh(self, *, complete: bool, terms: Sequence[str] = ()) -> None:
        """Bring the indexes up to date with the files (see `store.index` for what is checked)."""
        for scope, index in self._indexes.items():
            index.refresh(complete=complete, terms=terms)
            self._note(scope, index)

    def find(self, terms: Sequence[str], limit: int) -> list[Hit]:
        """What shares terms with a query, in every store, with how often each was fetched."""
        hits: list[Hit] = []
        for scope, index in self._indexes.items():
            found = index.find(terms, limit)
            uses = self.usage(scope).counts(hit.entry.id for hit in found) if found else {}
            hits += [
                replace(hit, entry=replace(hit.entry, uses=uses[hit.entry.id]))
                if hit.entry.id in uses
                else hit
                for hit in found
            ]
        return hits

    def look_up(self, id: str, scope: str) -> Entry | None:
        """The entry of one id in one scope."""
        index = self._indexes.get(scope)
        return index.entry(id) if index is not None else None

    def entries(self) -> list[Entry]:
        """Every memory of every store, archived and working ones included."""
        return [entry for index in self._indexes.values() for entry in index.entries()]

    def for_start(self) -> list[Entry]:
        """What may belong to the start of every session (see `routing.always`)."""
        return [entry for index in self._indexes.values() for entry in index.for_start()]

    def most_used(self, limit: int) -> list[Entry]:
        """The memories that were fetched most often, most first."""
        counted = [
            (uses, entry)
            for scope in self._indexes
            for id, uses in self.usage(scope).best(limit)
            if (entry := self.look_up(id, scope)) is not None
        ]
        counted.sort(key=lambda each: (-each[0], each[1].key))
        return [entry for _, entry in counted[:limit]]

    def read(self, entry: Entry) -> str | None:
        """The text of a memory as it stands on disk now, or None when it must not be shown.

        The bytes are compared with the index, so that stale text is never shown as what was
        found; text that nobody approved in this form is scanned first (DESIGN §5). Why a memory
        is left out is noted in `diagnostics`.
        """
        data = self._indexes[entry.scope].check(entry)
        if data is None:
            return None
        text = data.decode("utf-8", "replace")
        if entry.state != APPROVED and self._is_unsafe(entry, text):
            return None
        return text

    def count_use(self, entries: Iterable[Entry]) -> None:
        """Remember that the whole text of these memories was given out."""
        if not self.engram.counts_use:
            return
        for scope in self._indexes:
            ids = [entry.id for entry in entries if entry.scope == scope]
            if ids:
                self.usage(scope).add(ids)

    def usage(self, scope: str) -> Usage:
        """How often the memories of one scope were fetched; open as long as the stores are."""
        if scope not in self._usages:
            layout: Layout = self._indexes[scope].layout
            self._usages[scope] = Usage(layout, self.engram.environment.state_folder, kept=True)
        return self._usages[scope]

    def _is_unsafe(self, entry: Entry, text: str) -> bool:
        from engram.core.scan import blocks, scan  # noqa: PLC0415 - only unapproved text pays

        findings = scan(text)
        if not blocks(findings):
            return False
        if entry.key not in self._refused:
            self._refused.add(entry.key)
            worst = next(each for each in findings if each.severity == "block")
            self.diagnostics.append(
                Diagnostic(
                    "memory.unsafe",
                    "warning",
                    f"{entry.key} is left out: it is {entry.state}, and line {worst.line} "
                    f"looks like {worst.kind}.",
                    f"Look at {entry.path}; take it in with: engram verify --accept {entry.id}",
                )
            )
        return True

    def _note(self, scope: str, index: Index) -> None:
        known = {each.message for each in self.diagnostics}
        for note in index.notes:
            if note not in known:
                self.diagnostics.append(Diagnostic("index.fallback", "warning", note))
        for problem in index.problems():
            line = f", line {problem.line}" if problem.line else ""
            message = f"{scope}:{problem.path}{line}: {problem.message}"
            if message not in known:
                self.diagnostics.append(
                    Diagnostic("memory.malformed", "warning", message, "See: engram verify")
                )
