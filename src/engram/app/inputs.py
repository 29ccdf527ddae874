"""The input of every operation: what can be asked, with its help, bounds and defaults."""

from __future__ import annotations

from engram.app.parameters import parameter
from engram.core.memory import SCOPES, TYPES
from engram.record import Record

DISCLOSURES = ("tiered", "cards", "bodies")
VARIANT_MODES = ("light", "balanced", "strict", "off")
READ_MODES = ("startup", "auto", "always", "manual", "off")
PROOF_MODES = ("off", "compact")
CONFIG_ACTIONS = ("view", "get", "set", "unset")
CLI = ("cli",)


class Nothing(Record):
    """An operation that needs no input."""


class Load(Record):
    query: str = parameter(
        "The task you are about to do, in your own words: a sentence, a question, an error message.",
        default="",
        positional=True,
    )
    id: str = parameter(
        "Load exactly this memory (several: separate with commas), whole, whatever the budget.",
        default="",
    )
    budget_tokens: int | None = parameter(
        "Upper bound for the whole answer, in tokens (1 to 100000); the setting load.max_tokens "
        "when absent. Has no effect together with id.",
        default=None,
        minimum=1,
        maximum=100_000,
    )
    disclosure: str = parameter(
        "tiered: whole text for the best, one line for the rest; cards: one line each; "
        "bodies: whole text for every one within the budget.",
        default="tiered",
        choices=DISCLOSURES,
    )
    full: bool = parameter("Whole text of every memory chosen.", default=False)
    explain: bool = parameter("Add why each was chosen and why others were not.", default=False)
    all: bool = parameter(
        "Every memory that matches, past the limit and with those of low confidence.",
        default=False,
        surfaces=CLI,
    )
    dry_run: bool = parameter(
        "Only name what would be loaded; counts as no use.", default=False, surfaces=CLI
    )


class Route(Record):
    query: str = parameter("The task to classify, in your own words.", positional=True)


class Search(Record):
    query: str = parameter("Words to look for, in any language.", positional=True)
    limit: int = parameter("How many to return at most.", default=10, minimum=1, maximum=100)
    type: str = parameter("Only memories of this type.", default="", choices=TYPES)
    scope: str = parameter("Only memories of this scope.", default="", choices=SCOPES)


class List(Record):
    type: str = parameter("Only memories of this type.", default="", choices=TYPES)
    scope: str = parameter("Only memories of this scope.", default="", choices=SCOPES)
    archived: bool = parameter("Also what was archived or superseded.", default=False)


class Graph(Record):
    query: str = parameter(
        "Only what belongs to this task or id; everything when absent.",
        default="",
        positional=True,
    )


class Verify(Record):
    scope: str = parameter("Only this scope.", default="", choices=SCOPES)
    accept: str = parameter(
        "Take in this memory as it stands now: its id.", default="", surfaces=CLI
    )
    force: bool = parameter("Take it in without asking first.", default=False, surfaces=CLI)


class SetRole(Record):
    roles: tuple[str, ...] = parameter(
        "Names of the roles you act in, such as backend or reviewer; empty clears them.",
        default=(),
        positional=True,
    )


class SetRuleVariant(Record):
    variant: str = parameter(
        "How strictly rules are worded; off gives the balanced text without a mode.",
        choices=VARIANT_MODES,
        positional=True,
    )


class Config(Record):
    action: str = parameter(
        "What to do with the settings.", default="view", choices=CONFIG_ACTIONS, positional=True
    )
    key: str = parameter("The setting, for example load.limit.", default="", positional=True)
    value: str = parameter("Its new value, for set.", default="", positional=True)
    scope: str = parameter(
        "Where to write. person: for you, in all projects; local: for you, in this project; "
        "workspace: for all who work on this project; global: in the folder of the personal memory.",
        default="person",
        choices=("person", "local", *SCOPES),
    )


class Inject(Record):
    global_only: bool = parameter("Only the global folder, no workspace.", default=False)
    global_path: str = parameter(
        "Keep personal memories, shared by all projects, in this folder.", default=""
    )
    no_global: bool = parameter("Do not set up or ask about a global folder.", default=False)
    no_link: bool = parameter("Do not connect any coding agent.", default=False)


class Save(Record):
    text: str = parameter("What to remember, in any language.", positional=True)
    type: str = parameter(
        "rule: always holds; skill: how to do something; knowledge: a fact. Detected when absent.",
        default="",
        choices=TYPES,
    )
    scope: str = parameter(
        "workspace: this project; global: every project of the person; both.",
        default="",
        choices=(*SCOPES, "both"),
    )
    role: str = parameter("Only for this role (several: separate with commas).", default="")
    force: bool = parameter("Write without asking first.", default=False, surfaces=CLI)


class SaveSession(Record):
    text: str = parameter(
        "One candidate a line: TYPE: rule|skill|knowledge | TEXT: … [| CONTEXT: why] "
        "[| TRIGGERS: words] [| UPDATE: id] [| SUPERSEDES: id] [| DEPENDS_ON: id]",
        default="",
        positional=True,
    )
    scope: str = parameter(
        "workspace: this project; global: every project of the person; both.",
        default="",
        choices=(*SCOPES, "both"),
    )
    role: str = parameter("Only for this role (several: separate with commas).", default="")
    file: str = parameter(
        "Read the candidates from this file; - is standard input.", default="", surfaces=CLI
    )
    force: bool = parameter("Write without asking first.", default=False, surfaces=CLI)
    query_level: int | None = parameter(
        "How many past sessions the candidates were drawn from; kept with them.",
        default=None,
        minimum=1,
        maximum=1000,
        surfaces=CLI,
    )


class Commit(Record):
    approval_token: str = parameter("The token that came with the proposal.")
    approve: str | tuple[int, ...] = parameter(
        "The candidate numbers that the person approved, from 1, each once; or, in place of the "
        'list, the word "all" when they approved every one.',
    )


class Note(Record):
    text: str = parameter("What to keep in mind for this task: one short note.", positional=True)
    objective: str = parameter("The task it belongs to, in a few words.", default="")
    type: str = parameter(
        "rule, skill or knowledge. Detected when absent.", default="", choices=TYPES
    )
    scope: str = parameter(
        "workspace: this project; global: every project of the person.",
        default="",
        choices=SCOPES,
    )
    force: bool = parameter("Write without asking first.", default=False, surfaces=CLI)


class Promote(Record):
    id: str = parameter("The note to make a durable memory of.", positional=True)
    force: bool = parameter("Write without asking first.", default=False)


class Archive(Record):
    id: str = parameter("The memory to take out of use; it is kept.", positional=True)
    reason: str = parameter("Why it no longer holds.", default="")
    undo: bool = parameter("Bring it back from the archive.", default=False)


class Edit(Record):
    id: str = parameter("The memory to open in your editor ($VISUAL, $EDITOR).", positional=True)


class Demo(Record):
    keep: bool = parameter("Leave the scratch folder in place and name it.", default=False)


class Completion(Record):
    shell: str = parameter(
        "The shell to write for.",
        choices=("bash", "zsh", "fish", "powershell"),
        positional=True,
    )


class Link(Record):
    hosts: tuple[str, ...] = parameter(
        "Which coding agents: names from the list; all for those that are used here; list to see "
        "every one and how it stands.",
        default=(),
        positional=True,
    )
    global_: bool = parameter("In your own settings, for all projects.", default=False)
    plan: bool = parameter("Show each edit as a diff; write nothing.", default=False)
    force: bool = parameter("Replace an entry of ours that was changed by hand.", default=False)
    no_hook: bool = parameter(
        "No hooks: the agent asks for memory itself, nothing arrives by itself.", default=False
    )


class Unlink(Record):
    hosts: tuple[str, ...] = parameter("Which coding agents; all for every one.", positional=True)
    global_: bool = parameter("In your own settings, for all projects.", default=False)
    plan: bool = parameter("Show each edit as a diff; write nothing.", default=False)
    force: bool = parameter("Also remove what was changed by hand.", default=False)


class Upgrade(Record):
    plan: bool = parameter("Show each edit as a diff; write nothing.", default=False)


class Doctor(Record):
    strict: bool = parameter("Exit status 1 for a warning too, for CI.", default=False)


class SetRead(Record):
    mode: str = parameter(
        "startup: once, when a session starts; auto: also where a prompt calls for it; always: at "
        "every prompt; manual: only when the agent asks; off: never.",
        choices=READ_MODES,
        positional=True,
    )


class SetProof(Record):
    mode: str = parameter("off, or compact: one line.", choices=PROOF_MODES, positional=True)


class Benchmark(Record):
    file: str = parameter(
        'The cases: {"version": 1, "cases": [{"query": "…", "expected": ["id"]}]}; a case may also '
        "hold forbidden, limit, budget and category.",
        positional=True,
    )
    fail_on: str = parameter(
        "Limits, such as recall=0.9,forbidden=0; exit status 1 when one is not kept.", default=""
    )
    baseline: str = parameter(
        "An earlier result (--json); exit status 1 when a measure is worse.", default=""
    )
