"""Proposals that wait for a yes: the token's hash, what it pins, and what became of it.

One file, `local/pending-approvals.json`, git-ignored and readable by the person alone (contract
clauses A3, A4). Each entry carries a seal made with the person's integrity key: an edited, foreign
or broken entry never writes and never stands in the way of the next proposal.
"""

from __future__ import annotations

import json

from engram.core.proposal import Proposal
from engram.errors import Damaged, NotApproved, NotFound, Unavailable, Unsafe
from engram.record import Record
from engram.store.codec import proposal_from, to_plain
from engram.store.layout import Layout
from engram.store.seal import Key
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LIFETIME_SECONDS = 30 * 60
TOKEN_BYTES = 24
LARGEST = 64 << 20  # bytes
MOST_WAITING = 200

WAITING = "waiting"
WRITTEN = "written"
DECLINED = "declined"  # in the approval dialog
TURNED_DOWN = "turned down"  # by a person in `engram review`

_REFUSALS = {
    WRITTEN: ("approval.spent", "This approval token was already used; nothing was written again."),
    DECLINED: ("approval.declined", "This approval was declined in the approval dialog."),
    TURNED_DOWN: ("approval.turned_down", "A person declined this proposal in engram review."),
}


class Waiting(Record):
    """One proposal in the file."""

    token_hash: str
    expires: float  # seconds since 1970
    outcome: str  # WAITING | WRITTEN | DECLINED | TURNED_DOWN
    proposal: Proposal
    told: str = ""  # what became of it, for whoever comes with the token later


class Pending:
    """The waiting proposals of one store."""

    def __init__(self, layout: Layout, key: Key, now: float) -> None:
        self.layout = layout
        self.key = key
        self.now = now

    def add(self, proposal: Proposal, token: str) -> Waiting:
        """Let a proposal wait under a token; only the token's hash is kept. Prunes the expired."""
        waiting = Waiting(hash_of(token), self.now + LIFETIME_SECONDS, WAITING, proposal)
        files.make_folder(self.layout.local, 0o700)
        with files.lock(self.layout.lock):
            entries = [each for each in self._entries() if each.expires > self.now]
            self._write([*entries[-MOST_WAITING:], waiting])
        return waiting

    def find(self, token: str) -> Waiting:
        """The proposal that waits under a token.

        Raises NotApproved: the token is unknown here, expired, already used or declined, or the
        waiting proposal was edited.
        """
        return self.find_hash(hash_of(token))

    def find_hash(self, token_hash: str) -> Waiting:
        """The proposal whose token has this hash; raises as `find`."""
        for raw in self._raw():
            if isinstance(raw, dict) and raw.get("token_hash") == token_hash:
                return self._usable(self._opened(raw))
        raise NotApproved(
            "approval.unknown_token",
            "No proposal waits under this approval token in this workspace.",
            hint="Propose again: a token holds for 30 minutes and for one workspace.",
        )

    def waiting(self) -> list[Waiting]:
        """What waits for a yes, the oldest first."""
        return [
            each for each in self._entries() if each.outcome == WAITING and each.expires > self.now
        ]

    def settle(self, outcome: str, told: str, *, token_hash: str = "", digest: str = "") -> None:
        """Say what became of the entries under a token hash, or of one proposal's digest.

        Settled entries stay until they expire, so that a later call learns what happened.
        """
        with files.lock(self.layout.lock):
            entries = self._entries()
            settled = [
                Waiting(each.token_hash, each.expires, outcome, each.proposal, told)
                if each.outcome == WAITING
                and (each.token_hash == token_hash or each.proposal.digest == digest)
                else each
                for each in entries
            ]
            if settled != entries:
                self._write(settled)

    def _usable(self, found: Waiting | None) -> Waiting:
        if found is None:
            raise NotApproved(
                "approval.tampered",
                "The waiting proposal was changed after it was shown; it cannot be approved.",
                hint="Propose again.",
            )
        if found.outcome in _REFUSALS:
            code, message = _REFUSALS[found.outcome]
            raise NotApproved(code, message + (f" {found.told}" if found.told else ""))
        if found.expires <= self.now:
            raise NotApproved(
                "approval.expired",
                "This approval token has expired (30 minutes).",
                hint="Propose again.",
            )
        return found

    def _entries(self) -> list[Waiting]:
        opened = (self._opened(raw) for raw in self._raw())
        return [each for each in opened if each is not None]

    def _opened(self, raw: object) -> Waiting | None:
        """The entry of a file's item, or None when it is not one that this key sealed."""
        if not isinstance(raw, dict):
            return None
        seal = raw.get("seal")
        sealed = {name: value for name, value in raw.items() if name != "seal"}
        if not self.key.holds(seal, self._bytes(sealed)):
            return None
        return Waiting(
            str(raw["token_hash"]),
            float(raw["expires"]),
            str(raw["outcome"]),
            proposal_from(raw["proposal"]),
            str(raw["told"]),
        )

    def _raw(self) -> list[object]:
        try:
            data = files.read_bounded(self.layout.pending, LARGEST)
            content = json.loads(data.decode("utf-8", "surrogatepass"))
        except (NotFound, Damaged, Unsafe, Unavailable, ValueError, RecursionError):
            return []
        items = content.get("proposals") if isinstance(content, dict) else None
        return items if isinstance(items, list) else []

    def _write(self, entries: list[Waiting]) -> None:
        items = []
        for each in entries:
            plain = to_plain(each)
            items.append({**plain, "seal": self.key.seal(self._bytes(plain))})
        text = json.dumps({"version": 1, "proposals": items}, ensure_ascii=False, indent=1)
        files.replace_file(self.layout.pending, text.encode("utf-8", "surrogatepass"), 0o600)

    def _bytes(self, plain: Mapping[str, object]) -> bytes:
        """What a seal covers: the entry, and the store that it belongs to."""
        told = [self.layout.name, plain]
        return json.dumps(told, sort_keys=True, ensure_ascii=True).encode()


def hash_of(token: str) -> str:
    """The hash under which a token is kept."""
    return files.sha256(token.encode("utf-8", "surrogatepass"))
