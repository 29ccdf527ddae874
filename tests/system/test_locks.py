"""One holder at a time, in this process or another; a dead holder keeps nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engram.errors import Unavailable, Unsafe
from engram.system import locks
from engram.system.files import lock

HOLDER = """
import sys
from engram.system.files import lock
with lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until its input ends."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def end(holder: subprocess.Popen[str]) -> None:
    assert holder.stdout is not None
    holder.communicate()


def test_a_lock_that_another_process_holds_is_waited_for_and_then_refused(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = hold(path)
    with pytest.raises(Unavailable) as raised, lock(str(path), 0.05):
        pass
    assert raised.value.code == "lock.busy"
    assert str(path) in raised.value.message
    end(holder)
    with lock(str(path), 0):
        pass
    assert path.exists()


def test_a_killed_holder_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = hold(path)
    holder.send_signal(signal.SIGKILL)
    end(holder)
    with lock(str(path), 0):
        pass


def test_the_holder_may_take_it_again_and_another_thread_may_not(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    refused = []

    def other() -> None:
        try:
            with lock(path, 0):
                pass
        except Unavailable as error:
            refused.append(error.code)

    with lock(path), lock(path, 0):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert refused == ["lock.busy"]
    with lock(path, 0):
        pass
    assert not locks._held


def test_a_link_or_a_missing_folder_cannot_be_a_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unsafe), lock(str(tmp_path / "lock")):
        pass
    with pytest.raises(Unavailable), lock(str(tmp_path / "no" / "lock")):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_system_without_locks_says_so() -> None:
    read, write = os.pipe()
    os.close(read)
    os.close(write)
    with pytest.raises(OSError, match="Bad file descriptor"):
        locks._try_lock(read)
