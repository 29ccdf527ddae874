"""Planned edits to files: all of them or none."""

from __future__ import annotations

import os

from engram.errors import Conflict, EngramError
from engram.hosts.surroundings import Edit, Plan, Surroundings, read_file
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.ledger import Linked


def carry_out(around: Surroundings, plan: Plan) -> None:
    """Write what was planned, all of it or nothing.

    Raises Conflict (host.changed) when a file moved on since the plan, Unavailable when the disk
    will not; then every file is as it was.
    """
    done: list[Edit] = []
    try:
        for edit in plan.edits:
            if read_file(edit.path) != edit.before:
                raise Conflict(
                    "host.changed",
                    f"{edit.path} has changed since it was looked at.",
                    hint="Nothing was written. Run the command again.",
                )
            done.append(edit)
            _write(edit.path, edit.after)
    except EngramError:
        for edit in reversed(done):
            _write(edit.path, edit.before)
        raise
    for target, linked in plan.ledger.items():
        if linked is None:
            _remove_folders(target, around.ledger.files.pop(target, None))
        else:
            around.ledger.files[target] = linked
    around.ledger.save()


def _write(path: str, content: bytes | None) -> None:
    if content is None:
        files.remove_file(os.path.realpath(path))
        return
    files.make_folder(os.path.dirname(os.path.realpath(path)))
    files.replace_file(path, content, follow=True)


def _remove_folders(target: str, linked: Linked | None) -> None:
    """Remove the folders that were made for a file that is gone, as far as they are empty."""
    if os.path.lexists(target) or linked is None:
        return
    for folder in reversed(linked.folders):
        try:
            os.rmdir(folder)
        except OSError:
            return
