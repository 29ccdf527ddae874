"""What the machine tells, and the platform's own places."""

from __future__ import annotations

import io
import os
import pty
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from engram.errors import InvalidRequest, Unavailable
from engram.system import environment
from engram.system.environment import Environment, controlling_terminal, git_setting

INSTANT = 1_796_083_199.5  # 2026-11-30T23:59:59Z


def an_environment(platform: str = "linux", **variables: str) -> Environment:
    return Environment(variables, "/home/ada", "/work", platform, lambda: INSTANT)


def test_this_process_is_what_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("SOME_VARIABLE", "value")
    found = Environment.of_this_process()
    assert found.home == "/home/ada"
    assert found.working_directory == str(tmp_path)
    assert found.variables["SOME_VARIABLE"] == "value"
    assert abs(found.now() - Environment.of_this_process().now()) < 3600


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_variable_the_account_says(
    home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    assert Environment.of_this_process().home == pwd.getpwuid(os.getuid()).pw_dir


def test_an_account_that_nobody_knows_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    found = Environment.of_this_process()
    assert found.home == ""
    bare = Environment({}, "", "/work")
    assert (bare.cache_folder, bare.state_folder, bare.config_folder) == ("", "", "")
    assert bare.person_settings == ""


def test_a_deleted_working_directory_matters_only_to_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = Environment.of_this_process()
    monkeypatch.chdir(tmp_path)
    assert found.working_directory == ""
    assert found.absolute("/a") == "/a"
    with pytest.raises(Unavailable) as raised:
        found.absolute("a")
    assert raised.value.code == "environment.no_working_directory"


def test_a_path_is_made_absolute_as_a_shell_would() -> None:
    here = an_environment()
    assert here.absolute("a/../b") == "/work/b"
    assert here.absolute("~/notes") == "/home/ada/notes"
    assert here.absolute("~") == "/home/ada"
    assert here.absolute("~other") == "/work/~other"


def test_the_clock_gives_dates() -> None:
    here = an_environment()
    assert here.timestamp() == "2026-11-30T23:59:59Z"
    assert here.today() in ("2026-11-30", "2026-12-01")
    assert here.now() == INSTANT


def test_tokens_are_random_and_of_the_size_asked_for() -> None:
    tokens = {an_environment().random_token(16) for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(bytes.fromhex(token)) == 16 for token in tokens)


def test_linux_has_the_places_of_the_base_directory_specification() -> None:
    plain = an_environment(XDG_CACHE_HOME="relative is ignored")
    assert plain.cache_folder == "/home/ada/.cache/engram"
    assert plain.state_folder == "/home/ada/.local/state/engram"
    assert plain.config_folder == "/home/ada/.config/engram"
    named = an_environment(XDG_CACHE_HOME="/c", XDG_STATE_HOME="/s", XDG_CONFIG_HOME="/f")
    assert named.cache_folder == "/c/engram"
    assert named.state_folder == "/s/engram"
    assert named.config_folder == "/f/engram"
    assert named.person_settings == "/f/engram/engram.config.json"
    assert an_environment(ENGRAM_CONFIG_DIR="~/mine").config_folder == "/home/ada/mine"


def test_macos_has_its_library() -> None:
    mac = an_environment("darwin")
    assert mac.cache_folder == "/home/ada/Library/Caches/engram"
    assert mac.state_folder == "/home/ada/Library/Application Support/engram"
    assert mac.config_folder == "/home/ada/Library/Application Support/engram"


def test_windows_has_its_application_data() -> None:
    windows = an_environment("win32", LOCALAPPDATA="/l", APPDATA="/r")
    assert windows.cache_folder == "/l/engram/cache"
    assert windows.state_folder == "/l/engram/state"
    assert windows.config_folder == "/r/engram"
    assert an_environment("win32").cache_folder == ""


def test_a_stream_is_a_terminal_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = an_environment()
    terminal, other = pty.openpty()
    with open(other, "w", encoding="utf-8") as screen, open(tmp_path / "file", "w+") as file:
        monkeypatch.setattr(sys, "stdin", None)
        monkeypatch.setattr(sys, "stdout", file)
        monkeypatch.setattr(sys, "stderr", screen)
        told = (here.input_is_terminal, here.output_is_terminal, here.error_is_terminal)
        assert told == (False, False, True)
    assert not here.error_is_terminal  # closed
    os.close(terminal)
    monkeypatch.undo()


def test_standard_input_is_read_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, fits in ((4, False), (5, True)):
        with io.TextIOWrapper(io.BytesIO(b"\xff text"[:5])) as given:
            monkeypatch.setattr(sys, "stdin", given)
            if fits:
                assert an_environment().standard_input(limit) == b"\xff tex"
            else:
                with pytest.raises(InvalidRequest) as raised:
                    an_environment().standard_input(limit)
                assert raised.value.code == "input.too_long"
            monkeypatch.undo()


ASKING = """
import sys
from engram.system.environment import controlling_terminal
found = controlling_terminal()
if found is None:
    print("none")
else:
    reader, writer = found
    writer.write("yes? ")
    writer.flush()
    print(reader.readline().strip())
    reader.close()
    writer.close()
"""


def test_a_person_is_asked_on_the_terminal_and_never_on_standard_input() -> None:
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - another process
        asked = subprocess.run(
            [sys.executable, "-c", ASKING],
            input=b"no\n",
            stdout=subprocess.PIPE,
            check=False,
        )
        os._exit(0 if asked.stdout == b"yes\n" else 1)
    told = b""
    while b"yes? " not in told:
        told += os.read(terminal, 100)
    os.write(terminal, b"yes\n")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert status == 0


def test_without_a_terminal_there_is_nobody_to_ask() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASKING],
        input=b"yes\n",
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=True,
    )
    assert asked.stdout == b"none\n"


def test_a_terminal_is_opened_to_read_and_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "terminal"
    stand_in.write_text("answer\n")
    monkeypatch.setattr(environment, "_TERMINAL", (str(stand_in), str(tmp_path / "screen")))
    found = controlling_terminal()
    assert found is not None
    reader, writer = found
    assert reader.readline() == "answer\n"
    reader.close()
    writer.close()
    monkeypatch.setattr(environment, "_TERMINAL", (str(stand_in), str(tmp_path)))
    assert controlling_terminal() is None
    monkeypatch.setattr(environment, "_TERMINAL", (str(tmp_path / "no"), str(tmp_path)))
    assert controlling_terminal() is None


def test_gits_name_is_the_one_it_would_commit_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_CONFIG_COUNT", raising=False)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert git_setting(str(tmp_path), "user.name") == ""
    subprocess.run(["git", "-C", str(tmp_path), "config", "user.name", "Ада Л."], check=True)
    assert git_setting(str(tmp_path), "user.name") == "Ада Л."
    assert git_setting(str(tmp_path / "missing"), "user.name") == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_setting(str(tmp_path), "user.name") == ""
