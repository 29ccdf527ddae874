"""Lines on the wire: whole JSON messages in, whole JSON messages out, nothing else on stdout.

The wire is binary, UTF-8, one message a line (MCP: transports, stdio). What leaves is ASCII with
escapes, so that no terminal, locale or line separator can break a message. Stray prints of this
process and of its children go to stderr: the wire's own descriptors are private copies.
"""

from __future__ import annotations

import json
import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeGuard

LIMIT = 32 << 20  # bytes of one line
CHUNK = 1 << 16  # bytes of one read

# JSON-RPC 2.0, section 5.1
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_ERROR = -32000  # the first of those that are left to the server


class Refusal(Exception):  # noqa: N818 - reads as what happened
    """A request that gets a JSON-RPC error for an answer; `id` is the request's where known."""

    def __init__(
        self,
        code: int,
        message: str,
        data: object = None,
        id: str | int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.id = id


def divert() -> tuple[int, int]:
    """Keep stdin and stdout for the wire alone: their private copies, (incoming, outgoing).

    From here on reading stdin meets the end of file and printing lands on stderr, for this process
    and its children. Raises OSError when stdin or stdout is closed.
    """
    for kept in (0, 1):
        os.fstat(kept)
    nothing = os.open(os.devnull, os.O_RDWR)  # becomes stderr when there is none
    incoming, outgoing = os.dup(0), os.dup(1)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if nothing == 2:
        os.set_inheritable(2, True)  # noqa: FBT003 - takes no keyword
    else:
        os.close(nothing)
    return incoming, outgoing


def note(text: str) -> None:
    """A line for whoever reads the server's log, on stderr."""
    try:
        os.write(2, f"engram-mcp: {text}\n".encode("utf-8", "replace"))
    except OSError:
        return  # nobody listens


def lines(descriptor: int, limit: int = LIMIT) -> Iterator[bytes | None]:
    """The lines that arrive until the end of input, without their newline.

    None stands for a line of more than `limit` bytes: its bytes were dropped as they came.
    """
    held = bytearray()
    size = 0
    while chunk := _read(descriptor):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield bytes(held + part) if size + len(part) <= limit else None
            held, size = bytearray(), 0
        size += len(rest)
        if size <= limit:
            held += rest
        else:
            held = bytearray()
    if size:
        yield bytes(held) if size <= limit else None


def parse(line: bytes) -> object:
    """The JSON value on one line.

    Raises Refusal: PARSE_ERROR for what is not strict UTF-8 JSON, too deep or not finite;
    INVALID_REQUEST, with the id where there is one, for text that is not Unicode.
    """
    try:
        text = line.decode("utf-8")
        message: object = _DECODER.decode(text)
        torn = ("\\ud" in text or "\\uD" in text) and not _is_unicode(message)
    except RecursionError:
        raise Refusal(PARSE_ERROR, "Parse error: nested too deeply.") from None
    except UnicodeDecodeError:
        raise Refusal(PARSE_ERROR, "Parse error: the line is not UTF-8.") from None
    except ValueError as problem:
        raise Refusal(PARSE_ERROR, f"Parse error: {problem}") from None
    if torn:
        raise Refusal(
            INVALID_REQUEST,
            "Invalid request: a text holds half of a surrogate pair.",
            id=_usable_id(message),
        )
    return message


def encode(message: object) -> bytes:
    """A message as one line without its newline: ASCII, well-formed.

    Raises ValueError for a number that is not finite, TypeError for what JSON does not have.
    """
    text = _ENCODER.encode(message)
    if "\\ud" in text and not _is_unicode(message):
        whole = json.dumps(message, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
        text = _ENCODER.encode(json.loads(whole.decode("utf-16-le", "replace")))
    return text.encode("ascii")


class Writer:
    """The only way out: one whole line at a time."""

    def __init__(self, descriptor: int, closed: Callable[[], None]) -> None:
        """`closed` is called, and nothing is sent, when nobody reads the other end any more."""
        self.lock = threading.Lock()
        self._descriptor = descriptor
        self._closed = closed

    def write(self, line: bytes) -> None:
        """Write one line, whole, with its newline."""
        rest = memoryview(line + b"\n")
        try:
            with self.lock:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            self._closed()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:  # the other end is gone
        return b""


def _not_finite(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return number


def _is_unicode(message: object) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _usable_id(message: object) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if is_id(found) and _is_unicode(found) else None


def is_id(value: object) -> TypeGuard[str | int]:
    """Whether a value can be a request's id: text or a whole number (MCP: base protocol)."""
    return isinstance(value, str | int) and not isinstance(value, bool)


_DECODER = json.JSONDecoder(parse_constant=_not_finite, parse_float=_finite)
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
