"""The prompt: how an agent proposes what should be remembered (contract clause F4)."""

from __future__ import annotations

from engram.app.guide import proposal_protocol
from engram.interfaces.mcp.registry import Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.interfaces.mcp.calls import Call
    from engram.interfaces.mcp.registry import Arguments

DESCRIPTION = "How to propose what should be remembered."


def prompts() -> tuple[Prompt, ...]:
    """The one prompt (clause F4)."""
    return (Prompt("propose", _propose, "Propose memories", DESCRIPTION),)


def _propose(arguments: Arguments, call: Call) -> dict[str, Any]:  # noqa: ARG001 - a prompt's shape
    block = {"type": "text", "text": proposal_protocol()}
    return {
        "description": DESCRIPTION,
        "messages": [{"role": "user", "content": block}],
    }
