"""The person's key: made once, private, and worthless to others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engram.errors import Unavailable
from engram.record import replace
from engram.store.seal import KEY_BYTES, Key, integrity_key
from tests.support.world import World


def test_the_key_is_made_once_for_this_person_alone(tmp_path: Path) -> None:
    environment = World(tmp_path).environment
    key = integrity_key(environment)

    assert integrity_key(environment) == key
    assert len(key.secret) == KEY_BYTES
    (file,) = Path(environment.state_folder).glob("integrity.key")
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"short")
    assert integrity_key(environment) != key


def test_processes_that_need_the_key_at_once_get_the_same_one() -> None:
    code = (
        "from engram.store.seal import integrity_key\n"
        "from engram.system.environment import Environment\n"
        "print(integrity_key(Environment.of_this_process()).secret.hex())\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    told = {process.communicate()[0] for process in started}
    assert len(told) == 1
    assert len(told.pop().strip()) == 2 * KEY_BYTES


def test_a_seal_holds_for_its_bytes_and_key_alone() -> None:
    one, other = Key(b"a" * 32), Key(b"b" * 32)
    seal = one.seal(b"data")
    assert one.holds(seal, b"data")
    assert not one.holds(seal, b"datum")
    assert not other.holds(seal, b"data")
    for wrong in (None, 7, "", "é", seal.encode()):
        assert not one.holds(wrong, b"data")


def test_without_a_home_there_is_no_place_for_it(tmp_path: Path) -> None:
    nowhere = replace(World(tmp_path).environment, home="", variables={})
    with pytest.raises(Unavailable) as refused:
        integrity_key(nowhere)
    assert "XDG_STATE_HOME" in refused.value.hint
