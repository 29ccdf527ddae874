"""The MCP server's loop: a line in, at most one line out, until the end of input."""

from __future__ import annotations

import os
import signal
import sys
import threading

from engram import __version__
from engram.interfaces.mcp import eras
from engram.interfaces.mcp.calls import Abandoned, Call, Connection, InputRequired, in_time
from engram.interfaces.mcp.methods import Methods
from engram.interfaces.mcp.offer import registry
from engram.interfaces.mcp.options import options_of
from engram.interfaces.mcp.pool import Pool
from engram.interfaces.mcp.wire import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Refusal,
    Writer,
    divert,
    encode,
    lines,
    note,
    parse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from engram.interfaces.mcp.calls import Patience
    from engram.interfaces.mcp.registry import Registry

    Reply = Callable[[bytes | None], None]

_RESPONSE = {"result", "error"}
_MAY_ASK = ("tools/call", "prompts/get", "resources/read")  # MCP 2026-07-28: InputRequiredResult

MOST_IN_BATCH = 1000  # each may cost an answer
GRACE_SECONDS = 0.8  # for what is being answered when the input ends
_WRITE_SECONDS = 0.2  # for the line that is being written when a signal comes


class Server:
    """Takes lines, gives replies; knows nothing of descriptors."""

    def __init__(self, methods: Methods, connection: Connection) -> None:
        self.methods = methods
        self.connection = connection

    def receive(self, line: bytes | None) -> None:
        """One line; None is one that was too long to keep (contract clause P10)."""
        if line is None:
            self._reply(_error(None, Refusal(PARSE_ERROR, "Parse error: the line is too long.")))
            return
        if not line.strip():
            return
        try:
            message = parse(line)
            if isinstance(message, list):
                self._receive_batch(message)
            else:
                self._receive_one(message, self._reply)
        except Refusal as refusal:
            self._reply(_error(refusal.id, refusal))

    def _reply(self, reply: bytes | None) -> None:
        if reply is not None:
            self.connection.write(reply)

    def _receive_batch(self, messages: list[Any]) -> None:
        """A JSON-RPC array, which one version has (MCP 2025-03-26: base protocol)."""
        if self.methods.legacy.version != eras.WITH_BATCHES:
            raise Refusal(INVALID_REQUEST, "Invalid request: batches are not served here.")
        if not messages or len(messages) > MOST_IN_BATCH:
            raise Refusal(INVALID_REQUEST, "Invalid request: an empty or too large batch.")
        batch = _Batch(len(messages), self._reply)
        for message in messages:
            try:
                self._receive_one(message, batch.take, in_batch=True)
            except Refusal as refusal:
                batch.take(_error(refusal.id, refusal))

    def _receive_one(self, message: object, reply: Reply, *, in_batch: bool = False) -> None:
        """A request, a notification or a response.

        Either raises Refusal, or calls `reply` once, now or later; None is no reply.
        """
        if isinstance(message, dict) and "method" not in message and _RESPONSE & message.keys():
            self.connection.settle(message)
            reply(None)
            return
        request = eras.request_of(message)
        if request is None:
            self._notice(message)
            reply(None)
            return
        call = Call(request, self._caller(request, in_batch=in_batch), self.connection)
        self.connection.start(call)
        if self.methods.is_quick(request.method):
            self._finish(call, reply)
        else:
            self.connection.pool.submit(lambda: self._finish(call, reply))

    def _caller(self, request: eras.Request, *, in_batch: bool) -> eras.Caller:
        modern = eras.is_modern(request)
        if in_batch and (modern or request.method == "initialize"):
            raise Refusal(INVALID_REQUEST, "Invalid request: not in a batch.", id=request.id)
        return eras.modern_caller(request) if modern else self.methods.legacy

    def _notice(self, notification: Any) -> None:
        """A notification is never answered, whatever it holds; one of them means something."""
        params = notification.get("params")
        if notification["method"] == "notifications/cancelled" and isinstance(params, dict):
            self.connection.cancel(params.get("requestId"))

    def _finish(self, call: Call, reply: Reply) -> None:
        answer = None if call.cancelled else self._answer(call)
        reply(answer if self.connection.end(call) else None)

    def _answer(self, call: Call) -> bytes | None:
        """The response to a call: every way that one can end. None: nobody waits for it."""
        id = call.request.id
        try:
            return encode({"jsonrpc": "2.0", "id": id, "result": self._result(call)})
        except Refusal as refusal:
            return _error(id, refusal)
        except Abandoned:
            return None
        except (Exception, SystemExit) as bug:  # noqa: BLE001 - the request loop outlives any bug
            note(f"unexpected error in {call.request.method}: {_described(bug)}")
            return _error(id, Refusal(INTERNAL_ERROR, "Internal error; see engram-mcp's log."))

    def _result(self, call: Call) -> Any:
        try:
            return self.methods.answer(call)
        except InputRequired as asked:
            method = call.request.method
            if not call.caller.modern or method not in _MAY_ASK:
                raise
            return eras.answer(method, asked.result, call.caller, self.methods.server)


class _Batch:
    """Gathers the replies of one array until the last is there."""

    def __init__(self, expected: int, reply: Reply) -> None:
        self._lock = threading.Lock()
        self._missing = expected
        self._replies: list[bytes] = []
        self._reply = reply

    def take(self, reply: bytes | None) -> None:
        """One message of the array was dealt with; None: without a reply."""
        with self._lock:
            self._missing -= 1
            if reply is not None:
                self._replies.append(reply)
            done = not self._missing
        if done and self._replies:
            self._reply(b"[" + b",".join(self._replies) + b"]")


def serve(registry: Registry, version: str, patience: Patience = in_time) -> int:
    """Serve a registry on stdin and stdout until the input ends; the exit status is 0."""
    try:
        incoming, outgoing = divert()
    except OSError:  # started without stdin or stdout: nobody to serve
        return 0
    writer = Writer(outgoing, closed=lambda: os._exit(0))
    _stop_on_signals(writer)
    pool = Pool()
    connection = Connection(writer.write, pool, patience)
    server = Server(Methods(registry, version), connection)
    for line in lines(incoming):
        server.receive(line)
    connection.hang_up()
    if not pool.finish(GRACE_SECONDS):
        os._exit(0)  # a call that goes on must not keep the process (contract clause P11)
    return 0


def main() -> int:
    """The command `engram-mcp`."""
    options, notes = options_of(sys.argv[1:])
    if options.told:
        sys.stdout.write(options.told)
        return 0
    for each in notes:
        note(each)
    if os.isatty(0):
        note("waiting for a coding agent's messages on stdin; see engram-mcp --help. Ctrl-C ends.")
    return serve(registry(options), __version__)


def _stop_on_signals(writer: Writer) -> None:
    """End at once and quietly, but not in the middle of a line."""

    def stop(*_: object) -> None:
        writer.lock.acquire(timeout=_WRITE_SECONDS)
        os._exit(0)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


def _error(id: object, refusal: Refusal) -> bytes:
    told: dict[str, object] = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        told["data"] = refusal.data
    return encode({"jsonrpc": "2.0", "id": id, "error": told})


def _described(bug: BaseException) -> str:
    """A bug in one line of the log: what, and in which file and line."""
    trace = bug.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})" if trace else ""
    return f"{type(bug).__name__}: {bug}{where}"
