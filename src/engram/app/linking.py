"""Connecting coding agents: link, unlink, upgrade, and the list of what is linked."""

from __future__ import annotations

import os
import sys

from engram import __version__
from engram.app.host_texts import INSTRUCTIONS_TEXT, SKILL_TEXT, SLASH_TEXT
from engram.app.inputs import Link, Unlink, Upgrade
from engram.app.link_report import report, table
from engram.app.parameters import nearest
from engram.app.results import Result
from engram.errors import InvalidRequest
from engram.hosts.catalogue import ALIASES, HOSTS, roots
from engram.hosts.formats import ABSENT, ALTERED, CURRENT, STALE
from engram.hosts.ledger import Ledger
from engram.hosts.linker import ALWAYS_LOAD, Linker
from engram.hosts.placement import (
    GLOBAL,
    HOOK,
    INSTRUCTIONS,
    SERVER,
    SKILL,
    SLASH,
    WORKSPACE,
    Host,
    Launch,
)
from engram.hosts.registration import carry_out
from engram.hosts.surroundings import CHANGES, REFUSE, Plan, Row, Surroundings, rows_of
from engram.hosts.unlinker import Unlinker
from engram.record import replace
from engram.store.manifest import has_legacy_alone, turn_legacy
from engram.store.memories import create_store, lock_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram
    from engram.store.layout import Layout

ALL, LIST = "all", "list"
DISTRIBUTION = "engram-protocol"
SERVER_PROGRAM, PROGRAM, LAUNCHER = "engram-mcp", "engram", "uvx"
TEXTS = {INSTRUCTIONS: INSTRUCTIONS_TEXT, SKILL: SKILL_TEXT, SLASH: SLASH_TEXT}
PARTIAL = "partial"


def link(engram: Engram, asked: Link) -> Result:
    """Register the server, the hook and the texts with hosts (contract clauses R2 to R18).

    A host whose file cannot be edited safely is refused whole, the others are linked; the exit
    status then says so. With `plan`, shows each edit as a diff and writes nothing.
    """
    around = surroundings(engram)
    if not asked.hosts or asked.hosts == (LIST,):
        return _listed(engram, around)
    scope = GLOBAL if asked.global_ else WORKSPACE
    hosts = _chosen(asked.hosts, [*detected(engram, around), *(h for h in HOSTS if h.is_general)])
    linker = Linker(around, scope, force=asked.force, hooks=not asked.no_hook)
    plan = linker.plan(hosts)
    says = [each.says[scope] for each in hosts if scope in each.says]
    words = list(around.server.words)
    if asked.no_hook:
        words.append(ALWAYS_LOAD)
    told = [each.replace("{launch}", Launch(tuple(words)).line) for each in says]
    return _carried_out(engram, around, plan, told, planned=asked.plan)


def unlink(engram: Engram, asked: Unlink) -> Result:
    """Take out what `link` put in, and nothing else (contract clause R15)."""
    around = surroundings(engram)
    scope = GLOBAL if asked.global_ else WORKSPACE
    hosts = _chosen(asked.hosts, HOSTS)
    plan = Unlinker(around, scope, force=asked.force).plan(hosts)
    gone = {row.host for row in plan.rows if row.action in CHANGES}
    told = [
        each.says_after[scope] for each in hosts if each.name in gone and scope in each.says_after
    ]
    return _carried_out(engram, around, plan, told, planned=asked.plan)


def upgrade(engram: Engram, asked: Upgrade) -> Result:
    """Renew what earlier versions linked and wrote; adds nothing that is not there (R14)."""
    around = surroundings(engram)
    plans = [
        Linker(around, scope, force=False, adds=False).plan(HOSTS) for scope in (WORKSPACE, GLOBAL)
    ]
    together = Plan(
        tuple(row for plan in plans for row in plan.rows),
        tuple(edit for plan in plans for edit in plan.edits),
        {target: linked for plan in plans for target, linked in plan.ledger.items()},
    )
    told = [
        _turned(layout, planned=asked.plan) for layout in engram.stores if has_legacy_alone(layout)
    ]
    result = _carried_out(engram, around, together, [], planned=asked.plan)
    return replace(result, text="\n".join([*told, result.text]))


def _turned(layout: Layout, *, planned: bool) -> str:
    """Move a store's approvals from the earlier edition's file into today's."""
    if not planned:
        create_store(layout)
        with lock_store(layout):
            turn_legacy(layout)
    word = "would be" if planned else "is now"
    return f"{layout.scope}: what was approved {word} in {layout.manifest}"


def detected(engram: Engram, around: Surroundings) -> tuple[Host, ...]:
    """The hosts that somebody uses here: their files or their programs are there."""
    program = engram.environment.program
    return tuple(
        host
        for host in around.hosts
        if any(around.exists(sign) for sign in host.signs)
        or any(program(each) for each in host.programs)
    )


def surroundings(engram: Engram) -> Surroundings:
    """The hosts' files of this person and project, and how a host starts what is ours (R14)."""
    environment = engram.environment
    windows = environment.platform == "win32"
    pinned = (LAUNCHER, "--from", f"{DISTRIBUTION}=={__version__}")

    def launch(program: str, *, by_path: bool) -> Launch:
        found = environment.program(program)
        if found:
            return Launch((found if by_path else program,), windows)
        beside = os.path.join(os.path.dirname(sys.executable), program)
        if by_path and os.path.isfile(beside):
            return Launch((beside,), windows)
        words = (environment.program(LAUNCHER) or LAUNCHER, *pinned[1:]) if by_path else pinned
        return Launch((*words, program), windows)

    state = environment.state_folder
    return Surroundings(
        HOSTS,
        roots(environment, engram.project),
        launch(SERVER_PROGRAM, by_path=False),
        launch(PROGRAM, by_path=False),
        launch(SERVER_PROGRAM, by_path=True),
        launch(PROGRAM, by_path=True),
        __version__,
        TEXTS,
        Ledger(os.path.join(state, "links.json") if state else ""),
    )


def standing(rows: Sequence[Row]) -> str:
    """How a host stands in one scope, from its placements.

    Files that agents share do not make a host linked: its server or its hook does, where it has
    any.
    """
    states = {row.state for row in rows if row.state}
    own = {row.state for row in rows if row.state and row.purpose in (SERVER, HOOK)} or states
    if any(row.action == REFUSE for row in rows):
        return "unreadable"
    if own <= {ABSENT}:
        return ABSENT
    for each in (ALTERED, STALE):
        if each in states:
            return each
    return PARTIAL if ABSENT in states else CURRENT


def _chosen(names: Sequence[str], every: Sequence[Host]) -> list[Host]:
    """The hosts by these names; `all` stands for `every`."""
    known = {host.name: host for host in HOSTS}
    chosen: dict[str, Host] = {}
    for name in names:
        word = ALIASES.get(name.lower(), name.lower())
        if word != ALL and word not in known:
            raise InvalidRequest(
                "link.unknown_host",
                f"There is no host “{name}”.",
                hint=f"{nearest(word, (*known, ALL))} See: engram link list",
            )
        for host in every if word == ALL else [known[word]]:
            chosen[host.name] = host
    return list(chosen.values())


def _carried_out(
    engram: Engram, around: Surroundings, plan: Plan, says: Sequence[str], *, planned: bool
) -> Result:
    if not planned:
        carry_out(around, plan)
    return report(engram, plan, says, planned=planned)


def _listed(engram: Engram, around: Surroundings) -> Result:
    """Every host, whether it is used here, and how it stands in each scope."""
    here = {host.name for host in detected(engram, around)}
    told: list[dict[str, object]] = []
    for host in HOSTS:
        stands = {
            scope: standing(rows_of(around, host, scope)) if host.placements(scope) else "none"
            for scope in (WORKSPACE, GLOBAL)
        }
        told.append(
            {
                "host": host.name,
                "title": host.title,
                "detected": host.name in here,
                **stands,
                "source": host.source,
                "checked": host.checked,
            }
        )
    return Result(table(told), {"hosts": told})
