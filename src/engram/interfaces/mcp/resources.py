"""The resources: memory that a host can attach without a tool (contract clauses F2, F3)."""

from __future__ import annotations

from engram.errors import NotFound
from engram.interfaces.mcp.registry import Resource, ResourceTemplate
from engram.interfaces.mcp.tools import engram_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.core.memory import Entry
    from engram.interfaces.mcp.calls import Call
    from engram.interfaces.mcp.options import Options

INDEX = "engram://index"
MEMORY = "engram://memory/"
MARKDOWN = "text/markdown"

# RFC 3986, section 2.3: what stands for itself in a URI.
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def resources(options: Options, call: Call) -> tuple[Resource, ...]:
    """The index, then the most used memories (clause F3)."""
    from engram.app.reading import resource_list  # noqa: PLC0415 - the templates need none

    index = Resource(
        INDEX,
        "index",
        "Memory index",
        "Every memory of this project and of the person, one line each.",
        MARKDOWN,
    )
    found = resource_list(engram_for(options, call))
    ids = [entry.id for entry in found]
    return (index, *(_resource(entry, alone=ids.count(entry.id) == 1) for entry in found))


def templates() -> tuple[ResourceTemplate, ...]:
    """The one template: a memory by its id."""
    return (
        ResourceTemplate(
            MEMORY + "{id}",
            "memory",
            "A memory",
            "One memory, whole. The id as engram_search and engram://index give it; "
            "<scope>:<id> where both scopes have it.",
            MARKDOWN,
        ),
    )


def contents(options: Options, uri: str, call: Call) -> list[dict[str, Any]] | None:
    """What a URI holds; None where there is nothing of that name (clause F2)."""
    from engram.app.reading import resource_index, resource_memory  # noqa: PLC0415

    if uri == INDEX:
        text = resource_index(engram_for(options, call))
    elif uri.startswith(MEMORY) and (id := _unquoted(uri.removeprefix(MEMORY))):
        try:
            text = resource_memory(engram_for(options, call), id)
        except NotFound:
            return None
    else:
        return None
    return [{"uri": uri, "mimeType": MARKDOWN, "text": text}]


def _resource(entry: Entry, *, alone: bool) -> Resource:
    """A memory in the list: by its id, by its key where both scopes have that id."""
    name = entry.id if alone else entry.key
    return Resource(MEMORY + _quoted(name), name, entry.title, entry.summary, MARKDOWN)


def _quoted(text: str) -> str:
    """Percent-encoded as RFC 6570 expands `{id}`; urllib.parse would cost more than the list."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in text.encode("utf-8")
    )


def _unquoted(text: str) -> str:
    """The text behind percent-encoding; "" when it is none."""
    first, *escaped = text.split("%")
    try:
        parts = [bytes.fromhex(part[:2]) + part[2:].encode("utf-8") for part in escaped]
        if any(len(part) < 2 for part in escaped):
            return ""
        return (first.encode("utf-8") + b"".join(parts)).decode("utf-8")
    except ValueError:
        return ""
