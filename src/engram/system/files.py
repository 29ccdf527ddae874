"""Files that are read within bounds, changed whole or not at all, and locked while they change."""

from __future__ import annotations

import os
import stat
import sys
import time

from engram.errors import Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from engram.errors import EngramError
    from engram.system.locks import lock as Lock  # noqa: N812 - `lock` is taken here

    class Hash(Protocol):
        def hexdigest(self) -> str: ...


STALE_AFTER_SECONDS = 3600
_CLOSED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a named pipe must not hang
_POLL_SECONDS = 0.01
_CHUNK = 1 << 20
_numbers = iter(range(sys.maxsize))


def _unwatched(step: str, path: str) -> None:
    """Nobody watches the steps."""


on_step: Callable[[str, str], None] = _unwatched
"""Told of every step on the disk before it is taken; what it raises stops the step there."""


def lock(path: str, timeout_seconds: float = 5.0) -> Lock:
    """The lock file `path`, to hold alone in a `with` (see `engram.system.locks`)."""
    from engram.system import locks  # noqa: PLC0415 - who reads locks nothing

    return locks.lock(path, timeout_seconds)


def _failure(error: OSError, path: str, action: str) -> EngramError:
    from engram.system.refusals import failure  # noqa: PLC0415 - only what fails pays for it

    return failure(error, path, action)


def _is_link(path: str) -> EngramError:
    from engram.system.refusals import is_link  # noqa: PLC0415 - only what fails pays for it

    return is_link(path)


def _first_sha256(modules: tuple[str, ...]) -> Callable[[bytes], Hash]:
    """The cheapest SHA-256 to import: `hashlib` loads OpenSSL, 8 ms that a hook cannot spare."""
    try:
        found: Callable[[bytes], Hash] = __import__(modules[0]).sha256
    except ImportError:
        return _first_sha256(modules[1:])
    return found


_hash = _first_sha256((("_sha2" if sys.version_info >= (3, 12) else "_sha256"), "hashlib"))


def sha256(data: bytes) -> str:
    """The SHA-256 of `data`, 64 lower-case hex digits."""
    return _hash(data).hexdigest()


def read_bounded(path: str, limit: int, *, follow: bool = False) -> bytes:
    """The whole content of the regular file at `path`, at most `limit` bytes.

    A symbolic link at `path` is not followed unless `follow` says that it may. Raises NotFound
    (file.missing), Unsafe (file.symlink), Damaged (file.not_regular, file.too_large) or
    Unavailable.
    """
    try:
        on_step("read", path)
        if not (follow or _NO_FOLLOW) and os.path.islink(path):
            raise _is_link(path)
        descriptor = os.open(path, os.O_RDONLY | _CLOSED | _NO_WAIT | (0 if follow else _NO_FOLLOW))
        try:
            return _read(descriptor, path, limit)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _failure(error, path, "read") from error


def _read(descriptor: int, path: str, limit: int) -> bytes:
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        raise Damaged("file.not_regular", f"{path} is not a regular file.")
    parts: list[bytes] = []
    size = 0
    while size <= limit:
        part = os.read(descriptor, min(_CHUNK, limit + 1 - size))
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise Damaged("file.too_large", f"{path} is larger than {limit:,} bytes.", limit=limit)


def replace_file(path: str, data: bytes, mode: int | None = None, *, follow: bool = False) -> None:
    """Make `data` the whole content of `path`: after a crash the old bytes or the new, never a mix.

    An existing file keeps its mode unless `mode` gives another. A symbolic link at `path` is
    refused; with `follow` the file that it leads to is replaced and the link stays. On return
    the bytes are on the disk. Raises Unsafe (file.symlink) or Unavailable.
    """
    target = os.path.realpath(path) if follow else path
    try:
        kept = _mode_of(target)
        temporary, descriptor = _open_beside(target)
        try:
            _fill(descriptor, temporary, data, kept if mode is None else mode)
            _replace(temporary, target)
        except BaseException:
            _discard(temporary)
            raise
        sync_folder(os.path.dirname(target) or ".")
    except OSError as error:
        raise _failure(error, path, "write") from error


def _mode_of(path: str) -> int | None:
    try:
        state = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(state.st_mode):
        raise _is_link(path)
    if stat.S_ISDIR(state.st_mode):
        import errno  # noqa: PLC0415 - seldom needed

        raise IsADirectoryError(errno.EISDIR, "is a folder", path)
    return stat.S_IMODE(state.st_mode)


def _open_beside(target: str) -> tuple[str, int]:
    folder, name = os.path.split(target)
    while True:
        # The name is cut so that a long name leaves room for the ending (255 bytes on most systems).
        ending = f".{os.getpid()}.{next(_numbers)}.tmp"
        temporary = os.path.join(folder, f".{cut_text(name, 200)}{ending}")
        try:
            on_step("create", temporary)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSED | _NO_FOLLOW
            return temporary, os.open(temporary, flags, 0o666)
        except FileExistsError:
            continue


def _fill(descriptor: int, path: str, data: bytes, mode: int | None) -> None:
    try:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        on_step("write", path)
        _write(descriptor, data)
        on_step("sync", path)
        _flush(descriptor)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _flush(descriptor: int) -> None:
    if (
        sys.platform == "darwin"
    ):  # pragma: no cover - there, fsync leaves the drive's cache unwritten
        from fcntl import F_FULLFSYNC, fcntl  # noqa: PLC0415 - not on Windows

        try:
            fcntl(descriptor, F_FULLFSYNC)
        except OSError:
            os.fsync(descriptor)
        return
    os.fsync(descriptor)


def _replace(source: str, target: str) -> None:
    on_step("replace", target)
    if (
        sys.platform == "win32"
    ):  # pragma: no cover - there, a reader of the target refuses it for a moment
        for _ in range(100):
            try:
                os.replace(source, target)
            except PermissionError:
                time.sleep(_POLL_SECONDS)
            else:
                return
    os.replace(source, target)


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def sync_folder(folder: str) -> None:
    """Put the names in `folder` on the disk, where the system can; raises OSError."""
    if sys.platform == "win32":  # pragma: no cover - folders cannot be opened there
        return
    on_step("sync-folder", folder)
    descriptor = os.open(folder, os.O_RDONLY | _CLOSED)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append(path: str, data: bytes) -> None:
    """Add `data` after the last full line of `path`, which is made when missing; durable on return.

    A last line without its end is ended first; a write that fails half way is taken back.
    Raises Unsafe (file.symlink) or Unavailable.
    """
    try:
        fresh = _mode_of(path) is None
        on_step("append", path)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _CLOSED | _NO_FOLLOW
        descriptor = os.open(path, flags, 0o666)
        try:
            _append(descriptor, path, data)
        finally:
            os.close(descriptor)
        if fresh:
            sync_folder(os.path.dirname(path) or ".")
    except OSError as error:
        raise _failure(error, path, "write") from error


def _append(descriptor: int, path: str, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    if size:
        os.lseek(descriptor, size - 1, os.SEEK_SET)
        if os.read(descriptor, 1) != b"\n":
            data = b"\n" + data
    try:
        _write(descriptor, data)
        on_step("sync", path)
        _flush(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def remove_file(path: str) -> None:
    """Remove the file (or the link itself) at `path`, durably; a missing one is fine."""
    try:
        on_step("remove", path)
        os.unlink(path)
        sync_folder(os.path.dirname(path) or ".")
    except FileNotFoundError:
        return
    except OSError as error:
        raise _failure(error, path, "remove") from error


def make_folder(path: str, mode: int = 0o777) -> None:
    """Make the folder `path` and those above it where missing; `mode` is for `path` alone."""
    try:
        if not os.path.isdir(path):
            on_step("make-folder", path)
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            os.mkdir(path, mode)
    except FileExistsError as error:
        if not os.path.isdir(path):
            raise _failure(error, path, "make the folder") from error
    except OSError as error:
        raise _failure(error, path, "make the folder") from error


def sweep(folder: str, now: float) -> list[str]:
    """Remove what killed writers left in `folder`: temporary files older than an hour.

    `now` is in seconds since 1970. Returns the paths removed; a folder that cannot be read is
    left alone.
    """
    removed = []
    try:
        with os.scandir(folder) as found:
            for entry in found:
                old = _is_temporary(entry.name) and entry.is_file(follow_symlinks=False)
                if old and entry.stat(follow_symlinks=False).st_mtime < now - STALE_AFTER_SECONDS:
                    os.unlink(entry.path)
                    removed.append(entry.path)
    except OSError:
        return removed
    return removed


def _is_temporary(name: str) -> bool:
    parts = name.split(".")
    return name[:1] == "." and len(parts) > 4 and parts[-1] == "tmp" and parts[-2].isdigit()


def inside(root: str, path: str) -> bool:
    """Whether `path`, every link resolved, lies below the folder `root` (or is it)."""
    if _is_plainly_below(root, path):
        return True
    real = os.path.normcase(os.path.realpath(root))
    below = os.path.normcase(os.path.realpath(path))
    return below == real or below.startswith(real.rstrip(os.sep) + os.sep)


def _is_plainly_below(root: str, path: str) -> bool:
    """Whether a path goes on from `root` over folders alone; resolving every link costs more."""
    start = root.rstrip(os.sep) + os.sep
    names = path[len(start) :].split(os.sep)
    if not path.startswith(start) or os.pardir in names:
        return False
    here = root
    for name in names:
        here = os.path.join(here, name)
        if os.path.islink(here):
            return False
    return True


def cut_text(text: str, limit: int) -> str:
    """The longest head of `text` that takes at most `limit` bytes in UTF-8, no character split."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= limit:
        return text
    return encoded[: max(limit, 0)].decode("utf-8", "ignore")
