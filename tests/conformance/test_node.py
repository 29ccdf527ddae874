"""Node's witnesses: the official conformance suite, the TypeScript clients, the Inspector.

`package-lock.json` pins them; they are installed beside it the first time they are needed.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.mcp_peer import FIXTURE, REPOSITORY, SERVER, SOURCE
from tests.support.mcp_schemas import MODERN
from tests.support.world import World

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
INSTALLED = MODULES / ".installed"
SUITE = MODULES / "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
NEEDED = (22, 19)
MINUTES = 300  # seconds that a run may take
FILLED = {"name": "n", "sure": True, "scope": "here", "numbers": ["2"]}

# What a revision of the suite must run and score; a scenario that vanishes is noticed.
REQUIRED = {"2026-07-28": 37, "2025-11-25": 30}


@pytest.fixture(scope="session")
def node() -> str:
    """A Node that is new enough, with every package of the lock file beside it."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm")
    with HERE.joinpath(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        lock = (HERE / "package-lock.json").read_bytes()
        if not INSTALLED.exists() or INSTALLED.read_bytes() != lock:
            account = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}
            install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(install, cwd=HERE, env=account, check=True, timeout=MINUTES)
            INSTALLED.write_bytes(lock)
    for found in (str(MODULES / ".bin" / "node"), shutil.which("node")):
        if found and Path(found).exists():
            version = subprocess.run([found, "--version"], capture_output=True, check=True).stdout
            if tuple(map(int, version.decode().lstrip("v").split(".")[:2])) >= NEEDED:
                return found
    pytest.skip("needs Node 22.19 or newer")


@pytest.fixture
def world(home: Path) -> World:
    world = World(home).with_store()
    world.save("Invoices are numbered per calendar year.")
    return world


def variables(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((SOURCE, REPOSITORY)), **more}


def run(*command: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a Node program to its end, with the server's sources in reach."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=variables(**more),
        capture_output=True,
        encoding="utf-8",
        timeout=MINUTES,
        check=False,
    )


# The conformance suite


def served(command: tuple[str, ...], cwd: Path) -> Iterator[str]:
    """The address of a bridge to a server."""
    bridge = [sys.executable, "-m", "tests.conformance.bridge", "0", *command]
    with subprocess.Popen(bridge, cwd=cwd, env=variables(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = process.stdout.readline().split()[-1].decode()
        yield f"http://localhost:{port}/mcp"
        process.terminate()


@pytest.fixture
def fixture(home: Path) -> Iterator[str]:
    yield from served(FIXTURE, home)


@pytest.fixture
def product(world: World) -> Iterator[str]:
    yield from served(SERVER, world.project)


def outcomes(said: str) -> dict[str, bool]:
    """Each scenario of a run's summary, and whether it passed."""
    summary = said.partition("=== SUMMARY ===")[2].partition("Not scored")[0]
    return {name: mark == "✓" for mark, name in re.findall(r"(?m)^([✓✗]) ([\w-]+):", summary)}


@pytest.mark.parametrize("revision", REQUIRED)
def test_every_required_scenario_of_the_suite_passes(
    node: str, fixture: str, home: Path, revision: str
) -> None:
    words = ("server", "--url", fixture, "--requirements", revision)
    ended = run(node, str(SUITE), *words, cwd=home)
    unscored = set(re.findall(r"(?m)^  [✓✗] ([\w-]+) \(", ended.stdout))
    scored = {name: good for name, good in outcomes(ended.stdout).items() if name not in unscored}
    assert [name for name, good in scored.items() if not good] == [], ended.stdout
    assert len(scored) == REQUIRED[revision]
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("version", "scenario"),
    [
        *(
            (MODERN, name)
            for name in (
                "tools-list",
                "resources-list",
                "prompts-list",
                "caching",
                "sep-2164-resource-not-found",
                "input-required-result-unsupported-methods",
            )
        ),
        *(
            ("2025-11-25", name)
            for name in (
                "server-initialize",
                "ping",
                "tools-list",
                "resources-list",
                "prompts-list",
            )
        ),
    ],
)
def test_the_product_passes_what_needs_no_fixture(
    node: str, product: str, home: Path, version: str, scenario: str
) -> None:
    words = ("--url", product, "--scenario", scenario, "--spec-version", version)
    ended = run(node, str(SUITE), "server", *words, cwd=home)
    assert ended.returncode == 0, ended.stdout


# The TypeScript clients


@pytest.mark.contract("P1", "P2", "P4", "P8", "I1", "E6", "E7")
@pytest.mark.parametrize(
    ("family", "mode", "version"),
    [
        ("client", "legacy", "2025-11-25"),
        ("client", "auto", MODERN),
        ("client", MODERN, MODERN),
        ("sdk", "legacy", None),
    ],
)
def test_a_typescript_client_lists_calls_reads_and_answers_a_dialog(
    node: str, family: str, mode: str, version: str | None
) -> None:
    ended = run(node, str(HERE / "client.mjs"), family, mode, *FIXTURE)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert told["version"] == version
    assert told["instructions"] == "A fixture."
    assert {"echo", "ask"} < set(told["tools"])
    assert told["echoed"] == [{"type": "text", "text": "Grüße\u2028😀"}]
    assert told["asked"]["action"] == "accept"
    assert told["asked"]["content"] == FILLED
    assert "test://static-text" in told["resources"]
    assert told["read"] == "A static text."
    assert "test_simple_prompt" in told["prompts"]
    assert told["missing"] == -32602
    assert told["errors"] == []


# The Inspector


@pytest.mark.contract("P1", "P2", "P8", "F2", "F4")
@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_finds_nothing_to_mend(
    node: str, world: World, tmp_path: Path, era: str
) -> None:
    def inspect(method: str, *words: str) -> Any:
        ended = run(
            *(node, str(INSPECTOR), "--cli", *SERVER, "--method", method, *words),
            *("--protocol-era", era, "--format", "json", "-q"),
            cwd=world.project,
            MCP_CATALOG_PATH=str(tmp_path / "catalog.json"),
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return json.loads(ended.stdout)["result"]

    tools = inspect("tools/list", "--strict")["tools"]
    assert "engram_load" in {tool["name"] for tool in tools}
    words = ("--tool-name", "engram_load", "--tool-arg", "query=numbers of invoices")
    assert "calendar year" in inspect("tools/call", *words)["content"][0]["text"]
    (index, memory) = inspect("resources/list")["resources"]
    assert index["uri"] == "engram://index"
    contents = inspect("resources/read", "--uri", memory["uri"])["contents"]
    assert "calendar year" in contents[0]["text"]
    assert inspect("prompts/list")["prompts"][0]["name"] == "propose"
