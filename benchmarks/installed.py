"""Engram as a person installs it: a wheel, in a virtual environment of its own, compiled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NO_BYTE_CODE = "PYTHONDONTWRITEBYTECODE"
RUNTIME = ("pystemmer", "pyyaml")


def install(folder: Path) -> Path:
    """Build the wheel and install it below `folder`; returns the environment's scripts folder."""
    _run(sys.executable, "-m", "venv", str(folder / "venv"))
    scripts = folder / "venv" / "bin"
    pip = (str(scripts / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet")
    build = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*build, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT))
    (folder / "runtime.txt").write_text(runtime_requirements(), encoding="utf-8")
    _run(*pip, "install", "--require-hashes", "-r", str(folder / "runtime.txt"))
    (wheel,) = folder.glob("engram_protocol-*.whl")
    _run(*pip, "install", "--no-deps", "--compile", str(wheel))
    return scripts


def runtime_requirements() -> str:
    """The locked lines of what the distribution needs at run time, hashes included."""
    locked = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    entries = re.findall(r"^[\w.-]+==.*(?:\n {4}--hash.*)*", locked, re.MULTILINE)
    return "\n".join(each for each in entries if each.split("==")[0].lower() in RUNTIME) + "\n"


def _run(*command: str) -> None:
    # A person's pip writes byte code; a variable of this process must not keep it from that.
    variables = {name: value for name, value in os.environ.items() if name != NO_BYTE_CODE}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=variables)
