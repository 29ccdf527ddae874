"""What a person sees on a terminal: results, remarks, failures, progress."""

from __future__ import annotations

import sys
from time import monotonic

from engram.system.environment import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from engram.app.results import Diagnostic, Result
    from engram.errors import EngramError

RESET = "\x1b[0m"
BOLD, DIM, RED, GREEN, YELLOW, CYAN = (f"\x1b[{code}m" for code in (1, 2, 31, 32, 33, 36))
LABELS = {"info": ("note", CYAN), "warning": ("warning", YELLOW), "error": ("error", RED)}
VERDICTS = {"ADD": GREEN, "UPDATE": YELLOW, "SUPERSEDE": YELLOW, "NOOP": DIM}
SEPARATOR = " · "
QUIET_SECONDS = 1.0  # work that takes no longer shows no progress
BAR_WIDTH = 24


class Screen:
    """Standard output and standard error, coloured only where a person looks at them."""

    def __init__(self, environment: Environment) -> None:
        self.colour_out = _wants_colour(environment) and environment.output_is_terminal
        self.colour_error = _wants_colour(environment) and environment.error_is_terminal
        self.watched = environment.error_is_terminal

    def show(self, result: Result, diagnostics: Sequence[Diagnostic]) -> None:
        """Print the answer, then what else the reader should know."""
        if result.text:
            self.print(result.text)
        for each in diagnostics:
            label, colour = LABELS[each.severity]
            self._remark(label, colour, each.message)
            if each.remediation:
                self._remark("hint", DIM, each.remediation)

    def print(self, text: str) -> None:
        """Write a text, its line end included, to standard output."""
        if self.colour_out:
            text = "\n".join(_painted(line) for line in text.split("\n"))
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()

    def fail(self, error: EngramError) -> None:
        """Print why it did not work, and how to go on."""
        self._remark("engram", RED, error.message)
        if error.hint:
            self._remark("hint", DIM, error.hint)

    def progress(self) -> Progress | None:
        """Who watches long work; None where nobody looks."""
        return Progress(sys.stderr) if self.watched else None

    def _remark(self, label: str, colour: str, message: str) -> None:
        start = f"{colour}{label}:{RESET}" if self.colour_error else f"{label}:"
        sys.stdout.flush()
        sys.stderr.write(f"{start} {message}\n")
        sys.stderr.flush()


class Progress:
    """A bar on one line, called with (done, total); it shows when the work takes a while."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._shown = -1

    def __call__(self, done: int, total: int) -> None:
        if self._clock() - self._started < QUIET_SECONDS and self._shown < 0:
            return
        filled = BAR_WIDTH * done // total if total else BAR_WIDTH
        if filled == self._shown and done < total:
            return
        self._shown = filled
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        self._stream.write(f"\r{bar} {done:,} of {total:,}")
        if done >= total:
            self._stream.write("\r\x1b[K")
        self._stream.flush()


def _wants_colour(environment: Environment) -> bool:
    """The convention of no-color.org, and terminals that know no colour."""
    variables = environment.variables
    return not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"


def _painted(line: str) -> str:
    """A line with its landmarks coloured: headings, ids, verdicts, what to do next."""
    if line.startswith("#"):
        return f"{BOLD}{line}{RESET}"
    label, colon, rest = line.partition(": ")
    if colon and label.strip() == "Verdict":
        colour = VERDICTS.get(rest.split(" ")[0], "")
        return f"{label}: {colour}{rest}{RESET}"
    if colon and label == "Agent action":
        return f"{YELLOW}{line}{RESET}"
    first, separator, rest = line.partition(SEPARATOR)
    if separator and ":" in first and " " not in first.strip():
        return f"{CYAN}{first}{RESET}{separator}{rest}"
    return line
