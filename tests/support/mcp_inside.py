"""An MCP server inside the test's own process and thread: quick, and every step in its order."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from engram.interfaces.mcp.calls import Connection
from engram.interfaces.mcp.methods import Methods
from engram.interfaces.mcp.pool import Pool
from engram.interfaces.mcp.registry import Registry
from engram.interfaces.mcp.server import Server
from tests.support import mcp_fixture
from tests.support.mcp_peer import Message, a_request
from tests.support.mcp_schemas import Judge


class Inline(Pool):
    """Runs each job at once, on the thread that brings it."""

    def submit(self, job: Callable[[], None]) -> None:
        job()

    def wait_outside(self, wait: Callable[[], bool]) -> bool:
        return wait()


class Inside:
    """A server that is handed lines; what it writes is judged and kept.

    While the server waits for an answer of the client, `meanwhile` takes its place: it is given
    the last message, and whatever it makes the server receive has then arrived.
    """

    def __init__(self, registry: Registry | None = None, pool: Pool | None = None) -> None:
        self.judge = Judge()
        self.written: list[Any] = []
        self.waits: list[tuple[float, bool]] = []  # the seconds, and whether an answer came
        self.meanwhile: Callable[[Message], None] = lambda _question: None
        self.connection = Connection(self._write, pool or Inline(), self._patience)
        self.methods = Methods(registry or mcp_fixture.registry(), "1.0")
        self.server = Server(self.methods, self.connection)
        self._number = 0

    def line(self, data: bytes | None) -> list[Any]:
        """Hand over one line; what was written because of it."""
        before = len(self.written)
        if data is not None:
            self.judge.sent(data)
        self.server.receive(data)
        return self.written[before:]

    def send(self, message: object) -> list[Any]:
        """Hand over one message; what was written because of it."""
        return self.line(json.dumps(message).encode())

    def ask(self, method: str, params: Message | None = None, *, modern: bool = False) -> Message:
        """The response to a request; it is the last that was written."""
        self._number += 1
        written = self.send(a_request(self._number, method, params, modern=modern))
        response: Message = written[-1]
        assert response["id"] == self._number
        return response

    def result(self, method: str, params: Message | None = None, *, modern: bool = False) -> Any:
        """The result of a request that must succeed."""
        response = self.ask(method, params, modern=modern)
        assert "result" in response, response
        return response["result"]

    def error(self, method: str, params: Message | None = None, *, modern: bool = False) -> Message:
        """The error of a request that must fail."""
        response = self.ask(method, params, modern=modern)
        assert "error" in response, response
        error: Message = response["error"]
        return error

    def call(self, tool: str, *, modern: bool = False, **arguments: Any) -> Message:
        """The result of a tool."""
        params = {"name": tool, "arguments": arguments}
        result: Message = self.result("tools/call", params, modern=modern)
        return result

    def shake_hands(self, version: str = "2025-11-25", **capabilities: Any) -> Message:
        """`initialize`; the result."""
        params = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "inside", "version": "1"},
        }
        result: Message = self.result("initialize", params)
        return result

    def _write(self, line: bytes) -> None:
        self.written.append(self.judge.received(line + b"\n"))

    def _patience(self, settled: threading.Event, seconds: float) -> bool:
        self.meanwhile(self.written[-1])
        came = settled.is_set()
        self.waits.append((seconds, came))
        return came
