"""What a run left in a folder."""

from __future__ import annotations

from pathlib import Path


def everything_below(folder: Path) -> set[str]:
    """The relative paths of all files and folders below `folder`."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
