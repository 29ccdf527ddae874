"""A whole file of ours: a digest in its stamp tells whether somebody changed it."""

from __future__ import annotations

import re
from hashlib import sha256

_STAMP = re.compile(rb"\n[^\n]*engram:file ([0-9a-f]{12})[^\n]*\n")
_COMMENTS = {
    "md": ("<!-- ", " -->"),
    "mdc": ("<!-- ", " -->"),
    "js": ("// ", ""),
    "toml": ("# ", ""),
}


def stamped(text: str, path: str) -> bytes:
    """The bytes of the file; a kind of file without comments gets no stamp."""
    content = text.rstrip("\n").encode() + b"\n"
    comment = _COMMENTS.get(path.rpartition(".")[2])
    if comment is None:
        return content
    before, after = comment
    return content + f"{before}engram:file {_digest(content)}{after}\n".encode()


def is_ours(content: bytes) -> bool:
    """Whether the file has our stamp and, but for line ends, says what we wrote."""
    plain = content.replace(b"\r\n", b"\n")
    found = _STAMP.search(plain)
    if found is None:
        return False
    rest = plain[: found.start() + 1] + plain[found.end() :]
    return _digest(rest) == found[1].decode()


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:12]
