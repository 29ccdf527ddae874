"""The person behind a surface: a port with one method, and what it answers."""

from __future__ import annotations

from engram.core.proposal import Proposal
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Person(Protocol):
        """Whoever can say yes on this surface."""

        surface: str  # "terminal" | "dialog"

        def decide(self, proposal: Proposal, shown: str) -> Reply:
            """Show the proposal and wait for the answer; `shown` is its preview as text."""


ACCEPT = "accept"
DECLINE = "decline"
NOTE = "note"  # another round, with something the person adds
EDIT = "edit"  # the person wants to change the texts of `numbers` first
LATER = "later"  # no answer: it waits for one


class Reply(Record):
    """What the person said."""

    action: str
    numbers: tuple[int, ...] = ()
    scopes: tuple[str, ...] = ()  # empty: those of the proposal
    note: str = ""
    why: str = ""  # why there is no answer, or none that counts
