"""Candidates made exact: the bytes, the places and the verdicts that a person is asked to approve."""

from __future__ import annotations

from engram.core import body, frontmatter
from engram.core.candidate import Candidate
from engram.core.memory import FOLDERS, Memory
from engram.core.parts import take_apart
from engram.core.scan import Finding
from engram.core.titles import title_from
from engram.core.verdict import ADD, NOOP, merged_text
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Digest = Callable[[bytes], str]

MOST_TAGS = 12
MEMORY, NOTE, CURATION = "memory", "note", "curation"  # kinds of proposal


class Related(Record):
    """A memory that somebody should look at before deciding."""

    id: str
    why: str


class Change(Record):
    """What one candidate would do in one scope."""

    candidate: Candidate  # `both` gives the two changes of a candidate one number
    scope: str
    action: str  # ADD | UPDATE | SUPERSEDE | NOOP
    id: str  # the memory that would be written, or for NOOP the one that says it already
    title: str
    target: str = ""  # the memory that UPDATE, SUPERSEDE and NOOP are about
    path: str = ""  # of the memory, below the store root
    text: str = ""  # the whole file
    replaces: str = ""  # hex SHA-256 of the file it replaces; "" for a new file
    retired: str = ""  # the path of a file that leaves its place
    retired_digest: str = ""  # hex SHA-256 of that file as it was looked at
    archived: str = ""  # where it goes; "" when it only leaves
    archived_text: str = ""
    reason: str = ""  # of the verdict, for a person
    deferred: str = ""  # why the force path holds it back; "" when it does not
    related: tuple[Related, ...] = ()
    findings: tuple[Finding, ...] = ()  # warnings of the scan; what blocks never becomes a change

    @property
    def number(self) -> int:
        return self.candidate.number

    @property
    def writes(self) -> bool:
        return self.action != NOOP

    @property
    def verdict(self) -> str:
        """The line of contract clause A6."""
        named = {NOOP: f"NOOP duplicate of {self.target}", ADD: ADD}
        return "Verdict: " + named.get(self.action, f"{self.action} {self.target}")


class Proposal(Record):
    """Numbered candidates made exact; immutable, named by its digest."""

    workspace: str  # the project folder it belongs to, "" for the global store alone
    changes: tuple[Change, ...]
    digest: str
    kind: str = MEMORY  # MEMORY | NOTE | CURATION: what a person does to a memory by name
    origin: str = ""  # the surface it came from
    source: str = "manual"  # what the new memories say of where they come from

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(change.number for change in self.changes))

    @property
    def scopes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(change.scope for change in self.changes))


class Origin(Record):
    """Who writes, when, and from where: what a new memory says of its making."""

    today: str
    source: str = "manual"
    author: str = ""
    email: str = ""


class Existing(Record):
    """A memory on disk that a change is about."""

    memory: Memory
    text: str
    path: str
    digest: str


def propose(changes: tuple[Change, ...], workspace: str, digest: Digest, **about: str) -> Proposal:
    """The proposal of these changes; its digest covers all that would be written, and where.

    `about` gives its kind, origin and source where they are not the usual ones.
    """
    told = "\0".join([about.get("kind", MEMORY), workspace, *(_pinned(each) for each in changes)])
    return Proposal(workspace, changes, digest(told.encode("utf-8", "surrogatepass")), **about)


def _pinned(change: Change) -> str:
    parts = (
        str(change.number),
        change.scope,
        change.action,
        change.id,
        change.target,
        change.path,
        change.replaces,
        change.retired,
        change.retired_digest,
        change.archived,
        change.archived_text,
        change.text,
    )
    return "\0".join(f"{len(part)}:{part}" for part in parts)


def addition(candidate: Candidate, scope: str, id: str, origin: Origin) -> tuple[str, str]:
    """The path and the text of a new memory."""
    memory = _new(candidate, scope, id, origin)
    return f"{FOLDERS[candidate.type]}/{id}.md", frontmatter.render(memory)


def update(candidate: Candidate, existing: Existing, origin: Origin) -> str:
    """The text of a memory after an update: what the candidate does not touch stays as it was.

    A named update replaces the content, since an append would lose the correction; an unnamed one
    extends it (DESIGN §5).
    """
    old = existing.memory
    named = bool(candidate.update)
    text = candidate.text if named else merged_text(body.content(old.body), candidate.text)
    parts = take_apart(existing.text)
    below = body.with_content(old.body, text, candidate.context, candidate.note)
    changed = frontmatter.with_body(parts, below)
    fields: dict[str, object] = {
        "revision": old.revision + 1,
        "updated": origin.today,
        "last_confirmed": origin.today,
    }
    _unite(fields, "role", old.roles, candidate.roles)
    _unite(fields, "tags", old.tags, candidate.tags, MOST_TAGS)
    _unite(fields, "triggers", old.triggers, candidate.triggers)
    _unite(fields, "depends_on", old.depends_on, candidate.depends_on)
    return frontmatter.edit(changed, fields)


def retirement(existing: Existing, successor: str, origin: Origin, *, reason: str = "") -> str:
    """The text of a memory that another one replaces, or that is archived for a reason."""
    fields: dict[str, object] = {
        "lifecycle": "superseded" if successor else "archived",
        "valid_until": origin.today,
    }
    if successor:
        fields["superseded_by"] = successor
    else:
        fields["archived_at"] = origin.today
        fields["archived_reason"] = reason
    return frontmatter.edit(existing.text, fields)


def _unite(
    fields: dict[str, object],
    name: str,
    old: tuple[str, ...],
    new: tuple[str, ...],
    most: int = 1000,
) -> None:
    united = tuple(dict.fromkeys((*old, *new)))[:most]
    if united != old:
        fields[name] = united


def _new(candidate: Candidate, scope: str, id: str, origin: Origin) -> Memory:
    return Memory(
        id=id,
        type=candidate.type,
        title=title_from(candidate.text),
        body=body.new_body(
            candidate.type,
            candidate.text,
            candidate.context,
            _variants(candidate),
            candidate.note,
        ),
        scope=scope,
        tags=candidate.tags,
        triggers=candidate.triggers,
        depends_on=candidate.depends_on,
        roles=candidate.roles,
        parent=candidate.parent,
        level=candidate.level,
        confidence=candidate.confidence or "high",
        authority="reference" if candidate.type == "knowledge" else "instruction",
        source=origin.source,
        created=origin.today,
        updated=origin.today,
        valid_from=origin.today,
        last_confirmed=origin.today,
        author_name=origin.author,
        author_email=origin.email,
        supersedes=(candidate.supersedes,) if candidate.supersedes else (),
    )


def _variants(candidate: Candidate) -> Mapping[str, str]:
    given = {
        "light": candidate.light,
        "balanced": candidate.balanced,
        "strict": candidate.strict,
    }
    return {name: text for name, text in given.items() if text}
