"""The person's own editor on a piece of text."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile

from engram.errors import Unavailable
from engram.system.environment import Environment

_FALLBACKS = ("nano", "vi", "notepad")


def edited(environment: Environment, text: str, name: str) -> str:
    """`text` as the person left it in their editor (`$VISUAL`, `$EDITOR`, else a usual one).

    The file is called `name`, in a folder of its own that is removed. Raises Unavailable when
    there is no editor or it fails.
    """
    command = _command(environment)
    with tempfile.TemporaryDirectory(prefix="engram-") as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        try:
            status = subprocess.run([*command, path], check=False).returncode
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise _failed(command, str(error)) from error
        if status:
            raise _failed(command, f"it ended with status {status}")
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise _failed(command, "what it left is not text in UTF-8") from error


def _command(environment: Environment) -> list[str]:
    set_to = (environment.variables.get(name, "").strip() for name in ("VISUAL", "EDITOR"))
    named = next((each for each in set_to if each), "")
    if named:
        return _words(named, windows=environment.platform == "win32")
    found = next((name for name in _FALLBACKS if shutil.which(name)), None)
    if found is None:
        raise Unavailable(
            "editor.none",
            "There is no editor to open.",
            hint="Set EDITOR, for example EDITOR=nano.",
        )
    return [found]


def _words(named: str, *, windows: bool) -> list[str]:
    """The program and its arguments; a backslash is a part of a path on Windows."""
    try:
        words = shlex.split(named, posix=not windows)
    except ValueError as error:
        raise _failed([named], str(error)) from error
    return [word.strip('"') for word in words] if windows else words


def _failed(command: list[str], why: str) -> Unavailable:
    return Unavailable(
        "editor.failed",
        f"The editor {command[0]} did not work: {why}.",
        hint="Set EDITOR to one that does. Nothing was changed.",
    )
