"""The demonstration's second act: an agent proposes, a person decides, a secret is refused."""

from __future__ import annotations

from engram.app.mcp_client import MODERN, Server
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FACT = "Staging is rebuilt every night at 02:00 UTC."
CHANGED = "Staging is rebuilt every night at 04:00 UTC."
_MADE_UP = "ghp_" + "x7Qd2LmVz9Tr4KwbY1Nc5Pj3Rf6Hh0Sg2Ue8"  # in the shape of a GitHub token
SECRET = f"The deploy token is {_MADE_UP}"


class Step(Record):
    """What an agent asked to remember, what it would change, and what came of it."""

    text: str
    verdict: str
    outcome: str


def propose_and_decide(server: Server) -> tuple[Step, ...]:
    """Three proposals: a yes in the host's dialog, a yes in the chat, and one that is refused.

    The answers stand for the person's; the gate between the two is the host's.
    """
    return (_in_a_dialog(server), _in_the_chat(server), _refused(server))


def lines(steps: tuple[Step, ...]) -> list[str]:
    """The act as it is shown."""
    told = ["The agent proposes what it learned; nothing is saved without a person's yes."]
    for step in steps:
        told += [
            f"   proposes  {step.text.replace(_MADE_UP, '(a made-up GitHub token)')}",
            f"             {step.verdict}: {step.outcome}",
        ]
    return told


def _in_a_dialog(server: Server) -> Step:
    shown: list[str] = []

    def yes(question: Mapping[str, Any]) -> Mapping[str, object]:
        shown.append(question["message"])
        return {"action": "accept", "content": {"save": "yes"}}

    result = server.call("engram_save", {"text": FACT}, MODERN, yes)
    verdict = shown[0].partition("\n1. ")[2].partition(":")[0]
    return Step(FACT, verdict, f"{_outcome(result)} after a yes in the host's dialog")


def _in_the_chat(server: Server) -> Step:
    proposed = server.call("engram_save", {"text": CHANGED})["structuredContent"]["data"]
    token = proposed["approval_token"]
    result = server.call("engram_commit", {"approval_token": token, "approve": "all"})
    verdict = proposed["candidates"][0]["verdict"].removeprefix("Verdict: ")
    return Step(CHANGED, verdict, f"{_outcome(result)} after a yes in the chat")


def _refused(server: Server) -> Step:
    result = server.call("engram_save", {"text": SECRET})
    why = result["content"][0]["text"].partition(": ")[2].partition(": ")[0]
    return Step(SECRET, "refused", why)


def _outcome(result: Mapping[str, Any]) -> str:
    (outcome,) = result["structuredContent"]["data"]["outcomes"]
    return str(outcome["outcome"])
