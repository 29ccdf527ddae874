"""Every host as data: where its files lie, what goes there, how one sees that somebody uses it.

Each entry names its source and the day it was checked; "run" means that the host itself read what
is written here, "documented" that its maker says so.
"""

from __future__ import annotations

from engram.hosts.catalogue.agents import ANTIGRAVITY, CLAUDE, CODEX, GEMINI
from engram.hosts.catalogue.editors import CLINE, COPILOT, CURSOR, OPENCODE, WINDSURF
from engram.hosts.catalogue.parts import AGENTS_BLOCK, SHARED_SERVER
from engram.hosts.placement import GLOBAL, INSTRUCTIONS, SERVER, SLASH, Host, Skip

MCP = Host(
    "mcp",
    "any host that reads .mcp.json",
    workspace=(SHARED_SERVER,),
    skips=(Skip(GLOBAL, SERVER, "there is no such file that hosts share outside a project"),),
    source="the hosts above",
    checked="2026-12-01",
)
AGENTS_MD = Host(
    "agents-md",
    "any agent that reads AGENTS.md",
    workspace=(AGENTS_BLOCK,),
    skips=(
        Skip(GLOBAL, INSTRUCTIONS, "there is no such file that agents share outside a project"),
    ),
    source="agents.md",
    checked="2026-12-01",
)
SLASHES = Host(
    "slash",
    "the slash command /engram, for every host that has them",
    workspace=tuple(
        each for host in (CLAUDE, GEMINI, CURSOR, OPENCODE) for each in host.workspace
        if each.purpose == SLASH
    ),
    personal=tuple(
        each for host in (CLAUDE, GEMINI, OPENCODE) for each in host.personal
        if each.purpose == SLASH
    ),
    source="the hosts above",
    checked="2026-12-01",
)  # fmt: skip

HOSTS = (
    CLAUDE, CODEX, GEMINI, ANTIGRAVITY, CURSOR, WINDSURF, OPENCODE, COPILOT, CLINE,
    MCP, AGENTS_MD, SLASHES,
)  # fmt: skip
ALIASES = {"cascade": "windsurf", "devin": "windsurf", "open-code": "opencode", "vscode": "copilot"}
