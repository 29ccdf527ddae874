"""The integrity key of the person's own state folder, and the seal it puts on what lies in a store.

A cloned repository, or a program that edits the file, cannot make a seal that holds: the key is no
part of the store. It is a promise against planted files, not against the person's own shell.
"""

from __future__ import annotations

import hmac
import os

from engram.errors import NotFound, Unavailable
from engram.record import Record
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.system.environment import Environment

KEY_BYTES = 32
_LARGEST = 1024


class Key(Record):
    """The secret that seals are made with."""

    secret: bytes

    def seal(self, data: bytes) -> str:
        """HMAC-SHA-256 of `data`, 64 hex digits."""
        return hmac.new(self.secret, data, "sha256").hexdigest()

    def holds(self, seal: object, data: bytes) -> bool:
        """Whether `seal` was made for `data` with this key, compared in constant time."""
        return isinstance(seal, str) and hmac.compare_digest(
            seal.encode("utf-8", "replace"), self.seal(data).encode()
        )


def integrity_key(environment: Environment) -> Key:
    """The person's key, made on first use in their state folder (mode 0600).

    Raises Unavailable where the state folder cannot be used.
    """
    folder = environment.state_folder
    if not folder:
        raise Unavailable(
            "state.none",
            "There is no place for the integrity key: the account has no home folder.",
            hint="Set HOME or XDG_STATE_HOME.",
        )
    path = os.path.join(folder, "integrity.key")
    files.make_folder(folder, 0o700)
    with files.lock(os.path.join(folder, "lock")):
        secret = _read(path)
        if len(secret) != KEY_BYTES:
            secret = bytes.fromhex(environment.random_token(KEY_BYTES))
            files.replace_file(path, secret, 0o600)
    return Key(secret)


def _read(path: str) -> bytes:
    try:
        return files.read_bounded(path, _LARGEST)
    except NotFound:
        return b""
