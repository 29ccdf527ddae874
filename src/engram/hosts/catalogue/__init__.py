"""Every host as data: where its files lie, what goes there, how one sees that somebody uses it.

Each entry names its source and the day it was checked; "run" means that the host itself read what
is written here, "documented" that its maker says so.
"""

from __future__ import annotations

import os

from engram.hosts.catalogue.agents import ANTIGRAVITY, CLAUDE, CODEX, GEMINI
from engram.hosts.catalogue.editors import CLINE, COPILOT, CURSOR, OPENCODE, WINDSURF
from engram.hosts.catalogue.parts import (
    AGENTS_BLOCK,
    CODE_STORAGE,
    CODE_STORAGE_ELSEWHERE,
    ROOTS,
    SHARED_SERVER,
)
from engram.hosts.placement import GLOBAL, INSTRUCTIONS, SERVER, SLASH, Host, Skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.system.environment import Environment

MCP = Host(
    "mcp",
    "any host that reads .mcp.json",
    workspace=(SHARED_SERVER,),
    skips=(Skip(GLOBAL, SERVER, "there is no such file that hosts share outside a project"),),
    source="the hosts above",
    checked="2026-12-01",
    is_general=True,
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


def roots(environment: Environment, project: str) -> dict[str, str]:
    """Where the paths of the catalogue begin, for this person and project."""
    home, variables = environment.home, environment.variables
    code = CODE_STORAGE.get(environment.platform, CODE_STORAGE_ELSEWHERE)
    found = {"project": project, "home": home, "code": os.path.join(home, code)}
    for name, (variable, below, usual) in ROOTS.items():
        moved = variables.get(variable, "")
        found[name] = os.path.join(moved, below) if moved else os.path.join(home, usual)
    return found
