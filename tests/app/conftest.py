"""The world that the operations are tried in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path).with_store()
