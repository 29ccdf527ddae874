"""JSON read and written by SQLite, for a process that cannot pay for `json` (docs: performance).

SQLite is loaded in any case where memory is searched; `json` and what it imports would cost as
much again as the search.
"""

from __future__ import annotations

import sqlite3

from engram.errors import InvalidRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT = {
    **{chr(code): f"\\u{code:04x}" for code in range(0x20)},
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}
_ESCAPES = str.maketrans({**_TEXT, "\u2028": "\\u2028", "\u2029": "\\u2029", "\x7f": "\\u007f"})


def texts_at(data: bytes, paths: Sequence[str]) -> list[str]:
    """The texts at paths such as `$.cwd` in a JSON object; "" where there is no text.

    Raises InvalidRequest (input.json) when `data` is no JSON object in UTF-8.
    """
    text = data.decode("utf-8-sig", "replace")
    columns = ", ".join(
        f"CASE json_type(?1, ?{at}) WHEN 'text' THEN json_extract(?1, ?{at}) ELSE '' END"
        for at in range(2, len(paths) + 2)
    )
    database = sqlite3.connect(":memory:")
    try:
        query = f"SELECT json_type(?1), {columns}"
        kind, *found = database.execute(query, (text, *paths)).fetchone()
    except sqlite3.Error as error:
        raise InvalidRequest("input.json", f"This is no JSON: {error}.") from error
    finally:
        database.close()
    if kind != "object":
        raise InvalidRequest("input.json", "This is JSON, but no object.")
    return [str(each) for each in found]


def quoted(text: str) -> str:
    """A text as a JSON string, in ASCII."""
    escaped = text.translate(_ESCAPES)
    if escaped.isascii():
        return f'"{escaped}"'
    return f'"{"".join(map(_in_ascii, escaped))}"'


def _in_ascii(letter: str) -> str:
    code = ord(letter)
    if code < 0x80:
        return letter
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
