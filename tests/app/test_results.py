"""The envelope that carries an answer, or a failure, as JSON."""

from __future__ import annotations

import pytest

from engram.app.results import Diagnostic, Result, envelope, failure
from engram.errors import NotFound, Unavailable


@pytest.mark.contract("S1", "S5")
def test_a_success_holds_all_that_its_text_holds() -> None:
    result = Result("two", {"entries": [1, 2]}, (Diagnostic("a.b", "info", "so"),))
    assert envelope(result) == {
        "contract_version": "1",
        "ok": True,
        "data": {"entries": [1, 2], "text": "two"},
        "diagnostics": [{"id": "a.b", "severity": "info", "message": "so"}],
    }


def test_a_diagnostic_says_what_to_do_about_it() -> None:
    told = envelope(Result("", {}, (Diagnostic("a.b", "warning", "so", "do this"),)))
    assert told["diagnostics"] == [
        {"id": "a.b", "severity": "warning", "message": "so", "remediation": "do this"}
    ]


def test_a_failure_has_the_same_outline_with_code_message_hint_and_details() -> None:
    assert failure(NotFound("x.y", "None.", hint="Look.", line=3)) == {
        "contract_version": "1",
        "ok": False,
        "data": {},
        "error": {"code": "x.y", "message": "None.", "hint": "Look.", "details": {"line": 3}},
        "diagnostics": [],
    }
    assert failure(Unavailable("x.y", "None."))["error"] == {"code": "x.y", "message": "None."}
