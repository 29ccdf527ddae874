"""What `engram-mcp` offers; the parts are imported when they are first asked for."""

from __future__ import annotations

from engram.app.guide import INSTRUCTIONS
from engram.interfaces.mcp.registry import Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from engram.interfaces.mcp.calls import Call
    from engram.interfaces.mcp.options import Options
    from engram.interfaces.mcp.registry import Prompt, Resource, ResourceTemplate, Tool

# Nothing of it changes while a server runs, so no list tells of changes.
CAPABILITIES: dict[str, dict[str, object]] = {"tools": {}, "resources": {}, "prompts": {}}


def registry(options: Options) -> Registry:
    """The tools, resources and the prompt of one server."""

    def offered_tools() -> Iterable[Tool]:
        from engram.interfaces.mcp.tools import tools  # noqa: PLC0415 - a handshake needs none

        return tools(options)

    def offered_prompts() -> Iterable[Prompt]:
        from engram.interfaces.mcp.prompts import prompts  # noqa: PLC0415

        return prompts()

    def offered_templates() -> Iterable[ResourceTemplate]:
        from engram.interfaces.mcp.resources import templates  # noqa: PLC0415

        return templates()

    def offered_resources(call: Call) -> Iterable[Resource]:
        from engram.interfaces.mcp.resources import resources  # noqa: PLC0415

        return resources(options, call)

    def read(uri: str, call: Call) -> list[dict[str, Any]] | None:
        from engram.interfaces.mcp.resources import contents  # noqa: PLC0415

        return contents(options, uri, call)

    return Registry(
        instructions=INSTRUCTIONS,
        capabilities=CAPABILITIES,
        tools=offered_tools,
        prompts=offered_prompts,
        templates=offered_templates,
        resources=offered_resources,
        read=read,
    )
