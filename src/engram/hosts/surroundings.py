"""Where the hosts' files lie on this machine, and what a plan of changes to them says."""

from __future__ import annotations

import os

from engram.errors import EngramError, NotFound
from engram.hosts import formats
from engram.hosts.placement import GLOBAL, Context, Host, Launch, Placement
from engram.record import Record, replace
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.hosts.ledger import Ledger, Linked

LARGEST = 16 << 20  # bytes of a file that we edit

# What a plan does with a placement.
ADD, REFRESH, REPLACE, KEEP, REMOVE = "add", "refresh", "replace", "keep", "remove"
LEAVE, SKIP, REFUSE = "leave", "skip", "refuse"
CHANGES = (ADD, REFRESH, REPLACE, REMOVE)


class Surroundings(Record):
    """Where the hosts' files lie on this machine, and how a host starts what is ours."""

    hosts: tuple[Host, ...]
    roots: Mapping[str, str]
    server: Launch
    hook: Launch
    server_by_path: Launch  # for a host that lacks the shell's PATH
    hook_by_path: Launch
    version: str
    texts: Mapping[str, str]
    ledger: Ledger

    def context(self, host: Host, scope: str) -> Context:
        """What the values of a host's placements are made from."""
        own = scope == GLOBAL
        server = self.server_by_path if own and host.has_own_path else self.server
        hook = self.hook_by_path if own else self.hook
        asks = replace(hook, words=(*hook.words, "agent-hook", host.name))
        return Context(server, asks, self.version, self.texts)

    def path(self, template: str) -> str:
        """A path of the catalogue on this machine."""
        return os.path.normpath(template.format_map(self.roots))

    def exists(self, template: str) -> bool:
        return os.path.lexists(self.path(template))

    def place(self, placement: Placement) -> str:
        """The file of a placement: the first of its paths that exists."""
        taken = next((each for each in placement.instead if self.exists(each)), placement.path)
        return self.path(taken)


class Row(Record):
    """One placement in a plan: how it stands, what is done, and why."""

    host: str
    scope: str
    purpose: str
    path: str
    state: str
    action: str
    reason: str = ""


class Edit(Record):
    """One file: its bytes before and after; None is a file that is not there."""

    path: str  # as a person knows it; a symbolic link stays one
    before: bytes | None
    after: bytes | None


class Plan(Record):
    """What would be done, and what the ledger says afterwards."""

    rows: tuple[Row, ...]
    edits: tuple[Edit, ...] = ()
    ledger: Mapping[str, Linked | None] = {}

    @property
    def refused(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.action == REFUSE)


def rows_of(around: Surroundings, host: Host, scope: str) -> list[Row]:
    """How each placement of a host stands; a file that cannot be read is REFUSE with its reason."""
    found: list[Row] = []
    for placement in present(around, host, scope):
        row = row_of(host, scope, placement, around.place(placement))
        try:
            stands = formats.state(read_file(row.path), placement, around.context(host, scope))
            found.append(replace(row, state=stands))
        except EngramError as error:
            found.append(refusal(row, error))
    return found


def present(around: Surroundings, host: Host, scope: str) -> list[Placement]:
    """The placements of a host that this machine has a place for."""
    return [each for each in host.placements(scope) if not each.when or around.exists(each.when)]


def row_of(host: Host, scope: str, placement: Placement, path: str) -> Row:
    """The row of a placement, nothing decided yet."""
    return Row(host.name, scope, placement.purpose, path, "", KEEP)


def refusal(row: Row, error: EngramError) -> Row:
    """The row of a file that cannot be edited, with what to do by hand."""
    return replace(row, action=REFUSE, reason=f"{error.message} {error.hint}".strip())


def skips(host: Host, scope: str) -> list[Row]:
    """What the host cannot have, with the reason."""
    return [
        Row(host.name, scope, each.purpose, "", "", SKIP, each.reason)
        for each in host.skips
        if each.scope == scope
    ]


def key_of(placement: Placement) -> str:
    """A placement's name in the ledger of its file."""
    return ":".join((placement.format, *placement.at))


def read_file(path: str) -> bytes | None:
    """The bytes of a host's file, a link followed; None where there is none."""
    try:
        return files.read_bounded(path, LARGEST, follow=True)
    except NotFound:
        return None
