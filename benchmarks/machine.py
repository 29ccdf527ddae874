"""The machine that figures were taken on, in one sentence."""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
from pathlib import Path


def described() -> str:
    """Date, processor, system and Python."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    return (
        f"{today}; {processor()}, {os.cpu_count()} cores; {platform.system()}; "
        f"Python {platform.python_version()}"
    )


def processor() -> str:
    """The processor's name as the system gives it."""
    about = Path("/proc/cpuinfo")
    if about.exists():
        named = re.search(
            r"^model name\s*:\s*(.+)$", about.read_text(encoding="utf-8"), re.MULTILINE
        )
        if named:
            return named.group(1)
    return platform.processor() or platform.machine()
