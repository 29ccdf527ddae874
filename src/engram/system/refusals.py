"""Why the system would not touch a file, as a failure on purpose."""

from __future__ import annotations

import errno
import os

from engram.errors import EngramError, NotFound, Unavailable, Unsafe

_REASONS = {
    errno.EROFS: ("file.read_only", "the file system is read-only", "Make it writable."),
    errno.ENOSPC: ("file.no_space", "the disk is full", "Free some space, then try again."),
    errno.EDQUOT: ("file.no_space", "your disk quota is used up", "Free some space."),
    errno.EACCES: ("file.not_permitted", "permission is denied", "Check who owns it."),
    errno.EPERM: ("file.not_permitted", "permission is denied", "Check who owns it."),
    errno.EISDIR: ("file.is_folder", "a folder has that name", "Move that folder away."),
    errno.ENOTDIR: ("file.no_folder", "a file stands where a folder should", "Move it away."),
    errno.EEXIST: ("file.no_folder", "a file stands where a folder should", "Move it away."),
    errno.ENAMETOOLONG: ("file.name_too_long", "the name is too long", "Choose a shorter one."),
    errno.ENOLCK: ("lock.unsupported", "this file system has no locks", "Use a local disk."),
    errno.EOPNOTSUPP: ("lock.unsupported", "this file system has no locks", "Use a local disk."),
}


def failure(error: OSError, path: str, action: str) -> EngramError:
    """The failure on purpose that says why the system would not `action` the file at `path`."""
    if error.errno == errno.ELOOP:
        return is_link(path)
    if error.errno == errno.ENOENT:
        if action == "read":
            return NotFound("file.missing", f"There is no file {path}.")
        return Unavailable(
            "file.no_folder",
            f"Cannot {action} {path}: its folder does not exist.",
            hint=f"Make the folder {os.path.dirname(path)} first.",
        )
    reason = (error.strerror or str(error)).lower()
    code, why, hint = _REASONS.get(error.errno or 0, ("file.failed", reason, ""))
    return Unavailable(code, f"Cannot {action} {path}: {why}.", hint=hint)


def is_link(path: str) -> Unsafe:
    """The failure for a symbolic link where only a file may be."""
    return Unsafe(
        "file.symlink",
        f"{path} is a symbolic link, which is not followed here.",
        hint="Put the file itself in its place.",
    )
