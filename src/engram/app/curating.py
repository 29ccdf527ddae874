"""Curating: a person's acts on memories that exist; archive, edit, review, accept."""

from __future__ import annotations

from difflib import unified_diff

from engram.app import offering
from engram.app.asking import ACCEPT, DECLINE, EDIT, NOTE
from engram.app.inputs import Archive, Edit, Nothing
from engram.app.judging import checked, retiring
from engram.app.recovery import pending_of
from engram.app.results import Result
from engram.app.stores import OpenStores
from engram.core import candidate, frontmatter
from engram.core.approval import Approval
from engram.core.candidate import Candidate
from engram.core.memory import Entry
from engram.core.proposal import CURATION, Change, Existing, Proposal
from engram.core.titles import title_from
from engram.core.verdict import UPDATE
from engram.errors import InvalidRequest, NotApproved, NotFound
from engram.record import replace
from engram.store.memories import StoredMemory, read_memory
from engram.store.pending import TURNED_DOWN, Waiting
from engram.system.editor import edited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram

ARCHIVE, RESTORE, TAKE_IN = "ARCHIVE", "RESTORE", "ACCEPT"


def archive(engram: Engram, asked: Archive) -> Result:
    """Move a memory to the archive with the reason, or back; nothing is deleted."""
    entry = _entry(engram, asked.id, archived=asked.undo)
    stored = read_memory(engram.store(entry.scope), entry.path)
    change = _restored(engram, entry, stored) if asked.undo else _archived(engram, stored, asked)
    return offering.offer(engram, _curation(engram, change))


def edit(engram: Engram, asked: Edit) -> Result:
    """Open a memory in the person's editor, scan what comes back, show the difference, ask."""
    entry = _entry(engram, asked.id, archived=False)
    stored = read_memory(engram.store(entry.scope), entry.path)
    text = edited(engram.environment, stored.text, f"{entry.id}.md")
    if text == stored.text:
        return Result(f"{entry.key} is unchanged.", {"outcomes": []})
    memory = frontmatter.parse(text, id=entry.id, folder=entry.path, scope=entry.scope)
    change = Change(
        _named(memory.type, text),
        entry.scope,
        UPDATE,
        entry.id,
        memory.title,
        target=entry.id,
        path=entry.path,
        text=text,
        replaces=stored.digest,
        reason="edited by hand\n" + difference(stored.text, text),
        findings=checked(_named(memory.type, text)),
    )
    return offering.offer(engram, _curation(engram, change))


def accept(engram: Engram, id: str, *, force: bool) -> Result:
    """Take in a memory as it stands on disk now: a person's act, never on MCP (DESIGN §4)."""
    entry = _entry(engram, id, archived=False)
    stored = read_memory(engram.store(entry.scope), entry.path)
    if entry.state == "approved":
        return Result(f"{entry.key} is as it was approved.", {"outcomes": []})
    change = Change(
        _named(entry.type, stored.text),
        entry.scope,
        TAKE_IN,
        entry.id,
        entry.title,
        target=entry.id,
        path=entry.path,
        text=stored.text,
        replaces=stored.digest,
        reason=f"the file as it stands now ({entry.state})",
        findings=checked(_named(entry.type, stored.text)) if not force else (),
    )
    proposed = _curation(engram, change)
    if force:
        return offering.carry_out(engram, proposed, Approval(proposed.digest, (1,), "force"))
    return offering.offer(engram, proposed)


def review(engram: Engram, asked: Nothing) -> Result:  # noqa: ARG001 - an operation's shape
    """Go through what waits for a yes, from any surface (clause A8); needs a person's terminal."""
    if not engram.stores:
        engram.store("workspace")
    layout = engram.workspace or engram.stores[0]
    waiting = pending_of(engram, layout).waiting()
    if not waiting:
        return Result("Nothing waits for a yes.", {"waiting": 0, "outcomes": []})
    if engram.person is None:
        shown = "\n\n".join(offering.preview(each.proposal) for each in waiting)
        return Result(
            f"{shown}\n\n{len(waiting)} waiting. Only a person at a terminal can decide here.",
            {"waiting": len(waiting), "outcomes": []},
            exit_status=NotApproved.exit_status,
        )
    told = [_reviewed(engram, each) for each in waiting]
    return Result("\n".join(told), {"waiting": len(waiting)})


def difference(old: str, new: str) -> str:
    """What changed, as a unified diff without file names."""
    lines = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    return "\n".join(list(lines)[2:])


def _reviewed(engram: Engram, waiting: Waiting) -> str:
    person = engram.person
    assert person is not None  # noqa: S101 - `review` asked before
    proposed = waiting.proposal
    token_hash = waiting.token_hash
    reply = person.decide(proposed, _with_differences(engram, proposed))
    while reply.action in (EDIT, NOTE):
        proposed = offering.rewritten(engram, proposed, reply)
        reply = person.decide(proposed, _with_differences(engram, proposed))
    pending = pending_of(engram, offering.owner(engram, proposed.scopes))
    if reply.action == ACCEPT and reply.numbers:
        approval = Approval(proposed.digest, reply.numbers, "review", proposed.scopes)
        if proposed is waiting.proposal:
            return offering.carry_out(engram, proposed, approval, token_hash=token_hash).text
        result = offering.carry_out(engram, proposed, approval)
        pending.settle("written", result.text, token_hash=token_hash)
        return result.text
    if reply.action == DECLINE:
        pending.settle(TURNED_DOWN, reply.note, token_hash=token_hash)
        return "Declined: nothing was saved."
    return "Left waiting."


def _with_differences(engram: Engram, proposed: Proposal) -> str:
    """The preview, with the difference to the file for each change that replaces one."""
    parts = [offering.preview(proposed)]
    for change in proposed.changes:
        if change.replaces:
            try:
                stored = read_memory(engram.store(change.scope), change.path)
            except NotFound:
                continue
            shown = difference(stored.text, change.text)
            parts.append(f"{change.number}. difference to {change.path}:\n{shown}")
    return "\n\n".join(parts)


def _archived(engram: Engram, stored: StoredMemory, asked: Archive) -> Change:
    if not asked.reason.strip():
        raise InvalidRequest(
            "archive.no_reason",
            "Say why the memory no longer holds.",
            hint=f'engram archive {asked.id} --reason "…"',
        )
    memory = stored.memory
    existing = Existing(memory, stored.text, stored.path, stored.digest)
    origin = offering.origin(engram)
    layout = engram.store(memory.scope)
    reason = asked.reason.strip()
    change = Change(
        _named(memory.type, asked.reason),
        memory.scope,
        ARCHIVE,
        memory.id,
        memory.title,
        target=memory.id,
        reason=reason,
        findings=checked(_named(memory.type, asked.reason)),
    )
    return retiring(change, existing, origin, layout, reason)


def _restored(engram: Engram, entry: Entry, stored: StoredMemory) -> Change:
    """The change that brings a memory back from the archive."""
    today = engram.environment.today()
    text = frontmatter.edit(
        stored.text,
        {
            "lifecycle": None,
            "valid_until": None,
            "superseded_by": None,
            "archived_at": None,
            "archived_reason": None,
            "updated": today,
        },
    )
    layout = engram.store(entry.scope)
    return Change(
        _named(entry.type, stored.text),
        entry.scope,
        RESTORE,
        entry.id,
        entry.title,
        target=entry.id,
        path=layout.path_of(entry.id, entry.type),
        text=text,
        retired=entry.path,
        retired_digest=stored.digest,
        reason="brought back from the archive",
    )


def _entry(engram: Engram, id: str, *, archived: bool) -> Entry:
    """The memory named by an id or a key; raises NotFound with the id nearest to it."""
    if not engram.stores:
        engram.store("workspace")
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        entries = [
            each
            for each in stores.entries()
            if each.archived == archived and each.tier == "durable"
        ]
    found = [each for each in entries if id in (each.id, each.key)]
    if not found:
        from engram.app.parameters import nearest  # noqa: PLC0415 - only a mistake pays for it

        place = "in the archive" if archived else "here"
        raise NotFound(
            "memory.unknown",
            f"There is no memory “{id}” {place}.",
            hint=nearest(id, [each.id for each in entries][:1000]) if entries else "",
        )
    return found[0]


def _curation(engram: Engram, change: Change) -> Proposal:
    return offering.proposed_of(engram, (change,), kind=CURATION)


def _named(type: str, text: str) -> Candidate:
    """A candidate for what a person does to a memory by name."""
    return replace(candidate.single(title_from(text) or type, type=type), text=text)
