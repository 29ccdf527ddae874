"""The agents of model makers."""

from __future__ import annotations

from engram.hosts.catalogue.parts import (
    AGENTS_BLOCK,
    MILLISECONDS,
    OWN_SHARED_SKILL,
    SECONDS,
    SERVERS,
    SHARED_SERVER,
    SHARED_SKILL,
    block,
    hooks,
    server,
    skill,
    slash,
)
from engram.hosts.dangers import ALLOWS, equal_to, has_any, is_on, lists
from engram.hosts.placement import (
    COMMIT_TOOL,
    ENTRY,
    FILE,
    GATE,
    GLOBAL,
    HOOK,
    SERVER,
    SLASH,
    TABLE,
    WORKSPACE,
    Danger,
    Host,
    Placement,
    Skip,
    passing,
    single,
    table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.placement import Context


def toml_command(context: Context) -> object:
    """The slash command as a TOML file; its literal string takes any text without three quotes."""
    text = context.texts[SLASH].partition("\n---\n")[2].strip().replace("$ARGUMENTS", "{{args}}")
    return f"description = \"Engram: read or propose project memory\"\nprompt = '''\n{text}\n'''\n"


def named_hooks(context: Context) -> object:
    """Hooks in a file that is keyed by a name."""
    return {"enabled": True, "SessionStart": [single(SECONDS)(context)]}


def policy(_: Context) -> object:
    """A policy that asks the person, whatever else the settings allow."""
    return (
        "[[rule]]\n"
        f'toolName = "{COMMIT_TOOL}"\nmcpName = "engram"\ndecision = "ask_user"\npriority = 900\n'
    )


CODEX_HOOK = passing(SECONDS, other_shell=True)

CLAUDE = Host(
    "claude",
    "Claude Code",
    workspace=(
        SHARED_SERVER,
        *hooks(
            "{project}/.claude/settings.json", passing(SECONDS), "SessionStart", "UserPromptSubmit"
        ),
        block("{project}/AGENTS.md", "{project}/CLAUDE.md"),
        skill("{project}/.claude"),
        slash("{project}/.claude/commands/engram.md"),
    ),
    personal=(
        *hooks("{claude}/settings.json", passing(SECONDS), "SessionStart", "UserPromptSubmit"),
        block("{claude}/CLAUDE.md"),
        skill("{claude}"),
        slash("{claude}/commands/engram.md"),
    ),
    skips=(Skip(GLOBAL, SERVER, "the host keeps it in a file that only the host may write"),),
    dangers=tuple(
        danger
        for path in (
            "{project}/.claude/settings.json",
            "{project}/.claude/settings.local.json",
            "{claude}/settings.json",
        )
        for danger in (
            Danger(
                ALLOWS,
                path,
                ENTRY,
                ("permissions", "allow"),
                lists("mcp__engram", "mcp__engram__*", f"mcp__engram__{COMMIT_TOOL}", "mcp__*"),
                f"permissions.allow approves {COMMIT_TOOL} without asking a person.",
                f"Take mcp__engram__{COMMIT_TOOL}, and what includes it, out of permissions.allow.",
            ),
            Danger(
                ALLOWS,
                path,
                ENTRY,
                ("hooks", "Elicitation"),
                has_any,
                "An Elicitation hook can answer Engram's dialog in a person's place.",
                "Take the Elicitation hook out, or start engram-mcp with --no-elicitation.",
            ),
        )
    ),
    signs=("{claude}", "{project}/.claude", "{project}/CLAUDE.md"),
    programs=("claude",),
    knows_always_load=True,
    says={
        WORKSPACE: "Start claude once in this project and approve the server “engram”.",
        GLOBAL: "To register the server, run: claude mcp add --scope user engram -- {launch}",
    },
    says_after={GLOBAL: "To take the server out, run: claude mcp remove --scope user engram"},
    source="code.claude.com/docs/en/mcp, hooks, memory, skills",
    checked="2026-12-01, run (2.1.332)",
)
CODEX = Host(
    "codex",
    "Codex",
    workspace=(
        Placement(SERVER, TABLE, "{project}/.codex/config.toml", ("mcp_servers", "engram"), table),
        *hooks("{project}/.codex/hooks.json", CODEX_HOOK, "SessionStart", "UserPromptSubmit"),
        AGENTS_BLOCK,
        SHARED_SKILL,
    ),
    personal=(
        Placement(SERVER, TABLE, "{codex}/config.toml", ("mcp_servers", "engram"), table),
        *hooks("{codex}/hooks.json", CODEX_HOOK, "SessionStart", "UserPromptSubmit"),
        block("{codex}/AGENTS.md"),
        OWN_SHARED_SKILL,
    ),
    dangers=tuple(
        Danger(
            "host.codex_auto_approve",
            path,
            TABLE,
            ("mcp_servers", "engram", *at),
            equal_to("approve"),
            f"To Codex, “approve” means that {COMMIT_TOOL} needs no person any more.",
            'Set it to "prompt": engram link codex --force',
        )
        for path in ("{project}/.codex/config.toml", "{codex}/config.toml")
        for at in (("tools", COMMIT_TOOL, "approval_mode"), ("default_tools_approval_mode",))
    ),
    hook_trust=("{codex}/config.toml", ("hooks", "state")),
    signs=("{codex}", "{project}/.codex"),
    programs=("codex",),
    says={
        WORKSPACE: "Codex reads .codex/ of projects it trusts; trust the hooks in /hooks.",
        GLOBAL: "Trust the hooks in Codex: /hooks",
    },
    source="developers.openai.com/codex/config-reference, hooks",
    checked="2026-12-01, run (0.171.0)",
)
GEMINI = Host(
    "gemini",
    "Gemini CLI",
    workspace=(
        server("{project}/.gemini/settings.json"),
        *hooks(
            "{project}/.gemini/settings.json",
            passing(MILLISECONDS, name="engram"),
            "SessionStart",
            "BeforeAgent",
        ),
        block("{project}/GEMINI.md"),
        SHARED_SKILL,
        slash("{project}/.gemini/commands/engram.toml", toml_command),
    ),
    personal=(
        server("{gemini}/settings.json"),
        *hooks(
            "{gemini}/settings.json",
            passing(MILLISECONDS, name="engram"),
            "SessionStart",
            "BeforeAgent",
        ),
        Placement(GATE, FILE, "{gemini}/policies/engram.toml", (), policy),
        block("{gemini}/GEMINI.md"),
        OWN_SHARED_SKILL,
        slash("{gemini}/commands/engram.toml", toml_command),
    ),
    dangers=tuple(
        Danger(
            "host.gemini_trust",
            path,
            ENTRY,
            (*SERVERS, "trust"),
            is_on,
            f"“trust”: true runs {COMMIT_TOOL} without asking a person.",
            "Take “trust” out of the entry “engram”.",
        )
        for path in ("{project}/.gemini/settings.json", "{gemini}/settings.json")
    ),
    signs=("{gemini}/settings.json", "{project}/.gemini", "{project}/GEMINI.md"),
    programs=("gemini",),
    says={
        WORKSPACE: "Gemini CLI reads a project's settings once its folder is trusted. It reads no "
        f"policy of a project: for one that asks before {COMMIT_TOOL} whatever a run allows, "
        "engram link gemini --global."
    },
    source="github.com/google-gemini/gemini-cli docs: configuration, hooks, trusted-folders",
    checked="2026-12-01, run (0.61.0)",
)
ANTIGRAVITY = Host(
    "antigravity",
    "Antigravity",
    workspace=(
        server("{project}/.agents/mcp_config.json"),
        Placement(HOOK, ENTRY, "{project}/.agents/hooks.json", ("engram",), named_hooks),
        AGENTS_BLOCK,
        SHARED_SKILL,
    ),
    personal=(
        server("{home}/.gemini/config/mcp_config.json"),
        Placement(HOOK, ENTRY, "{home}/.gemini/config/hooks.json", ("engram",), named_hooks),
        block("{home}/.gemini/GEMINI.md"),
        skill("{home}/.gemini"),
    ),
    skips=(Skip(WORKSPACE, SLASH, "no file for slash commands is documented"),),
    signs=("{home}/.gemini/config", "{home}/.gemini/antigravity"),
    programs=("agy", "antigravity"),
    has_own_path=True,
    source="the guides that come with the product, as others measured them",
    checked="2026-12-01, documented",
)
