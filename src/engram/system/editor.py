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
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            status = subprocess.run([*command, path], check=False).returncode
        except OSError as error:
            raise _failed(command, str(error)) from error
        if status:
            raise _failed(command, f"it ended with status {status}")
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()


def _command(environment: Environment) -> list[str]:
    named = environment.variables.get("VISUAL") or environment.variables.get("EDITOR")
    if named:
        return shlex.split(named)
    found = next((name for name in _FALLBACKS if shutil.which(name)), None)
    if found is None:
        raise Unavailable(
            "editor.none",
            "There is no editor to open.",
            hint="Set EDITOR, for example EDITOR=nano.",
        )
    return [found]


def _failed(command: list[str], why: str) -> Unavailable:
    return Unavailable(
        "editor.failed",
        f"The editor {command[0]} did not work: {why}.",
        hint="Set EDITOR to one that does. Nothing was changed.",
    )
