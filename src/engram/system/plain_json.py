"""JSON read and written for a process that cannot pay for `json` (docs: performance).

The compiled scanner and escaper below that package are taken directly, which spares `re` and
`enum`; a Python that lacks them pays for the package.
"""

from __future__ import annotations

from engram.errors import InvalidRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Scan = Callable[[str, int], tuple[object, int]]

_BLANK = " \t\r\n"


class _Rules:
    """What the scanner asks: how to read each kind of value."""

    strict = False  # a control character within a text is taken as it is
    object_hook = object_pairs_hook = None
    parse_float = parse_int = parse_constant = float  # an `int` may have too many digits


def tools(module: str = "_json") -> tuple[Scan, Callable[[str], str]]:
    """What reads one value from a place in a text, and what quotes a text in ASCII."""
    try:
        compiled = __import__(module)
        return compiled.make_scanner(_Rules), compiled.encode_basestring_ascii
    except (ImportError, AttributeError):
        import json  # noqa: PLC0415 - another Python's way

        return json.JSONDecoder(strict=False, parse_int=float).raw_decode, json.dumps


_scan, quoted = tools()


def texts_at(data: bytes, paths: Sequence[str]) -> list[str]:
    """The texts at paths such as `$.a.b` or `$.a[0]` in a JSON object; "" where there is no text.

    Raises InvalidRequest (input.json) when `data` is no JSON object in UTF-8.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").strip(_BLANK)
    try:
        content, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError) as error:
        raise InvalidRequest("input.json", f"This is no JSON: {error}.") from error
    if end != len(text) or not isinstance(content, dict):
        raise InvalidRequest("input.json", "This is not one JSON object.")
    return [_text_at(content, path) for path in paths]


def _text_at(content: object, path: str) -> str:
    for part in path[2:].replace("[", ".").replace("]", "").split("."):
        if isinstance(content, dict):
            content = content.get(part)
        elif isinstance(content, list) and part.isdecimal():
            content = next(iter(content[int(part) :]), None)
        else:
            return ""
    # Half a character (a lone surrogate) can be written nowhere.
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""
