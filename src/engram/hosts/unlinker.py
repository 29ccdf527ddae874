"""What unlinking hosts would change: what is ours goes, to the byte where the ledger knows it."""

from __future__ import annotations

import os

from engram.errors import EngramError
from engram.hosts import formats, json_file
from engram.hosts.edits import MISSING
from engram.hosts.formats import ABSENT, ALTERED
from engram.hosts.ledger import Linked
from engram.hosts.placement import BLOCK, ENTRY, ITEM, Context, Host, Placement
from engram.hosts.surroundings import (
    KEEP,
    LEAVE,
    REMOVE,
    Edit,
    Plan,
    Row,
    Surroundings,
    key_of,
    present,
    read_file,
    refusal,
    row_of,
)
from engram.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Holders = Mapping[str, tuple[str, ...]]


class _Removal(Record):
    """One placement that goes out of a file."""

    placement: Placement
    context: Context
    row: Row


class Unlinker:
    """Plans the unlinking of several hosts."""

    def __init__(self, around: Surroundings, scope: str, *, force: bool) -> None:
        self.around = around
        self.scope = scope
        self.force = force
        self._paths: dict[str, str] = {}
        self._contents: dict[str, bytes | None] = {}
        self._holders: dict[str, dict[str, tuple[str, ...]]] = {}  # who holds on
        self._going: dict[str, list[_Removal]] = {}
        self._rows: list[Row] = []

    def plan(self, hosts: Sequence[Host]) -> Plan:
        """What unlinking these hosts would do; what another linked host needs stays."""
        names = {host.name for host in hosts}
        for host in hosts:
            for placement in present(self.around, host, self.scope):
                self._consider(host, placement, names)
        edits: list[Edit] = []
        ledger: dict[str, Linked | None] = {}
        for target in self._contents:
            self._finish(target, edits, ledger)
        return Plan(tuple(self._rows), tuple(edits), ledger)

    def _consider(self, host: Host, placement: Placement, going: set[str]) -> None:
        row = row_of(host, self.scope, placement, self.around.place(placement))
        context = self.around.context(host, self.scope)
        target = os.path.realpath(row.path)
        try:
            if target not in self._contents:
                self._contents[target] = read_file(target)
                self._paths[target] = row.path
            stands = formats.state(self._contents[target], placement, context)
        except EngramError as error:
            self._rows.append(refusal(row, error))
            return
        if stands == ABSENT:
            return
        row = replace(row, state=stands)
        others = tuple(name for name in self._held(target, placement) if name not in going)
        if others:
            self._hold(target, placement, others)
            self._rows.append(replace(row, reason=f"also for {', '.join(others)}", action=KEEP))
        elif stands == ALTERED and not self.force:
            self._hold(target, placement, (host.name,))
            reason = "it was changed by hand; --force removes it"
            self._rows.append(replace(row, action=LEAVE, reason=reason))
        else:
            self._going.setdefault(target, []).append(_Removal(placement, context, row))

    def _held(self, target: str, placement: Placement) -> tuple[str, ...]:
        known = self.around.ledger.files.get(target)
        return known.holders.get(key_of(placement), ()) if known else ()

    def _hold(self, target: str, placement: Placement, names: tuple[str, ...]) -> None:
        self._holders.setdefault(target, {})[key_of(placement)] = names

    def _finish(self, target: str, edits: list[Edit], ledger: dict[str, Linked | None]) -> None:
        before, going = self._contents[target], self._going.get(target, [])
        known = self.around.ledger.files.get(target)
        if before is None or not going:
            if known is not None:
                ledger[target] = self._remaining(target, known, before, before)
            return
        try:
            after = self._without(target, before, going, known)
        except EngramError as error:
            self._rows += [refusal(each.row, error) for each in going]
            return
        self._rows += [replace(each.row, action=REMOVE) for each in going]
        edits.append(Edit(self._paths[target], before, after))
        if known is not None:
            ledger[target] = self._remaining(target, known, before, after)

    def _without(
        self, target: str, before: bytes, going: list[_Removal], known: Linked | None
    ) -> bytes | None:
        stands = known is not None and known.stands(before)
        if known is not None and stands and not self._holders_left(target, going, known):
            if known.created:
                return None
            if known.patch is not None:
                return known.patch.undo(before)
        after = before
        for each in reversed(going):
            made = known.made if known else ()
            rest = formats.remove(after, each.placement, each.context, made)
            if rest is None:
                return None
            after = rest
        return None if _is_blank(after, going, known) else after

    def _holders_left(self, target: str, going: list[_Removal], known: Linked) -> bool:
        """Whether something of ours stays in the file."""
        keys = {key_of(each.placement) for each in going}
        return bool(self._holders.get(target)) or any(key not in keys for key in known.holders)

    def _remaining(
        self, target: str, known: Linked, before: bytes | None, after: bytes | None
    ) -> Linked | None:
        """The ledger's entry for a file in which other hosts still have a part."""
        gone = {key_of(each.placement) for each in self._going.get(target, ())}
        held = {key: names for key, names in known.holders.items() if key not in gone}
        held.update(self._holders.get(target, {}))
        if after is None or not held:
            return None
        if after == before and known.stands(before):
            return replace(known, holders=held)
        return replace(known, digest="", patch=None, holders=held)


def _is_blank(after: bytes, going: list[_Removal], known: Linked | None) -> bool:
    """Whether nothing is left of a file that we made."""
    kinds = {each.placement.format for each in going}
    if not kinds & {ENTRY, ITEM}:
        made = known is None or known.created
        return not after.strip() and (made if BLOCK in kinds else bool(known and known.created))
    if known is None or not known.created:
        return False
    left = json_file.get(after, ())
    seeds: list[object] = [dict(each.placement.seed) for each in going]
    return left is MISSING or left == {} or left in seeds
