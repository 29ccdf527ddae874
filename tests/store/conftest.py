"""What the tests of the store share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.stores import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a project of its own."""
    return Store(tmp_path)
