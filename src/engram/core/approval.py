"""A person's yes to exact bytes: `authorise` is the only door to an `ApprovedWrite`.

The rules, before any code:

1. A proposal is immutable; its digest covers every byte that would be written and where.
2. An approval names one proposal by that digest, and the candidates that the person chose.
3. It may narrow the scopes of the proposal, never widen them.
4. Each chosen candidate must exist; a candidate that cannot be written is no part of a write.
5. Nothing but `authorise` makes an `ApprovedWrite`, and the store writes nothing else.
"""

from __future__ import annotations

from engram.core.memory import SCOPES
from engram.core.proposal import Change, Proposal
from engram.errors import InvalidRequest, NotApproved
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Approval(Record):
    """A person's yes to chosen candidates of one proposal; good for one write."""

    proposal: str  # the proposal's digest
    numbers: tuple[int, ...]
    surface: str  # where the person said it: "terminal", "dialog", "chat", "force", "review"
    scopes: tuple[str, ...] = SCOPES


class ApprovedWrite(Record):
    """One change that a person approved, byte for byte."""

    change: Change
    approval: Approval


def authorise(proposal: Proposal, approval: Approval) -> tuple[ApprovedWrite, ...]:
    """The writes that an approval allows, in the proposal's order.

    Raises NotApproved when the approval is for another proposal, InvalidRequest when it names a
    candidate that the proposal does not have.
    """
    if approval.proposal != proposal.digest:
        raise NotApproved("approval.other", "This approval is for another proposal.")
    check_numbers(approval.numbers, proposal)
    return tuple(
        ApprovedWrite(change, approval)
        for change in proposal.changes
        if change.number in approval.numbers and change.scope in approval.scopes and change.writes
    )


def check_numbers(numbers: Iterable[int], proposal: Proposal) -> None:
    """Raise InvalidRequest unless `numbers` are some candidates of the proposal, each once."""
    chosen = list(numbers)
    known = proposal.numbers
    if not chosen:
        raise InvalidRequest(
            "approval.empty", "No candidate is named.", hint=f"Name some of {_list(known)}, or all."
        )
    unknown = [number for number in chosen if number not in known]
    if unknown:
        raise InvalidRequest(
            "approval.unknown",
            f"There is no candidate {unknown[0]}.",
            hint=f"The proposal has {_list(known)}.",
        )
    if len(set(chosen)) != len(chosen):
        raise InvalidRequest("approval.repeated", "A candidate is named twice.")


def _list(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(number) for number in numbers)
