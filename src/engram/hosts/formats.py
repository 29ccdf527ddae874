"""One placement in the bytes of one file: how it stands, put there, taken out; all pure."""

from __future__ import annotations

import json

from engram.hosts import json_file, toml_file
from engram.hosts.edits import MISSING, same
from engram.hosts.markdown_block import read_block, remove_block, set_block
from engram.hosts.own_file import is_ours, stamped
from engram.hosts.placement import BLOCK, ENTRY, FILE, GATE, ITEM, SERVER, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from engram.hosts.placement import Context, Placement

    Path = tuple[str | int, ...]

ABSENT = "absent"
CURRENT = "current"
STALE = "stale"  # ours, of another version or place
ALTERED = "altered"  # in our place, but not what we would write

PROGRAM = "engram-mcp"
STRICTER = ("ask", "deny")  # what a gate may say
APPROVAL, ASKS = ("tools", "engram_commit", "approval_mode"), "prompt"


def state(content: bytes | None, placement: Placement, context: Context) -> str:
    """How a placement stands in a file; None is a file that does not exist.

    Raises Damaged for a file that cannot be read.
    """
    if content is None:
        return ABSENT
    return _STATES[placement.format](content, placement, context)


def put(content: bytes | None, placement: Placement, context: Context) -> bytes:
    """The file with the placement in it, every other byte kept.

    What is ours keeps what a person added to it. Raises Damaged for a file that leaves no safe
    place.
    """
    if placement.format == FILE:
        return stamped(str(placement.value(context)), placement.path)
    if content is None:
        content = json.dumps(placement.seed, indent=2).encode() + b"\n" if placement.seed else b""
    return _PUTS[placement.format](content, placement, context)


def remove(
    content: bytes, placement: Placement, context: Context, made: Collection[Path] = ()
) -> bytes | None:
    """The file without the placement; None: nothing of it is left.

    Containers that this empties go when they are among `made`, those that we put there.
    """
    if placement.format == FILE:
        return None
    if placement.format == BLOCK:
        return remove_block(content)
    if placement.format == TABLE:
        return toml_file.remove_entry(content, placement.at)
    if placement.format == ENTRY:
        return json_file.remove_entry(content, placement.at, prune=made)
    for place in reversed(_our_items(content, placement, context)):
        content = json_file.remove_entry(content, (*placement.at, *place), prune=made)
    return content


def containers(content: bytes | None, placement: Placement) -> tuple[Path, ...]:
    """The containers that putting the placement will make, for `remove` to take out again."""
    if placement.format not in (ENTRY, ITEM):
        return ()
    path: Path = (*placement.at, 0) if placement.format == ITEM else placement.at
    return json_file.absent(content or b"", path)


def vector(entry: object) -> list[str]:
    """The command line that a server's entry starts, whatever shape it has; [] for none."""
    if not isinstance(entry, dict):
        return []
    if isinstance(entry.get("transport"), dict):
        return vector(entry["transport"])
    command, arguments = entry.get("command"), entry.get("args", [])
    if isinstance(command, list):
        return [str(each) for each in command]
    if not isinstance(command, str) or not isinstance(arguments, list):
        return []
    return [command, *(str(each) for each in arguments)]


def value_in(content: bytes, placement: Placement) -> Any:
    """What stands at the keys of an ENTRY or a TABLE, or MISSING."""
    read = toml_file.get if placement.format == TABLE else json_file.get
    return read(content, placement.at)


# Entries


def _entry_state(content: bytes, placement: Placement, context: Context) -> str:
    existing, wanted = value_in(content, placement), placement.value(context)
    if existing is MISSING:
        return ABSENT
    if same(existing, wanted):
        return CURRENT
    if placement.purpose == SERVER:
        return _server_state(existing, wanted)
    if placement.purpose == GATE:
        return CURRENT if existing in STRICTER else ALTERED
    return STALE if _mentions(existing, context) else ALTERED


def _server_state(existing: object, wanted: object) -> str:
    words = vector(existing)
    if not _is_our_server(words):
        return ALTERED
    return CURRENT if words == _renewed(words, vector(wanted)) else STALE


def _table_state(content: bytes, placement: Placement, context: Context) -> str:
    """As an entry, and its commit tool has to ask a person (contract clause R9)."""
    existing = value_in(content, placement)
    if existing is MISSING:
        return ABSENT
    mode = _reach(existing, APPROVAL)
    if mode not in (MISSING, ASKS):
        return ALTERED
    stands = _server_state(existing, placement.value(context))
    return STALE if stands == CURRENT and mode is MISSING else stands


def _put_entry(content: bytes, placement: Placement, context: Context) -> bytes:
    existing, wanted = value_in(content, placement), placement.value(context)
    words = vector(existing) if existing is not MISSING else []
    if placement.purpose != SERVER or not _is_our_server(words):
        return json_file.set_entry(content, placement.at, wanted)
    for path, value in _pins(wanted, _renewed(words, vector(wanted))):
        if not value and json_file.get(content, (*placement.at, *path)) is MISSING:
            continue
        content = json_file.set_entry(content, (*placement.at, *path), value)
    return content


def _put_table(content: bytes, placement: Placement, context: Context) -> bytes:
    existing, wanted = value_in(content, placement), placement.value(context)
    assert isinstance(wanted, dict)  # noqa: S101 - what a table's value is
    words = vector(existing) if existing is not MISSING else []
    if not _is_our_server(words):
        return toml_file.set_entry(content, placement.at, wanted)
    words = _renewed(words, vector(wanted))
    tools = {**existing.get("tools", {}), **wanted["tools"]}
    merged = {**wanted, **existing, "command": words[0], "args": words[1:], "tools": tools}
    return toml_file.set_entry(content, placement.at, merged)


def _pins(wanted: object, words: list[str]) -> Iterator[tuple[tuple[str, ...], object]]:
    """What a launcher is spread over, by the keys below the entry."""
    assert isinstance(wanted, dict)  # noqa: S101 - what a server's value is
    if "transport" in wanted:
        yield ("transport", "command"), words[0]
        yield ("transport", "args"), words[1:]
    elif isinstance(wanted["command"], list):
        yield ("command",), words
    else:
        yield ("command",), words[0]
        yield ("args",), words[1:]


def _renewed(words: list[str], launcher: list[str]) -> list[str]:
    """The launcher of today with the options that stand in the file."""
    return [*launcher[: _end_of_launcher(launcher)], *words[_end_of_launcher(words) :]]


def _end_of_launcher(words: list[str]) -> int:
    ends = [at for at, word in enumerate(words, 1) if _is_program(word)]
    return ends[0] if ends else len(words)


def _is_our_server(words: list[str]) -> bool:
    return any(_is_program(word) for word in words)


def _is_program(word: str) -> bool:
    name = word.replace("\\", "/").rpartition("/")[2].lower()
    return name.removesuffix(".exe") == PROGRAM


# Hooks


def _item_state(content: bytes, placement: Placement, context: Context) -> str:
    ours = _our_items(content, placement, context)
    if not ours:
        return ABSENT
    wanted = _command(placement.value(context))
    first = _command(json_file.get(content, (*placement.at, *ours[0])))
    is_today = all(first.get(name) == wanted[name] for name in _LINES if name in wanted)
    return CURRENT if is_today and len(ours) == 1 else STALE


def _put_item(content: bytes, placement: Placement, context: Context) -> bytes:
    ours = _our_items(content, placement, context)
    if not ours:
        return json_file.append_item(content, placement.at, placement.value(context))
    for each in reversed(ours[1:]):
        content = json_file.remove_entry(content, (*placement.at, *each))
    wanted = _command(placement.value(context))
    place = (*placement.at, *ours[0])
    if "hooks" in json_file.get(content, place):
        place = (*place, "hooks", 0)
    for name in _LINES:
        if name in wanted:
            content = json_file.set_entry(content, (*place, name), wanted[name])
    return content


_LINES = (
    "command",
    "commandWindows",
    "bash",
    "powershell",
)  # the keys that hold a hook's command line


def _our_items(content: bytes, placement: Placement, context: Context) -> list[Path]:
    """Where our hooks stand: whole items, or single commands among a person's own."""
    items = json_file.get(content, placement.at)
    if not isinstance(items, list):
        return []
    found: list[Path] = []
    for number, item in enumerate(items):
        commands = item.get("hooks") if isinstance(item, dict) else []
        if not isinstance(commands, list):
            found += [(number,)] if _mentions(item, context) else []
            continue
        ours = [at for at, each in enumerate(commands) if _mentions(each, context)]
        whole = len(ours) == len(commands) and bool(ours)
        found += [(number,)] if whole else [(number, "hooks", at) for at in ours]
    return found


def _command(item: Any) -> dict[str, object]:
    """The command of a hook: the first of a group, or what stands in the list itself."""
    inside = item.get("hooks")
    found: dict[str, object] = inside[0] if isinstance(inside, list) else item
    return found


def _mentions(value: object, context: Context) -> bool:
    """Whether a value runs our hook for this host: known by its last words, wherever it lies."""
    return isinstance(value, dict) and " ".join(context.hook.words[-2:]) in json.dumps(value)


# Blocks and files


def _block_state(content: bytes, placement: Placement, context: Context) -> str:
    block = read_block(content)
    if block is None:
        return ABSENT
    if block.altered:
        return ALTERED
    return CURRENT if block.text == str(placement.value(context)).strip("\n") else STALE


def _put_block(content: bytes, placement: Placement, context: Context) -> bytes:
    return set_block(content, str(placement.value(context)))


def _file_state(content: bytes, placement: Placement, context: Context) -> str:
    wanted = stamped(str(placement.value(context)), placement.path)
    if content.replace(b"\r\n", b"\n") == wanted:
        return CURRENT
    has_stamp = b"engram:file" in wanted
    return STALE if is_ours(content) or not has_stamp else ALTERED


def _reach(value: object, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return MISSING
        value = value[name]
    return value


_STATES: Mapping[str, Callable[[bytes, Placement, Context], str]] = {
    ENTRY: _entry_state,
    TABLE: _table_state,
    ITEM: _item_state,
    BLOCK: _block_state,
    FILE: _file_state,
}
_PUTS: Mapping[str, Callable[[bytes, Placement, Context], bytes]] = {
    ENTRY: _put_entry,
    TABLE: _put_table,
    ITEM: _put_item,
    BLOCK: _put_block,
}
