"""What an operation answers with, and the envelope that carries it as JSON (contract clause S1)."""

from __future__ import annotations

from engram.errors import EngramError
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONTRACT_VERSION = "1"


class Diagnostic(Record):
    """Something a reader should know beside the answer."""

    id: str  # stable, dotted: "memory.malformed"
    severity: str  # "info" | "warning" | "error"
    message: str
    remediation: str = ""


class Result(Record):
    """An operation's answer: `text` says to a person all that `data` says to a program."""

    text: str
    data: Mapping[str, object]
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_status: int = 0


def envelope(result: Result) -> dict[str, object]:
    """The JSON form of a success, the same on every surface (clauses S1, S5)."""
    return {
        "contract_version": CONTRACT_VERSION,
        "ok": True,
        "data": {**result.data, "text": result.text},
        "diagnostics": [_diagnostic(each) for each in result.diagnostics],
    }


def failure(error: EngramError) -> dict[str, object]:
    """The JSON form of a failure: `ok` false, the code, the message and the hint."""
    told: dict[str, object] = {"code": error.code, "message": error.message}
    if error.hint:
        told["hint"] = error.hint
    if error.details:
        told["details"] = dict(error.details)
    return {
        "contract_version": CONTRACT_VERSION,
        "ok": False,
        "data": {},
        "error": told,
        "diagnostics": [],
    }


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    told: dict[str, object] = {
        "id": diagnostic.id,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
    }
    if diagnostic.remediation:
        told["remediation"] = diagnostic.remediation
    return told
