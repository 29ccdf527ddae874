"""A linter of others, which knows the schemas of hosts that cannot be run here, finds no fault.

It reads Cursor's, Antigravity's, Codex's, OpenCode's, Devin's and Claude's files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from engram.hosts.catalogue import HOSTS
from tests.hosts_real.conftest import cache
from tests.support.cli import Machine

pytestmark = pytest.mark.slow

LINTER = "skillsaw==0.22.0"
MINUTES = 300  # seconds that its installation may take
LEVELS = {"error", "warning"}


@pytest.fixture(scope="session")
def linter() -> Path:
    """The program, in an environment of its own that stays for the next time."""
    with cache("linter") as folder:
        installed = folder / ".installed"
        program = folder / "bin" / "skillsaw"
        if not installed.exists() or installed.read_text("utf-8") != LINTER + sys.version:
            venv.create(folder, with_pip=True, clear=True)
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", LINTER]
            try:
                ended = subprocess.run(
                    pip, capture_output=True, encoding="utf-8", timeout=MINUTES, check=False
                )
            except subprocess.TimeoutExpired:
                pytest.skip(f"the linter was not installed within {MINUTES} seconds")
            if ended.returncode != 0:
                pytest.skip(f"the linter cannot be installed: {ended.stderr[-500:]}")
            installed.write_text(LINTER + sys.version, "utf-8")
        return program


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    subprocess.run(["git", "init", "--quiet"], cwd=machine.project, check=True)
    (machine.project / ".devin").mkdir()
    return machine


def faults(linter: Path, folder: Path) -> tuple[list[dict[str, Any]], set[str]]:
    """What the linter holds against a folder, and the kinds of files that it found there."""
    words = [str(linter), "lint", "--format", "json", "-v", "--no-plugins", "--no-progress", "."]
    ended = subprocess.run(
        words, cwd=folder, env=dict(os.environ), capture_output=True, timeout=120, check=False
    )
    told = json.loads(ended.stdout)
    return told["violations"], set(told["stats"]["repo_types"])


def test_the_files_of_a_project_that_is_linked_with_every_host(
    linter: Path, machine: Machine
) -> None:
    assert machine.engram("link", *(host.name for host in HOSTS)).exit == 0
    found, kinds = faults(linter, machine.project)
    assert [each for each in found if each["severity"] in LEVELS] == []
    assert {"antigravity", "codex-project", "cursor", "devin", "dot-claude", "opencode"} <= kinds


def test_the_local_plugin_of_cursor(linter: Path, machine: Machine) -> None:
    assert machine.engram("link", "cursor", "--global").exit == 0
    plugin = machine.home / ".cursor" / "plugins" / "local" / "engram"
    found, kinds = faults(linter, plugin)
    assert [each for each in found if each["severity"] in LEVELS] == []
    assert "cursor-plugin" in kinds


@pytest.mark.parametrize(
    ("file", "text", "rule"),
    [
        (".cursor/hooks.json", '{"hooks": {"sessionStart": [{}]}}', "cursor-hooks-valid"),
        (".agents/hooks.json", '{"hooks": {"SessionStart": 7}}', "antigravity-hooks-valid"),
        (".agents/mcp_config.json", '{"servers": {}}', "antigravity-mcp-valid"),
    ],
)
def test_the_linter_sees_a_wrong_shape(
    linter: Path, machine: Machine, file: str, text: str, rule: str
) -> None:
    assert machine.engram("link", "cursor", "antigravity").exit == 0
    (machine.project / file).write_text(text, "utf-8")
    found, _ = faults(linter, machine.project)
    assert rule in {each["rule_id"] for each in found}
