"""One entry in a JSON file, with or without comments; every byte around it stays.

A path is a row of names from the root; a number in it is the place of an item in an array. Where a
name stands twice, the last one counts, as it does for the programs that read these files.

Setting and removing are each other's inverse. What an entry needs (a comma, a line break, an
indent) is put where removing will look for it; which containers were made for it the caller
remembers (`absent`) and names when it removes (`prune`), since the text cannot tell.
"""

from __future__ import annotations

import json

from engram.hosts.edits import MISSING, closed, misshapen, opened, same
from engram.hosts.json_scan import Container, Member, Source, container_at, scan, value_at
from engram.hosts.json_splice import (
    holds_only,
    is_repeated,
    replaced,
    with_member,
    with_root,
    without_member,
    without_root,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    Path = Sequence[str | int]
    Steps = list[tuple[Container, Member]]


def get(content: bytes, path: Path) -> Any:
    """The value at a path, or MISSING. Raises Damaged for a file that cannot be read."""
    _, source = _read(content, "")
    return _value(source, path)


def absent(content: bytes, path: Path) -> tuple[tuple[str | int, ...], ...]:
    """The containers that setting `path` would make, outermost first; () is the root.

    They are what `prune` takes when the entry is removed. For an item that is going to be appended,
    ask with a number behind the array's path.
    """
    _, source = _read(content, "")
    made = len(_steps(source, path)) + (source.root >= 0)
    return tuple(tuple(path[:depth]) for depth in range(made, len(path)))


def set_entry(content: bytes, path: Path, value: object) -> bytes:
    """The content with a value at a path, containers made as needed; unchanged if it is there.

    Raises Damaged: host.malformed, host.not_text, or host.shape where no object is.
    """
    by_hand = _by_hand(path, value)
    bom, source = _read(content, by_hand)
    steps, container = _trail(source, path)
    if source.root < 0:
        return closed(bom, with_root(source, _nested(path, value)))
    if len(steps) < len(path):
        return closed(bom, _grown(source, steps, container, path, value))
    containers, member = [each for each, _ in steps], steps[-1][1]
    if same(value_at(source, member.value), value):
        return content
    return closed(bom, replaced(source, containers, member, value))


def append_item(content: bytes, path: Path, value: object) -> bytes:
    """The content with one more item in the array at a path; unchanged if an equal one is there.

    Raises Damaged as `set_entry` does, also where the path leads to something else than an array.
    """
    _, source = _read(content, _by_hand(path, [value]))
    items = _value(source, path)
    if items is MISSING:
        return set_entry(content, path, [value])
    if isinstance(items, list) and any(same(each, value) for each in items):
        return content
    place = len(items) if isinstance(items, list) else 0
    return set_entry(content, (*path, place), value)


def remove_entry(content: bytes, path: Path, *, prune: Collection[Path] = ()) -> bytes:
    """The content without the entry at a path, every other byte kept, comments as well.

    A container that this leaves empty goes too if `prune` names it and no comment stands in it.
    Raises Damaged (host.malformed, host.not_text).
    """
    bom, source = _read(content, f"take out “{_told(path)}” by hand.")
    steps = _steps(source, path)
    if len(steps) < len(path):
        return content
    depth = _depth_to_cut(source, steps, path, {tuple(each) for each in prune})
    if depth < 0:
        return closed(bom, without_root(source))
    made = closed(bom, without_member(source, *steps[depth]))
    return remove_entry(made, path, prune=prune) if is_repeated(*steps[depth]) else made


def remove_item(
    content: bytes, path: Path, matches: Callable[[Any], bool], *, prune: Collection[Path] = ()
) -> bytes:
    """The content without the items that match in the array at a path; `prune` as above."""
    items = get(content, path)
    if not isinstance(items, list):
        return content
    for place in range(len(items) - 1, -1, -1):
        if matches(items[place]):
            content = remove_entry(content, (*path, place), prune=prune)
    return content


def _read(content: bytes, by_hand: str) -> tuple[bytes, Source]:
    bom, text = opened(content, by_hand)
    return bom, scan(text, by_hand)


def _value(source: Source, path: Path) -> Any:
    steps = _steps(source, path)
    if source.root < 0 or len(steps) < len(path):
        return MISSING
    return value_at(source, steps[-1][1].value if steps else source.root)


def _steps(source: Source, path: Path) -> Steps:
    """The members along a path, each with its container, as far as they exist."""
    return _trail(source, path)[0]


def _trail(source: Source, path: Path) -> tuple[Steps, Container | None]:
    """The steps along a path, and the container that has not got the next name."""
    steps: Steps = []
    at = source.root
    for name in path if at >= 0 else ():
        container = container_at(source, at)
        members = container.members if container else []
        member = next((each for each in reversed(members) if each.name == name), None)
        if container is None or member is None:
            return steps, container
        steps.append((container, member))
        at = member.value
    return steps, None


def _grown(
    source: Source, steps: Steps, container: Container | None, path: Path, value: object
) -> str:
    """The text with a member where the steps along the path end."""
    depth = len(steps)
    at = steps[-1][1].value if steps else source.root
    name, rest = path[depth], path[depth + 1 :]
    kind, opening = ("array", "[") if isinstance(name, int) else ("object", "{")
    if container is None or source.text[at] != opening:
        what = f"“{_told(path[:depth])}”" if steps else "the file"
        raise misshapen(source.text, at, f"{what} is not an {kind}", _by_hand(path, value))
    return with_member(
        source, [*(each for each, _ in steps), container], name, _nested(rest, value)
    )


def _depth_to_cut(
    source: Source, steps: Steps, path: Path, prune: set[tuple[str | int, ...]]
) -> int:
    """Which step to remove: the entry's own, or that of the outermost container it leaves empty.

    -1 stands for the root.
    """
    depth = len(steps) - 1
    while depth >= 0 and tuple(path[:depth]) in prune and holds_only(source, *steps[depth]):
        if depth and is_repeated(*steps[depth - 1]):
            break  # without it, the one before it would count
        depth -= 1
    return depth


def _nested(path: Path, value: object) -> object:
    for name in reversed(path):
        value = [value] if isinstance(name, int) else {name: value}
    return value


def _told(path: Path) -> str:
    return ".".join(map(str, path))


def _by_hand(path: Path, value: object) -> str:
    snippet = json.dumps(_nested(path, value), ensure_ascii=False)
    return f"add this by hand: {snippet}"
