"""A host's side of MCP: start `engram-mcp` and ask it, in either era, a line at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from engram.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Person = Callable[[Mapping[str, Any]], Mapping[str, object]]

LEGACY, MODERN = "2025-11-25", "2026-07-28"
_SERVE = "import sys; from engram.interfaces.mcp.server import main; sys.exit(main())"
OWN = (sys.executable, "-I", "-c", _SERVE)
_CLIENT = {"name": "engram", "version": "1"}
_META = "io.modelcontextprotocol/"


class Server:
    """A running `engram-mcp`; open with `with`, which ends it.

    By default it is the one of this very installation, whatever stands on the PATH, and no file
    of the folder it runs in can take a module's place (`-I`).
    """

    def __init__(
        self,
        project: str,
        variables: Mapping[str, str],
        *,
        command: Sequence[str] = OWN,
        options: Sequence[str] | None = None,
        patience_seconds: float = 30.0,
    ) -> None:
        """`options` are what the command is given besides; the workspace, where none are named."""
        self._patience_seconds = patience_seconds
        self._asked = 0
        self._running = subprocess.Popen(
            [*command, *(("--workspace", project) if options is None else options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=project,
            env=dict(variables),
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._running.communicate(timeout=self._patience_seconds)  # the end of its input
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.communicate()

    def initialize(self) -> dict[str, Any]:
        """The handshake of the legacy era; returns what the server says of itself."""
        about = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _CLIENT}
        told = self.ask("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return told

    def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        era: str = LEGACY,
        person: Person | None = None,
    ) -> dict[str, Any]:
        """Call a tool in one era; returns its result.

        In the modern era `person` answers the form that a tool may ask with.
        """
        params: dict[str, object] = {"name": tool, "arguments": dict(arguments)}
        if era == MODERN:
            params["_meta"] = {
                f"{_META}protocolVersion": MODERN,
                f"{_META}clientInfo": _CLIENT,
                f"{_META}clientCapabilities": {"elicitation": {"form": {}}} if person else {},
            }
        result = self.ask("tools/call", params)
        if person is None or "inputRequests" not in result:
            return result
        answers = {name: person(each["params"]) for name, each in result["inputRequests"].items()}
        again = {"requestState": result["requestState"], "inputResponses": answers}
        return self.ask("tools/call", {**params, **again})

    def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Send one request and wait for its result.

        Raises Unavailable (mcp.no_answer, mcp.refused).
        """
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": dict(params)})
        reply = self._receive()
        if "error" in reply:
            raise Unavailable("mcp.refused", f"engram-mcp refused {method}: {reply['error']}.")
        result: dict[str, Any] = reply["result"]
        return result

    def _send(self, message: Mapping[str, object]) -> None:
        pipe = self._running.stdin
        assert pipe is not None  # noqa: S101 - opened above
        try:
            pipe.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            pipe.flush()
        except OSError as error:
            raise _silence() from error

    def _receive(self) -> dict[str, Any]:
        """The next message; a server that says nothing for too long is ended."""
        pipe = self._running.stdout
        assert pipe is not None  # noqa: S101 - opened above
        watch = threading.Timer(self._patience_seconds, self._running.kill)
        watch.start()
        try:
            line = pipe.readline()
        finally:
            watch.cancel()
        if not line:
            raise _silence()
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise Unavailable("mcp.nonsense", "What answered does not speak JSON-RPC.")
        return message


def _silence() -> Unavailable:
    return Unavailable(
        "mcp.no_answer",
        "engram-mcp ended, or said nothing for too long.",
        hint="Start it by hand to see why: engram-mcp --workspace .",
    )
