"""What a memory is: its words, its values, and the front-matter fields declared once."""

from __future__ import annotations

from engram.record import Record

TYPES = ("rule", "skill", "knowledge")
SCOPES = ("workspace", "global")
FOLDERS = {"rule": "rules", "skill": "skills", "knowledge": "knowledge"}
VARIANTS = ("light", "balanced", "strict")

APPROVED = "approved"  # the bytes are those that a person approved
CHANGED = "changed"  # a person approved other bytes under this name
UNREVIEWED = "unreviewed"  # nobody approved a memory of this name here


class Memory(Record):
    """One memory file, parsed. Dates are ISO text; a missing text is "", a missing list ()."""

    id: str
    type: str
    title: str
    body: str  # the Markdown below the front matter, line ends as "\n"
    scope: str = "workspace"
    schema_version: int = 3
    tags: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    task_types: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    parent: tuple[str, ...] = ()
    level: str = ""
    lifecycle: str = "active"
    confidence: str = "medium"
    authority: str = ""
    source: str = ""
    tier: str = "durable"
    objective: str = ""
    created: str = ""
    updated: str = ""
    valid_from: str = ""
    valid_until: str = ""
    last_confirmed: str = ""
    revision: int = 1
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    author_name: str = ""
    author_email: str = ""


class Entry(Record):
    """What routing needs of a memory: a row of the index, the body left on disk."""

    id: str
    type: str
    scope: str
    title: str
    summary: str  # one line, for a card
    path: str  # below the store root, "/" between the parts
    digest: str  # hex SHA-256 of the file's bytes
    state: str = APPROVED  # APPROVED | CHANGED | UNREVIEWED
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    task_types: tuple[str, ...] = ()
    lifecycle: str = "active"
    confidence: str = "medium"
    tier: str = "durable"
    objective: str = ""
    valid_until: str = ""
    updated: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    tokens: int = 0  # estimate for the whole body
    archived: bool = False
    uses: int = 0  # how often it was fetched

    @property
    def key(self) -> str:
        return f"{self.scope}:{self.id}"


class Hit(Record):
    """An entry that shares terms with a query."""

    entry: Entry
    score: float  # BM25 over the fields, higher is better
    matched: frozenset[str]  # the query's terms that it holds
    in_title: frozenset[str] = frozenset()
    in_labels: frozenset[str] = frozenset()
    rare: frozenset[str] = frozenset()  # of the matched, those that few memories of the store hold
