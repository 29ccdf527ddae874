"""What every test stands on: a home of its own, so that no test reaches the person's files."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# What would let the machine, or a session that the tests run in, show through.
FOREIGN = ("ENGRAM_", "XDG_", "GIT_", "CLAUDE", "CODEX_", "GEMINI_", "CURSOR_", "OPENCODE")
SWITCHES = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
SCRIPTS = str(Path(sys.executable).parent)


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Path]]:
    """An endless row of empty home folders; the first serves what outlives a test."""
    row = map(_made, itertools.repeat(tmp_path_factory.mktemp("homes")), itertools.count())
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name.startswith(FOREIGN) or name in SWITCHES:
                patch.delenv(name)
        patch.setenv("PATH", os.pathsep.join([SCRIPTS, os.environ.get("PATH", os.defpath)]))
        for name, value in variables_of(next(row)).items():
            patch.setenv(name, value)
        yield row


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder for this test and for every process that it starts."""
    scratch = next(homes)
    for name, value in variables_of(scratch).items():
        monkeypatch.setenv(name, value)
    return scratch


def variables_of(home: Path) -> dict[str, str]:
    """The variables that keep a process inside `home`, with a git identity that is nobody's."""
    return {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "A Developer",
        "GIT_AUTHOR_EMAIL": "developer@example.com",
        "GIT_COMMITTER_NAME": "A Developer",
        "GIT_COMMITTER_EMAIL": "developer@example.com",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "A Developer",
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "developer@example.com",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "TZ": "UTC",
    }


def _made(row: Path, number: int) -> Path:
    home = row / str(number)
    home.mkdir()
    return home
