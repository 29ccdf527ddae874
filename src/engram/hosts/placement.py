"""What a host entry is made of: placements in its files, and the values that go there."""

from __future__ import annotations

import shlex

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Value = Callable[["Context"], object]

WORKSPACE, GLOBAL = "workspace", "global"

# What a placement is for.
SERVER = "server"
HOOK = "hook"
INSTRUCTIONS = "instructions"
SKILL = "skill"
SLASH = "slash command"
GATE = "gate"  # makes the host ask a person before a commit
PURPOSES = (SERVER, HOOK, GATE, INSTRUCTIONS, SKILL, SLASH)

# How it is written.
ENTRY = "entry"  # a value in JSON or JSONC
ITEM = "item"  # one of a list in JSON
TABLE = "table"  # a TOML table
BLOCK = "block"  # marked lines in a Markdown file
FILE = "file"  # a whole file of ours

COMMIT_TOOL = "engram_commit"
PASSES = "; exit 0"  # after a command, in POSIX shells and in PowerShell


class Launch(Record):
    """How a process of ours is started."""

    words: tuple[str, ...]
    windows: bool = False

    @property
    def command(self) -> str:
        return self.words[0]

    @property
    def arguments(self) -> list[str]:
        return list(self.words[1:])

    @property
    def line(self) -> str:
        """The words as the platform's shell takes them."""
        if not self.windows:
            return shlex.join(self.words)
        return " ".join(f'"{word}"' if " " in word else word for word in self.words)

    @property
    def powershell(self) -> str:
        """The words as PowerShell takes them, to which a quoted word alone is no command."""
        return f"& {self.line}" if self.line.startswith('"') else self.line


class Context(Record):
    """What the values of one host's placements are made from."""

    server: Launch
    hook: Launch
    version: str
    texts: Mapping[str, str] = {}  # what an agent is told, by purpose


class Placement(Record):
    """One managed spot in one file of a host."""

    purpose: str
    format: str
    path: str  # with a root in braces: "{project}/.mcp.json"
    at: tuple[str, ...] = ()  # the keys that lead to it
    value: Value = lambda _: ""
    instead: tuple[str, ...] = ()  # paths that are taken before `path` where they exist
    seed: Mapping[str, object] = {}  # what a new file holds besides
    when: str = ""  # a path: only where it exists
    takes_always_load: bool = False  # a host that knows --always-load reads it (clause R17)


class Skip(Record):
    """What a host cannot have in a scope, and why."""

    scope: str
    purpose: str
    reason: str


class Danger(Record):
    """A setting of a host that would approve a commit without a person."""

    check: str  # the id of the check in `doctor`
    path: str
    format: str  # ENTRY | TABLE
    at: tuple[str, ...]
    is_bad: Callable[[object], bool]
    message: str
    mend: str


class Host(Record):
    """One coding agent, or one target of `link` that several agents read."""

    name: str
    title: str
    workspace: tuple[Placement, ...] = ()
    personal: tuple[Placement, ...] = ()  # of the global scope
    skips: tuple[Skip, ...] = ()
    dangers: tuple[Danger, ...] = ()
    hook_trust: tuple[str, tuple[str, ...]] = ("", ())  # a TOML file that names trusted hooks
    signs: tuple[str, ...] = ()  # paths that show that somebody uses it
    programs: tuple[str, ...] = ()  # or one of these on the PATH
    says: Mapping[str, str] = {}  # by scope: what the person has to do besides
    says_after: Mapping[str, str] = {}  # the same when it was unlinked
    has_own_path: bool = False  # started from a desktop, it lacks the shell's PATH
    knows_always_load: bool = False
    is_general: bool = False  # no host of its own: files that several read
    source: str = ""  # of what is known of it
    checked: str = ""  # when, as YYYY-MM-DD, and how

    def placements(self, scope: str) -> tuple[Placement, ...]:
        return self.workspace if scope == WORKSPACE else self.personal


# The shapes of a server's entry.


def plain(context: Context) -> dict[str, object]:
    """`command` and `args`: the shape that most hosts read."""
    return {"command": context.server.command, "args": context.server.arguments}


def local_with_tools(context: Context) -> dict[str, object]:
    """A local server whose tools are all offered."""
    return {"type": "local", **plain(context), "tools": ["*"]}


def with_type(context: Context) -> dict[str, object]:
    """The plain shape, its transport named."""
    return {"type": "stdio", **plain(context)}


def one_vector(context: Context) -> dict[str, object]:
    """The whole command line in `command`; time for a cold start in milliseconds (clause R6)."""
    entry: dict[str, object] = {"type": "local", "command": list(context.server.words)}
    if len(context.server.words) == 1:
        return {**entry, "args": [], "enabled": True}
    return {**entry, "enabled": True, "timeout": 30_000}


def nested(context: Context) -> dict[str, object]:
    """The plain shape below `transport`."""
    return {"transport": with_type(context)}


def table(context: Context) -> dict[str, object]:
    """A TOML table whose commit tool asks a person first (contract clause R9)."""
    return {
        **plain(context),
        "startup_timeout_sec": 60,
        "env_vars": ["ENGRAM_WORKSPACE", "ENGRAM_GLOBAL_DIR", "ENGRAM_CONFIG_DIR"],
        "tools": {COMMIT_TOOL: {"approval_mode": "prompt"}},
    }


# The shapes of a hook.


def group(timeout: int, **more: object) -> Value:
    """A group with one command; `timeout` in the host's own unit."""
    return lambda context: {"hooks": [_command(context, timeout, **more)]}


def passing(timeout: int, *, other_shell: bool = False, **more: object) -> Value:
    """A group whose command succeeds without a program that knows it.

    Its host stops a prompt on what a shell says of a program that is missing, or is another.
    With `other_shell`, the host has a line for Windows, where its shell knows no `;`.
    """

    def value(context: Context) -> dict[str, object]:
        lines = {"command": context.hook.line + PASSES}
        if other_shell:
            lines["commandWindows"] = context.hook.line
        return {"hooks": [{**_command(context, timeout), **lines, **more}]}

    return value


def single(timeout: int, **more: object) -> Value:
    """A command that stands in the list itself."""
    return lambda context: _command(context, timeout, **more)


def bare(timeout: int) -> Value:
    """A command without a type, for the platform's shell; on Windows that is PowerShell."""
    return lambda context: {"command": context.hook.powershell, "timeout": timeout}


def two_shells(seconds: int) -> Value:
    """A command for each shell."""
    return lambda context: {
        "type": "command",
        "bash": context.hook.line,
        "powershell": context.hook.powershell,
        "timeoutSec": seconds,
    }


def text_of(purpose: str) -> Value:
    """A text that an agent is told."""
    return lambda context: context.texts[purpose]


def _command(context: Context, timeout: int, **more: object) -> dict[str, object]:
    return {"type": "command", "command": context.hook.line, "timeout": timeout, **more}
