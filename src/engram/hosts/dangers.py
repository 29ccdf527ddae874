"""Settings of a host that would let a commit through without a person, as data for `doctor`."""

from __future__ import annotations

from engram.errors import EngramError
from engram.hosts import json_file, toml_file
from engram.hosts.edits import MISSING
from engram.hosts.placement import COMMIT_TOOL, ENTRY, TABLE, Danger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engram.hosts.surroundings import Surroundings

ALLOWS = "host.allow_listed_commit"


def found(around: Surroundings, dangers: Iterable[Danger]) -> list[tuple[Danger, str]]:
    """The dangers that are there, each with its file; a file that cannot be read has none."""
    from engram.hosts.surroundings import read_file  # noqa: PLC0415 - it knows this module's records

    there: list[tuple[Danger, str]] = []
    for danger in dangers:
        path = around.path(danger.path)
        try:
            content = read_file(path)
            if content is None:
                continue
            read = toml_file.get if danger.format == TABLE else json_file.get
            value = read(content, danger.at)
        except EngramError:
            continue  # another check tells of it
        if value is not MISSING and danger.is_bad(value):
            there.append((danger, path))
    return there


def equal_to(*bad: object) -> Callable[[object], bool]:
    """Whether a value is one of these, of the same type."""
    return lambda value: any(value == each and type(value) is type(each) for each in bad)


def lists(*bad: str) -> Callable[[object], bool]:
    """Whether a list holds one of these, or a pattern that takes the commit tool in."""
    return lambda value: isinstance(value, list) and any(each in bad for each in value)


def is_on(value: object) -> bool:
    """Whether a switch is on."""
    return value is True


def has_any(value: object) -> bool:
    """Whether there is something at all."""
    return bool(value)


def in_entry(path: str, at: tuple[str, ...] = ("mcpServers", "engram")) -> tuple[Danger, ...]:
    """What in a server's entry approves its tools, whatever the host calls it."""
    everything = lists(COMMIT_TOOL, "*")
    return tuple(
        Danger(
            ALLOWS,
            path,
            ENTRY,
            (*at, name),
            is_bad,
            f"“{name}” approves {COMMIT_TOOL} without asking a person.",
            f"Take {COMMIT_TOOL} out of “{name}”.",
        )
        for name, is_bad in (
            ("autoApprove", everything),
            ("alwaysAllow", everything),
            ("sandboxEnabled", is_on),
        )
    )
