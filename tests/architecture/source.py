"""The source tree as the architecture tests read it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "engram"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its path below the package, parsed."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def lines_of(module: str) -> int:
    return len((PACKAGE / module).read_text(encoding="utf-8").splitlines())


def functions() -> Iterator[tuple[str, Function]]:
    """Every function with the module it stands in."""
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield name, node


def called(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := dotted(node.func)):
            yield node.lineno, name


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a name or of attributes of a name; "" of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and value of every text constant, but for docstrings."""
    described = {id(each) for each in _docstrings(tree)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    for node in constants:
        if isinstance(node.value, str) and id(node) not in described:
            yield node.lineno, node.value


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value
