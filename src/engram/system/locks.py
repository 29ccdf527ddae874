"""A lock that a dead holder cannot keep."""

from __future__ import annotations

import errno
import os
import sys
import time

from engram.errors import Unavailable
from engram.system.refusals import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_POLL_SECONDS = 0.01
_held: dict[tuple[str, int], int] = {}


class lock:  # noqa: N801 - used as `with lock(path):`
    """Hold the lock file `path` alone; the thread that holds it may take it again.

    The file is made when missing and never removed (a removed one could be held twice). The
    system frees the lock of a holder that died. Waits `timeout_seconds`, then raises
    Unavailable (lock.busy).
    """

    def __init__(self, path: str, timeout_seconds: float = 5.0) -> None:
        self.path = os.path.abspath(path)
        self.timeout_seconds = timeout_seconds
        self._descriptor = -1
        self._key = (self.path, -1)

    def __enter__(self) -> Self:
        from _thread import get_ident  # noqa: PLC0415 - writers alone need it

        self._key = (self.path, get_ident())
        if self._key not in _held:
            try:
                self._descriptor = self._take()
            except OSError as error:
                raise failure(error, self.path, "lock") from error
        _held[self._key] = _held.get(self._key, 0) + 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _held[self._key] -= 1
        if not _held[self._key]:
            del _held[self._key]
        if self._descriptor >= 0:
            os.close(self._descriptor)  # frees the lock with it
            self._descriptor = -1

    def _take(self) -> int:
        descriptor = os.open(self.path, _FLAGS, 0o600)
        end = time.monotonic() + self.timeout_seconds
        try:
            while not _try_lock(descriptor):
                if time.monotonic() >= end:
                    raise Unavailable(  # noqa: TRY301 - the descriptor is closed on the way out
                        "lock.busy",
                        f"Another program has been changing this for {self.timeout_seconds:g}"
                        f" seconds (lock {self.path}).",
                        hint="Wait for it to end, then try again.",
                    )
                time.sleep(_POLL_SECONDS)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":  # pragma: no cover - another system's call
            import msvcrt  # noqa: PLC0415 - another system's module

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            # flock, not lockf: that one is lost when any descriptor of the file is closed.
            from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on Windows

            flock(descriptor, LOCK_EX | LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True
