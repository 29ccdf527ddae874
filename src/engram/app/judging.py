"""From candidates to changes: neighbours looked up, the verdict given, the bytes fixed."""

from __future__ import annotations

from engram.app.stores import OpenStores
from engram.core import body, frontmatter, proposal, verdict
from engram.core.candidate import Candidate
from engram.core.memory import Entry, Memory
from engram.core.proposal import Change, Existing, Origin, Related
from engram.core.routing import retired_on
from engram.core.scan import Finding, blocks, scan
from engram.core.titles import slug, title_from
from engram.errors import Unsafe
from engram.record import replace
from engram.store.layout import Layout
from engram.store.memories import archive_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NEIGHBOURS = 24  # memories that a candidate is compared with


class Judge:
    """Says what each candidate would do to the memories as they stand."""

    def __init__(self, stores: OpenStores, origin: Origin, leaving: str = "") -> None:
        self.stores = stores
        self.origin = origin
        self.leaving = leaving  # the key of a note that gives its name to what it becomes
        self._taken: set[tuple[str, str]] = set()

    def changes(
        self, candidates: Iterable[Candidate], scopes: tuple[str, ...]
    ) -> tuple[Change, ...]:
        """The change of each candidate in each scope.

        Raises Unsafe when a candidate holds a secret or a planted instruction, InvalidRequest
        when one names a memory that is not there.
        """
        several = list(candidates)
        findings = {each.number: checked(each) for each in several}
        return tuple(
            replace(self.change(each, scope), findings=findings[each.number])
            for each in several
            for scope in scopes
        )

    def change(self, candidate: Candidate, scope: str) -> Change:
        """What one candidate would do in one scope."""
        neighbours = self._neighbours(candidate, scope)
        judged = verdict.judge(
            candidate, [_neighbour(each) for each in neighbours], self._known_ids(candidate)
        )
        existing = {each.memory.id: each for each in neighbours}
        related = tuple(Related(id, why) for id, why in judged.related)
        change = Change(
            candidate,
            scope,
            judged.action,
            judged.target,
            title_from(candidate.text),
            judged.target,
            reason=judged.reason,
            deferred=judged.deferred,
            related=related,
        )
        if judged.action == verdict.NOOP:
            return replace(change, title=existing[judged.target].memory.title)
        if judged.action == verdict.UPDATE:
            return self._update(change, existing[judged.target])
        if judged.action == verdict.SUPERSEDE:
            return self._supersede(change, existing[judged.target])
        return self._add(change)

    def _neighbours(self, candidate: Candidate, scope: str) -> list[Existing]:
        """The memories that a candidate may be about: those it names, then the most alike."""
        named = [id for id in (candidate.update, candidate.supersedes) if id]
        entries = [entry for id in named if (entry := self.stores.look_up(id, scope))]
        terms = verdict.neighbour_terms(candidate)
        for hit in self.stores.find(terms, NEIGHBOURS * 2):
            if hit.entry.scope == scope and hit.entry not in entries:
                entries.append(hit.entry)
        found = [self._existing(each) for each in entries if _is_durable(each)]
        return [each for each in found if each is not None][:NEIGHBOURS]

    def _known_ids(self, candidate: Candidate) -> tuple[str, ...]:
        """The ids from which a misspelt one is guessed; none where no id is named."""
        if not (candidate.update or candidate.supersedes):
            return ()
        return tuple(entry.id for entry in self.stores.entries() if _is_durable(entry))

    def _existing(self, entry: Entry) -> Existing | None:
        text = self.stores.read(entry)
        if text is None:
            return None
        memory = frontmatter.parse(text, id=entry.id, folder=entry.path, scope=entry.scope)
        return Existing(memory, text, entry.path, entry.digest)

    def _add(self, change: Change) -> Change:
        id = self.free_id(change.title, change.scope)
        path, text = proposal.addition(change.candidate, change.scope, id, self.origin)
        return replace(change, id=id, path=path, text=text)

    def _update(self, change: Change, existing: Existing) -> Change:
        text = proposal.update(change.candidate, existing, self.origin)
        changed = replace(
            change,
            title=existing.memory.title,
            path=existing.path,
            text=text,
            replaces=existing.digest,
        )
        return self._alone(changed, existing.path)

    def _supersede(self, change: Change, existing: Existing) -> Change:
        candidate = replace(change.candidate, supersedes=existing.memory.id)
        id = self.free_id(change.title, change.scope)
        path, text = proposal.addition(candidate, change.scope, id, self.origin)
        written = replace(change, id=id, path=path, text=text)
        layout = self.stores.engram.store(change.scope)
        changed = retiring(written, existing, self.origin, layout)
        return self._alone(changed, existing.path)

    def _alone(self, change: Change, path: str) -> Change:
        """Hold back the second candidate of one proposal that touches the same memory."""
        place = (change.scope, path)
        if place in self._taken and not change.deferred:
            reason = f"Another candidate changes {change.target} too; propose this one afterwards."
            return replace(change, deferred=reason)
        self._taken.add(place)
        return change

    def free_id(self, title: str, scope: str) -> str:
        """An id for a title that no memory of the scope has, nor another candidate."""
        wanted = slug(title)
        number, id = 1, wanted
        while self._is_taken(id, scope):
            number += 1
            id = f"{wanted}-{number}"
        self._taken.add((scope, id))
        return id

    def _is_taken(self, id: str, scope: str) -> bool:
        if (scope, id) in self._taken:
            return True
        found = self.stores.look_up(id, scope)
        return found is not None and not (found.tier == "working" and found.key == self.leaving)


def checked(candidate: Candidate) -> tuple[Finding, ...]:
    """The warnings of the scan over all that a candidate says.

    Raises Unsafe for a secret or a planted instruction; the message never repeats it.
    """
    findings = tuple(finding for text in _said(candidate) for finding in scan(text))
    if not blocks(findings):
        return findings
    worst = [finding for finding in findings if finding.severity == "block"]
    first = worst[0]
    raise Unsafe(
        f"scan.{first.family}",
        f"Candidate {candidate.number} holds what must not be kept: {first.message}",
        hint="Take it out and propose again.",
        findings=[{"kind": each.kind, "line": each.line} for each in worst],
    )


def retiring(
    change: Change, existing: Existing, origin: Origin, layout: Layout, reason: str = ""
) -> Change:
    """The change, which also moves a memory to the archive: for what replaces it, or a reason."""
    successor = change.id if change.path else ""
    return replace(
        change,
        retired=existing.path,
        retired_digest=existing.digest,
        archived=archive_path(layout, existing.path, origin.today),
        archived_text=proposal.retirement(existing, successor, origin, reason=reason),
    )


def same(planned: Change, now: Change) -> bool:
    """Whether a change that was approved is still what its candidate would do."""
    if (planned.action, planned.target, planned.replaces) != (now.action, now.target, now.replaces):
        return False
    return planned.action != verdict.SUPERSEDE or planned.retired_digest == now.retired_digest


def _is_durable(entry: Entry) -> bool:
    return entry.tier == "durable" and not entry.archived and not bool(retired_on(entry, ""))


def _neighbour(existing: Existing) -> verdict.Neighbour:
    memory: Memory = existing.memory
    return verdict.Neighbour(
        id=memory.id,
        type=memory.type,
        scope=memory.scope,
        title=memory.title,
        content=body.content(memory.body),
        tags=memory.tags,
        depends_on=memory.depends_on,
    )


def _said(candidate: Candidate) -> list[str]:
    """Every text of a candidate that would reach a file."""
    return [
        text if isinstance(text, str) else ", ".join(text)
        for text in vars(candidate).values()
        if text and isinstance(text, str | tuple)
    ]
