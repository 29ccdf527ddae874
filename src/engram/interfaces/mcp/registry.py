"""What a server offers: its tools, resources and prompts, as records that say nothing of the wire."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from engram.interfaces.mcp.calls import Call

    Arguments = Mapping[str, Any]
    Answered = dict[str, Any]


class Tool(Record):
    """One tool. `run` gives a CallToolResult as a JSON object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Callable[[Arguments, Call], Answered]
    title: str = ""
    annotations: Mapping[str, Any] = {}
    meta: Mapping[str, Any] = {}
    output_schema: Mapping[str, Any] = {}

    def described(self) -> dict[str, Any]:
        return _without_empty(
            name=self.name,
            title=self.title,
            description=self.description,
            inputSchema=dict(self.input_schema),
            outputSchema=dict(self.output_schema),
            annotations=dict(self.annotations),
            _meta=dict(self.meta),
        )


class Resource(Record):
    """One resource of a list."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = ""

    def described(self) -> dict[str, Any]:
        return _without_empty(
            uri=self.uri,
            name=self.name,
            title=self.title,
            description=self.description,
            mimeType=self.mime_type,
        )


class ResourceTemplate(Record):
    """A family of resources, by an RFC 6570 template."""

    uri_template: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = ""

    def described(self) -> dict[str, Any]:
        return _without_empty(
            uriTemplate=self.uri_template,
            name=self.name,
            title=self.title,
            description=self.description,
            mimeType=self.mime_type,
        )


class Argument(Record):
    """One argument of a prompt; its value is text."""

    name: str
    description: str = ""
    required: bool = False

    def described(self) -> dict[str, Any]:
        return _without_empty(name=self.name, description=self.description, required=self.required)


class Prompt(Record):
    """One prompt. `run` gives a GetPromptResult as a JSON object."""

    name: str
    run: Callable[[Arguments, Call], Answered]
    title: str = ""
    description: str = ""
    arguments: tuple[Argument, ...] = ()

    def described(self) -> dict[str, Any]:
        return _without_empty(
            name=self.name,
            title=self.title,
            description=self.description,
            arguments=[each.described() for each in self.arguments],
        )


def _no_contents(uri: str, call: Call) -> None:  # noqa: ARG001 - the shape of `Registry.read`
    return None


class Registry(Record):
    """All that one server offers. The lists are functions: a handshake pays for none of them."""

    instructions: str
    capabilities: Mapping[str, Any]
    tools: Callable[[], Iterable[Tool]] = tuple
    prompts: Callable[[], Iterable[Prompt]] = tuple
    templates: Callable[[], Iterable[ResourceTemplate]] = tuple
    resources: Callable[[Call], Iterable[Resource]] = lambda _call: ()
    # The contents of a resource, or None where there is none of that name.
    read: Callable[[str, Call], list[dict[str, Any]] | None] = _no_contents
    # Further methods by name; each needs its capability above.
    methods: Mapping[str, Callable[[Call], Answered]] = {}


def _without_empty(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in ("", (), {}, [], False)}
