"""What becomes of a failure that nobody foresaw: one line on the screen, the rest in a log."""

from __future__ import annotations

import os
import traceback

from engram import __version__
from engram.errors import EngramError
from engram.system.environment import Environment

LOG_NAME = "cli.log"
LOG_LIMIT = 1_000_000  # bytes; a longer log starts anew


def bug(error: Exception, environment: Environment) -> EngramError:
    """The failure to show; the traceback goes to the log, or into it with `ENGRAM_DEBUG=1`."""
    trace = "".join(traceback.format_exception(error))
    message = f"Engram met a fault of its own ({type(error).__name__})."
    if environment.variables.get("ENGRAM_DEBUG"):
        return EngramError("bug", f"{message}\n{trace}")
    path = _log(trace, environment)
    hint = f"What happened is in {path}; it helps in a report." if path else ""
    return EngramError("bug", message, hint=hint or "With ENGRAM_DEBUG=1 it shows what happened.")


def _log(trace: str, environment: Environment) -> str:
    """Append to the log in the cache folder; its path, "" where nothing can be written."""
    folder = environment.cache_folder
    if not folder:
        return ""
    path = os.path.join(folder, LOG_NAME)
    entry = f"{environment.timestamp()} engram {__version__}\n{trace}\n".encode(errors="replace")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fresh = not os.path.exists(path) or os.path.getsize(path) > LOG_LIMIT
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if fresh else os.O_APPEND)
        descriptor = os.open(path, flags, 0o600)
        with open(descriptor, "wb") as log:
            log.write(entry)
    except OSError:
        return ""
    return path
