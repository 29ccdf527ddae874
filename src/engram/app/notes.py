"""Notes: the working tier, short-lived and git-ignored, durable only when a person promotes one."""

from __future__ import annotations

import datetime as dt

from engram.app import offering
from engram.app.inputs import Note, Promote
from engram.app.judging import Judge, checked
from engram.app.results import Result
from engram.app.stores import OpenStores
from engram.core import body, candidate, frontmatter
from engram.core.approval import Approval
from engram.core.memory import Memory
from engram.core.proposal import NOTE, Change, Proposal
from engram.core.scan import redact
from engram.core.titles import title_from
from engram.core.verdict import ADD
from engram.errors import InvalidRequest, NotFound
from engram.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram

LONGEST = 4000  # characters: a note is short


def note(engram: Engram, asked: Note) -> Result:
    """Keep one redacted task note, after one yes (contract clauses T8, N1 to N4).

    The answer holds `id`, `file` and `valid_until` once it is written. Raises Unsafe when the
    text reads like a planted instruction.
    """
    proposed = _proposed(engram, asked)
    if asked.force:
        return offering.carry_out(engram, proposed, Approval(proposed.digest, (1,), "force"))
    return offering.offer(engram, proposed)


def promote(engram: Engram, asked: Promote) -> Result:
    """Propose a note as a durable memory; the note goes when the memory is written (clause N4)."""
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        entry = next(
            (
                found
                for found in stores.entries()
                if found.tier == "working" and asked.id in (found.id, found.key)
            ),
            None,
        )
        text = stores.read(entry) if entry else None
        if entry is None or text is None:
            raise NotFound(
                "note.unknown", f"There is no note “{asked.id}”.", hint="See: engram list"
            )
        memory = frontmatter.parse(text, id=entry.id, folder=entry.path, scope=entry.scope)
        suggested = candidate.single(
            body.content(memory.body), type=memory.type, roles=memory.roles
        )
        judge = Judge(stores, offering.origin(engram, "note"), leaving=entry.key)
        (change,) = judge.changes([suggested], (entry.scope,))
    change = replace(change, retired=entry.path, retired_digest=entry.digest)
    proposed = offering.proposed_of(engram, (change,), source="note")
    if asked.force:
        approval = Approval(proposed.digest, (1,), "force")
        return offering.carry_out(engram, proposed, approval)
    return offering.offer(engram, proposed)


def _proposed(engram: Engram, asked: Note) -> Proposal:
    text, _ = redact(asked.text.strip())
    if len(text) > LONGEST:
        raise InvalidRequest(
            "note.long",
            f"A note has at most {LONGEST} characters; this one has {len(text)}.",
            hint="Keep what the next step needs, or propose a memory.",
        )
    objective, _ = redact(asked.objective.strip())
    suggested = candidate.single(text, type=asked.type)
    findings = checked(replace(suggested, context=objective))
    scope = asked.scope or ("workspace" if engram.workspace else "global")
    layout = engram.store(scope)
    title = title_from(text)
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        id = Judge(stores, offering.origin(engram)).free_id(title, scope)
    memory = _memory(engram, suggested, id, scope, objective)
    path = f"working/{id}.md"
    change = Change(
        suggested,
        scope,
        ADD,
        id,
        title,
        path=path,
        text=frontmatter.render(memory),
        reason=f"a note in {layout.working}, kept until {memory.valid_until}",
        findings=findings,
    )
    return offering.proposed_of(engram, (change,), kind=NOTE, source="note")


def _memory(
    engram: Engram, suggested: candidate.Candidate, id: str, scope: str, objective: str
) -> Memory:
    today = engram.environment.today()
    days = engram.settings.integer("load.working_ttl_days")
    until = dt.date.fromisoformat(today) + dt.timedelta(days=days)
    return Memory(
        id=id,
        type=suggested.type,
        title=title_from(suggested.text),
        body=body.new_body("knowledge", suggested.text),
        scope=scope,
        source="note",
        tier="working",
        objective=objective,
        created=today,
        updated=today,
        valid_from=today,
        valid_until=until.isoformat(),
    )
