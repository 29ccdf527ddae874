"""What is written for the hosts and the platforms that no test here can run, held to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts_real.golden import PLACES, golden

FILES = Path(__file__).parent / "golden_files"


@pytest.mark.parametrize("platform", PLACES)
def test_what_new_files_hold_is_what_was_looked_at(platform: str) -> None:
    """After a change that is meant: python -m tests.hosts_real.golden PLATFORM > the file."""
    assert golden(platform) == (FILES / f"{platform}.txt").read_bytes().decode("utf-8")
