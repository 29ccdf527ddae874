"""What a session was given: remembered by digest, forgotten at its start, harmless when lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from engram.store.session_cache import KEPT_SECONDS, SessionCache

NOW = 2_000_000_000.0


def cache(folder: Path, session: str = "s", project: str = "/p") -> SessionCache:
    return SessionCache(str(folder), project, session)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "hook").iterdir()) if (folder / "hook").exists() else []


def test_what_was_given_is_known_to_the_same_session_alone(tmp_path: Path) -> None:
    cache(tmp_path).add([("workspace:a", "d1", False)])

    assert cache(tmp_path).has("workspace:a", "d1")
    assert not cache(tmp_path).has("workspace:a", "d2")
    assert not cache(tmp_path).has("workspace:b", "d1")
    assert not cache(tmp_path, session="t").has("workspace:a", "d1")
    assert not cache(tmp_path, project="/q").has("workspace:a", "d1")


def test_a_card_is_no_body(tmp_path: Path) -> None:
    cache(tmp_path).add([("workspace:a", "d", True)])

    assert not cache(tmp_path).has("workspace:a", "d")
    assert cache(tmp_path).has("workspace:a", "d", card=True)


def test_only_digests_are_written_for_this_person_alone(tmp_path: Path) -> None:
    cache(tmp_path).add([("workspace:my-secret-project", "d", False)])

    (file,) = files(tmp_path)
    assert "secret" not in file.read_text() + file.name
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_start_forgets_the_session_and_sessions_that_are_old(tmp_path: Path) -> None:
    for session in ("s", "old", "young"):
        cache(tmp_path, session).add([("workspace:a", "d", False)])
    for file in files(tmp_path):
        os.utime(file, (NOW, NOW))
    old = SessionCache(str(tmp_path), "/p", "old")
    os.utime(old._path, (NOW - KEPT_SECONDS - 1,) * 2)
    started = cache(tmp_path)

    started.forget(NOW)

    assert not started.has("workspace:a", "d")
    assert len(files(tmp_path)) == 1
    assert cache(tmp_path, "young").has("workspace:a", "d")


@pytest.mark.parametrize(("folder", "session"), [("", "s"), ("cache", "")])
def test_without_a_place_or_a_session_nothing_is_remembered(
    tmp_path: Path, folder: str, session: str
) -> None:
    one = SessionCache(str(tmp_path / folder) if folder else "", "/p", session)
    one.add([("workspace:a", "d", False)])
    one.forget(NOW)

    assert not SessionCache(str(tmp_path / folder), "/p", session).has("workspace:a", "d")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_add_makes_no_file(tmp_path: Path) -> None:
    cache(tmp_path).add([])
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_used_costs_only_the_memory_of_it(tmp_path: Path) -> None:
    (tmp_path / "hook").write_text("in the way")
    one = cache(tmp_path)

    one.add([("workspace:a", "d", False)])
    one.forget(NOW)

    assert not cache(tmp_path).has("workspace:a", "d")


def test_a_folder_in_the_files_place_is_no_record(tmp_path: Path) -> None:
    Path(cache(tmp_path)._path).mkdir(parents=True)
    assert not cache(tmp_path).has("workspace:a", "d")


def test_hooks_of_one_session_at_once_lose_nothing(tmp_path: Path) -> None:
    def add(number: int) -> None:
        for each in range(20):
            cache(tmp_path).add([(f"workspace:{number}-{each}", "d", False)])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    known = cache(tmp_path)
    assert all(known.has(f"workspace:{n}-{m}", "d") for n in range(8) for m in range(20))
