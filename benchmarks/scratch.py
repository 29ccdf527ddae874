"""A project and a home that a measurement has to itself."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Scratch(NamedTuple):
    """Folders below one, and the variables that keep processes inside."""

    folder: Path
    variables: dict[str, str]

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def store(self) -> Path:
        return self.project / ".agents" / ".engram"

    @property
    def cache(self) -> Path:
        return self.folder / "home" / "cache"


class Run(NamedTuple):
    """One finished process."""

    seconds: float
    cpu_seconds: float  # of the whole process; what other programs do hardly shows in it
    peak_bytes: int
    output: bytes


def scratch(folder: Path) -> Scratch:
    """Make the folders below `folder`."""
    home = folder / "home"
    for each in (home, folder / "project" / ".agents" / ".engram"):
        each.mkdir(parents=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in {"PATH", "SYSTEMROOT", "TMPDIR", "TEMP"}
    }
    places = {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"}
    return Scratch(
        folder,
        {
            **kept,
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            **{name: str(home / place) for name, place in places.items()},
        },
    )


def timed(command: Sequence[str], place: Scratch, given: bytes | None = None) -> Run:
    """Run a command to its end: wall time, peak memory, what it printed; it must succeed.

    `given` stands on its standard input, whether it reads that or not.
    """
    began = time.perf_counter()
    running = subprocess.Popen(
        command,
        cwd=place.project,
        env=place.variables,
        stdin=None if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert running.stdout is not None
    if running.stdin is not None:
        with suppress(BrokenPipeError):  # it ended without reading
            running.stdin.write(given or b"")
            running.stdin.close()
    output = running.stdout.read()
    _, status, usage = os.wait4(running.pid, 0)
    seconds = time.perf_counter() - began
    running.stdout.close()
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {running.returncode}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output)


def answered(command: Sequence[str], line: bytes, place: Scratch) -> Run:
    """Start a server, send one line, wait for one line back; the end of the process is not timed."""
    began = time.perf_counter()
    running = subprocess.Popen(
        command,
        cwd=place.project,
        env=place.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(line)
    running.stdin.flush()
    reply = running.stdout.readline()
    seconds = time.perf_counter() - began
    running.stdin.close()
    running.stdout.read()
    _, _, usage = os.wait4(running.pid, 0)
    running.returncode = 0
    running.stdout.close()
    if not reply:
        raise SystemExit(f"{' '.join(command)}: no reply")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, reply)


def paired(rounds: int, *measured: Callable[[], Run]) -> list[list[Run]]:
    """Each measurement in turn, round by round, so that noise falls on all."""
    return [[measure() for measure in measured] for _ in range(rounds)]
