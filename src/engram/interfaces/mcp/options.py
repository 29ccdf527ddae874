"""The command line of `engram-mcp`: few options, read by hand so that the start stays quick."""

from __future__ import annotations

from engram import __version__
from engram.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
engram-mcp: project memory for coding agents, over the Model Context Protocol on stdin and stdout.

A coding agent's host starts it; register it with:  engram link <host>

options:
  --workspace DIR    the project (default: ENGRAM_WORKSPACE, else CLAUDE_PROJECT_DIR, else the
                     nearest folder from here upwards that has a store)
  --always-load      ask Claude Code to keep engram_load always in view
  --no-elicitation   never ask in the host's dialog; approve in the chat instead
  --version          print the version
  --help             print this text
"""


class Options(Record):
    """What the command line said."""

    workspace: str = ""
    always_load: bool = False
    elicitation: bool = True
    told: str = ""  # to be printed instead of serving


def options_of(words: Sequence[str]) -> tuple[Options, list[str]]:
    """The options, and what to note about words that are none (contract clause I4)."""
    said: dict[str, object] = {}
    notes: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--workspace":
            folder = value if equals else next(rest, "")
            if folder:
                said["workspace"] = folder
            else:
                notes.append("--workspace needs a folder; ignored.")
        elif word in _FLAGS:
            said.update(_FLAGS[word])
        else:
            notes.append(f"unknown option {word}; ignored.")
    return replace(Options(), **said), notes


_FLAGS: dict[str, dict[str, object]] = {
    "--always-load": {"always_load": True},
    "--no-elicitation": {"elicitation": False},
    "--version": {"told": f"engram-mcp {__version__}\n"},
    "--help": {"told": HELP},
    "-h": {"told": HELP},
}
