"""Each host's event in, the reply that it expects out; the names and shapes are the hosts' own.

Where hosts differ only in spelling, one reading serves all: a field is taken by whichever of its
names is there. Sources: `docs/design/hosts.md`.
"""

from __future__ import annotations

from engram.errors import InvalidRequest
from engram.record import Record
from engram.system.plain_json import quoted, texts_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

START, PROMPT, END, OTHER = "start", "prompt", "end", "other"
NOTHING = "{}"  # an empty success, to every host

_NAMES = ("$.hook_event_name", "$.hookEventName", "$.event", "$.agent_action_name")
_SESSIONS = (
    "$.session_id",
    "$.sessionId",
    "$.conversation_id",
    "$.conversationId",
    "$.trajectory_id",
)
_FOLDERS = ("$.cwd", "$.workspace_roots[0]", "$.workspacePaths[0]")
_PROMPTS = ("$.prompt", "$.user_prompt", "$.tool_info.user_prompt")
_SOURCES = ("$.source",)
_FIELDS = (_NAMES, _SESSIONS, _FOLDERS, _PROMPTS, _SOURCES)
_FOLDER_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_CWD", "CURSOR_PROJECT_DIR")
_SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID")

VARIABLES: tuple[tuple[str, str], ...] = (  # what a host says there, when its event does not
    ("CLAUDE_CODE_SESSION_ID", "The session that a hook answers for."),
    ("GEMINI_SESSION_ID", "The session that a hook answers for."),
    ("GEMINI_CWD", "The project that a hook answers for."),
    ("CURSOR_PROJECT_DIR", "The project that a hook answers for."),
    ("COPILOT_CLI", "Another host runs this hook, and has its own: stay silent."),
    ("CURSOR_VERSION", "Another host runs this hook, and has its own: stay silent."),
)

_KINDS = {
    "sessionstart": START,
    "userpromptsubmit": PROMPT,
    "userpromptsubmitted": PROMPT,
    "beforeagent": PROMPT,
    "beforesubmitprompt": PROMPT,
    "preuserprompt": PROMPT,
    "sessionend": END,
}
# A start of these kinds goes on with what the agent still has before it.
_GOES_ON = ("resume",)
_CONTEXT = ("<hook_context>", "</hook_context>")  # what one host puts before a headless prompt

_NESTED = '{{"hookSpecificOutput": {{"hookEventName": {event}, "additionalContext": {text}}}}}'
_REPLIES = {
    "claude": _NESTED,
    "codex": _NESTED,
    "gemini": _NESTED,
    "windsurf": _NESTED,
    "cursor": '{{"additional_context": {text}}}',
    "copilot": '{{"additionalContext": {text}}}',
    "antigravity": '{{"injectSteps": [{{"systemMessage": {{"systemMessage": {text}}}}}]}}',
    "opencode": '{{"context": {text}}}',
}
HOSTS = tuple(_REPLIES)
# Hosts that run another's hooks besides their own, by what they set: those stay silent.
_BORROWERS = {"claude": ("COPILOT_CLI", "CURSOR_VERSION")}


class Event(Record):
    """What happened in a host, as far as memory is concerned."""

    host: str
    kind: str  # START | PROMPT | END | OTHER
    name: str = ""  # the host's own name for it
    session: str = ""
    folder: str = ""  # where the work is done
    prompt: str = ""
    fresh: bool = False  # the agent has nothing before it: a new session, a compaction, a clearing


def read_event(host: str, data: bytes, variables: Mapping[str, str]) -> Event:
    """The event that a host has put on standard input.

    Raises InvalidRequest for a host that is not known, or for what is no JSON object.
    """
    if host not in _REPLIES:
        raise InvalidRequest(
            "hook.unknown_host",
            f"There is no host “{host}” with hooks.",
            hint=f"Known are: {', '.join(HOSTS)}.",
        )
    found = iter(texts_at(data, [path for paths in _FIELDS for path in paths]))
    name, session, folder, prompt, source = (
        next(filter(None, [next(found) for _ in paths]), "") for paths in _FIELDS
    )
    return Event(
        host,
        _kind(name, prompt),
        name,
        session or _first(variables, _SESSION_VARIABLES),
        folder or _first(variables, _FOLDER_VARIABLES),
        _without_context(prompt),
        source not in _GOES_ON,
    )


def is_borrowed(event: Event, variables: Mapping[str, str]) -> bool:
    """Whether another host runs this host's hooks, and has its own."""
    return bool(_first(variables, _BORROWERS.get(event.host, ())))


def reply(event: Event, text: str) -> str:
    """What the host reads as context for the model; NOTHING for no text."""
    if not text:
        return NOTHING
    return _REPLIES[event.host].format(event=quoted(event.name), text=quoted(text))


def _kind(name: str, prompt: str) -> str:
    plain = "".join(letter for letter in name.lower() if letter.isalpha())
    if not plain:  # one host names no event
        return PROMPT if prompt else START
    return _KINDS.get(plain, OTHER)


def _first(variables: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((variables[name] for name in names if variables.get(name)), "")


def _without_context(prompt: str) -> str:
    before, end, rest = prompt.partition(_CONTEXT[1])
    return rest.lstrip() if end and before.lstrip().startswith(_CONTEXT[0]) else prompt
