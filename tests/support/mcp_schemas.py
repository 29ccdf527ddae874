"""The official JSON Schemas of every MCP version, as judges of what a server sends."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema

FOLDER = Path(__file__).parents[1] / "data" / "mcp-schemas"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
LEGACY = VERSIONS[:-1]
MODERN = VERSIONS[-1]

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/read": "ReadResourceResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
}
SENT = {
    "notifications/cancelled": "CancelledNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/progress": "ProgressNotification",
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
}
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
MODERN_METHODS = ("server/discover", "subscriptions/listen")
MODERN_ERRORS = {-32700, -32600, -32601, -32602, -32603, -32021, -32022}
RENAMED = {"JSONRPCResponse": "JSONRPCResultResponse", "JSONRPCError": "JSONRPCErrorResponse"}


@functools.cache
def _document(version: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))
    return read


@functools.cache
def _judge(version: str, name: str) -> Any:
    document = _document(version)
    definitions = "$defs" if "$defs" in document else "definitions"
    known = document[definitions]
    name = name if name in known else RENAMED[name]
    whole = {
        "$schema": document["$schema"],
        definitions: known,
        "allOf": [{"$ref": f"#/{definitions}/{name}"}],
    }
    return jsonschema.validators.validator_for(whole)(whole)


def check(version: str, name: str, value: object) -> None:
    """Raise jsonschema's ValidationError unless a value is what the version says of that name."""
    _judge(version, name).validate(value)


def check_result(version: str, method: str, result: dict[str, Any]) -> None:
    """The result of one method."""
    asks = result.get("resultType") == "input_required"
    check(version, "InputRequiredResult" if asks else RESULTS[method], result)


class Judge:
    """Judges every message of one server by the version of the request that it belongs to."""

    def __init__(self) -> None:
        self.version = LEGACY[-1]  # what the last handshake came to
        self._asked: dict[tuple[type, object], tuple[str, str]] = {}
        self._tokens: dict[object, str] = {}

    def sent(self, line: bytes) -> None:
        """Note a line that goes to the server, whatever it is."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return
        for each in message if isinstance(message, list) else [message]:
            if isinstance(each, dict) and isinstance(each.get("method"), str):
                self._note(each, alone=each is message)

    def _note(self, request: dict[str, Any], *, alone: bool) -> None:
        id, method, params = request.get("id"), request["method"], request.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        meta = meta if isinstance(meta, dict) else {}
        modern = VERSION_KEY in meta or method in MODERN_METHODS
        if method == "initialize" and alone and not modern and isinstance(id, str | int):
            asked = params.get("protocolVersion") if isinstance(params, dict) else None
            self.version = asked if asked in LEGACY else LEGACY[-1]
        version = MODERN if modern else self.version
        if isinstance(id, str | int):
            self._asked[type(id), id] = (method, version)
        if isinstance(meta.get("progressToken"), str | int):
            self._tokens[meta["progressToken"]] = version

    def received(self, line: bytes) -> Any:
        """The message, or the array of messages, on a line that came from the server.

        Raises AssertionError or jsonschema's ValidationError for what must not be on the wire.
        """
        assert line.endswith(b"\n"), line[-100:]
        assert line.isascii(), line[:1000]
        message = json.loads(line)
        for each in message if isinstance(message, list) else [message]:
            self._judge(each)
        return message

    def _judge(self, message: dict[str, Any]) -> None:
        if "method" in message:
            token = (message.get("params") or {}).get("progressToken")
            check_message(self._tokens.get(token, self.version), message)
            return
        id = message["id"]
        method, version = self._asked.get((type(id), id), ("", self.version))
        if isinstance(message.get("result"), str):  # a bare call, Engram's own (clause P9)
            assert message == {"jsonrpc": "2.0", "id": id, "result": message["result"]}
            assert version != MODERN
            assert method not in RESULTS
            return
        check_message(version, message)
        if "result" in message:
            check_result(version, method, message["result"])
        elif version == MODERN:
            assert message["error"]["code"] in MODERN_ERRORS


def check_message(version: str, message: dict[str, Any]) -> None:
    """The shape of a message, and of a notification or request that the server sent."""
    if "method" in message:
        check(version, SENT[message["method"]], message)
        return
    if message.get("id") is None:  # JSON-RPC's own form, which the MCP schemas do not have
        message = {**message, "id": 0}
    check(version, "JSONRPCError" if "error" in message else "JSONRPCResponse", message)
