"""Failures on purpose: families with an exit status, a stable code each."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import engram
from engram import errors
from engram.errors import BUG_EXIT_STATUS, EngramError, NotFound

FAMILIES = {
    each.__name__: each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, EngramError) and each is not EngramError
}


def test_an_error_carries_code_message_hint_and_details() -> None:
    error = NotFound("memory.unknown", "There is no memory “x”.", hint="Look.", id="x")
    assert str(error) == error.message == "There is no memory “x”."
    assert (error.code, error.hint, error.details) == ("memory.unknown", "Look.", {"id": "x"})
    assert error.exit_status == 3


def test_every_family_has_an_exit_status_of_its_own() -> None:
    told = {name: each.exit_status for name, each in FAMILIES.items()}
    assert told == {
        "InvalidRequest": 2,
        "NotFound": 3,
        "NotApproved": 4,
        "Conflict": 5,
        "Unsafe": 6,
        "Damaged": 7,
        "Unavailable": 8,
    }
    assert EngramError("bug", "x").exit_status == BUG_EXIT_STATUS == 70


def test_every_code_is_dotted_lower_case() -> None:
    codes = [code for path in Path(engram.__file__).parent.rglob("*.py") for code in raised(path)]
    assert codes
    assert [code for code in codes if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+", code)] == []


def raised(path: Path) -> list[str]:
    """The codes of the failures that a file makes."""
    return [
        call.args[0].value
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in FAMILIES
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    ]
