"""Editors, and agents that stand alone."""

from __future__ import annotations

from engram.hosts.catalogue.parts import (
    AGENTS_BLOCK,
    OWN_SHARED_SKILL,
    SECONDS,
    SHARED_SERVER,
    SHARED_SKILL,
    block,
    hooks,
    rule,
    server,
    skill,
    slash,
)
from engram.hosts.dangers import ALLOWS, equal_to, in_entry, is_on
from engram.hosts.placement import (
    COMMIT_TOOL,
    ENTRY,
    FILE,
    GATE,
    GLOBAL,
    HOOK,
    INSTRUCTIONS,
    SERVER,
    WORKSPACE,
    Danger,
    Host,
    Placement,
    Skip,
    bare,
    group,
    local_with_tools,
    nested,
    one_vector,
    plain,
    two_shells,
    with_type,
)
from engram.hosts.plugin import plugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.placement import Context

OPENCODE_SCHEMA = {"$schema": "https://opencode.ai/config.json"}
CURSOR_PLUGIN = "{home}/.cursor/plugins/local/engram"
CURSOR_EVENTS = ("sessionStart", "beforeSubmitPrompt")
RULE_ALWAYS = "description: Project memory that people approved\nalwaysApply: true\n"
DEVIN = "{config}/devin"


def cursor_plugin(context: Context) -> object:
    """The manifest of the local plugin; the host refuses keys that it does not know."""
    return (
        '{\n  "name": "engram",\n  "description": "Project memory that a person approved",\n'
        f'  "version": "{context.version}",\n  "author": {{ "name": "Engram" }}\n}}\n'
    )


def ask(_: Context) -> object:
    """A permission that asks the person."""
    return "ask"


CURSOR = Host(
    "cursor",
    "Cursor",
    workspace=(
        server("{project}/.cursor/mcp.json"),
        *hooks("{project}/.cursor/hooks.json", bare(SECONDS), *CURSOR_EVENTS, seed={"version": 1}),
        rule("{project}/.cursor/rules/engram.mdc", RULE_ALWAYS),
        skill("{project}/.cursor"),
        slash("{project}/.cursor/commands/engram.md"),
    ),
    personal=(
        Placement(SERVER, FILE, f"{CURSOR_PLUGIN}/.cursor-plugin/plugin.json", (), cursor_plugin),
        server(f"{CURSOR_PLUGIN}/mcp.json"),
        *hooks(
            f"{CURSOR_PLUGIN}/hooks/hooks.json", bare(SECONDS), *CURSOR_EVENTS, seed={"version": 1}
        ),
        rule(f"{CURSOR_PLUGIN}/rules/engram.mdc", RULE_ALWAYS),
        skill(CURSOR_PLUGIN),
        slash(f"{CURSOR_PLUGIN}/commands/engram.md"),
    ),
    dangers=(*in_entry("{project}/.cursor/mcp.json"), *in_entry("{home}/.cursor/mcp.json")),
    signs=("{home}/.cursor", "{project}/.cursor"),
    programs=("cursor", "cursor-agent"),
    has_own_path=True,
    says={
        WORKSPACE: "Switch the server “engram” on in Cursor's settings: new servers start off.",
        GLOBAL: "Switch the server “engram” on in Cursor's settings: new servers start off.",
    },
    source="cursor.com/docs/mcp, hooks, rules, skills; github.com/cursor/plugins",
    checked="2026-12-01, documented",
)
WINDSURF = Host(
    "windsurf",
    "Windsurf (Devin Desktop)",
    workspace=(
        server("{project}/.devin/mcp_config.json", when="{project}/.devin"),
        *hooks(
            "{project}/.devin/hooks.v1.json",
            group(SECONDS),
            "SessionStart",
            "UserPromptSubmit",
            when="{project}/.devin",
        ),
        rule("{project}/.windsurf/rules/engram.md", "trigger: always_on\n"),
        SHARED_SKILL,
    ),
    personal=(
        server("{home}/.codeium/windsurf/mcp_config.json"),
        server(f"{DEVIN}/mcp_config.json", when=DEVIN),
        *hooks(
            f"{DEVIN}/config.json", group(SECONDS), "SessionStart", "UserPromptSubmit", when=DEVIN
        ),
        block("{home}/.codeium/windsurf/memories/global_rules.md"),
        OWN_SHARED_SKILL,
    ),
    skips=(
        Skip(WORKSPACE, SERVER, "Windsurf documents only user-level MCP configuration"),
        Skip(WORKSPACE, HOOK, "a Cascade hook can stop a prompt, not add to it"),
        Skip(GLOBAL, HOOK, "a Cascade hook can stop a prompt, not add to it"),
    ),
    dangers=in_entry("{home}/.codeium/windsurf/mcp_config.json"),
    signs=("{home}/.codeium/windsurf", DEVIN, "{project}/.windsurf", "{project}/.devin"),
    programs=("windsurf", "devin"),
    has_own_path=True,
    source="docs.devin.ai/desktop/cascade/mcp, cli/extensibility",
    checked="2026-12-01, documented",
)
OPENCODE = Host(
    "opencode",
    "OpenCode",
    workspace=(
        server(
            "{project}/opencode.json",
            one_vector,
            ("mcp", "engram"),
            instead=("{project}/opencode.jsonc",),
            seed=OPENCODE_SCHEMA,
        ),
        Placement(
            GATE,
            ENTRY,
            "{project}/opencode.json",
            ("permission", f"engram_{COMMIT_TOOL}"),
            ask,
            instead=("{project}/opencode.jsonc",),
        ),
        Placement(HOOK, FILE, "{project}/.opencode/plugins/engram.js", (), plugin),
        AGENTS_BLOCK,
        SHARED_SKILL,
        slash("{project}/.opencode/commands/engram.md"),
    ),
    personal=(
        server(
            "{config}/opencode/opencode.json",
            one_vector,
            ("mcp", "engram"),
            instead=("{config}/opencode/opencode.jsonc",),
            seed=OPENCODE_SCHEMA,
        ),
        Placement(
            GATE,
            ENTRY,
            "{config}/opencode/opencode.json",
            ("permission", f"engram_{COMMIT_TOOL}"),
            ask,
            instead=("{config}/opencode/opencode.jsonc",),
        ),
        Placement(HOOK, FILE, "{config}/opencode/plugins/engram.js", (), plugin),
        block("{config}/opencode/AGENTS.md"),
        OWN_SHARED_SKILL,
        slash("{config}/opencode/commands/engram.md"),
    ),
    dangers=tuple(
        Danger(
            ALLOWS,
            f"{root}/opencode.{kind}",
            ENTRY,
            ("permission", *at),
            equal_to("allow"),
            f"This permission runs {COMMIT_TOOL} without asking a person.",
            f'Set permission.engram_{COMMIT_TOOL} to "ask".',
        )
        for root in ("{project}", "{config}/opencode")
        for kind in ("json", "jsonc")
        for at in ((), ("*",), ("engram_*",), (f"engram_{COMMIT_TOOL}",))
    ),
    signs=(
        "{config}/opencode",
        "{project}/opencode.json",
        "{project}/opencode.jsonc",
        "{project}/.opencode",
    ),
    programs=("opencode",),
    source="opencode.ai/docs/config, mcp-servers, plugins, permissions",
    checked="2026-12-01, run (1.18.33)",
)
COPILOT = Host(
    "copilot",
    "GitHub Copilot (CLI and VS Code)",
    workspace=(
        SHARED_SERVER,
        server("{project}/.vscode/mcp.json", with_type, ("servers", "engram")),
        *hooks(
            "{project}/.github/hooks/engram.json",
            two_shells(SECONDS),
            "sessionStart",
            "userPromptSubmitted",
            seed={"version": 1},
        ),
        AGENTS_BLOCK,
        SHARED_SKILL,
    ),
    personal=(
        server("{copilot}/mcp-config.json", local_with_tools),
        *hooks(
            "{copilot}/hooks/engram.json",
            two_shells(SECONDS),
            "sessionStart",
            "userPromptSubmitted",
            seed={"version": 1},
        ),
        OWN_SHARED_SKILL,
    ),
    skips=(
        Skip(GLOBAL, INSTRUCTIONS, "no file of the person's is documented; the skill tells it all"),
    ),
    dangers=(
        *in_entry("{project}/.vscode/mcp.json", ("servers", "engram")),
        *(
            Danger(
                ALLOWS,
                "{project}/.vscode/settings.json",
                ENTRY,
                (name,),
                is_on,
                f"{name} runs every tool without asking a person.",
                f"Set {name} to false.",
            )
            for name in ("chat.tools.autoApprove", "chat.tools.global.autoApprove")
        ),
    ),
    signs=("{copilot}", "{project}/.vscode", "{project}/.github/copilot-instructions.md"),
    programs=("copilot", "code"),
    source="docs.github.com/en/copilot, code.visualstudio.com/docs/agents",
    checked="2026-12-01, run (CLI 1.0.102); VS Code documented",
)
CLINE = Host(
    "cline",
    "Cline",
    workspace=(rule("{project}/.clinerules/engram.md", "description: Project memory\n"),),
    personal=(
        server("{home}/.cline/data/settings/cline_mcp_settings.json", nested),
        server(
            "{code}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            lambda context: {**plain(context), "disabled": False},
            when="{code}/saoudrizwan.claude-dev",
        ),
        rule("{home}/Documents/Cline/Rules/engram.md", "description: Project memory\n"),
    ),
    skips=(
        Skip(WORKSPACE, SERVER, "Cline reads servers from the person's own settings only"),
        Skip(WORKSPACE, HOOK, "the shape of its hooks is not documented"),
        Skip(GLOBAL, HOOK, "the shape of its hooks is not documented"),
    ),
    dangers=(
        *in_entry("{home}/.cline/data/settings/cline_mcp_settings.json"),
        *in_entry("{code}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    ),
    signs=("{home}/.cline", "{project}/.clinerules", "{code}/saoudrizwan.claude-dev"),
    programs=("cline",),
    source="docs.cline.bot",
    checked="2026-12-01, run (CLI 3.0.65); the extension documented",
)
