"""Run a transcript: `$ command`, then what it must print.

A command goes on in lines that begin with `> `. Standard output and standard error come together;
a status other than 0 stands in a last line, `[exit 3]`. A line `...` stands for any lines. What
differs from run to run is masked: PROJECT and HOME for the folders, DATE, N ms, TOKEN, memory-XXXX.

`python -m tests.journeys.transcript FILE…` writes what the commands print now into the files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ANY_LINES = "..."
FENCE = "```"
CONSOLE = "```console"
SECONDS = 60

MASKS = (
    (re.compile(r"\b20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?\b"), "DATE"),
    (re.compile(r"\b\d+(\.\d+)? ms\b"), "N ms"),
    (re.compile(r"\b[0-9a-f]{48}\b"), "TOKEN"),
    (re.compile(r"\bmemory-[a-z]{4}\b"), "memory-XXXX"),
)


class Step(NamedTuple):
    """One command of a transcript."""

    command: list[str]  # its lines, as they stand
    expected: list[str]

    @property
    def script(self) -> str:
        return "\n".join(line[2:] for line in self.command)


def steps_of(path: Path) -> list[Step]:
    """The steps of a transcript, or of the console blocks of a Markdown page."""
    lines = path.read_text(encoding="utf-8").splitlines()
    steps: list[Step] = []
    shown = path.suffix != ".md"
    for line in lines:
        if path.suffix == ".md" and line.startswith(FENCE):
            shown = line == CONSOLE
        elif shown:
            _take(line, steps)
    return steps


def _take(line: str, steps: list[Step]) -> None:
    if line.startswith("$ "):
        steps.append(Step([line], []))
    elif (line == ">" or line.startswith("> ")) and steps and not steps[-1].expected:
        steps[-1].command.append(line)
    elif steps:
        steps[-1].expected.append(line)


def run(steps: list[Step], project: Path) -> list[list[str]]:
    """What each step prints, masked; they run one after another in the folder `project`."""
    return [_run(step, project) for step in steps]


def _run(step: Step, project: Path) -> list[str]:
    told = subprocess.run(
        ["sh", "-c", step.script],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    lines = masked(told.stdout.decode(), project).splitlines()
    return [*lines, f"[exit {told.returncode}]"] if told.returncode else lines


def masked(text: str, project: Path) -> str:
    """The text without what differs from run to run."""
    text = text.replace(str(project.resolve()), "PROJECT").replace(str(project), "PROJECT")
    text = text.replace(os.environ["HOME"], "HOME")
    for pattern, name in MASKS:
        text = pattern.sub(name, text)
    return text


def agree(expected: list[str], got: list[str]) -> bool:
    """Whether the lines are those expected, blank lines at the end aside."""
    return _agree(_stripped(expected), _stripped(got))


def _agree(expected: list[str], got: list[str]) -> bool:
    if not expected:
        return not got
    if expected[0] == ANY_LINES:
        return any(_agree(expected[1:], got[skipped:]) for skipped in range(len(got) + 1))
    return bool(got) and _same(expected[0], got[0]) and _agree(expected[1:], got[1:])


def _same(expected: str, got: str) -> bool:
    """Whether two lines agree; a page may show a real date or time where the run is masked."""
    for pattern, name in MASKS:
        expected = pattern.sub(name, expected)
    return expected == got


def _stripped(lines: list[str]) -> list[str]:
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def rendered(steps: list[Step], outputs: list[list[str]]) -> str:
    """The transcript with these outputs, but with `...` wherever the expectation holds as it is."""
    shown: list[str] = []
    for step, got in zip(steps, outputs, strict=True):
        lines = step.expected if agree(step.expected, got) else got
        shown += [*step.command, *_stripped(lines)]
    return "\n".join(shown) + "\n"


def rewrite(path: Path, project: Path) -> None:
    """Put what the commands print now into the file."""
    steps = steps_of(path)
    outputs = iter(run(steps, project))
    lines: list[str] = []
    inside, output = path.suffix != ".md", False
    for line in path.read_text(encoding="utf-8").splitlines():
        if path.suffix == ".md" and line.startswith(FENCE):
            inside, output = line == CONSOLE, False
        if inside and line.startswith("$ "):
            step, got = steps.pop(0), next(outputs)
            kept = agree(step.expected, got)
            lines += [*step.command, *(step.expected if kept else got)]
            output = True
        elif not output:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(names: list[str]) -> None:
    from tests.conftest import SCRIPTS, variables_of  # noqa: PLC0415 - imports pytest

    os.environ["PATH"] = os.pathsep.join([SCRIPTS, os.environ["PATH"]])
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            home, project = Path(folder, "home"), Path(folder, "project")
            home.mkdir()
            project.mkdir()
            os.environ.update(variables_of(home))
            rewrite(Path(name), project)


if __name__ == "__main__":
    main(sys.argv[1:])
