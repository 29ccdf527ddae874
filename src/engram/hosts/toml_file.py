"""One table in a TOML file; every byte around it stays.

The table is found by what the file means, not by markers: other programs that write these files
move tables and drop comments. Whatever is made is parsed again and held against what was asked;
a file that leaves no safe place (an inline table, say) is refused, not bent.
"""

from __future__ import annotations

import json
from datetime import date, time

from engram.errors import Damaged
from engram.hosts.edits import (
    MISSING,
    appended,
    closed,
    cut,
    line_break,
    misshapen,
    opened,
    same,
)
from engram.hosts.toml_scan import BARE, Statement, parse, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Path = Sequence[str]


def get(content: bytes, path: Path) -> Any:
    """The value at a path, or MISSING. Raises Damaged for a file that cannot be read."""
    return _value(parse(opened(content, "")[1], ""), path)


def set_entry(content: bytes, path: Path, table: Mapping[str, object]) -> bytes:
    """The content with a table at a path, in place of what was there; unchanged if it is there.

    Where only values differ, only they change; otherwise the table is written anew, in its place.
    Raises Damaged: host.malformed, host.not_text, or host.shape where no such table can stand.
    """
    block = "\n\n".join(_blocks(path, table))
    by_hand = f"add this by hand:\n{block}"
    bom, text = opened(content, by_hand)
    before = parse(text, by_hand)
    if same(_value(before, path), table):
        return content
    expected = _placed(before, path, table)
    for made in (_with_values(text, before, path, table), _with_block(text, path, block)):
        if _means(made, expected):
            return closed(bom, made)
    raise _refused(text, path, by_hand)


def remove_entry(content: bytes, path: Path) -> bytes:
    """The content without the table at a path, every other byte kept.

    Comments between the lines of the table go with it; those around it stay.
    Raises Damaged (host.malformed, host.not_text, host.shape).
    """
    by_hand = f"take out [{_dotted(path)}] by hand."
    bom, text = opened(content, by_hand)
    before = parse(text, by_hand)
    if _value(before, path) is MISSING:
        return content
    made = _without_runs(text, _runs(text, path))
    if not _means(made, _removed(before, path), path):
        raise _refused(text, path, by_hand)
    return closed(bom, made)


def _value(tree: object, path: Path) -> Any:
    for name in path:
        tree = tree.get(name, MISSING) if isinstance(tree, dict) else MISSING
    return tree


def _placed(tree: object, path: Path, value: object) -> object:
    """The values with another one at a path; MISSING if something else than a table is there."""
    if not path:
        return value
    if not isinstance(tree, dict):
        return MISSING
    inner = _placed(tree.get(path[0], {}), path[1:], value)
    return MISSING if inner is MISSING else {**tree, path[0]: inner}


def _removed(tree: dict[str, Any], path: Path) -> dict[str, Any]:
    """The values without the one at a path, nor the tables above it that it alone filled."""
    rest = {name: each for name, each in tree.items() if name != path[0]}
    inner = tree.get(path[0])
    if len(path) > 1 and isinstance(inner, dict) and (kept := _removed(inner, path[1:])):
        return {name: kept if name == path[0] else each for name, each in tree.items()}
    return rest


def _means(text: str, expected: object, without: Path = ()) -> bool:
    """Whether a text that was made says what it should (`without`: empty tables aside)."""
    try:
        found = parse(text, "")
    except Damaged:
        return False
    if without and _value(found, without) is not MISSING:
        return False
    return same(_removed(found, without) if without else found, expected)


def _runs(text: str, path: Path) -> list[tuple[Statement, int]]:
    """The stretches of lines that speak of a path: the first statement, and the end of the last."""
    runs: list[tuple[Statement, int]] = []
    joined = False
    for each in statements(text):
        ours = each.path[: len(path)] == tuple(path)
        if ours and joined:
            runs[-1] = runs[-1][0], each.end
        elif ours:
            runs.append((each, each.end))
        joined = ours
    return runs


def _without_runs(text: str, runs: list[tuple[Statement, int]]) -> str:
    for first, end in reversed(runs):
        text = (
            cut(text, first.start, end) if first.value is None else text[: first.start] + text[end:]
        )
    return text


def _with_values(text: str, before: object, path: Path, table: Mapping[str, object]) -> str:
    """The text with the new values of the keys that the table has already, comments kept."""
    for each in reversed(list(statements(text))):
        wanted = _value(table, each.path[len(path) :])
        is_ours = each.path[: len(path)] == tuple(path)
        if each.value and is_ours and wanted is not MISSING and not isinstance(wanted, dict):
            start, end = each.value
            if not same(_value(before, each.path), wanted):
                text = text[:start] + _told(wanted) + text[end:]
    return text


def _with_block(text: str, path: Path, block: str) -> str:
    """The text with the table written anew, where it stood or at the end."""
    runs = _runs(text, path)
    if runs and runs[0][0].value is None:
        return _replaced(_without_runs(text, runs[1:]), runs[0], block)
    return appended(_without_runs(text, runs), block, line_break(text, len(text)))


def _replaced(text: str, run: tuple[Statement, int], block: str) -> str:
    first, end = run
    newline = line_break(text, end)
    tail = text[end:]
    if text[end - 1] == "\n":
        tail = newline + tail
    return text[: first.start] + block.replace("\n", newline) + tail


def _refused(text: str, path: Path, by_hand: str) -> Damaged:
    """The refusal, at the line that is in the way."""
    near = [each for each in statements(text) if tuple(path[: len(each.path)]) == each.path]
    at = near[-1].start if near else 0
    return misshapen(text, at, f"[{_dotted(path)}] cannot be edited safely here", by_hand)


def _blocks(path: Path, table: Mapping[str, object]) -> Iterator[str]:
    """The table and each table in it, as lines."""
    inner = {name: each for name, each in table.items() if isinstance(each, dict)}
    values = [f"{_key(name)} = {_told(table[name])}" for name in table if name not in inner]
    if values or not inner:
        yield "\n".join((f"[{_dotted(path)}]", *values))
    for name, each in inner.items():
        yield from _blocks((*path, name), each)


def _dotted(path: Path) -> str:
    return ".".join(map(_key, path))


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _told(name)


def _told(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_told, value))}]"
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(name)} = {_told(each)}" for name, each in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, date | time):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
