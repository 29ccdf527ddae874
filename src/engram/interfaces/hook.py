"""The hook: one event of a host in, one reply out, within tens of milliseconds.

It never stands in the way: whatever fails ends in an empty success for the host and one line in
the cache folder's `hook.log`. It imports little, on purpose (docs/design/performance.md).
"""

from __future__ import annotations

import os
import sys

from engram.hosts.hooks import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

LARGEST_EVENT = 8 << 20  # bytes
LARGEST_LOG = 128 << 10


def run(words: Sequence[str]) -> NoReturn:
    """Answer as `main` does, and end the process at once.

    Nothing is left to tidy: taking the interpreter apart, and looking for garbage in a process
    that lives for tens of milliseconds, would cost a tenth of it.
    """
    import gc  # noqa: PLC0415 - built into Python

    gc.disable()
    status = 0
    try:
        status = main(words)
        sys.stderr.flush()
    finally:
        os._exit(status)


def main(words: Sequence[str]) -> int:
    """Answer the event on standard input for the host that is named; the exit status is 0."""
    try:
        text = _answer(words[0] if words else "", _standard_input())
    except Exception as error:  # noqa: BLE001 - a hook never blocks a prompt, whatever happens
        _log(error)
        text = NOTHING
    try:
        os.write(1, f"{text}\n".encode("ascii", "replace"))
    except OSError as error:
        _log(error)
    return 0


def _answer(host: str, data: bytes) -> str:
    from engram.app.engram import compose  # noqa: PLC0415 - what fails is caught above
    from engram.app.hooking import given  # noqa: PLC0415
    from engram.hosts.hooks import is_borrowed, read_event, reply  # noqa: PLC0415
    from engram.system.environment import Environment  # noqa: PLC0415

    environment = Environment.of_this_process()
    event = read_event(host, data, environment.variables)
    if is_borrowed(event, environment.variables):
        return NOTHING
    engram = compose(environment, workspace=event.folder)
    return reply(event, given(engram, event))


def _standard_input() -> bytes:
    """All of standard input, as far as an event may be long."""
    parts: list[bytes] = []
    size = 0
    while size < LARGEST_EVENT:
        part = os.read(0, 1 << 16)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _log(error: BaseException) -> None:
    """One line in a log that stays small; if even that fails, nothing."""
    from engram.system.environment import Environment  # noqa: PLC0415

    try:
        environment = Environment.of_this_process()
        folder = environment.cache_folder
        if not folder:
            return
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_LOG:
            os.replace(path, f"{path}.1")
        line = f"{environment.timestamp()} {type(error).__name__}: {error}".replace("\n", " ")
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{line[:2000]}\n")
    except OSError as refused:
        sys.stderr.write(f"engram: the hook's log cannot be written: {refused}\n")
