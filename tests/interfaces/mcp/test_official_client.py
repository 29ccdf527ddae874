"""The official Python client, in each of its modes, against the product and the fixture."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from mcp import Client, MCPError, StdioServerParameters

from tests.support.mcp_peer import FIXTURE, PATIENCE, REPOSITORY, SERVER, SOURCE
from tests.support.mcp_schemas import MODERN
from tests.support.world import World

MODES = {"legacy": "2025-11-25", "auto": MODERN, MODERN: MODERN}
FILLED: dict[str, str | int | float | bool | list[str] | None] = {
    "name": "n",
    "sure": True,
    "scope": "here",
    "numbers": ["2"],
}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


async def accept(context: object, params: object) -> mcp_types.ElicitResult:  # noqa: ARG001
    return mcp_types.ElicitResult(action="accept", content=FILLED)


def talk(
    command: tuple[str, ...],
    mode: str,
    steps: Callable[[Client], Awaitable[None]],
    cwd: Path | None = None,
    **more: Any,
) -> None:
    """Take these steps with a client of a server of its own."""
    name, *words = command
    path = os.pathsep.join((SOURCE, REPOSITORY))
    server = StdioServerParameters(
        command=name, args=words, cwd=cwd, env={**os.environ, "PYTHONPATH": path}
    )

    async def run() -> None:
        with anyio.fail_after(PATIENCE):
            async with Client(server, mode=mode, **more) as client:
                assert client.protocol_version == MODES[mode]
                await steps(client)

    anyio.run(run)


@pytest.mark.contract("P1", "P2", "P4", "P8", "I1")
def test_it_lists_calls_and_reads(home: Path, mode: str) -> None:
    world = World(home).with_store()
    world.save("Invoices are numbered per calendar year.")

    async def steps(client: Client) -> None:
        if mode != MODERN:  # pinned to a version, it asks the server for nothing of that
            assert client.server_info is not None
            assert client.server_info.name == "engram"
            assert client.instructions is not None
            assert client.instructions.startswith("Engram is this project's memory")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        annotations = tools["engram_load"].annotations
        assert annotations is not None
        assert annotations.read_only_hint is True
        loaded = await client.call_tool("engram_load", {"query": "numbers of invoices"})
        assert isinstance(loaded.content[0], mcp_types.TextContent)
        assert "calendar year" in loaded.content[0].text
        assert loaded.structured_content is not None
        assert loaded.structured_content["ok"] is True
        wrong = await client.call_tool("engram_load", {"colour": "red"})
        assert wrong.is_error is True
        with pytest.raises(MCPError) as refused:
            await client.call_tool("no_such", {})
        assert refused.value.code == -32602
        resources = (await client.list_resources()).resources
        assert str(resources[0].uri) == "engram://index"
        assert len(resources) == 2
        (content,) = (await client.read_resource(str(resources[1].uri))).contents
        assert isinstance(content, mcp_types.TextResourceContents)
        assert "calendar year" in content.text
        with pytest.raises(MCPError) as missing:
            await client.read_resource("engram://memory/no-such")
        assert missing.value.code == (-32602 if mode != "legacy" else -32002)
        assert (await client.list_resource_templates()).resource_templates
        assert (await client.list_prompts()).prompts[0].name == "propose"
        assert (await client.get_prompt("propose")).messages

    talk(SERVER, mode, steps, cwd=world.project)


@pytest.mark.contract("E6", "E7")
def test_it_answers_a_dialog(mode: str) -> None:
    async def steps(client: Client) -> None:
        told = await client.call_tool("ask", {})
        assert told.structured_content is not None
        assert told.structured_content["action"] == "accept"
        assert told.structured_content["content"] == FILLED

    talk(FIXTURE, mode, steps, elicitation_callback=accept)


@pytest.mark.contract("E9")
def test_without_forms_it_is_not_asked(mode: str) -> None:
    async def steps(client: Client) -> None:
        (block,) = (await client.call_tool("ask", {})).content
        assert isinstance(block, mcp_types.TextContent)
        assert block.text == "no dialog"

    talk(FIXTURE, mode, steps)


@pytest.mark.contract("E1", "E3")
def test_a_person_approves_a_memory_through_it(home: Path, mode: str) -> None:
    world = World(home).with_store()

    async def approve(
        context: object,  # noqa: ARG001
        params: mcp_types.ElicitRequestParams,
    ) -> mcp_types.ElicitResult:
        assert isinstance(params, mcp_types.ElicitRequestFormParams)
        assert "Invoices" in params.message
        return mcp_types.ElicitResult(action="accept", content={"save": "yes"})

    async def steps(client: Client) -> None:
        saved = await client.call_tool(
            "engram_save", {"text": "Invoices are numbered per calendar year."}
        )
        assert saved.is_error is not True

    talk(SERVER, mode, steps, cwd=world.project, elicitation_callback=approve)
    assert len(world.memories()) == 1
