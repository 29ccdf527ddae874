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
}
SENT = {
    "notifications/cancelled": "CancelledNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/progress": "ProgressNotification",
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
}
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


def check_message(version: str, message: dict[str, Any]) -> None:
    """The shape of a message, and of a notification or request that the server sent."""
    if "method" in message:
        check(version, SENT[message["method"]], message)
        return
    if message.get("id") is None:  # JSON-RPC's own form, which the MCP schemas do not have
        message = {**message, "id": 0}
    check(version, "JSONRPCError" if "error" in message else "JSONRPCResponse", message)
