"""Proposals as plain JSON values and back."""

from __future__ import annotations

from engram.core.candidate import Candidate
from engram.core.proposal import Change, Proposal, Related
from engram.core.scan import Finding
from engram.record import Record, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Value = TypeVar("Value", bound=Record)


def to_plain(value: Record) -> dict[str, Any]:
    """A record as a dictionary of plain JSON values, records within it too."""
    return {name: _plain(each) for name, each in vars(value).items()}


def proposal_from(plain: Any) -> Proposal:
    """The proposal that `to_plain` made `plain` of; for sealed content alone, which is well formed."""
    changes = tuple(_change(each) for each in plain["changes"])
    return _record(Proposal, {**plain, "changes": changes})


def _change(plain: dict[str, Any]) -> Change:
    return _record(
        Change,
        {
            **plain,
            "candidate": _record(Candidate, plain["candidate"]),
            "related": tuple(_record(Related, each) for each in plain["related"]),
            "findings": tuple(_record(Finding, each) for each in plain["findings"]),
        },
    )


def _record(cls: type[Value], plain: dict[str, Any]) -> Value:
    return cls(
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in plain.items()
            if name in fields(cls)
        }
    )


def _plain(value: object) -> object:
    if isinstance(value, Record):
        return to_plain(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value
