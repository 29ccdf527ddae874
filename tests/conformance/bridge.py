"""A bridge for tests: the Streamable HTTP transport on one side, an MCP server on stdio on the other.

The official conformance suite speaks HTTP alone. This hands each POST to a child process and its
answer back, checks what is HTTP's own (headers against the body, foreign hosts and origins, status
codes), and adds nothing to what the server says. One child serves everything modern; each legacy
session has its own.

    python -m tests.conformance.bridge PORT COMMAND…
"""

from __future__ import annotations

import http.server
import itertools
import json
import queue
import subprocess
import sys
import threading
import uuid
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

Message = dict[str, Any]

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
FIRST_MODERN = "2026"
LOCAL = ("localhost", "127.0.0.1", "::1")
PATIENCE = 60  # seconds for an answer
BEAT = 1  # seconds between two signs of life on a stream
STATUS = {-32601: HTTPStatus.NOT_FOUND} | dict.fromkeys(
    (-32700, -32600, -32602, -32020, -32021, -32022), HTTPStatus.BAD_REQUEST
)
HEADER_MISMATCH = -32020


class Exchange:
    """One request on its way: its own id, and what came for it."""

    def __init__(self, request: Message) -> None:
        self.request = request
        self.messages: queue.Queue[Message] = queue.Queue()

    @property
    def progress_token(self) -> object:
        return (self.request.get("params") or {}).get("_meta", {}).get("progressToken")


class Child:
    """A server process; ids are renumbered, since several HTTP clients share it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._open: dict[int, Exchange] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def write(self, message: Message) -> None:
        """Pass on a notification or a response."""
        params = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            number = self._number_of(params.get("requestId"))
            message = {**message, "params": {**params, "requestId": number}}
        self._send(message)

    def start(self, request: Message) -> tuple[int, Exchange]:
        """Pass on a request."""
        exchange = Exchange(request)
        with self._lock:
            number = next(self._numbers)
            self._open[number] = exchange
        self._send({**request, "id": number})
        return number, exchange

    def finish(self, number: int) -> None:
        """Nobody waits for this request any more."""
        with self._lock:
            self._open.pop(number, None)

    def cancel(self, number: int) -> None:
        """The HTTP client went away."""
        self._send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": number},
            }
        )

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)

    def _send(self, message: Message) -> None:
        assert self.process.stdin is not None
        with self._lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def _number_of(self, id: object) -> int | None:
        with self._lock:
            found = [n for n, exchange in self._open.items() if exchange.request.get("id") == id]
        return found[-1] if found else None

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            exchange = self._meant(message)
            if exchange is None:
                continue
            if "method" not in message:
                message = {**message, "id": exchange.request["id"]}
            exchange.messages.put(message)

    def _meant(self, message: Message) -> Exchange | None:
        """Whose stream a message belongs on; the newest one's, where it does not say."""
        with self._lock:
            if "method" not in message:
                return self._open.get(message.get("id") or 0)
            token = (message.get("params") or {}).get("progressToken")
            for exchange in self._open.values():
                if token is not None and exchange.progress_token == token:
                    return exchange
            return next(reversed(self._open.values()), None)


class Bridge(http.server.ThreadingHTTPServer):
    """All children of one run."""

    daemon_threads = True

    def __init__(self, port: int, command: list[str]) -> None:
        super().__init__(("127.0.0.1", port), Endpoint)
        self.command = command
        self.sessions: dict[str, Child] = {}
        self._modern: Child | None = None
        self._lock = threading.Lock()

    @property
    def modern(self) -> Child:
        with self._lock:
            if self._modern is None or self._modern.process.poll() is not None:
                self._modern = Child(self.command)
            return self._modern

    def begin(self) -> tuple[str, Child]:
        """A child for a new legacy session."""
        session = uuid.uuid4().hex
        self.sessions[session] = Child(self.command)
        return session, self.sessions[session]


class Endpoint(http.server.BaseHTTPRequestHandler):
    """POST, GET and DELETE of the one MCP endpoint."""

    protocol_version = "HTTP/1.1"
    server: Bridge

    def do_GET(self) -> None:
        if self._is_ours():
            self._reply(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "POST, DELETE"})

    def do_DELETE(self) -> None:
        if self._is_ours():
            child = self.server.sessions.pop(self.headers.get("Mcp-Session-Id", ""), None)
            self._reply(HTTPStatus.OK if child else HTTPStatus.NOT_FOUND)
            if child is not None:
                child.end()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self._is_ours():
            return
        try:
            message = json.loads(body)
        except ValueError:
            self._refuse(-32700, "Parse error", None)
            return
        if not isinstance(message, dict):
            self._refuse(-32600, "Invalid request", None)
            return
        self._pass_on(message)

    def log_message(self, format: str, *words: object) -> None:
        """Say nothing."""

    def _pass_on(self, message: Message) -> None:
        session, headers = self.headers.get("Mcp-Session-Id"), {}
        modern = self._is_modern(message, session)
        if modern and (mismatch := self._mismatch(message)):
            self._refuse(HEADER_MISMATCH, mismatch, message.get("id"))
            return
        if modern:
            child = self.server.modern
        elif message.get("method") == "initialize" and session is None:
            session, child = self.server.begin()
            headers = {"Mcp-Session-Id": session}
        elif session in self.server.sessions:
            child = self.server.sessions[session]
        else:
            self._reply(HTTPStatus.NOT_FOUND)
            return
        if "method" in message and isinstance(message.get("id"), str | int):
            self._answer(child, message, headers, modern=modern)
        else:
            child.write(message)
            self._reply(HTTPStatus.ACCEPTED)

    def _answer(
        self, child: Child, request: Message, headers: dict[str, str], *, modern: bool
    ) -> None:
        number, exchange = child.start(request)
        try:
            first = exchange.messages.get(timeout=PATIENCE)
            if "method" not in first:
                code = first.get("error", {}).get("code")
                status = STATUS.get(code, HTTPStatus.OK) if modern else HTTPStatus.OK
                self._reply(status, first, headers)
            else:
                self._stream(first, exchange, headers)
        except (BrokenPipeError, ConnectionResetError):
            child.cancel(number)
        except queue.Empty:
            self._reply(HTTPStatus.GATEWAY_TIMEOUT)
        finally:
            child.finish(number)

    def _stream(self, message: Message, exchange: Exchange, headers: dict[str, str]) -> None:
        """Server-sent events until the response."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        while True:
            self._event(b"event: message\ndata: " + json.dumps(message).encode())
            if "method" not in message:
                return
            while True:
                try:
                    message = exchange.messages.get(timeout=BEAT)
                    break
                except queue.Empty:
                    self._event(b": still here")

    def _event(self, data: bytes) -> None:
        self.wfile.write(data + b"\n\n")
        self.wfile.flush()

    def _is_modern(self, message: Message, session: str | None) -> bool:
        meta = _meta(message)
        said = self.headers.get("MCP-Protocol-Version") or ""
        begins = session is None and message.get("method") != "initialize"
        return VERSION_KEY in meta or said >= FIRST_MODERN or begins

    def _mismatch(self, message: Message) -> str:
        """What a header says otherwise than the body; "" where they agree."""
        params = message.get("params") or {}
        name = params.get("name") or params.get("uri")
        pairs = (
            ("MCP-Protocol-Version", _meta(message).get(VERSION_KEY)),
            ("Mcp-Method", message.get("method")),
            ("Mcp-Name", name),
        )
        for header, value in pairs:
            said = self.headers.get(header)
            if said and value and said != value:
                return f"{header} does not match the body"
        return ""

    def _is_ours(self) -> bool:
        """Refuse what a foreign page could send (DNS rebinding)."""
        host = urlsplit(f"//{self.headers.get('Host') or ''}").hostname
        origin = self.headers.get("Origin")
        if host in LOCAL and (not origin or urlsplit(origin).hostname in LOCAL):
            return True
        self._reply(HTTPStatus.FORBIDDEN)
        return False

    def _refuse(self, code: int, message: str, id: object) -> None:
        error = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}
        self._reply(HTTPStatus.BAD_REQUEST, error)

    def _reply(
        self, status: int, message: Message | None = None, headers: dict[str, str] | None = None
    ) -> None:
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _meta(message: Message) -> dict[str, Any]:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def main() -> None:
    port, *command = sys.argv[1:]
    with Bridge(int(port), command) as bridge:
        print(f"listening on port {bridge.server_address[1]}", flush=True)
        bridge.serve_forever()


if __name__ == "__main__":
    main()
