"""SQLite without what comes with it: the same module, and nobody is left with a stand-in."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from engram.system.sqlite import _lru_cache, compiled, sqlite3

ALONE = """
import sys
{before}
from engram.system.sqlite import sqlite3
loaded = [each for each in ("functools", "collections", "datetime") if each in sys.modules]
database = sqlite3.connect(":memory:", isolation_level=None)
for number in range(300):  # more statements than are remembered
    assert database.execute(f"SELECT ?, {{number}}", (7,)).fetchone() == (7, number)
assert database.execute("SELECT 1").fetchone() == (1,)
import functools, sqlite3 as whole
assert functools.lru_cache(maxsize=2)(abs)(-3) == 3 and functools.partial
assert whole.Error is sqlite3.Error and whole.connect(":memory:").execute("SELECT 2").fetchone() == (2,)
print(sys.version_info[:2], *loaded)
"""


def told(before: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-I", "-c", ALONE.format(before=before)],
        capture_output=True,
        check=True,
        text=True,
        # measuring coverage imports modules of its own
        env={name: value for name, value in os.environ.items() if "COV" not in name},
    )
    return run.stdout.split(") ")[1:] or [""]


def test_it_brings_no_other_module_and_leaves_everything_usable() -> None:
    assert told("").pop().split() == []


def test_where_functools_is_there_already_it_is_used() -> None:
    assert "functools" in told("import functools").pop()


@pytest.mark.parametrize(
    "before",
    [
        "sys.version_info = (3, 99, 0)",
        "sys.implementation.name = 'other'",
    ],
)
def test_a_python_that_is_not_known_goes_the_usual_way(before: str) -> None:
    assert "functools" in told(before).pop()


def test_without_the_compiled_module_the_package_is_taken() -> None:
    assert (
        compiled("_engram_has_no_such_module", "sqlite3").sqlite_version == sqlite3.sqlite_version
    )


def test_without_any_the_failure_says_so() -> None:
    with pytest.raises(ImportError):
        compiled("_engram_has_no_such_module", "_nor_this")


def test_the_stand_in_goes_once_the_module_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sys.modules["functools"]
    monkeypatch.delitem(sys.modules, "functools")
    module = compiled("_sqlite3", "sqlite3")
    assert "functools" not in sys.modules
    monkeypatch.setitem(sys.modules, "functools", real)
    assert module.connect(":memory:").execute("SELECT 1").fetchone() == (1,)


def test_the_stand_in_goes_when_there_is_no_such_module(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sys.modules["functools"]
    monkeypatch.delitem(sys.modules, "functools")
    with pytest.raises(ImportError):
        compiled("_engram_has_no_such_module", "_nor_this")
    left = "functools" in sys.modules
    monkeypatch.setitem(sys.modules, "functools", real)
    assert not left


def test_the_stand_in_remembers_as_the_real_one_does() -> None:
    calls: list[int] = []

    def twice(number: int) -> int:
        calls.append(number)
        return 2 * number

    remembered = _lru_cache(2)(twice)
    assert [remembered(3), remembered(3)] == [6, 6]
    assert calls == [3]
