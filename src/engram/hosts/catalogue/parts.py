"""What the entries of the catalogue are put together from: roots of paths, shared placements."""

from __future__ import annotations

from engram.hosts.placement import (
    BLOCK,
    ENTRY,
    FILE,
    HOOK,
    INSTRUCTIONS,
    ITEM,
    SERVER,
    SKILL,
    SLASH,
    Placement,
    plain,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.hosts.placement import Context, Value

SECONDS, MILLISECONDS = 10, 10_000  # how long a host waits for a hook, in its own unit
SERVERS = ("mcpServers", "engram")

# The roots of paths: a variable that moves it, what is below that, and where it is without.
ROOTS: Mapping[str, tuple[str, str, str]] = {
    "config": ("XDG_CONFIG_HOME", "", ".config"),
    "claude": ("CLAUDE_CONFIG_DIR", "", ".claude"),
    "codex": ("CODEX_HOME", "", ".codex"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini", ".gemini"),
    "copilot": ("COPILOT_HOME", "", ".copilot"),
}
# What the person's editor keeps of its extensions, by platform.
CODE_STORAGE = {
    "win32": "AppData/Roaming/Code/User/globalStorage",
    "darwin": "Library/Application Support/Code/User/globalStorage",
}
CODE_STORAGE_ELSEWHERE = ".config/Code/User/globalStorage"


def server(
    path: str, value: Value = plain, at: tuple[str, ...] = SERVERS, **more: object
) -> Placement:
    """The server's entry in a JSON file."""
    return Placement(SERVER, ENTRY, path, at, value, **more)  # type: ignore[arg-type]


def hooks(path: str, value: Value, *events: str, **more: object) -> tuple[Placement, ...]:
    """One hook for each event, in the lists below `hooks`."""
    return tuple(
        Placement(HOOK, ITEM, path, ("hooks", event), value, **more)  # type: ignore[arg-type]
        for event in events
    )


def block(path: str, *instead: str) -> Placement:
    """The marked block of instructions in a Markdown file."""
    return Placement(INSTRUCTIONS, BLOCK, path, (), text_of(INSTRUCTIONS), instead)


def skill(root: str) -> Placement:
    """The Agent Skill, a whole file (agentskills.io)."""
    return Placement(SKILL, FILE, f"{root}/skills/engram-memory/SKILL.md", (), text_of(SKILL))


def slash(path: str, value: Value | None = None) -> Placement:
    """The slash command, a whole file."""
    return Placement(SLASH, FILE, path, (), value or text_of(SLASH))


def rule(path: str, front_matter: str) -> Placement:
    """The instructions as a rule file of their own."""

    def value(context: Context) -> object:
        return f"---\n{front_matter}---\n\n{context.texts[INSTRUCTIONS]}"

    return Placement(INSTRUCTIONS, FILE, path, (), value)


SHARED_SERVER = server("{project}/.mcp.json", takes_always_load=True)
AGENTS_BLOCK = block("{project}/AGENTS.md")
SHARED_SKILL, OWN_SHARED_SKILL = skill("{project}/.agents"), skill("{home}/.agents")
