"""What each protocol method answers, from a registry, in both eras."""

from __future__ import annotations

from engram.errors import EngramError, InvalidRequest, NotFound
from engram.interfaces.mcp import eras
from engram.interfaces.mcp.wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_ERROR,
    Refusal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from engram.interfaces.mcp.calls import Call
    from engram.interfaces.mcp.registry import Prompt, Registry, Tool

    Answered = dict[str, Any]

# Modern clients hear of changes through subscriptions/listen alone, which is not served.
_LISTENED_TO = ("listChanged", "subscribe")

TITLE = "Engram"
DESCRIPTION = "Memory for coding agents that a person owns and approves."


class Methods:
    """Answers the calls of one server; holds the outcome of the legacy handshake."""

    def __init__(self, registry: Registry, version: str) -> None:
        self.registry = registry
        self.legacy = eras.Caller()  # until `initialize`, and for those that never send it
        self.server = {
            "name": "engram",
            "title": TITLE,
            "version": version,
            "description": DESCRIPTION,
        }
        self._tools: dict[str, Tool] | None = None
        self._prompts: dict[str, Prompt] | None = None
        # At once, on the reader's own thread: nothing here touches a store.
        self._quick: dict[str, Callable[[Call], Answered]] = {
            "initialize": self._initialize,
            "ping": lambda _call: {},
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "prompts/list": self._list_prompts,
            "resources/templates/list": self._list_templates,
        }
        self._slow: dict[str, Callable[[Call], Answered]] = {
            "tools/call": self._call_tool,
            "prompts/get": self._get_prompt,
            "resources/list": self._list_resources,
            "resources/read": self._read_resource,
        }

    def is_quick(self, method: str) -> bool:
        """Whether a method is answered without work that can take time."""
        return method in self._quick

    def answer(self, call: Call) -> Any:
        """The result for a call, as its caller's version has it.

        Raises Refusal: METHOD_NOT_FOUND and whatever the method refuses.
        """
        method, modern = call.request.method, call.caller.modern
        if modern and method in eras.LEGACY_ONLY:
            raise _unknown(method)
        if self._offers(method):
            found = self._quick.get(method) or self._slow.get(method)
            result = (found or self.registry.methods[method])(call)
            return eras.answer(method, result, call.caller, self.server)
        if not modern and method in self.tools():
            return self._plain_text(self.tools()[method], call)
        raise _unknown(method)

    def tools(self) -> dict[str, Tool]:
        """The tools by name."""
        if self._tools is None:
            self._tools = {tool.name: tool for tool in self.registry.tools()}
        return self._tools

    def prompts(self) -> dict[str, Prompt]:
        """The prompts by name."""
        if self._prompts is None:
            self._prompts = {prompt.name: prompt for prompt in self.registry.prompts()}
        return self._prompts

    def _offers(self, method: str) -> bool:
        """A method stands behind the capability of its first word (MCP: capabilities)."""
        if method in self.registry.methods:
            return True
        family = method.partition("/")[0]
        known = method in self._quick or method in self._slow
        return known and (
            family in self.registry.capabilities or family not in ("tools", "prompts", "resources")
        )

    def _initialize(self, call: Call) -> Answered:
        self.legacy = eras.legacy_caller(call.params)
        call.caller = self.legacy
        return {
            "protocolVersion": self.legacy.version,
            "capabilities": dict(self.registry.capabilities),
            "serverInfo": self.server,
            "instructions": self.registry.instructions,
        }

    def _discover(self, call: Call) -> Answered:  # noqa: ARG002 - every method has this shape
        return {
            "supportedVersions": list(eras.MODERN),
            "capabilities": {
                name: {key: value for key, value in about.items() if key not in _LISTENED_TO}
                for name, about in self.registry.capabilities.items()
            },
            "instructions": self.registry.instructions,
        }

    def _list_tools(self, call: Call) -> Answered:
        return {"tools": _page(call, self.tools().values())}

    def _list_prompts(self, call: Call) -> Answered:
        return {"prompts": _page(call, self.prompts().values())}

    def _list_templates(self, call: Call) -> Answered:
        return {"resourceTemplates": _page(call, self.registry.templates())}

    def _list_resources(self, call: Call) -> Answered:
        with _told_as_error():
            return {"resources": _page(call, self.registry.resources(call))}

    def _read_resource(self, call: Call) -> Answered:
        uri = _text(call.params, "uri")
        with _told_as_error():
            contents = self.registry.read(uri, call)
        if contents is None:
            code = INVALID_PARAMS if call.caller.modern else eras.RESOURCE_NOT_FOUND_LEGACY
            raise Refusal(code, "Resource not found.", {"uri": uri})
        return {"contents": contents}

    def _call_tool(self, call: Call) -> Answered:
        name = _text(call.params, "name")
        tool = self.tools().get(name)
        if tool is None:
            raise Refusal(INVALID_PARAMS, f"Unknown tool: {name}")
        return tool.run(_arguments(call.params), call)

    def _plain_text(self, tool: Tool, call: Call) -> str:
        """A bare call: the tool's text alone (contract clause P9)."""
        arguments = {name: value for name, value in call.params.items() if name != "_meta"}
        result = tool.run(arguments, call)
        text = "\n\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        if not result.get("isError"):
            return text
        told = result.get("structuredContent", {}).get("error", {})
        mendable = str(told.get("code", "")).startswith("input.")
        raise Refusal(INVALID_PARAMS if mendable else SERVER_ERROR, text, told or None)

    def _get_prompt(self, call: Call) -> Answered:
        name = _text(call.params, "name")
        prompt = self.prompts().get(name)
        if prompt is None:
            raise Refusal(INVALID_PARAMS, f"Unknown prompt: {name}")
        arguments = _arguments(call.params)
        for each in prompt.arguments:
            if each.required and each.name not in arguments:
                raise Refusal(INVALID_PARAMS, f"Invalid params: “{each.name}” is missing.")
        if not all(isinstance(value, str) for value in arguments.values()):
            raise Refusal(INVALID_PARAMS, "Invalid params: a prompt's arguments are texts.")
        with _told_as_error():
            return prompt.run(arguments, call)


class _told_as_error:  # noqa: N801 - reads as a statement
    """What fails on purpose outside a tool is a JSON-RPC error with the message and the hint."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, failure: BaseException | None, trace: object) -> None:
        if isinstance(failure, EngramError):
            mendable = isinstance(failure, InvalidRequest | NotFound)
            told = f"{failure.message} {failure.hint}".strip()
            code = INVALID_PARAMS if mendable else INTERNAL_ERROR
            raise Refusal(code, told, {"code": failure.code}) from None


def _unknown(method: str) -> Refusal:
    return Refusal(METHOD_NOT_FOUND, f"Method not found: {method}")


def _page(call: Call, records: Iterable[Any]) -> list[Answered]:
    """A whole list: we never hand out a cursor, so any that comes is none of ours."""
    if call.params.get("cursor") is not None:
        raise Refusal(INVALID_PARAMS, "Invalid params: unknown cursor.")
    return [each.described() for each in records]


def _text(params: Mapping[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Refusal(INVALID_PARAMS, f"Invalid params: “{name}” must be text.")
    return value


def _arguments(params: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = params.get("arguments")
    if not isinstance(arguments, dict | None):
        raise Refusal(INVALID_PARAMS, "Invalid params: “arguments” must be an object.")
    return arguments or {}
