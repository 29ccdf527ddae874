"""Memories on disk: list, read, write; nothing is replaced that moved on since it was looked at."""

from __future__ import annotations

import os

from engram.core import frontmatter
from engram.core.memory import Memory
from engram.errors import Conflict, Damaged, InvalidRequest, NotFound, Unsafe
from engram.record import Record
from engram.store.freshness import survey
from engram.store.layout import (
    ARCHIVE,
    LIMIT_BYTES,
    MEMORY,
    WORKING,
    Layout,
    folder_of,
    is_safe_id,
    part_of,
)
from engram.store.manifest import manifest_of, render, with_digest, working_manifest_of
from engram.system.files import (
    append,
    inside,
    make_folder,
    read_bounded,
    remove_file,
    replace_file,
    sha256,
    sweep,
)
from engram.system.locks import lock

LOCK_SECONDS = 5.0
_IGNORED = "# What belongs to this machine alone.", "working/", "local/"
_ATTRIBUTES = (
    "# Both sides' lines are kept when branches meet.",
    "memory.sha256 text eol=lf merge=union",
    "changelog.md merge=union",
)
_TAIL_BYTES = 1 << 16


class StoredMemory(Record):
    """A memory together with the file that it was read from."""

    path: str
    data: bytes  # the whole file
    text: str  # the same, decoded; line ends as they are
    digest: str  # hex SHA-256 of the file's bytes
    memory: Memory


class Logged(Record):
    """What the changelog says of a write."""

    timestamp: str  # ISO, UTC
    message: str  # one line


def list_files(layout: Layout, part: str = MEMORY) -> list[str]:
    """The relative paths of the files in MEMORY, WORKING or ARCHIVE, sorted; links are left out."""
    return sorted(path for path, *_ in survey(layout, part).files)


def read_memory(layout: Layout, path: str) -> StoredMemory:
    """The memory in the file at a relative path, at most 1 MiB.

    Raises NotFound (file.missing), Unsafe (file.symlink, memory.outside), Damaged
    (memory.malformed with its `line`, memory.not_text, file.too_large) or Unavailable.
    """
    check_place(layout, path)
    data = read_bounded(layout.absolute(path), LIMIT_BYTES)
    text = decode(data)
    memory = parse_memory(layout, path, text)
    return StoredMemory(path, data, text, sha256(data), memory)


def parse_memory(layout: Layout, path: str, text: str) -> Memory:
    """The memory that the text of the file at `path` holds; raises Damaged (memory.malformed)."""
    return frontmatter.parse(
        text, id=layout.id_of(path), folder=folder_of(path), scope=layout.scope
    )


def decode(data: bytes) -> str:
    """The text of a file's bytes; raises Damaged (memory.not_text) naming the line."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Damaged(
            "memory.not_text",
            "The file is not text in UTF-8.",
            hint="Save it again in that encoding.",
            line=line,
        ) from error


def create_store(layout: Layout) -> tuple[str, ...]:
    """Make what a store needs and does not have yet; nothing that exists is overwritten.

    Returns the files made or added to. Raises Unavailable.
    """
    with lock_store(layout):
        made = _ensure_lines(layout.gitignore, _IGNORED)
        made += _ensure_lines(layout.gitattributes, _ATTRIBUTES)
        if not os.path.lexists(layout.config):
            replace_file(layout.config, b"{\n}\n")
            made.append(layout.config)
    return tuple(made)


def _ensure_lines(path: str, lines: tuple[str, ...]) -> list[str]:
    try:
        known = {line.strip() for line in decode(read_bounded(path, LIMIT_BYTES)).splitlines()}
    except NotFound:
        known = set()
    missing = [line for line in lines if line not in known]
    if not [line for line in missing if line[0] != "#"]:
        return []
    append(path, "".join(f"{line}\n" for line in missing).encode())
    return [path]


def lock_store(layout: Layout, timeout_seconds: float = LOCK_SECONDS) -> lock:
    """The lock of a store, for `with`: whoever reads it in order to write it holds this.

    Raises Unavailable when the store cannot be written (file.read_only and others).
    """
    make_folder(layout.local, 0o700)
    return lock(layout.lock, timeout_seconds)


def write_memory(
    layout: Layout,
    path: str,
    data: bytes,
    replaces: str | None,
    logged: Logged | None = None,
) -> None:
    """Make `data` the memory at the relative `path`: file, then manifest, then changelog.

    `replaces` is the digest (hex SHA-256) of the bytes that were there when the change was made,
    None when there was no file. A write that was cut short is finished by asking for it again,
    and is not done twice. Raises Conflict (memory.changed, memory.exists) when the file moved on,
    InvalidRequest (memory.id), Unsafe (memory.outside, file.symlink), Unavailable.
    """
    check_place(layout, path)
    if replaces is None and not is_safe_id(layout.id_of(path)):
        raise InvalidRequest(
            "memory.id",
            f"“{layout.id_of(path)}” cannot be a file name on every system.",
            hint="Use letters, digits and hyphens, at most 100 bytes.",
        )
    place = layout.absolute(path)
    digest = sha256(data)
    with lock_store(layout):
        current = _digest(place)
        if current != digest:
            _check_unmoved(path, current, replaces)
            make_folder(os.path.dirname(place))
            replace_file(place, data)
        _record(layout, path, digest, logged)


def remove_memory(layout: Layout, path: str, replaces: str, logged: Logged | None = None) -> None:
    """Take the file at the relative `path` away, then out of the manifest.

    What a person must not lose is written to the archive first. A missing file is fine: a removal
    that was cut short is finished by asking again. Raises as `write_memory`.
    """
    check_place(layout, path)
    place = layout.absolute(path)
    with lock_store(layout):
        current = _digest(place)
        if current is not None:
            _check_unmoved(path, current, replaces)
            remove_file(place)
        _record(layout, path, None, logged)


def accept_memory(layout: Layout, path: str, digest: str, logged: Logged | None = None) -> None:
    """Take the bytes that lie at `path` into the manifest as approved, while they are `digest`.

    A person's act. Raises Conflict (memory.changed), NotFound (file.missing).
    """
    check_place(layout, path)
    with lock_store(layout):
        current = sha256(read_bounded(layout.absolute(path), LIMIT_BYTES))
        _check_unmoved(path, current, digest)
        _record(layout, path, digest, logged)


def sweep_store(layout: Layout, now: float) -> list[str]:
    """Remove what killed writers left in the store's folders, files older than an hour."""
    folders = [layout.root, layout.local]
    for part in (MEMORY, WORKING, ARCHIVE):
        folders += [layout.absolute(folder) for folder in survey(layout, part).folders]
    return [removed for folder in folders for removed in sweep(folder, now)]


def check_place(layout: Layout, path: str) -> None:
    """Raise Unsafe (memory.outside) unless `path` names a memory's file inside the store."""
    parts = path.split("/")
    named = bool(part_of(path)) and len(parts) > 1 and path.endswith(".md")
    plain = not any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts)
    if not (named and plain and inside(layout.root, os.path.dirname(layout.absolute(path)))):
        raise Unsafe("memory.outside", f"{path} is not a place for a memory in this store.")


def _digest(place: str) -> str | None:
    try:
        return sha256(read_bounded(place, LIMIT_BYTES))
    except NotFound:
        return None


def _check_unmoved(path: str, current: str | None, replaces: str | None) -> None:
    if current == replaces:
        return
    if replaces is None:
        raise Conflict(
            "memory.exists",
            f"There is a memory at {path} already.",
            hint="Look at it, then propose an UPDATE of it or choose another title.",
        )
    raise Conflict(
        "memory.changed",
        f"{path} {'is gone' if current is None else 'has changed'} since it was looked at.",
        hint="Propose the change again, from the file as it is now.",
    )


def _record(layout: Layout, path: str, digest: str | None, logged: Logged | None) -> None:
    """Bring the manifest and the changelog in step with the file at `path`."""
    note = part_of(path) == WORKING
    manifest = working_manifest_of(layout) if note else manifest_of(layout)
    known = manifest.digests.get(path)
    finished = known == (None if digest is None else (digest,))
    place = layout.working_manifest if note else layout.manifest
    if not finished or not os.path.lexists(place):
        replace_file(place, render(with_digest(manifest, path, digest)))
    if logged is not None and not note:
        _log(layout, f"{path} {digest[:12] if digest else 'removed'}", logged, again=finished)


def _log(layout: Layout, about: str, logged: Logged, *, again: bool) -> None:
    if again and f" {about} " in _tail(layout.changelog):
        return
    if not os.path.lexists(layout.changelog):
        append(layout.changelog, b"# Changes\n\n")
    message = " ".join(logged.message.split())
    append(layout.changelog, f"- {logged.timestamp} {about} {message}\n".encode())


def _tail(path: str) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def archive_path(layout: Layout, path: str, today: str) -> str:
    """Where the memory at a relative `path` goes on a day (ISO date); no earlier copy is in the way."""
    stem = f"archive/{today}/{path.removesuffix('.md')}"
    number, found = 1, f"{stem}.md"
    while os.path.lexists(layout.absolute(found)):
        number += 1
        found = f"{stem}-{number}.md"
    return found
