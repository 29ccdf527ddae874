"""The integrity manifest: which bytes a person approved under which name."""

from __future__ import annotations

import os

from engram.core.memory import APPROVED, CHANGED, UNREVIEWED
from engram.errors import Damaged, NotFound
from engram.record import Record
from engram.system.files import read_bounded, replace_file, sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from engram.store.layout import Layout

LIMIT_BYTES = 64 << 20
_BOM = b"\xef\xbb\xbf"
_CONFLICT = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"))


class Manifest(Record):
    """Relative paths and the digests (hex SHA-256) that a person approved for each.

    More than one digest a path is what a union merge leaves: each of them was approved.
    """

    digests: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()  # lines that were passed over, in the reader's words

    @property
    def paths(self) -> Collection[str]:
        """Every path that something was approved for."""
        return self.digests.keys()

    def state(self, path: str, data: bytes) -> str:
        """APPROVED, CHANGED or UNREVIEWED: the bytes at `path` against what was approved."""
        return state_of(self, path, forms(data))


def read_manifest(path: str, legacy: str = "") -> Manifest:
    """The manifest at `path`, else the earlier edition's at `legacy`, else an empty one.

    Raises Damaged (manifest.damaged) when the earlier edition's file is no JSON object of texts,
    Unavailable when a file cannot be read.
    """
    data = _read(path)
    if data is not None:
        return parse(data)
    data = _read(legacy) if legacy else None
    return Manifest({}) if data is None else parse_legacy(data)


def manifest_of(layout: Layout) -> Manifest:
    """What is approved in a store: its memories and its archive; raises as `read_manifest`."""
    return read_manifest(layout.manifest, layout.legacy_manifest)


def working_manifest_of(layout: Layout) -> Manifest:
    """What is approved of the working tier's notes, which git does not see."""
    return read_manifest(layout.working_manifest)


def has_legacy_alone(layout: Layout) -> bool:
    """Whether a store's approvals are still in the earlier edition's file."""
    return not os.path.lexists(layout.manifest) and os.path.isfile(layout.legacy_manifest)


def turn_legacy(layout: Layout) -> None:
    """Write the earlier edition's approvals in today's format; its file stays.

    The caller holds the store's lock. Raises Damaged as `read_manifest`, Unavailable.
    """
    replace_file(layout.manifest, render(manifest_of(layout)))


def _read(path: str) -> bytes | None:
    try:
        return read_bounded(path, LIMIT_BYTES)
    except NotFound:
        return None


def parse(data: bytes) -> Manifest:
    """A manifest in the format of `sha256sum`; lines of a merge conflict are passed over."""
    digests: dict[str, tuple[str, ...]] = {}
    notes = []
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), 1):
        if not line.strip() or line.startswith(b"#"):
            continue
        found = _parse_line(line)
        if found is not None:
            path, digest = found
            known = digests.get(path, ())
            digests[path] = known if digest in known else (*known, digest)
        elif line.startswith(_CONFLICT):
            notes.append(f"memory.sha256, line {number}: a mark of a merge conflict is left in it.")
        else:
            notes.append(f"memory.sha256, line {number}: not a digest and a file name.")
    return Manifest(digests, tuple(notes))


def _parse_line(line: bytes) -> tuple[str, str] | None:
    escaped = line.startswith(b"\\")
    digest, separator, name = line[escaped:].removesuffix(b"\r").partition(b" ")
    if not separator or name[:1] not in (b" ", b"*") or not _is_digest(digest):
        return None
    path = name[1:].decode("utf-8", "surrogateescape")
    return (_unescaped(path) if escaped else path), digest.decode().lower()


def _is_digest(text: bytes) -> bool:
    return len(text) == 64 and not text.strip(b"0123456789abcdefABCDEF")


def _unescaped(name: str) -> str:
    parts = name.split("\\\\")
    return "\\".join(part.replace("\\n", "\n").replace("\\r", "\r") for part in parts)


def render(manifest: Manifest) -> bytes:
    """The manifest as `sha256sum` writes it, sorted by path so that branches merge well."""
    lines = []
    for path in sorted(manifest.digests):
        name = path
        for plain, escape in _ESCAPES:
            name = name.replace(plain, escape)
        mark = "\\" if name != path else ""
        lines += [f"{mark}{digest}  {name}\n" for digest in manifest.digests[path]]
    return "".join(lines).encode("utf-8", "surrogateescape")


def parse_legacy(data: bytes) -> Manifest:
    """The earlier edition's `memory.hashes.json`: one object from path to hex SHA-256.

    Raises Damaged (manifest.damaged).
    """
    import json  # noqa: PLC0415 - costs 6 ms, and only the earlier edition's stores need it

    try:
        found = json.loads(data.removeprefix(_BOM))
        digests = {
            str(path): (digest.lower(),)
            for path, digest in found.items()
            if _is_digest(digest.encode("utf-8", "replace"))
        }
    except (ValueError, AttributeError) as error:
        raise Damaged(
            "manifest.damaged",
            "memory.hashes.json is not a JSON object of file names and digests.",
            hint="Restore it from git, or take the memories in with: engram verify --accept ID",
        ) from error
    return Manifest(digests)


def with_digest(manifest: Manifest, path: str, digest: str | None) -> Manifest:
    """The manifest with `digest` alone approved for `path`; None takes the path out."""
    digests = {known: them for known, them in manifest.digests.items() if known != path}
    if digest is not None:
        digests[path] = (digest,)
    return Manifest(digests, manifest.notes)


def forms(data: bytes) -> tuple[str, ...]:
    """The digests by which a file's bytes may be approved: its own first, then other line ends.

    Git and editors convert line ends (and add a byte-order mark) without changing a word, so an
    approval holds for the text with either line end and no mark.
    """
    own = sha256(data)
    plain = data.removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    others = (plain, plain.replace(b"\n", b"\r\n"))
    return own, *(sha256(form) for form in others if form != data)


def state_of(manifest: Manifest, path: str, digests: Iterable[str]) -> str:
    """APPROVED, CHANGED or UNREVIEWED: a file with these `forms` against the manifest."""
    approved = manifest.digests.get(path)
    if approved is None:
        return UNREVIEWED
    return APPROVED if any(digest in approved for digest in digests) else CHANGED
