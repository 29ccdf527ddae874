"""Where a person finds their way: `engram` alone, and the list of commands."""

from __future__ import annotations

from engram.app.command_line import COMMON, aligned, remarks, signature
from engram.app.inputs import Nothing
from engram.app.operation import Operation
from engram.app.operations import OPERATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram

WHAT_IT_IS = """\
Engram remembers what your project taught you, and gives it to any coding agent.
Memories are plain Markdown in your repository; none is written without your yes."""
VERBS = (
    ("engram inject", "set up memory in this project"),
    ("engram link HOST", "connect a coding agent"),
    ("engram save TEXT", "remember something; you see it, then approve it"),
    ("engram load TASK", "what an agent is given for a task"),
    ("engram search WORDS", "look through all memories"),
    ("engram status", "what there is, and what needs a look"),
)


ALONE = Operation("", "", "What engram is, and the next step.", Nothing, "", example="engram")


def overview(engram: Engram) -> str:
    """What engram is, a few verbs, the next step."""
    verbs = "\n".join(aligned(command, meaning) for command, meaning in VERBS)
    return f"""{WHAT_IT_IS}

{verbs}

{_next_step(engram)}
All commands: engram help. A tour in a scratch folder: engram demo."""


def _next_step(engram: Engram) -> str:
    if engram.workspace is not None:
        return f"Memory of this project: {engram.workspace.root}\nNext: engram status"
    elsewhere = " Your personal memory is ready." if engram.global_store is not None else ""
    return f"This project has no memory yet.{elsewhere}\nNext: engram inject"


def commands() -> str:
    """Every command by its group, each with its summary."""
    groups: dict[str, list[str]] = {}
    for each in OPERATIONS:
        if "cli" in each.surfaces:
            groups.setdefault(each.group, []).append(aligned(each.name, each.summary))
    told = [f"{group.capitalize()}:\n" + "\n".join(lines) for group, lines in groups.items()]
    common = "\n".join(aligned(signature(each), remarks(each)) for each in COMMON)
    return "\n\n".join(
        [
            "Usage: engram COMMAND [words] [options]",
            *told,
            f"For every command:\n{common}",
            "More on one: engram help COMMAND.   The version: engram --version",
        ]
    )
