"""What a session of a host was already given: digests of memories, never a word of a prompt.

One small file a session in the person's cache folder, written by appending, so that two hooks at
once lose nothing. Whatever fails here, the memory is only given once more.
"""

from __future__ import annotations

import os

from engram.system.files import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT_SECONDS = 7 * 24 * 3600
MOST_FILES = 500  # looked at when old ones are removed
LARGEST = 256 << 10  # bytes
BODY, CARD = "b", "c"


class SessionCache:
    """The record of one session; without a session's id nothing is remembered."""

    def __init__(self, cache_folder: str, project: str, session: str) -> None:
        self._folder = os.path.join(cache_folder, "hook") if cache_folder and session else ""
        name = sha256(f"{project}\0{session}".encode("utf-8", "surrogatepass"))[:32]
        self._path = os.path.join(self._folder, name) if self._folder else ""
        self._known: frozenset[str] | None = None

    def has(self, key: str, digest: str, *, card: bool = False) -> bool:
        """Whether the session was given these bytes of a memory whole, or (`card`) at least named."""
        known = self._read()
        return _line(BODY, key, digest) in known or (card and _line(CARD, key, digest) in known)

    def add(self, shown: Iterable[tuple[str, str, bool]]) -> None:
        """Remember memories by key and digest, each whole or (True) as a card."""
        lines = [_line(CARD if card else BODY, key, digest) for key, digest, card in shown]
        if not lines or not self._path:
            return
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, "".join(f"{line}\n" for line in lines).encode())
            finally:
                os.close(descriptor)
        except OSError:
            return

    def forget(self, now: float) -> None:
        """Start anew: the agent has nothing of it before it any more. Old sessions go as well."""
        self._known = frozenset()
        if not self._path:
            return
        _remove(self._path)
        try:
            with os.scandir(self._folder) as found:
                for _, each in zip(range(MOST_FILES), found, strict=False):
                    if each.stat(follow_symlinks=False).st_mtime < now - KEPT_SECONDS:
                        _remove(each.path)
        except OSError:
            return

    def _read(self) -> frozenset[str]:
        if self._known is None:
            self._known = frozenset(_lines(self._path))
        return self._known


def _line(kind: str, key: str, digest: str) -> str:
    return kind + sha256(f"{key}\0{digest}".encode("utf-8", "surrogatepass"))[:32]


def _lines(path: str) -> list[str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)) if path else -1
    except OSError:
        return []
    if descriptor < 0:
        return []
    try:
        return os.read(descriptor, LARGEST).decode("ascii", "replace").split("\n")
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
