"""The one place that asks the machine: variables, home, working directory, clock, chance, terminal."""

from __future__ import annotations

import os
import sys
import time

from engram.errors import InvalidRequest, Unavailable
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import IO


_TERMINAL = ("CONIN$", "CONOUT$") if sys.platform == "win32" else ("/dev/tty", "/dev/tty")
_MAC_SUPPORT = "Library/Application Support"


class Environment(Record):
    """The machine as one run sees it; a test builds its own."""

    variables: Mapping[str, str]
    home: str  # "" where the account has none
    working_directory: str  # "" where it was deleted
    platform: str = sys.platform  # as sys.platform spells it
    clock: Callable[[], float] = time.time  # seconds since 1970

    @classmethod
    def of_this_process(cls) -> Environment:
        """What the running process sees; never fails."""
        variables = dict(os.environ)
        return cls(variables, _home(variables), _working_directory())

    def absolute(self, path: str) -> str:
        """The absolute form of a path that a person wrote: `~` and the working directory filled in.

        Raises Unavailable (environment.no_working_directory) for a relative path when the
        working directory is gone.
        """
        if path == "~" or path[:2] in ("~/", "~" + os.sep):
            path = self.home + path[1:]
        if os.path.isabs(path):
            return os.path.normpath(path)
        if not self.working_directory:
            raise Unavailable(
                "environment.no_working_directory",
                "The working directory no longer exists.",
                hint="Change to a folder that does, then try again.",
            )
        return os.path.normpath(os.path.join(self.working_directory, path))

    def now(self) -> float:
        """Seconds since 1970."""
        return self.clock()

    def today(self) -> str:
        """The person's date, as YYYY-MM-DD."""
        return time.strftime("%Y-%m-%d", time.localtime(self.now()))

    def timestamp(self) -> str:
        """The second in UTC, as 2026-01-31T23:59:59Z."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now()))

    def random_token(self, nbytes: int) -> str:
        """`nbytes` of the system's best randomness, two hex digits each."""
        return os.urandom(nbytes).hex()

    def program(self, name: str) -> str:
        """The absolute path of a program on the PATH, or ""."""
        import shutil  # noqa: PLC0415 - only those who connect hosts look

        found = shutil.which(name, path=self.variables.get("PATH", ""))
        return os.path.abspath(found) if found else ""

    def standard_input(self, limit: int) -> bytes:
        """All of standard input, at most `limit` bytes; raises InvalidRequest when there is more."""
        data = sys.stdin.buffer.read(limit + 1)
        if len(data) > limit:
            raise InvalidRequest(
                "input.too_long",
                f"Standard input holds more than {limit:,} bytes.",
                hint="Give it in parts.",
            )
        return data

    @property
    def input_is_terminal(self) -> bool:
        """Whether a person may be typing the standard input."""
        return _is_terminal(sys.stdin)

    @property
    def output_is_terminal(self) -> bool:
        """Whether the standard output is read on a terminal."""
        return _is_terminal(sys.stdout)

    @property
    def error_is_terminal(self) -> bool:
        """Whether the standard error is read on a terminal."""
        return _is_terminal(sys.stderr)

    @property
    def cache_folder(self) -> str:
        """Engram's folder for what can be made again; "" where there is no place for it."""
        return self._place("XDG_CACHE_HOME", ".cache", "Library/Caches", ("LOCALAPPDATA", "cache"))

    @property
    def state_folder(self) -> str:
        """Engram's folder for what this machine remembers: counts, the key; "" where none can be."""
        return self._place(
            "XDG_STATE_HOME", ".local/state", _MAC_SUPPORT, ("LOCALAPPDATA", "state")
        )

    @property
    def config_folder(self) -> str:
        """The folder of the person's own settings: `ENGRAM_CONFIG_DIR`, else the platform's place."""
        named = self.variables.get("ENGRAM_CONFIG_DIR", "")
        if named:
            return self.absolute(named)
        return self._place("XDG_CONFIG_HOME", ".config", _MAC_SUPPORT, ("APPDATA", ""))

    @property
    def person_settings(self) -> str:
        """The file of the person's own settings; "" where there is no place for it."""
        folder = self.config_folder
        return os.path.join(folder, "engram.config.json") if folder else ""

    def _place(self, xdg: str, below_home: str, mac: str, windows: tuple[str, str]) -> str:
        """`engram` in the platform's folder: XDG Base Directory, macOS's Library, Windows' AppData."""
        if self.platform == "win32":
            variable, part = windows
            base = self.variables.get(variable, "")
            return os.path.join(base, "engram", part).rstrip("/\\") if base else ""
        named = self.variables.get(xdg, "")
        if os.path.isabs(named):  # the specification: a relative path is to be ignored
            return os.path.join(named, "engram")
        if not self.home:
            return ""
        base = mac if self.platform == "darwin" else below_home
        return os.path.join(self.home, base, "engram")


def controlling_terminal() -> tuple[IO[str], IO[str]] | None:
    """The terminal of the person who started this process, to read from and to write to.

    Never standard input, which a pipe can feed. None where there is no terminal. The caller
    closes both.
    """
    try:
        reader = open(_TERMINAL[0], encoding="utf-8", errors="replace")  # noqa: SIM115 - handed on open
    except OSError:
        return None
    try:
        return reader, open(_TERMINAL[1], "w", encoding="utf-8", errors="replace")
    except OSError:  # it can be read, not written
        reader.close()
        return None


def git_setting(folder: str, name: str) -> str:
    """What git's configuration says in `folder`, such as `user.name`; "" without git or a value."""
    import subprocess  # noqa: PLC0415 - only writers ask git

    try:
        told = subprocess.run(
            ["git", "config", "--get", name],  # noqa: S607 - the person's own git
            cwd=folder or None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.decode("utf-8", "replace").strip()


def _home(variables: Mapping[str, str]) -> str:
    named = variables.get("USERPROFILE" if sys.platform == "win32" else "HOME", "")
    if os.path.isabs(named):
        return named
    try:
        import pwd  # noqa: PLC0415 - not on Windows, and only without HOME

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):  # no such database, or no such account in it
        return ""


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _is_terminal(stream: IO[str] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False
