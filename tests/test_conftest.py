from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engram.system.environment import Environment, git_setting


def test_a_test_sees_an_empty_home_and_none_of_the_persons_variables(home: Path) -> None:
    environment = Environment.of_this_process()
    assert environment.home == str(home)
    assert list(home.iterdir()) == []
    assert environment.cache_folder.startswith(str(home))
    assert environment.state_folder.startswith(str(home))
    assert environment.config_folder.startswith(str(home))
    assert not [name for name in environment.variables if name.startswith(("ENGRAM_", "CLAUDE"))]


def test_a_process_that_a_test_starts_sees_the_same_home(home: Path) -> None:
    asked = "import os; print(os.path.expanduser('~'))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True, text=True)
    assert told.stdout.strip() == str(home)


def test_git_knows_nobody_real(tmp_path: Path) -> None:
    assert git_setting(str(tmp_path), "user.name") == "A Developer"
    assert os.environ["GIT_CONFIG_GLOBAL"] == os.devnull
