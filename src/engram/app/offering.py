"""Offering a proposal to a person, and carrying out what they said: one path for every surface."""

from __future__ import annotations

from contextlib import ExitStack

from engram.app.asking import ACCEPT, EDIT, LATER, NOTE, Reply
from engram.app.judging import Judge, same
from engram.app.recovery import pending_of
from engram.app.results import Result
from engram.app.stores import OpenStores
from engram.core import frontmatter
from engram.core.approval import Approval, authorise, check_numbers
from engram.core.candidate import Candidate
from engram.core.proposal import MEMORY, Change, Origin, Proposal, propose
from engram.core.proposal import NOTE as NOTE_KIND
from engram.errors import EngramError, NotApproved
from engram.record import Record, replace
from engram.store.journal import Journal, Spent
from engram.store.layout import Layout
from engram.store.memories import lock_store
from engram.store.pending import DECLINED, LIFETIME_SECONDS, TURNED_DOWN
from engram.system.editor import edited
from engram.system.environment import git_setting
from engram.system.files import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram

WRITTEN, NOOP, DEFERRED, LEFT = "written", "noop", "deferred", "not chosen"
TOKEN_BYTES = 24
HOW_TO_GO_ON = (
    "Nothing is saved yet. Show these candidates to the person. Only after they approve, call "
    'engram_commit with this approval_token and approve: "all" or the numbers they chose. The '
    f"token holds for {LIFETIME_SECONDS // 60} minutes and works once; it proves that a proposal "
    "exists, not that a person said yes. A person can also decide in a terminal: engram review"
)


class Outcome(Record):
    """What became of one change."""

    number: int
    scope: str
    action: str
    id: str
    outcome: str  # WRITTEN | NOOP | DEFERRED | LEFT
    file: str = ""
    why: str = ""
    related: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """One line for a person."""
        about = f"{self.number}. {self.outcome}: {self.scope}:{self.id}"
        if self.outcome == WRITTEN:
            return f"{about} ({self.action}) at {self.file}"
        return f"{about}{f' ({self.why})' if self.why else ''}"


def origin(engram: Engram, source: str = "manual") -> Origin:
    """Who writes, and when: git's user.name, or nobody (DESIGN §5)."""
    author = git_setting(engram.project, "user.name")
    named = engram.settings.flag("save.author_email")
    email = git_setting(engram.project, "user.email") if named else ""
    return Origin(engram.environment.today(), source, author, email)


def owner(engram: Engram, proposal_scopes: Sequence[str]) -> Layout:
    """The store that keeps the waiting proposal: the workspace's where there is one."""
    return engram.workspace or engram.store(proposal_scopes[0])


def offer(engram: Engram, proposal: Proposal) -> Result:
    """Ask the person of this surface; without one, let the proposal wait under a token."""
    person = engram.person
    if person is None:
        return wait(engram, proposal)
    reply = person.decide(proposal, preview(proposal))
    while reply.action in (NOTE, EDIT):
        proposal = rewritten(engram, proposal, reply)
        reply = person.decide(proposal, preview(proposal))
    return _answered(engram, proposal, reply)


def rewritten(engram: Engram, proposed: Proposal, reply: Reply) -> Proposal:
    """The proposal as the person wants it, with a note or edited texts, judged and scanned anew."""
    if proposed.kind != MEMORY:
        return proposed
    several: list[Candidate] = []
    for number in proposed.numbers:
        suggested = next(c.candidate for c in proposed.changes if c.number == number)
        if reply.action == NOTE:
            suggested = replace(suggested, note=reply.note)
        elif number in reply.numbers:
            text = edited(engram.environment, suggested.text, f"candidate-{number}.md").strip()
            suggested = replace(suggested, text=text or suggested.text)
        several.append(suggested)
    return judged(engram, several, proposed.scopes, proposed.source)


def judged(
    engram: Engram, several: Sequence[Candidate], scopes: tuple[str, ...], source: str
) -> Proposal:
    """The proposal of some candidates, judged against the memories as they stand.

    Raises Unsafe when one holds what must not be kept, InvalidRequest when one names a memory
    that is not there.
    """
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        changes = Judge(stores, origin(engram, source)).changes(several, scopes)
    return proposed_of(engram, changes, source=source)


def proposed_of(
    engram: Engram, changes: tuple[Change, ...], *, kind: str = MEMORY, source: str = "manual"
) -> Proposal:
    """The proposal of some changes, for this project and from this surface."""
    return propose(changes, engram.project, sha256, kind=kind, origin=engram.surface, source=source)


def _answered(engram: Engram, proposal: Proposal, reply: Reply) -> Result:
    surface = engram.person.surface if engram.person is not None else "force"
    if reply.action == LATER:
        return wait(engram, proposal, before=f"nothing was saved: {reply.why}.")
    if reply.action == ACCEPT and reply.numbers:
        check_numbers(reply.numbers, proposal)
        approval = Approval(
            proposal.digest, reply.numbers, surface, reply.scopes or proposal.scopes
        )
        return carry_out(engram, proposal, approval)
    refuse(engram, proposal, surface)
    because = f" ({reply.why})" if reply.why else ""
    return Result(
        f"Declined{because}: nothing was saved.",
        {"outcomes": [], "declined": True},
        exit_status=NotApproved.exit_status,
    )


def refuse(engram: Engram, proposal: Proposal, surface: str) -> None:
    """Revoke a proposal wherever it waits (contract clause E4)."""
    outcome = DECLINED if surface == "dialog" else TURNED_DOWN
    pending_of(engram, owner(engram, proposal.scopes)).settle(outcome, "", digest=proposal.digest)


def wait(engram: Engram, proposal: Proposal, before: str = "") -> Result:
    """Let a proposal wait for a yes under a new approval token (clauses A1, A3, A4)."""
    token = engram.environment.random_token(TOKEN_BYTES)
    pending_of(engram, owner(engram, proposal.scopes)).add(proposal, token)
    parts = [before] if before else []
    parts += [preview(proposal), f"approval_token: {token}", HOW_TO_GO_ON]
    data = {"approval_token": token, "candidates": [row(each) for each in proposal.changes]}
    return Result("\n\n".join(parts), data, exit_status=NotApproved.exit_status)


def carry_out(
    engram: Engram, proposal: Proposal, approval: Approval, *, token_hash: str = ""
) -> Result:
    """Write what was approved, if it is still what the candidates would do (clause A2).

    What has become a duplicate, whose target moved on, or that was deferred is held back, and
    says so; the approval is spent either way.
    """
    layouts = {each.scope: each for each in engram.stores}
    keeper = owner(engram, proposal.scopes)
    with ExitStack() as locks:
        for layout in engram.stores:  # always in this order, so that two writers cannot deadlock
            if layout == keeper or layout.scope in proposal.scopes:
                locks.enter_context(lock_store(layout))
        pending = pending_of(engram, keeper)
        if token_hash:
            pending.find_hash(token_hash)  # once more, now that nobody else can spend it
        outcomes = _outcomes(engram, proposal, approval)
        ready = {(each.number, each.scope) for each in outcomes if each.outcome == WRITTEN}
        writes = [
            write
            for write in authorise(proposal, approval)
            if (write.change.number, write.change.scope) in ready
        ]
        told = "; ".join(each.text for each in outcomes)
        journal = Journal(keeper, layouts, pending, engram.environment.timestamp())
        spent = Spent(token_hash, told)
        journal.carry_out(writes, spent)
    result = report(outcomes)
    return _kept(proposal.changes[0], outcomes[0], result) if proposal.kind == NOTE_KIND else result


def _kept(change: Change, outcome: Outcome, result: Result) -> Result:
    """The answer for a note that was written: where it is and until when (clause T8)."""
    until = frontmatter.parse(change.text, id=change.id).valid_until
    kept = {"id": change.id, "file": outcome.file, "valid_until": until}
    text = f"Note {change.id} kept until {until} at {outcome.file}"
    return Result(text, {**result.data, **kept})


def report(outcomes: Sequence[Outcome]) -> Result:
    """What became of every candidate."""
    saved = [each for each in outcomes if each.outcome == WRITTEN]
    held = [each for each in outcomes if each.outcome == DEFERRED]
    lines = [each.text for each in outcomes]
    lines += [
        f"Look at {', '.join(each.related)}, then propose {each.number} again with DEPENDS_ON, "
        "UPDATE or SUPERSEDES."
        for each in held
        if each.related
    ]
    lines.append(f"{len(saved)} saved, {len(outcomes) - len(saved)} not.")
    data: dict[str, object] = {
        "outcomes": [{**vars(each), "related": list(each.related)} for each in outcomes]
    }
    return Result("\n".join(lines), data)


def preview(proposal: Proposal) -> str:
    """The proposal as a person reads it before deciding: numbers, verdicts, findings, whole text."""
    return "\n\n".join(_shown(change) for change in proposal.changes)


def row(change: Change) -> dict[str, object]:
    """A candidate in structured form (clause S5)."""
    return {
        "number": change.number,
        "scope": change.scope,
        "type": change.candidate.type,
        "verdict": change.verdict,
        "action": change.action,
        "id": change.id,
        "target": change.target,
        "title": change.title,
        "file": change.path,
        "text": change.text,
        "reason": change.reason,
        "deferred": change.deferred,
        "related": [{"id": each.id, "why": each.why} for each in change.related],
        "findings": [
            {"kind": each.kind, "line": each.line, "message": each.message}
            for each in change.findings
        ],
    }


def _shown(change: Change) -> str:
    from engram.core.scan import visible  # noqa: PLC0415 - only a preview needs it

    candidate = change.candidate
    lines = [
        f"{change.number}. {candidate.type} for {change.scope}: {visible(change.title)}",
        change.verdict + (f" — {change.reason}" if change.reason else ""),
    ]
    if change.path:
        lines.append(f"File: {change.path}")
    lines += [f"Warning: {each.message} (line {each.line})" for each in change.findings]
    lines += [f"Related: {each.id} ({each.why})" for each in change.related]
    if change.deferred:
        lines.append(f"Held back: {change.deferred}")
    if change.text:
        lines += ["", *(f"    {line}".rstrip() for line in visible(change.text).splitlines())]
    return "\n".join(lines)


def _outcomes(engram: Engram, proposal: Proposal, approval: Approval) -> list[Outcome]:
    if proposal.kind != MEMORY:
        return [_outcome(engram, change, WRITTEN) for change in proposal.changes]
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        judge = Judge(stores, origin(engram))
        return [_decided(engram, judge, change, approval) for change in proposal.changes]


def _decided(engram: Engram, judge: Judge, change: Change, approval: Approval) -> Outcome:
    if change.number not in approval.numbers or change.scope not in approval.scopes:
        return _outcome(engram, change, LEFT)
    if not change.writes:
        return _outcome(engram, change, NOOP, f"duplicate of {change.target}")
    held = change.deferred or _moved_on(judge, change)
    return _outcome(engram, change, DEFERRED if held else WRITTEN, held)


def _moved_on(judge: Judge, change: Change) -> str:
    """Why a change is no longer what its candidate would do, or ""."""
    try:
        now = judge.change(change.candidate, change.scope)
    except EngramError as error:
        return error.message
    if now.deferred:
        return now.deferred
    if same(change, now):
        return ""
    return f"since it was shown this has become {now.verdict.removeprefix('Verdict: ')}"


def _outcome(engram: Engram, change: Change, outcome: str, why: str = "") -> Outcome:
    path = engram.store(change.scope).absolute(change.path) if change.path else ""
    return Outcome(
        change.number,
        change.scope,
        change.action,
        change.id,
        outcome,
        path,
        why,
        tuple(each.id for each in change.related),
    )
