"""The table of operations: complete, and the same for every surface."""

from __future__ import annotations

import re

import pytest

from engram.app.operation import Operation
from engram.app.operations import OPERATIONS, operation, shown_on
from engram.app.parameters import parameters
from engram.errors import InvalidRequest


def test_a_name_or_an_alias_finds_its_operation() -> None:
    assert operation("load").name == "load"
    assert operation("ss") is operation("save-session")
    assert operation("engram_set_role", "mcp").name == "set-role"


@pytest.mark.parametrize(
    ("name", "surface", "hint"),
    [
        ("lod", "cli", "Did you mean “load”?"),
        ("engram_laod", "mcp", "Did you mean “engram_load”?"),
        ("load", "mcp", "engram_load"),
        ("engram_load", "cli", "load"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name: str, surface: str, hint: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        operation(name, surface)
    assert raised.value.code == "operation.unknown"
    assert hint in raised.value.hint


def test_every_spelling_is_taken_once() -> None:
    spellings = [word for each in OPERATIONS for word in (each.name, *each.aliases)]
    assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize("each", OPERATIONS, ids=lambda each: each.name)
def test_every_row_is_fit_for_both_of_its_readers(each: Operation) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", each.name)
    assert each.summary.endswith(".")
    assert re.fullmatch(r"[a-z_]+:[a-z_]+", each.function)
    assert all(p.help.strip() for p in parameters(each.input))
    if "cli" in each.surfaces:
        assert f"engram {each.name}" in each.example or f"$(engram {each.name}" in each.example
    if "mcp" in each.surfaces:
        assert each.title
        assert 0 < len(each.description) <= 1024


@pytest.mark.contract("T1", "T2", "T3", "T4", "T7", "T9")
def test_the_tools_that_only_read_say_so() -> None:
    reading = {each.tool for each in shown_on("mcp") if not each.writes}
    assert {"engram_load", "engram_route", "engram_search", "engram_status", "engram_verify"} <= (
        reading
    )
    writing = {each.tool for each in shown_on("mcp") if each.writes}
    assert {"engram_set_role", "engram_set_rule_variant"} <= writing
