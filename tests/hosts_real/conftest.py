"""The hosts themselves, installed once into a cache folder, and a lab for each test."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hosts_real.agents import AGENTS, Agent
from tests.hosts_real.lab import Lab
from tests.hosts_real.model import Model

HERE = Path(__file__).parent
CACHE = "ENGRAM_TEST_CACHE"  # names another folder for what is installed (1.6 GB)
WANTED = os.environ.get(CACHE)  # before the variables of tests go
ACCOUNT = Path.home()
MINUTES = 600  # seconds that an installation may take
# What two of the packages do after they are installed: put the program for this machine in place.
AFTERWARDS = ("@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs")


@contextmanager
def cache(name: str) -> Iterator[Path]:
    """A folder that outlives the tests, for one process at a time."""
    fcntl = pytest.importorskip("fcntl", reason="the hosts are run on POSIX alone")
    folder = (Path(WANTED) if WANTED else ACCOUNT / ".cache" / "engram-tests") / name
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{name}.turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield folder


@pytest.fixture(scope="session")
def modules() -> Path:
    """The folder of the pinned packages; what is there already is used while the lock is the same."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("needs node and npm")
    with cache("hosts") as folder:
        wanted = (HERE / "package-lock.json").read_bytes()
        installed = folder / ".installed"
        if not installed.exists() or installed.read_bytes() != wanted:
            installed.unlink(missing_ok=True)
            _install(folder)
            installed.write_bytes(wanted)
        return folder / "node_modules"


def _install(folder: Path) -> None:
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    # Not `npm ci`: it wants every platform's packages in the lock, and not all are published.
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
    for words in (install, *(["node", f"node_modules/{each}"] for each in AFTERWARDS)):
        try:
            ended = subprocess.run(
                words,
                cwd=folder,
                env={**os.environ, "HOME": str(ACCOUNT)},
                capture_output=True,
                encoding="utf-8",
                timeout=MINUTES,
                check=False,
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"the hosts were not installed within {MINUTES} seconds")
        if ended.returncode != 0:
            pytest.skip(f"the hosts cannot be installed: {ended.stderr[-500:]}")


@pytest.fixture
def lab(modules: Path, tmp_path: Path) -> Iterator[Lab]:
    """An empty home with a project, and a model to speak to."""
    with Model() as model:
        yield Lab(tmp_path, modules, model)


@pytest.fixture
def agent(request: pytest.FixtureRequest, lab: Lab) -> Agent:
    """The host that the test is given by name."""
    return AGENTS[request.param](lab)
