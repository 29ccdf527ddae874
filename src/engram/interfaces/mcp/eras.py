"""Which protocol a request speaks, and what an answer may hold for that version's clients.

The era belongs to the request, never to the connection (contract clauses P2, P11): a request is
modern when its `_meta` names a protocol version, or when its method exists in the modern era alone.
Everything else is legacy and follows the last `initialize`.
"""

from __future__ import annotations

from engram.interfaces.mcp.wire import INVALID_PARAMS, INVALID_REQUEST, Refusal, is_id
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_FIRST, _ANNOTATED, _STRUCTURED, NEWEST_LEGACY = LEGACY
MODERN = ("2026-07-28",)
WITH_BATCHES = _ANNOTATED  # the one version whose clients may send arrays
WITH_FORMS = _STRUCTURED  # the first version with elicitation
WITH_LISTS_IN_FORMS = NEWEST_LEGACY  # the first whose forms have titled and multiple choices

# 2026-07-28: schema, UnsupportedProtocolVersionError; the legacy versions: resources, errors.
UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND_LEGACY = -32002

_KEY = "io.modelcontextprotocol/"
VERSION_KEY = _KEY + "protocolVersion"
CAPABILITIES_KEY = _KEY + "clientCapabilities"
LOG_LEVEL_KEY = _KEY + "logLevel"
SERVER_KEY = _KEY + "serverInfo"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

MODERN_ONLY = frozenset({"server/discover", "subscriptions/listen"})
LEGACY_ONLY = frozenset(
    {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
)

# What may be kept of a modern answer: milliseconds. Lists that one process never changes may be
# kept a while; what comes from the stores may not. Everything is private (contract clause P4).
_STEADY, _FRESH = 300_000, 0
KEPT_MILLISECONDS = {
    "server/discover": _STEADY,
    "tools/list": _STEADY,
    "prompts/list": _STEADY,
    "resources/templates/list": _STEADY,
    "resources/list": _FRESH,
    "resources/read": _FRESH,
}

# Members that a version's clients do not know: method, where, member, first version that has it.
# `annotations` and `_meta` of a tool stay for every version: open schemas let them pass, and a
# host that knows the key must see that `engram_commit` needs a person.
EACH = "*"
_ADDED = (
    ("initialize", ("serverInfo",), "title", _STRUCTURED),
    ("initialize", ("serverInfo",), "description", NEWEST_LEGACY),
    ("initialize", ("serverInfo",), "websiteUrl", NEWEST_LEGACY),
    ("initialize", ("capabilities",), "completions", _ANNOTATED),
    ("tools/list", ("tools", EACH), "title", _STRUCTURED),
    ("tools/list", ("tools", EACH), "outputSchema", _STRUCTURED),
    ("tools/list", ("tools", EACH), "icons", NEWEST_LEGACY),
    ("tools/call", (), "structuredContent", _STRUCTURED),
    ("resources/list", ("resources", EACH), "title", _STRUCTURED),
    ("resources/templates/list", ("resourceTemplates", EACH), "title", _STRUCTURED),
    ("prompts/list", ("prompts", EACH), "title", _STRUCTURED),
    ("prompts/list", ("prompts", EACH, "arguments", EACH), "title", _STRUCTURED),
)
_BLOCKS_ADDED = {"audio": _ANNOTATED, "resource_link": _STRUCTURED}


class Request(Record):
    """One JSON-RPC request."""

    id: str | int
    method: str
    params: dict[str, Any]


class Caller(Record):
    """Who asks: the version a request speaks and what its client can do."""

    version: str = NEWEST_LEGACY
    capabilities: Mapping[str, Any] = {}
    log_level: str = ""  # the least severe message the client wants; "": none

    @property
    def modern(self) -> bool:
        return self.version in MODERN

    @property
    def shows_forms(self) -> bool:
        """Whether the client can ask a person with a form (MCP: elicitation, capabilities)."""
        offered = self.capabilities.get("elicitation")
        knows = self.modern or self.version >= WITH_FORMS
        return knows and isinstance(offered, dict) and (not offered or "form" in offered)


def request_of(message: object) -> Request | None:
    """The request in a message; None for a notification, which is never answered.

    Raises Refusal for what is neither (JSON-RPC 2.0, section 4).
    """
    if not isinstance(message, dict):
        raise Refusal(INVALID_REQUEST, "Invalid request: not an object.")
    id, method, params = message.get("id"), message.get("method"), message.get("params")
    known = id if is_id(id) else None
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Refusal(INVALID_REQUEST, "Invalid request: not JSON-RPC 2.0.", id=known)
    if "id" not in message:
        return None
    if not is_id(id):
        raise Refusal(INVALID_REQUEST, "Invalid request: the id is neither text nor whole number.")
    if not isinstance(params, dict | None):
        raise Refusal(INVALID_REQUEST, "Invalid request: params is not an object.", id=known)
    return Request(id, method, params or {})


def is_modern(request: Request) -> bool:
    """Whether a request belongs to the modern era (contract clauses P2, P6)."""
    return request.method in MODERN_ONLY or VERSION_KEY in _meta(request)


def modern_caller(request: Request) -> Caller:
    """Who sent a modern request.

    Raises Refusal in the order of contract clause P5: keys present, their types, version known.
    """
    meta = _meta(request)
    for key in (VERSION_KEY, CAPABILITIES_KEY):
        if key not in meta:
            raise _wrong(request, f"_meta must hold {key}.")
    version, capabilities = meta[VERSION_KEY], meta[CAPABILITIES_KEY]
    log_level = meta.get(LOG_LEVEL_KEY, "")
    if not isinstance(version, str):
        raise _wrong(request, f"{VERSION_KEY} must be text.")
    if not isinstance(capabilities, dict):
        raise _wrong(request, f"{CAPABILITIES_KEY} must be an object.")
    if version not in MODERN:
        raise Refusal(
            UNSUPPORTED_VERSION,
            "Unsupported protocol version.",
            {"supported": list(MODERN), "requested": version},
            request.id,
        )
    if log_level not in ("", *LOG_LEVELS):
        raise _wrong(request, f"unknown {LOG_LEVEL_KEY}.")
    return Caller(version, capabilities, log_level)


def legacy_caller(params: Mapping[str, Any]) -> Caller:
    """Who shook hands with `initialize`: its version where we know it, our newest where not (P1)."""
    version, capabilities = params.get("protocolVersion"), params.get("capabilities")
    return Caller(
        version if version in LEGACY else NEWEST_LEGACY,
        capabilities if isinstance(capabilities, dict) else {},
        "info",
    )


def answer(method: str, result: dict[str, Any], caller: Caller, server: object) -> dict[str, Any]:
    """A result as the caller's version has it; `server` is what the server says of itself."""
    if not caller.modern:
        return _for_legacy(method, result, caller.version)
    whole = {"resultType": "complete", **result}
    whole["_meta"] = {**result.get("_meta", {}), SERVER_KEY: server}
    if method in KEPT_MILLISECONDS and whole["resultType"] == "complete":
        whole.setdefault("ttlMs", KEPT_MILLISECONDS[method])
        whole.setdefault("cacheScope", "private")
    return whole


def _wrong(request: Request, what: str) -> Refusal:
    return Refusal(INVALID_PARAMS, f"Invalid params: {what}", id=request.id)


def _meta(request: Request) -> dict[str, Any]:
    meta = request.params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _for_legacy(method: str, result: dict[str, Any], version: str) -> dict[str, Any]:
    result = _copied(result)
    for name, where, member, since in _ADDED:
        if name == method and version < since:
            for holder in _reached(result, where):
                holder.pop(member, None)
    _only_objects(result)
    for holder in (result, *_reached(result, ("messages", EACH))):
        if "content" in holder:
            holder["content"] = _known_blocks(holder["content"], version)
    return result


def _copied(value: Any) -> Any:
    """A copy deep enough to be cut: objects and lists anew."""
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _reached(value: Any, where: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The objects at a place; `EACH` stands for every item of a list."""
    if not where:
        yield value
    elif where[0] == EACH:
        for item in value:
            yield from _reached(item, where[1:])
    elif where[0] in value:
        yield from _reached(value[where[0]], where[1:])


def _only_objects(result: dict[str, Any]) -> None:
    """No legacy version takes a structured result, or a schema of one, that is no object."""
    if not isinstance(result.get("structuredContent", {}), dict):
        del result["structuredContent"]
    for tool in _reached(result, ("tools", EACH)):
        if tool.get("outputSchema", {"type": "object"}).get("type") != "object":
            del tool["outputSchema"]


def _known_blocks(content: Any, version: str) -> Any:
    if isinstance(content, list):
        return [_known_blocks(block, version) for block in content]
    if version >= _BLOCKS_ADDED.get(content["type"], _FIRST):
        return content
    if content["type"] == "audio":
        return {"type": "text", "text": f"[audio, {content['mimeType']}]"}
    return {"type": "text", "text": f"{content['name']}: {content['uri']}"}
