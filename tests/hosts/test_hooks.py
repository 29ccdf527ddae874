"""Each host's event as it sends it, and the reply in the shape that it reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engram.errors import InvalidRequest
from engram.hosts.catalogue import HOSTS as CATALOGUE
from engram.hosts.hooks import (
    END,
    HOSTS,
    NOTHING,
    OTHER,
    PROMPT,
    START,
    Event,
    is_borrowed,
    read_event,
    reply,
)
from engram.hosts.placement import HOOK, SERVER

# Hand-made from what each host was seen to send, or documents; other fields are left out.
EVENTS: dict[str, tuple[dict[str, Any], Event]] = {
    "claude start": (
        {
            "session_id": "s1",
            "transcript_path": "/t",
            "cwd": "/p",
            "hook_event_name": "SessionStart",
            "source": "startup",
        },
        Event("claude", START, "SessionStart", "s1", "/p", "", fresh=True),
    ),
    "claude resumed": (
        {"session_id": "s1", "cwd": "/p", "hook_event_name": "SessionStart", "source": "resume"},
        Event("claude", START, "SessionStart", "s1", "/p", "", fresh=False),
    ),
    "claude compacted": (
        {"session_id": "s1", "cwd": "/p", "hook_event_name": "SessionStart", "source": "compact"},
        Event("claude", START, "SessionStart", "s1", "/p", "", fresh=True),
    ),
    "claude prompt": (
        {
            "session_id": "s1",
            "cwd": "/p",
            "hook_event_name": "UserPromptSubmit",
            "prompt_id": "7",
            "permission_mode": "default",
            "prompt": "mend the “build”\nplease",
        },
        Event(
            "claude", PROMPT, "UserPromptSubmit", "s1", "/p", "mend the “build”\nplease", fresh=True
        ),
    ),
    "claude end": (
        {"session_id": "s1", "cwd": "/p", "hook_event_name": "SessionEnd", "reason": "exit"},
        Event("claude", END, "SessionEnd", "s1", "/p", "", fresh=True),
    ),
    "claude tool": (
        {"session_id": "s1", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Bash"},
        Event("claude", OTHER, "PreToolUse", "s1", "/p", "", fresh=True),
    ),
    "codex prompt": (
        {
            "session_id": "s2",
            "turn_id": "t",
            "cwd": "/p",
            "model": "m",
            "hook_event_name": "UserPromptSubmit",
            "prompt": "x",
        },
        Event("codex", PROMPT, "UserPromptSubmit", "s2", "/p", "x", fresh=True),
    ),
    "gemini headless": (
        {
            "session_id": "s3",
            "cwd": "/p",
            "hook_event_name": "BeforeAgent",
            "timestamp": "2026-12-01",
            "prompt": "<hook_context>from before</hook_context>\n\nmend it",
        },
        Event("gemini", PROMPT, "BeforeAgent", "s3", "/p", "mend it", fresh=True),
    ),
    "antigravity": (
        {"conversationId": "c", "workspacePaths": ["/p", "/q"], "modelName": "m"},
        Event("antigravity", START, "", "c", "/p", "", fresh=True),
    ),
    "cursor start": (
        {
            "conversation_id": "c",
            "hook_event_name": "sessionStart",
            "workspace_roots": ["/p"],
            "cursor_version": "3.20",
        },
        Event("cursor", START, "sessionStart", "c", "/p", "", fresh=True),
    ),
    "cursor prompt": (
        {
            "conversation_id": "c",
            "hook_event_name": "beforeSubmitPrompt",
            "workspace_roots": ["/p"],
            "prompt": "x",
            "attachments": [],
        },
        Event("cursor", PROMPT, "beforeSubmitPrompt", "c", "/p", "x", fresh=True),
    ),
    "windsurf prompt": (
        {
            "agent_action_name": "pre_user_prompt",
            "trajectory_id": "t",
            "tool_info": {"user_prompt": "x"},
        },
        Event("windsurf", PROMPT, "pre_user_prompt", "t", "", "x", fresh=True),
    ),
    "copilot start": (
        {"sessionId": "s4", "timestamp": 1, "cwd": "/p", "source": "new", "initialPrompt": "hello"},
        Event("copilot", START, "", "s4", "/p", "", fresh=True),
    ),
    "copilot prompt": (
        {"sessionId": "s4", "timestamp": 1, "cwd": "/p", "prompt": "x"},
        Event("copilot", PROMPT, "", "s4", "/p", "x", fresh=True),
    ),
    "opencode": (
        {"session_id": "s5", "cwd": "/p", "hook_event_name": "UserPromptSubmit", "prompt": "x"},
        Event("opencode", PROMPT, "UserPromptSubmit", "s5", "/p", "x", fresh=True),
    ),
}

TEXT = "A “rule”:\n- keep\tit\\ \u2028 😀"
REPLIES: dict[str, Any] = {
    "claude": {"hookSpecificOutput": {"hookEventName": "E", "additionalContext": TEXT}},
    "codex": {"hookSpecificOutput": {"hookEventName": "E", "additionalContext": TEXT}},
    "gemini": {"hookSpecificOutput": {"hookEventName": "E", "additionalContext": TEXT}},
    "windsurf": {"hookSpecificOutput": {"hookEventName": "E", "additionalContext": TEXT}},
    "cursor": {"additional_context": TEXT},
    "copilot": {"additionalContext": TEXT},
    "antigravity": {"injectSteps": [{"systemMessage": {"systemMessage": TEXT}}]},
    "opencode": {"context": TEXT},
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_read_as_its_host_sends_it(name: str) -> None:
    told, event = EVENTS[name]
    assert read_event(event.host, json.dumps(told).encode(), {}) == event


@pytest.mark.parametrize("host", HOSTS)
def test_the_reply_has_the_keys_of_its_host_and_no_others(host: str) -> None:
    written = reply(Event(host, PROMPT, "E"), TEXT)
    assert written.isascii()
    assert json.loads(written) == REPLIES[host]
    assert reply(Event(host, PROMPT, "E"), "") == NOTHING


def test_every_host_whose_hook_is_linked_can_be_answered() -> None:
    linked = {
        host.name
        for host in CATALOGUE
        for each in (*host.workspace, *host.personal)
        if each.purpose == HOOK
    }
    assert linked == set(HOSTS)
    assert {host.name for host in CATALOGUE if not host.is_general} >= linked
    assert any(each.purpose == SERVER for each in CATALOGUE[0].workspace)


def test_what_an_event_leaves_out_is_taken_from_the_environment() -> None:
    variables = {"CLAUDE_PROJECT_DIR": "/p", "CLAUDE_CODE_SESSION_ID": "s"}
    told = b'{"hook_event_name": "SessionStart"}'
    event = read_event("claude", told, variables)
    assert (event.folder, event.session) == ("/p", "s")
    named = b'{"hook_event_name": "SessionStart", "cwd": "/q", "session_id": "t"}'
    event = read_event("claude", named, variables)
    assert (event.folder, event.session) == ("/q", "t")


def test_a_prompt_that_only_mentions_the_marker_is_kept_whole() -> None:
    prompt = "what does </hook_context> mean?"
    told = json.dumps({"hook_event_name": "BeforeAgent", "prompt": prompt}).encode()
    assert read_event("gemini", told, {}).prompt == prompt


def test_an_unknown_host_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_event("emacs", b"{}", {})
    assert "claude" in refused.value.hint


def test_a_host_that_runs_anothers_hooks_is_left_to_its_own() -> None:
    assert is_borrowed(Event("claude", START), {"COPILOT_CLI": "1"})
    assert is_borrowed(Event("claude", START), {"CURSOR_VERSION": "3.20"})
    assert not is_borrowed(Event("claude", START), {})
    assert not is_borrowed(Event("copilot", START), {"COPILOT_CLI": "1"})
