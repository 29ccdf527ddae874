"""What a store still owes: proposals that wait for a yes, and an approved write that a crash cut."""

from __future__ import annotations

import os
from contextlib import ExitStack

from engram.app.results import Diagnostic
from engram.errors import EngramError
from engram.store.journal import Journal
from engram.store.memories import lock_store
from engram.store.pending import Pending
from engram.store.seal import integrity_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram
    from engram.store.layout import Layout


def pending_of(engram: Engram, layout: Layout) -> Pending:
    """The waiting proposals of a store."""
    return Pending(layout, integrity_key(engram.environment), engram.environment.now())


def recover(engram: Engram, keeper: Layout) -> list[Diagnostic]:
    """Finish an approved write that was interrupted in a store, and say so."""
    if not os.path.lexists(keeper.journal):
        return []
    layouts = {each.scope: each for each in engram.stores}
    try:
        with ExitStack() as locks:
            for layout in engram.stores:
                locks.enter_context(lock_store(layout))
            pending = pending_of(engram, keeper)
            told = Journal(keeper, layouts, pending, engram.environment.timestamp()).recover()
    except EngramError as error:
        return [
            Diagnostic(
                "store.unfinished",
                "warning",
                f"A write that was interrupted is not finished yet: {error.message}",
                error.hint,
            )
        ]
    return [Diagnostic("store.recovered", "info", told)] if told else []
