"""The demonstration: a team's real guidance, a real server, and what an agent gets of it."""

from __future__ import annotations

import os
import shutil
import tempfile
import unicodedata

from engram.app.demo_writing import Step, propose_and_decide
from engram.app.demo_writing import lines as acted
from engram.app.engram import Engram, compose
from engram.app.injecting import inject
from engram.app.inputs import Demo, Inject
from engram.app.mcp_client import LEGACY, MODERN, Server
from engram.app.results import Result
from engram.core.memory import FOLDERS
from engram.core.tokens import estimate
from engram.record import Record, replace
from engram.store.memories import write_memory
from engram.system.files import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GUIDANCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "demo_guidance")
WIDTH = 100  # columns
SHOWN = 5  # memories of one task at most
_LIMIT_BYTES = 1 << 20

ERAS = (LEGACY, LEGACY, MODERN)  # that the tasks are asked in


class Answer(Record):
    """What an agent got for one task, and how long it waited."""

    task: str
    era: str  # the version of MCP that it was asked in
    data: Mapping[str, object]  # of engram_load (contract clause S2)
    milliseconds: float


class Told(Record):
    """Everything that the demonstration has to say."""

    texts: Mapping[str, str]  # the memories by id
    start_milliseconds: float  # the server's start to its first reply
    tools: int
    answers: tuple[Answer, ...]
    steps: tuple[Step, ...]


def demo(engram: Engram, asked: Demo) -> Result:
    """Set up a scratch project, ask the real server for three tasks, propose what was learned.

    Everything happens below one folder, its home included; it is removed at the end unless
    `keep`. Raises Unavailable when the server does not answer.
    """
    folder = tempfile.mkdtemp(prefix="engram-demo-")
    try:
        told = _played(_moved(engram, folder))
    finally:
        if not asked.keep:
            shutil.rmtree(folder, ignore_errors=True)
    kept = folder if asked.keep else ""
    return Result("\n".join(_lines(told, kept)), _as_data(told, kept))


def _moved(engram: Engram, folder: str) -> Engram:
    """The same Engram in a project and a home of its own, with nothing of the person's."""
    home, project = os.path.join(folder, "home"), os.path.join(folder, "project")
    os.mkdir(home)
    os.mkdir(project)
    own = {
        name: value
        for name, value in engram.environment.variables.items()
        if not name.startswith("ENGRAM_")
    }
    places = {"HOME": "", "USERPROFILE": "", "APPDATA": "roaming", "LOCALAPPDATA": "local"}
    places |= {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"}
    own |= {name: os.path.join(home, place) for name, place in places.items()}
    environment = replace(engram.environment, variables=own, home=home, working_directory=project)
    return compose(environment, workspace=project)


def _played(engram: Engram) -> Told:
    inject(engram, Inject(no_global=True))
    engram = compose(engram.environment, workspace=engram.project)
    texts = _brought_in(engram)
    clock = engram.environment.now
    began = clock()
    with Server(engram.project, engram.environment.variables) as server:
        server.initialize()
        ready = clock()
        tools = server.ask("tools/list", {})["tools"]
        answers = tuple(
            _answer(server, task, era, clock) for task, era in zip(_tasks(), ERAS, strict=True)
        )
        steps = propose_and_decide(server)
    return Told(texts, (ready - began) * 1000, len(tools), answers, steps)


def _brought_in(engram: Engram) -> dict[str, str]:
    """Write the team's guidance into the workspace store; returns the memories by id."""
    layout = engram.store("workspace")
    texts = {}
    for folder in FOLDERS.values():
        for name in sorted(os.listdir(os.path.join(GUIDANCE, folder))):
            data = read_bounded(os.path.join(GUIDANCE, folder, name), _LIMIT_BYTES)
            write_memory(layout, f"{folder}/{name}", data, None)
            texts[name.removesuffix(".md")] = data.decode()
    return texts


def _tasks() -> list[str]:
    """What the agents are about to do, each in the language of its team."""
    return read_bounded(os.path.join(GUIDANCE, "tasks.txt"), _LIMIT_BYTES).decode().splitlines()


def _answer(server: Server, task: str, era: str, clock: Callable[[], float]) -> Answer:
    began = clock()
    result = server.call("engram_load", {"query": task}, era)
    return Answer(task, era, result["structuredContent"]["data"], (clock() - began) * 1000)


def _lines(told: Told, kept: str) -> list[str]:
    every = sum(estimate(text) for text in told.texts.values())
    lines = [
        "Engram keeps what a team knows as plain Markdown that a person approved,",
        "and gives a coding agent the few memories that its task needs.",
        "",
        f"In a scratch folder: {len(told.texts)} memories of a web shop's team, in three languages.",
        f"engram-mcp answers {told.start_milliseconds:.0f} ms after its start; {told.tools} tools.",
    ]
    for number, answer in enumerate(told.answers, 1):
        lines += ["", f"{number}. An agent is about to: {answer.task}"]
        lines += _gained(answer, told.texts, every, first=number == 1)
    lines += ["", *map(_cut, acted(told.steps))]
    lines += [
        "",
        f"The folder is {kept}" if kept else "All of it ran in one scratch folder, now removed.",
        "Next, in your project: engram inject, then connect engram-mcp to your agent.",
    ]
    return lines


def _gained(answer: Answer, texts: Mapping[str, str], every: int, *, first: bool) -> list[str]:
    whole, cards = (_ids(answer.data[field]) for field in ("body_keys", "card_ids"))
    waited = f"{answer.milliseconds:.0f} ms" + (", builds the index" if first else "")
    tokens = f"{answer.data['tokens']:,} tokens instead of {every:,}"
    lines = [f"   engram_load over MCP {answer.era}: {waited}; {tokens}"]
    lines += [_cut(f"   whole     {_title(texts[id])} — {_opening(texts[id])}") for id in whole]
    lines += [_cut(f"   one line  {_title(texts[id])}") for id in cards]
    if len(lines) > SHOWN + 1:
        lines[SHOWN:] = [f"   and {len(lines) - SHOWN} more"]
    return lines


def _ids(keys: object) -> list[str]:
    assert isinstance(keys, list)  # noqa: S101 - contract clause S2
    return [str(key).removeprefix("workspace:") for key in keys]


def _title(text: str) -> str:
    return text.partition("\n# ")[2].partition("\n")[0]


def _opening(text: str) -> str:
    return text.partition("\n- ")[2].partition("\n")[0]


def _cut(line: str) -> str:
    """The line as far as it fits; a wide letter takes two columns."""
    width = 0
    for position, letter in enumerate(line):
        width += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if width > WIDTH - 1:
            return line[:position] + "…"
    return line


def _as_data(told: Told, kept: str) -> dict[str, object]:
    return {
        "memories": len(told.texts),
        "start_ms": round(told.start_milliseconds, 1),
        "tools": told.tools,
        "tasks": [
            {
                **{name: value for name, value in answer.data.items() if name != "text"},
                "task": answer.task,
                "protocol": answer.era,
                "ms": round(answer.milliseconds, 1),
            }
            for answer in told.answers
        ],
        "proposals": [vars(step) for step in told.steps],
        "folder": kept,
    }
