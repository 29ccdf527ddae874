"""SQLite as Python brings it, without the rest of the `sqlite3` package (docs: performance).

That package is a thin layer over the compiled `_sqlite3`, and imports `datetime` for converters
that nobody here uses: a third of what it costs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3 as sqlite3  # noqa: PLC0414 - the name that others take from here
    from typing import Any


def first_of(*modules: str) -> Any:
    """The first of some modules that this Python has; raises ImportError when it has none."""
    for name in modules[:-1]:
        try:
            return __import__(name)
        except ImportError:
            continue
    return __import__(modules[-1])


if not TYPE_CHECKING:
    sqlite3 = first_of("_sqlite3", "sqlite3")
