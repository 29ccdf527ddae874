"""An empty home with one project in it, where real agents run against a model on the loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.hosts_real.model import Model
from tests.support.cli import STORE
from tests.support.mcp_peer import Peer

PATIENCE = 180  # seconds that one command of an agent may take
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
PROGRAMS = ("engram", "engram-mcp")
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "COPILOT_OFFLINE": "true",
}

START = "Never print a secret into a log."
RULE = "Invoices are numbered per calendar year."
PROMPT = "How are invoices numbered?"
PROPOSED = "Invoices are printed on yellow paper."


class Said:
    """How a command ended and what it said, without colours."""

    def __init__(self, status: int | None, out: str, err: str) -> None:
        self.status = status  # None: it did not end in time
        self.out = out
        self.err = err

    def __repr__(self) -> str:
        return f"status {self.status}\n--- out\n{self.out[-3000:]}\n--- err\n{self.err[-3000:]}"


class Lab:
    """The home, the project under git with two memories, and whatever runs there."""

    def __init__(self, root: Path, modules: Path, model: Model) -> None:
        self.model = model
        self.home = root / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.bin = root / "bin"
        self.bin.mkdir()
        for name in PROGRAMS:
            (self.bin / name).symlink_to(Path(sys.executable).parent / name)
        node = shutil.which("node")
        assert node is not None
        path = (self.bin, modules / ".bin", Path(node).parent, SYSTEM)
        self.variables = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(map(str, path)),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            **QUIET,
        }
        self._set_up()

    def _set_up(self) -> None:
        self.engram("init")
        self.engram("save", RULE, "--type", "rule", "--force")
        self.engram("save-session", f"TYPE: rule | TEXT: {START} | TAGS: always", "--force")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=Begin")

    # What the person does

    def engram(self, *words: str) -> Said:
        """A command of Engram's that must succeed."""
        said = self.run("engram", *words)
        assert said.status == 0, said
        return said

    def write(self, path: str, content: object) -> None:
        """A file of the home: text, or JSON."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")

    def breaks(self, script: str) -> None:
        """Put a shell script in the place of the program that hooks run; "" for nothing."""
        program = self.bin / "engram"
        program.unlink()
        if not script:
            return
        program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        program.chmod(0o755)

    @contextmanager
    def proposed(self) -> Iterator[tuple[Peer, str]]:
        """A waiting proposal: the other end that made it, and the token to commit it with."""
        usual = {"CACHE": ".cache", "CONFIG": ".config", "STATE": ".local/state"}
        here = {f"XDG_{name}_HOME": str(self.home / place) for name, place in usual.items()}
        with Peer(cwd=self.project, variables=self.variables | here) as peer:
            peer.shake_hands()
            result = peer.call("engram_save", text=PROPOSED, type="knowledge")
            yield peer, result["structuredContent"]["data"]["approval_token"]

    # What can be seen

    def git(self, *words: str) -> str:
        ended = subprocess.run(
            ["git", *words], cwd=self.project, capture_output=True, check=True, encoding="utf-8"
        )
        return ended.stdout

    @property
    def changes(self) -> list[str]:
        """What git sees that was not there at the beginning."""
        return self.git("status", "--porcelain", "--untracked-files=all").splitlines()

    @property
    def memories(self) -> dict[str, bytes]:
        """The files of durable memory."""
        return {
            path.name: path.read_bytes()
            for folder in ("rules", "skills", "knowledge")
            for path in (self.project / STORE / folder).glob("*.md")
        }

    def run(self, *words: str, **variables: str) -> Said:
        """Run a command in the project to its end, or end it and all that it started."""
        with subprocess.Popen(
            words,
            cwd=self.project,
            env=self.variables | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=PATIENCE)
                status: int | None = process.returncode
            except subprocess.TimeoutExpired:
                end_group(process.pid)
                out, err = process.communicate()
                status = None
            end_group(process.pid)
        return Said(status, out, err)


def end_group(number: int) -> None:
    """End whatever a command has left running."""
    with suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)
