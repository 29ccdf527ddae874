"""What stands between a prompt and its answer imports little and opens few files (ADR 6)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import generate
from tests.support.home import everything_below

SCRIPTS = Path(sys.executable).parent
# What the installed programs do; the launcher that pip wraps around it is pip's.
ENGRAM = "import sys; from engram.interfaces.cli import main; sys.exit(main())"
ENGRAM_MCP = "import sys; from engram.interfaces.mcp.server import main; sys.exit(main())"

# Whoever adds a line here says in the commit what it costs: `python -X importtime -c 'import …'`.
EITHER = {
    *("__future__", "collections", "errno", "functools", "itertools", "keyword", "operator"),
    *("reprlib", "types"),
}
LOAD = EITHER | {
    *("importlib", "unicodedata", "Stemmer"),
    *("warnings", "zlib"),  # built in; brought by Stemmer
}
HOOK = {"__future__", "gc", "Stemmer", "zlib", "unicodedata"}
SERVER = EITHER | {
    *("json", "signal", "threading"),
    *("copyreg", "enum", "re"),  # brought by json
}
NOT_FOR_A_HOOK = (
    *("engram.interfaces.mcp", "engram.interfaces.arguments", "engram.app.operations"),
    *("engram.app.writing", "engram.hosts.catalogue", "engram.hosts.placement", "engram.core.scan"),
    *("engram.core.classify", "engram.core.yaml_loader", "engram.app.health"),
    *("engram.core.frontmatter", "engram.core.titles", "engram.store.rows"),
    *("engram.store.manifest", "engram.store.memories", "engram.system.locks"),
    *("engram.app.settings_file", "engram.interfaces.terminal"),
)
ROOMS_OF_LOAD = ("app", "core", "errors", "interfaces", "record", "store", "system")
NOT_FOR_A_LOAD = ("engram.interfaces.mcp", "engram.core.scan", "engram.app.writing", "engram.hosts")
NOT_FOR_A_GREETING = ("engram.store", "engram.core", "engram.app.reading", "engram.app.operations")

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
MOST_SHOWN = 8  # the setting load.limit
TASK = "validate the header of permissions"

# An hour later, so that files written by this test are no longer fresh enough to be doubted.
WATCHED = """
import os, sys, time
real = time.time
time.time = lambda: real() + 3600
seen = []
def note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect"):
        seen.append((event, os.fsdecode(arguments[0])) if isinstance(arguments[0], (str, bytes)) else (event, ""))
from engram.interfaces.cli import main
sys.addaudithook(note)
status = main(sys.argv[1:])
import json
print(json.dumps(seen), file=sys.stderr)
sys.exit(status)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with memory, read once, so that its index stands."""
    return a_project(tmp_path / "project", 40)


def a_project(folder: Path, count: int) -> Path:
    generate.write(folder / ".agents" / ".engram", count)
    for _ in range(2):
        watched(folder)
    return folder


def watched(project: Path, *words: str, given: str = "") -> list[tuple[str, str]]:
    """Files opened and folders listed by a command (a load), as audit events and paths."""
    told = subprocess.run(
        [sys.executable, "-c", WATCHED, *(words or ("load", TASK))],
        cwd=project,
        input=given.encode(),
        capture_output=True,
        check=True,
    )
    return [(event, path) for event, path in json.loads(told.stderr.splitlines()[-1])]


def imported(command: list[str], folder: Path, given: str = "") -> set[str]:
    """The modules that a Python process imports beyond what Python itself needs to start."""
    return _modules(command, folder, given) - _modules(["-c", "pass"], folder)


def _modules(command: list[str], folder: Path, given: str = "") -> set[str]:
    told = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", *command],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if "COVERAGE" not in name},
        input=given,
        capture_output=True,
        check=True,
        text=True,
    )
    lines = (line for line in told.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def foreign(modules: set[str]) -> set[str]:
    """The names of the top modules that are neither Engram's nor parts of the interpreter."""
    tops = {name.partition(".")[0] for name in modules}
    return {top for top in tops if not top.startswith("_")} - {"engram", "encodings"} | (
        tops & {"__future__"}
    )


def test_a_load_imports_what_is_on_its_list(project: Path) -> None:
    modules = imported(["-c", ENGRAM, "load", TASK], project)
    assert sorted(foreign(modules) - LOAD) == []
    assert "_sqlite3" in modules, "the load that was measured did look into the index"


def test_a_load_stays_out_of_the_other_rooms(project: Path) -> None:
    modules = imported(["-c", ENGRAM, "load", TASK], project)
    own = {name for name in modules if name.startswith("engram.")}
    assert {name.split(".")[1] for name in own} <= set(ROOMS_OF_LOAD)
    assert [name for name in sorted(own) if name.startswith(NOT_FOR_A_LOAD)] == []


def test_a_hook_imports_what_is_on_its_list(project: Path) -> None:
    modules = imported(["-c", ENGRAM, "agent-hook", "claude"], project, prompt(project))
    assert sorted(foreign(modules) - HOOK) == []
    assert [name for name in sorted(modules) if name.startswith(NOT_FOR_A_HOOK)] == []
    assert "engram.core.routing" in modules, "the prompt that was measured did call for memory"


def test_the_server_imports_what_is_on_its_list_before_its_first_reply(project: Path) -> None:
    modules = imported(["-c", ENGRAM_MCP], project, json.dumps(INITIALIZE) + "\n")
    assert sorted(foreign(modules) - SERVER) == []
    assert [name for name in sorted(modules) if name.startswith(NOT_FOR_A_GREETING)] == []


def test_the_files_opened_are_the_memories_shown_and_a_few_more(tmp_path: Path) -> None:
    seen = opened(a_project(tmp_path, 400))
    memories = [path for path in seen["open"] if path.endswith(".md")]
    assert 0 < len(memories) <= MOST_SHOWN
    assert len(seen["open"]) - len(memories) <= 8
    assert len([path for path in seen["listed"] if str(tmp_path) in path]) <= len(generate.FOLDERS)


def opened(project: Path, *words: str, given: str = "") -> dict[str, list[str]]:
    """What a command in a settled store opens and lists, and the databases it connects to."""
    code = (".py", ".pyc", ".pth", ".so")
    seen = watched(project, *words, given=given)
    data = [(event, path) for event, path in seen if not path.endswith(code)]
    return {
        "open": [path for event, path in data if event == "open"],
        "listed": [path for event, path in data if event in ("os.listdir", "os.scandir")],
        "connected": [path for event, path in data if event == "sqlite3.connect"],
    }


def prompt(project: Path, text: str = TASK, session: str = "s") -> str:
    """What a host puts on standard input for a prompt."""
    event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(project)}
    return json.dumps({**event, "prompt": text})


def test_a_hook_opens_the_memories_it_shows_and_what_it_remembers(tmp_path: Path) -> None:
    project = a_project(tmp_path, 600)
    seen = opened(project, "agent-hook", "claude", given=prompt(project))
    memories = [path for path in seen["open"] if path.endswith(".md")]
    assert 0 < len(memories) <= MOST_SHOWN
    assert len(seen["open"]) - len(memories) <= 2, "what the session was given: read, written"
    assert [path for path in seen["listed"] if str(tmp_path) in path] == []
    assert [Path(path).name for path in seen["connected"]] == ["index.sqlite", "usage.sqlite"]


def test_a_prompt_that_names_no_task_opens_nothing(tmp_path: Path) -> None:
    project = a_project(tmp_path, 40)
    seen = opened(project, "agent-hook", "claude", given=prompt(project, "thanks"))
    assert seen["open"] == []
    assert seen["connected"] == []


def test_a_prompt_that_names_no_task_imports_no_search(project: Path) -> None:
    modules = imported(["-c", ENGRAM, "agent-hook", "claude"], project, prompt(project, "thanks"))
    assert [name for name in modules if name.startswith(("engram.store.index", "_sqlite3"))] == []
    assert [name for name in modules if name.startswith(("engram.core.rout", "Stemmer"))] == []


def test_a_load_leaves_the_project_as_it_was(project: Path) -> None:
    before = everything_below(project)
    subprocess.run([SCRIPTS / "engram", "load", TASK], cwd=project, check=True)
    assert everything_below(project) == before
