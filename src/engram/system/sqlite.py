"""SQLite as Python brings it, without the rest of the `sqlite3` package (docs: performance).

That package is a thin layer over the compiled `_sqlite3`, and imports `datetime` for converters
that nobody here uses: a third of what it costs. Another third is `functools`, of which the
compiled module takes `lru_cache`, to remember statements.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3 as sqlite3  # noqa: PLC0414 - the name that others take from here
    from collections.abc import Callable
    from typing import Any

# The versions of CPython whose compiled module is known to take `lru_cache` and nothing else.
_KNOWN = ((3, 11), (3, 14))


def compiled(*modules: str) -> Any:
    """The first of some modules that this Python has; raises ImportError when it has none."""
    for name in modules[:-1]:
        try:
            return _alone(name) if _may_go_alone() else __import__(name)
        except ImportError:
            continue
    return __import__(modules[-1])


def _may_go_alone() -> bool:
    """Whether `functools` would be imported for this alone: never in a process with threads."""
    known = _KNOWN[0] <= sys.version_info[:2] <= _KNOWN[1]
    return known and sys.implementation.name == "cpython" and "functools" not in sys.modules


def _alone(name: str) -> Any:
    """Import a module while a stand-in with the compiled `lru_cache` takes `functools`' place."""
    stand_in = type(sys)("functools")
    vars(stand_in)["lru_cache"] = _lru_cache
    sys.modules["functools"] = stand_in
    try:
        return __import__(name)
    finally:
        del sys.modules["functools"]


def _lru_cache(maxsize: int = 128) -> Callable[[Any], Any]:
    wrapper = __import__("_functools")._lru_cache_wrapper  # noqa: SLF001 - what is below `lru_cache`
    return lambda function: wrapper(function, maxsize, typed=False, cache_info_type=tuple)


if not TYPE_CHECKING:
    sqlite3 = compiled("_sqlite3", "sqlite3")
