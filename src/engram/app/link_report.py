"""What linking did, or would do, as a person reads it."""

from __future__ import annotations

from difflib import unified_diff

from engram.app.results import Result
from engram.errors import Damaged
from engram.hosts.surroundings import (
    ADD,
    CHANGES,
    KEEP,
    LEAVE,
    REFRESH,
    REFUSE,
    REMOVE,
    REPLACE,
    SKIP,
    Edit,
    Plan,
    Row,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram

DONE = {
    ADD: "added",
    REFRESH: "renewed",
    REPLACE: "replaced",
    KEEP: "unchanged",
    REMOVE: "removed",
    LEAVE: "left",
    SKIP: "skipped",
    REFUSE: "refused",
}
PLANNED = {**DONE, ADD: "add", REFRESH: "renew", REPLACE: "replace", REMOVE: "remove"}


def report(engram: Engram, plan: Plan, says: Sequence[str], *, planned: bool) -> Result:
    """The rows by host, then what the person has to do; the diffs where nothing was written yet."""
    words = PLANNED if planned else DONE
    lines: list[str] = []
    for host, scope in dict.fromkeys((row.host, row.scope) for row in plan.rows):
        rows = [row for row in plan.rows if (row.host, row.scope) == (host, scope)]
        lines.append(f"{host} ({scope})")
        lines += dict.fromkeys(_line(engram, row, words) for row in rows)  # two events read as one
    if not any(row.action in CHANGES for row in plan.rows):
        lines.append("Nothing to change.")
    if planned:
        lines += [each for edit in plan.edits for each in ("", *_diff(engram, edit))]
        lines += ["", "Nothing was written: this is a plan."]
    else:
        lines += says
    data = {
        "rows": [vars(row) for row in plan.rows],
        "planned": planned,
        "files": [edit.path for edit in plan.edits],
        "says": list(says),
    }
    return Result("\n".join(lines), data, exit_status=Damaged.exit_status if plan.refused else 0)


def table(told: Sequence[dict[str, object]]) -> str:
    """The hosts and how each stands, in columns."""
    heads = ("host", "used here", "workspace", "global", "what it is")
    rows = [
        (
            str(each["host"]),
            "yes" if each["detected"] else "",
            str(each["workspace"]),
            str(each["global"]),
            str(each["title"]),
        )
        for each in told
    ]
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads) - 1)]
    lines = [
        "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]))
        for row in (heads, *rows)
    ]
    return "\n".join([*lines, "", "Connect one with: engram link <host>"])


def _line(engram: Engram, row: Row, words: dict[str, str]) -> str:
    path = _short(engram, row.path)
    told = f"  {words[row.action]:<10} {row.purpose:<14} {path}".rstrip()
    return f"{told}  ({row.reason})" if row.reason and path else f"{told}  {row.reason}".rstrip()


def _short(engram: Engram, path: str) -> str:
    for root, short in ((engram.project, ""), (engram.environment.home, "~/")):
        if root and path.startswith(root.rstrip("/\\") + "/"):
            return short + path[len(root.rstrip("/\\")) + 1 :]
    return path


def _diff(engram: Engram, edit: Edit) -> list[str]:
    path = _short(engram, edit.path)
    before, after = (
        (content or b"").decode("utf-8", "replace").splitlines()
        for content in (edit.before, edit.after)
    )
    names = (
        path if edit.before is not None else "(none)",
        path if edit.after is not None else "(none)",
    )
    return list(unified_diff(before, after, *names, lineterm=""))
