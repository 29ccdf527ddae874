"""The doctor: is what there is sound, and would each host really reach it? One line a check."""

from __future__ import annotations

import os

from engram.app.health import verify
from engram.app.inputs import Doctor, Verify
from engram.app.linking import detected, surroundings
from engram.app.mcp_client import Server
from engram.app.recovery import pending_of
from engram.app.results import Result
from engram.app.stores import OpenStores
from engram.errors import EngramError
from engram.hosts import dangers, formats, toml_file
from engram.hosts.edits import MISSING
from engram.hosts.formats import ABSENT, ALTERED, STALE
from engram.hosts.placement import ENTRY, GLOBAL, HOOK, SERVER, TABLE, WORKSPACE, Host, Placement
from engram.hosts.surroundings import REFUSE, Row, Surroundings, present, read_file, rows_of
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.app.engram import Engram

OK, INFO, WARN, FAIL = "ok", "info", "warn", "fail"
FINDINGS = 1  # exit status
PATIENCE_SECONDS = 60.0  # a launcher may have to fetch what it starts


class Check(Record):
    """One thing looked at."""

    id: str
    status: str  # OK | INFO | WARN | FAIL
    message: str
    mend: str = ""  # the command, or the step, that mends it

    @property
    def text(self) -> str:
        told = f"{self.status:<5} {self.id:<26} {self.message}"
        return f"{told}\n      mend: {self.mend}" if self.mend else told


def doctor(engram: Engram, asked: Doctor) -> Result:
    """Look at the stores, the index and every linked host; starts each registered server.

    Exit status 1 when a check fails, with `strict` also when one warns.
    """
    checks = [*_stores(engram), *_hosts(engram)]
    bad = (FAIL, WARN) if asked.strict else (FAIL,)
    found = [each for each in checks if each.status in (FAIL, WARN)]
    closing = f"{len(checks)} checks, {len(found)} to look at." if found else "All is well."
    return Result(
        "\n".join([*(each.text for each in checks), closing]),
        {"checks": [vars(each) for each in checks]},
        exit_status=FINDINGS if any(each.status in bad for each in checks) else 0,
    )


def _stores(engram: Engram) -> Iterator[Check]:
    if not engram.stores:
        yield Check("store.none", WARN, "There is no memory here.", "engram inject")
        return
    for layout in engram.stores:
        is_writable = os.access(layout.root, os.W_OK)
        message = f"{layout.scope} memory in {layout.root}"
        yield (
            Check(f"store.{layout.scope}", OK, message)
            if is_writable
            else Check("store.read_only", WARN, f"{message} cannot be written.", "mend its rights")
        )
        try:
            waiting = len(pending_of(engram, layout).waiting())
        except EngramError as error:
            yield Check("store.pending", FAIL, error.message, error.hint)
            continue
        if waiting:
            yield Check("store.waiting", INFO, f"{waiting} proposals wait.", "engram review")
    yield from _memories(engram)
    yield from _index(engram)


def _memories(engram: Engram) -> Iterator[Check]:
    found = verify(engram, Verify())
    checked, findings = found.data["checked"], found.data["findings"]
    assert isinstance(findings, list)  # noqa: S101 - what verify gives
    for each in findings:
        part = "store" if each["problem"] in ("malformed", "duplicate") else "manifest"
        place = f"{each['scope']}:{each['path']}"
        line = f", line {each['line']}" if each["line"] else ""
        mend = each["hint"] or "engram verify"
        yield Check(f"{part}.{each['problem']}", WARN, f"{place}{line}: {each['message']}", mend)
    if not findings:
        yield Check("manifest.ok", OK, f"{checked} memories, all as approved")


def _index(engram: Engram) -> Iterator[Check]:
    try:
        with OpenStores(engram) as stores:
            stores.refresh(complete=True)
            notes = [each for each in stores.diagnostics if each.id == "index.fallback"]
    except EngramError as error:
        yield Check("index.unusable", FAIL, error.message, error.hint)
        return
    folder = engram.environment.cache_folder
    for each in notes:
        yield Check("index.fallback", WARN, each.message, f"remove or mend {folder}")
    if not notes:
        yield Check("index.ok", OK, f"up to date, in {folder}")


def _hosts(engram: Engram) -> Iterator[Check]:
    around = surroundings(engram)
    linked = False
    answered: dict[tuple[str, ...], Check] = {}
    for host in around.hosts:
        for scope in (WORKSPACE, GLOBAL):
            rows = rows_of(around, host, scope)
            if any(row.state not in ("", ABSENT) for row in rows) and not host.is_general:
                linked = True
            yield from _rows(rows, f"engram link {host.name}{' --global' * (scope == GLOBAL)}")
            yield from _servers(engram, around, host, scope, answered)
        yield from _dangers(around, host)
        yield from _untrusted(around, host)
    if not linked:
        names = [host.name for host in detected(engram, around)]
        mend = f"engram link {' '.join(names) or 'list'}"
        yield Check("host.none", INFO, "No coding agent is linked here.", mend)


def _rows(rows: list[Row], again: str) -> Iterator[Check]:
    for row in rows:
        about = f"{row.host}, {row.purpose} in {row.path}"
        if row.action == REFUSE:
            yield Check("host.unreadable", FAIL, f"{row.host}, {row.path}: {row.reason}")
        elif row.state == STALE:
            message = f"{about}: not what this version links."
            yield Check("host.stale_pin", WARN, message, "engram upgrade")
        elif row.state == ALTERED:
            message = f"{about}: changed by hand."
            yield Check("host.altered", INFO, message, f"keep it, or: {again} --force")


def _servers(
    engram: Engram,
    around: Surroundings,
    host: Host,
    scope: str,
    answered: dict[tuple[str, ...], Check],
) -> Iterator[Check]:
    """Start each registered server as its host would, once for each command line."""
    for placement in present(around, host, scope):
        words = _registered(around, placement)
        if words and words not in answered:
            answered[words] = _answer(engram, words)
            yield answered[words]


def _registered(around: Surroundings, placement: Placement) -> tuple[str, ...]:
    if placement.purpose != SERVER or placement.format not in (ENTRY, TABLE):
        return ()
    try:
        content = read_file(around.place(placement))
        value = formats.value_in(content, placement) if content is not None else MISSING
    except EngramError:
        return ()
    return tuple(formats.vector(value)) if value is not MISSING else ()


def _answer(engram: Engram, words: tuple[str, ...]) -> Check:
    line = " ".join(words)
    path = engram.environment.program(words[0])
    if not path:
        return Check(
            "host.command_missing",
            FAIL,
            f"{words[0]} is not on the PATH, so “{line}” cannot start.",
            "install it, or run: engram upgrade",
        )
    clock = engram.environment.now
    began = clock()
    try:
        with Server(
            engram.project,
            engram.environment.variables,
            command=(path, *words[1:]),
            options=(),
            patience_seconds=PATIENCE_SECONDS,
        ) as server:
            version = server.initialize()["serverInfo"]["version"]
    except (EngramError, OSError, LookupError) as error:
        return Check("host.no_answer", FAIL, f"“{line}” does not answer: {error}", "engram upgrade")
    took = (clock() - began) * 1000
    return Check("host.server", OK, f"“{line}” ({path}) is {version}, answers in {took:.0f} ms")


def _dangers(around: Surroundings, host: Host) -> Iterator[Check]:
    for danger, path in dangers.found(around, host.dangers):
        yield Check(danger.check, WARN, f"{path}: {danger.message}", danger.mend)


def _untrusted(around: Surroundings, host: Host) -> Iterator[Check]:
    """Hooks that their host passes over in silence until the person trusts them."""
    path, at = host.hook_trust
    if not path:
        return
    try:
        content = read_file(around.path(path))
        trusted = toml_file.get(content, at) if content is not None else MISSING
    except EngramError:
        return
    keys = list(trusted) if isinstance(trusted, dict) else []
    for scope in (WORKSPACE, GLOBAL):
        hooks = {
            row.path
            for row in rows_of(around, host, scope)
            if row.purpose == HOOK and row.state not in ("", ABSENT)
        }
        for file in sorted(hooks):
            if not any(key.startswith(f"{file}:") for key in keys):
                message = f"{host.name} does not run the hooks in {file} until you trust them."
                yield Check("host.untrusted_hook", WARN, message, "open /hooks there and trust it")
