"""What linking hosts would change; hosts may share files, and a host is linked whole or not at all."""

from __future__ import annotations

import os

from engram.errors import Conflict, EngramError
from engram.hosts import formats
from engram.hosts.formats import ABSENT, ALTERED, CURRENT
from engram.hosts.ledger import Linked, patch_between
from engram.hosts.placement import FILE, GATE, GLOBAL, HOOK, WORKSPACE, Context, Host, Placement
from engram.hosts.surroundings import (
    ADD,
    CHANGES,
    KEEP,
    LEAVE,
    REFRESH,
    REPLACE,
    SKIP,
    Edit,
    Plan,
    Row,
    Surroundings,
    key_of,
    present,
    read_file,
    refusal,
    row_of,
    rows_of,
    skips,
)
from engram.record import replace
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ALWAYS_LOAD = "--always-load"
OVER = "over"  # not there, and not to be added


class Linker:
    """Plans the linking of several hosts, which may share files."""

    def __init__(
        self,
        around: Surroundings,
        scope: str,
        *,
        force: bool,
        hooks: bool = True,
        adds: bool = True,
    ) -> None:
        """`adds` is false where only what is there is renewed."""
        self.around = around
        self.scope = scope
        self.force = force
        self.hooks = hooks
        self.adds = adds
        self._before: dict[str, bytes | None] = {}
        self._now: dict[str, bytes | None] = {}
        self._paths: dict[str, str] = {}
        self._rows: list[Row] = []
        self._clean: dict[str, bool] = {}  # nothing of ours was in it
        self._made: dict[str, list[tuple[str | int, ...]]] = {}
        self._holders: dict[str, dict[str, tuple[str, ...]]] = {}

    def plan(self, hosts: Sequence[Host]) -> Plan:
        """What linking these hosts would do; a host that is refused changes nothing."""
        for host in hosts:
            kept = (dict(self._now), {name: list(made) for name, made in self._made.items()})
            try:
                rows = self._link_all(host, hosts)
            except _Refused as refused:
                self._now, self._made = kept
                rows = [refused.row]
            self._rows += rows + (skips(host, self.scope) if self.adds else [])
        return Plan(tuple(self._rows), self._edits(), self._ledger())

    def _link_all(self, host: Host, hosts: Sequence[Host]) -> list[Row]:
        placements = present(self.around, host, self.scope)
        rows = [self._link(host, each, hosts) for each in placements]
        return rows if self.adds else [row for row in rows if row.action != OVER]

    def _link(self, host: Host, placement: Placement, hosts: Sequence[Host]) -> Row:
        row = row_of(host, self.scope, placement, self.around.place(placement))
        if placement.purpose == HOOK and not self.hooks:
            return replace(row, action=SKIP, reason="--no-hook")
        try:
            return self._decided(row, host, placement, hosts)
        except EngramError as error:
            if placement.format == FILE or (
                placement.purpose == GATE and error.code == "host.shape"
            ):
                return replace(row, action=SKIP, reason=error.message)
            raise _Refused(refusal(row, error)) from error

    def _decided(self, row: Row, host: Host, placement: Placement, hosts: Sequence[Host]) -> Row:
        context = self.around.context(host, self.scope)
        target, content = self._open(row.path)
        stands = formats.state(content, placement, context)
        before = self._before[target]
        was = stands if before is content else formats.state(before, placement, context)
        self._clean[target] = self._clean.get(target, True) and was == ABSENT
        action, reason = _decision(stands, force=self.force)
        if stands == ABSENT and not self.adds:
            return replace(row, state=stands, action=OVER)
        if action in CHANGES:
            if stands == ABSENT and placement.takes_always_load and not self._hooked(hosts):
                context = _with_always_load(context)
            self._put(target, content, placement, context)
        if action != LEAVE:
            self._hold(target, placement, host)
        return replace(row, state=stands, action=action, reason=reason)

    def _open(self, path: str) -> tuple[str, bytes | None]:
        target = os.path.realpath(path)
        if target not in self._before:
            self._before[target] = self._now[target] = read_file(target)
            self._paths[target] = path
        return target, self._now[target]

    def _put(
        self, target: str, content: bytes | None, placement: Placement, context: Context
    ) -> None:
        self._made.setdefault(target, []).extend(formats.containers(content, placement))
        after = formats.put(content, placement, context)
        if formats.state(after, placement, context) != CURRENT:
            raise Conflict(
                "host.unverified",
                "The edit does not read back as what was meant.",
                hint="Nothing was changed. Please report the file's shape.",
            )
        self._now[target] = after

    def _hold(self, target: str, placement: Placement, host: Host) -> None:
        holders = self._holders.setdefault(target, {})
        held = holders.get(key_of(placement), ())
        holders[key_of(placement)] = tuple(dict.fromkeys((*held, host.name)))

    def _hooked(self, hosts: Sequence[Host]) -> bool:
        """Whether a host that knows --always-load has, or is getting, its hook (clause R17)."""
        knowing = [host for host in self.around.hosts if host.knows_always_load]
        if self.hooks and any(host in hosts for host in knowing):
            return True
        return any(
            row.purpose == HOOK and row.state != ABSENT
            for host in knowing
            for scope in (WORKSPACE, GLOBAL)
            for row in rows_of(self.around, host, scope)
        )

    def _edits(self) -> tuple[Edit, ...]:
        return tuple(
            Edit(self._paths[target], self._before[target], after)
            for target, after in self._now.items()
            if after != self._before[target]
        )

    def _ledger(self) -> dict[str, Linked | None]:
        known = self.around.ledger.files
        return {
            target: self._linked(target, known.get(target), after)
            for target, after in self._now.items()
            if after is not None and target in self._holders
        }

    def _linked(self, target: str, known: Linked | None, after: bytes) -> Linked:
        before = self._before[target]
        created, original, is_exact = before is None, before, True
        if known is not None and known.stands(before):
            created = known.created
            original = known.patch.undo(before or b"") if known.patch else None
        elif not self._clean.get(target, True):  # what was there before us is not known any more
            created, original, is_exact = known is not None and known.created, None, False
        made = (*(known.made if known else ()), *self._made.get(target, ()))
        folders = known.folders if known and known.folders else _missing_folders(target)
        return Linked(
            files.sha256(after) if is_exact else "",
            None if created or original is None else patch_between(original, after),
            created,
            folders,
            tuple(dict.fromkeys(made)),
            _united(known.holders if known else {}, self._holders.get(target, {})),
        )


class _Refused(Exception):  # noqa: N818 - reads as what happened
    def __init__(self, row: Row) -> None:
        super().__init__(row.reason)
        self.row = row


def _decision(stands: str, *, force: bool) -> tuple[str, str]:
    if stands == ABSENT:
        return ADD, ""
    if stands == CURRENT:
        return KEEP, ""
    if stands == ALTERED and not force:
        return LEAVE, "it was changed by hand; --force replaces it"
    return (REPLACE, "") if stands == ALTERED else (REFRESH, "")


def _with_always_load(context: Context) -> Context:
    server = context.server
    return replace(context, server=replace(server, words=(*server.words, ALWAYS_LOAD)))


def _united(
    one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {
        key: tuple(dict.fromkeys((*one.get(key, ()), *other.get(key, ()))))
        for key in (*one, *other)
    }


def _missing_folders(target: str) -> tuple[str, ...]:
    """The folders that must be made for a file, the outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(target)
    while folder and not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)
