"""The command line as a real process, in a home folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import engram
from engram.record import Record

SOURCE = str(Path(engram.__file__).parents[1])
PASSED_ON = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP")
STORE = Path(".agents") / ".engram"


class Run(Record):
    """How a process ended, and what it wrote."""

    exit: int
    out: str
    err: str


class Machine:
    """A scratch home with a project in it, where engram can be run."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = self.home / "project"
        self.store = self.project / STORE
        self.project.mkdir(parents=True, exist_ok=True)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of every process: nothing of the real home is in reach."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name in PASSED_ON or name.startswith("COVERAGE_")
        }
        return kept | {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_STATE_HOME": str(self.home / ".state"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "PYTHONPATH": SOURCE,
        }

    @property
    def personal_file(self) -> Path:
        """The person's own settings file."""
        return self.home / ".config" / "engram" / "engram.config.json"

    def set_up(self) -> Machine:
        """Make the folder of the project's store."""
        self.store.mkdir(parents=True, exist_ok=True)
        return self

    def engram(
        self,
        *words: str | bytes,
        cwd: Path | None = None,
        stdin: str | bytes = "",
        **variables: str,
    ) -> Run:
        """Run `engram` with these words in `cwd` (the project) and these further variables."""
        ended = subprocess.run(
            [sys.executable, "-m", "engram", *words],
            cwd=cwd or self.project,
            env=self.variables | variables,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = (each.decode().replace("\r\n", "\n") for each in (ended.stdout, ended.stderr))
        return Run(ended.returncode, out, err)
