"""The other end of an MCP server's pipes: a real process, and every message judged as it comes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import engram
from engram.record import Record
from tests.support.mcp_schemas import MODERN, Judge

SOURCE = str(Path(engram.__file__).parents[1])
REPOSITORY = str(Path(__file__).parents[2])
SERVER = (
    sys.executable,
    "-c",
    "import sys; from engram.interfaces.mcp.server import main; sys.exit(main())",
)
FIXTURE = (sys.executable, "-m", "tests.support.mcp_fixture")
PATIENCE = 30  # seconds that a reply may take on a busy machine
KEY = "io.modelcontextprotocol/"

Message = dict[str, Any]


class Ended(Record):
    """How the server's process ended."""

    exit: int
    rest: bytes  # what was still on its stdout
    log: str  # its stderr


class Peer:
    """Talks to one server process; use it with `with`."""

    def __init__(
        self,
        *options: str,
        command: tuple[str, ...] = SERVER,
        cwd: Path | None = None,
        variables: dict[str, str] | None = None,
    ) -> None:
        path = os.pathsep.join((SOURCE, REPOSITORY))
        self.process = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path, **(variables or {})},
        )
        self.judge = Judge()
        self.aside: list[Message] = []  # what came before the response that `response` waited for
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._log: list[bytes] = []
        self._number = 0
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._read_out, self._read_err)
        ]
        for each in self._threads:
            each.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        assert self.process.stdin is not None
        if kind is not None:
            self.process.kill()
            self._collect()
        elif not self.process.stdin.closed:
            self.close()

    # Writing

    def line(self, data: bytes) -> None:
        """Send one line as it is."""
        self.judge.sent(data)
        self.write(data + b"\n")

    def write(self, data: bytes) -> None:
        """Send some bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        """Send one message, or what should be one."""
        self.line(json.dumps(message).encode())

    def start(self, method: str, params: Message | None = None, *, modern: bool = False) -> int:
        """Send a request and return its id without waiting."""
        self._number += 1
        self.send(a_request(self._number, method, params, modern=modern))
        return self._number

    def notify(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    # Reading

    def read(self) -> Any:
        """The next message, judged: one line of JSON that the official schema takes."""
        line = self._lines.get(timeout=PATIENCE)
        if line is None:
            self._lines.put(None)
        assert line is not None, f"the server ended: {self.log}"
        return self.judge.received(line)

    def response(self, id: int) -> Message:
        """The response to a request that was started; what comes before it goes aside."""
        while True:
            message: Message = self.read()
            if message.get("id") == id and "method" not in message:
                return message
            self.aside.append(message)

    def ask(self, method: str, params: Message | None = None, *, modern: bool = False) -> Message:
        """Send a request and return its response."""
        id = self.start(method, params, modern=modern)
        message: Message = self.read()
        assert message["id"] == id
        return message

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
        """`initialize` and its notification; the result."""
        params = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "peer", "version": "1"},
        }
        result: Message = self.result("initialize", params)
        self.notify("notifications/initialized")
        return result

    def silent(self) -> bool:
        """Whether nothing has come before the answer to a ping that is sent now."""
        return bool(self.ask("ping")["result"] == {})

    # Ending

    def close(self) -> Ended:
        """End the input; how the server ends."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.ended()

    def ended(self) -> Ended:
        """Wait for the end of the process; what was still on its stdout is judged as well."""
        exit, rest = self._collect()
        for line in rest:
            self.judge.received(line)
        return Ended(exit, b"".join(rest), self.log)

    def _collect(self) -> tuple[int, list[bytes]]:
        exit = self.process.wait(timeout=PATIENCE)
        for each in self._threads:
            each.join(timeout=PATIENCE)
        rest = list(iter(self._lines.get, None))
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        return exit, rest

    @property
    def log(self) -> str:
        """What the server wrote on stderr so far."""
        return b"".join(self._log).decode()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self._log.extend(self.process.stderr)


def a_request(
    id: object, method: str, params: Message | None = None, *, modern: bool = False
) -> Message:
    """A JSON-RPC request; a modern one brings its envelope."""
    params = dict(params or {})
    if modern:
        params["_meta"] = {**an_envelope(), **params.get("_meta", {})}
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def an_envelope(version: object = MODERN, **capabilities: Any) -> Message:
    """The `_meta` of a modern request."""
    return {KEY + "protocolVersion": version, KEY + "clientCapabilities": capabilities}
