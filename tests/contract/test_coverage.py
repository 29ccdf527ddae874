"""Every clause has a test and every test's mark names a clause, in both directions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.contract.clauses import CLAUSES, DEFERRED

TESTS = Path(__file__).resolve().parents[1]


def test_every_clause_is_witnessed_or_deferred() -> None:
    assert sorted(CLAUSES.keys() - witnesses().keys() - DEFERRED.keys()) == []


def test_every_mark_names_a_clause() -> None:
    unknown = {clause: places for clause, places in witnesses().items() if clause not in CLAUSES}
    assert unknown == {}


def test_a_clause_that_is_witnessed_is_no_longer_deferred() -> None:
    stale = {clause: places for clause, places in witnesses().items() if clause in DEFERRED}
    assert stale == {}, "take these off DEFERRED in tests/contract/clauses.py"


def test_what_is_deferred_is_a_clause() -> None:
    assert DEFERRED.keys() <= CLAUSES.keys()


@cache
def witnesses() -> dict[str, list[str]]:
    """The places that name each clause, as file:line."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for line, clause in _marks(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(clause, []).append(f"{path.relative_to(TESTS)}:{line}")
    return found


def _marks(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func) == "pytest.mark.contract"
        ):
            assert node.args, f"line {node.lineno}: a mark without a clause"
            for argument in node.args:
                yield node.lineno, ast.literal_eval(argument)
