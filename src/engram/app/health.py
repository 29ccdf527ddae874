"""Health: what there is, where it lies, and whether it is what a person approved."""

from __future__ import annotations

import os

from engram import __version__
from engram.app.inputs import Nothing, Verify
from engram.app.reading import NO_STORE
from engram.app.recovery import recover
from engram.app.results import Diagnostic, Result
from engram.app.stores import OpenStores
from engram.core.memory import APPROVED, TYPES, Entry
from engram.errors import EngramError, NotFound
from engram.record import Record
from engram.store.freshness import Survey, survey
from engram.store.layout import MEMORY, Layout
from engram.store.manifest import Manifest, manifest_of
from engram.store.memories import read_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram

FINDINGS = 1  # exit status
BRING_BACK = "Bring the file back (git checkout), or take its line out of {}."


class Finding(Record):
    """One thing that a person should look at."""

    scope: str
    path: str
    id: str
    problem: str  # "changed" | "unreviewed" | "missing" | "malformed" | "duplicate"
    message: str
    line: int = 0
    hint: str = ""

    @property
    def text(self) -> str:
        place = f"{self.scope}:{self.path}" + (f", line {self.line}" if self.line else "")
        return f"{self.problem}  {place}  {self.message}"


def status(engram: Engram, asked: Nothing) -> Result:  # noqa: ARG001 - an operation's shape
    """Counts, places, and what needs a look (clause T4)."""
    if not engram.stores:
        text = f"Engram {__version__}\n{NO_STORE.message} {NO_STORE.remediation}"
        return Result(text, {"version": __version__, "stores": []}, (NO_STORE,))
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        entries = stores.entries()
        told = [_store(layout, entries) for layout in engram.stores]
        lines = [f"Engram {__version__}", *(_store_line(each) for each in told)]
        lines += [f"roles: {', '.join(engram.settings.names('roles')) or 'none'}"]
        lines += [f"look at: {each.message}" for each in stores.diagnostics]
        if any(each["changed"] or each["unreviewed"] for each in told):
            lines.append("look at: engram verify names the files that changed or nobody approved")
        return Result(
            "\n".join(lines), {"version": __version__, "stores": told}, tuple(stores.diagnostics)
        )


def verify(engram: Engram, asked: Verify) -> Result:
    """Compare every memory file with the manifest; exit status 1 when something differs.

    A write that a crash interrupted is finished first.
    """
    if asked.accept:
        from engram.app.curating import accept  # noqa: PLC0415 - the writing side, seldom needed

        return accept(engram, asked.accept, force=asked.force)
    layouts = [each for each in engram.stores if asked.scope in ("", each.scope)]
    if not layouts:
        return Result(NO_STORE.message, {"checked": 0, "findings": []}, (NO_STORE,))
    finished = [each for layout in layouts for each in recover(engram, layout)]
    findings: list[Finding] = []
    checked = 0
    for layout in layouts:
        there = survey(layout, MEMORY)
        checked += len(there.files)
        findings += _check(layout, there)
    lines = [each.text for each in findings]
    lines.append(
        f"{checked} memories checked, "
        + (f"{len(findings)} to look at." if findings else "all as approved.")
    )
    data = {"checked": checked, "findings": [dict(vars(each)) for each in findings]}
    diagnostics = tuple(
        Diagnostic(f"memory.{each.problem}", "warning", each.text, each.hint) for each in findings
    )
    return Result("\n".join(lines), data, (*finished, *diagnostics), FINDINGS if findings else 0)


def _check(layout: Layout, there: Survey) -> list[Finding]:
    manifest = manifest_of(layout)
    findings = _unreadable(layout, there)
    used: dict[str, str] = {}
    for path in sorted([*there.links, *(path for path, *_ in there.files)]):
        id = layout.id_of(path)
        if id in used:
            message = f"Its name is also that of {used[id]}, which is used."
            hint = "Rename one of the two."
            findings.append(Finding(layout.scope, path, id, "duplicate", message, hint=hint))
            continue
        used[id] = path
        finding = _check_file(layout, manifest, path, id)
        if finding is not None:
            findings.append(finding)
    return findings + _missing(layout, manifest, there)


def _check_file(layout: Layout, manifest: Manifest, path: str, id: str) -> Finding | None:
    try:
        stored = read_memory(layout, path)
    except NotFound:  # taken away since the folder was listed
        return None
    except EngramError as error:
        line = error.details.get("line", 0)
        return Finding(
            layout.scope,
            path,
            id,
            "malformed",
            error.message,
            line if isinstance(line, int) else 0,
            error.hint or "Mend the file, or take it out of this folder.",
        )
    state = manifest.state(path, stored.data)
    if state == APPROVED:
        return None
    message = {
        "changed": "It differs from what was approved.",
        "unreviewed": "Nobody approved it here.",
    }[state]
    return Finding(
        layout.scope, path, id, state, message, hint=f"Take it in with: engram verify --accept {id}"
    )


def _unreadable(layout: Layout, there: Survey) -> list[Finding]:
    """What no memory can be read from, whatever is in it."""
    told = [
        *((path, "The folder cannot be read.", "Make it readable.") for path in there.unreadable),
        *((path, "Its name is not text in UTF-8.", "Rename the file.") for path in there.misnamed),
    ]
    return [
        Finding(layout.scope, path, "", "malformed", message, hint=hint)
        for path, message, hint in sorted(told)
    ]


def _missing(layout: Layout, manifest: Manifest, there: Survey) -> list[Finding]:
    present = {path for path, *_ in there.files} | set(there.links)
    unknown = tuple(f"{folder}/" for folder in there.unreadable)
    message, hint = "It was approved and is gone.", BRING_BACK.format(_name_of_manifest(layout))
    return [
        Finding(layout.scope, path, layout.id_of(path), "missing", message, hint=hint)
        for path in sorted(manifest.paths)
        if path not in present and not path.startswith(unknown) and not layout.is_archived(path)
    ]


def _name_of_manifest(layout: Layout) -> str:
    """The file that holds in this store: ours, or that of the earlier edition."""
    places = (layout.manifest, layout.legacy_manifest)
    return os.path.basename(next((p for p in places if os.path.lexists(p)), layout.manifest))


def _store(layout: Layout, entries: list[Entry]) -> dict[str, object]:
    here = [entry for entry in entries if entry.scope == layout.scope]
    live = [entry for entry in here if not entry.archived and entry.tier == "durable"]
    return {
        "scope": layout.scope,
        "root": layout.root,
        "memories": len(live),
        **{kind: sum(entry.type == kind for entry in live) for kind in TYPES},
        "archived": sum(entry.archived for entry in here),
        "notes": sum(entry.tier == "working" for entry in here),
        "changed": [entry.id for entry in live if entry.state == "changed"],
        "unreviewed": [entry.id for entry in live if entry.state == "unreviewed"],
    }


def _store_line(told: dict[str, object]) -> str:
    counts = ", ".join(f"{told[kind]} {kind}" for kind in TYPES)
    extra = [f"{told[name]} {name}" for name in ("archived", "notes") if told[name]]
    extra += [f"{len(ids)} {n}" for n in ("changed", "unreviewed") if (ids := list(_ids(told, n)))]
    return (
        f"{told['scope']}: {told['memories']} memories ({counts}"
        + (f"; {', '.join(extra)})" if extra else ")")
        + f" in {told['root']}"
    )


def _ids(told: dict[str, object], name: str) -> list[str]:
    ids = told[name]
    return list(ids) if isinstance(ids, list) else []
