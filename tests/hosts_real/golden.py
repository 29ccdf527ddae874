"""Every server, hook and gate that `link` writes into new files, as one text for a platform.

usage: python -m tests.hosts_real.golden posix|windows
"""

from __future__ import annotations

import sys

from engram.hosts.catalogue import HOSTS
from engram.hosts.formats import put
from engram.hosts.placement import GATE, HOOK, SERVER, Context, Launch, Placement

PLACES = {"posix": "/opt/my tools/", "windows": "C:\\Program Files\\Engram\\"}


def golden(platform: str) -> str:
    """The paths of the catalogue in its order, each with the bytes of the file."""
    files: dict[str, bytes] = {}
    for host in HOSTS:
        context = _context(platform, host.name)
        for placement in (*host.workspace, *host.personal):
            if placement.purpose in (SERVER, HOOK, GATE):
                _write(files, placement, context)
    return "\n".join(f"=== {path}\n{content.decode()}" for path, content in files.items())


def _context(platform: str, host: str) -> Context:
    end = ".exe" if platform == "windows" else ""
    server, hook = (f"{PLACES[platform]}{name}{end}" for name in ("engram-mcp", "engram"))
    on_windows = platform == "windows"
    return Context(
        Launch((server,), on_windows), Launch((hook, "agent-hook", host), on_windows), "0.0.0"
    )


def _write(files: dict[str, bytes], placement: Placement, context: Context) -> None:
    files[placement.path] = put(files.get(placement.path), placement, context)


if __name__ == "__main__":
    sys.stdout.write(golden(sys.argv[1]))
