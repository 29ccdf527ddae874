"""What a session is given by itself: at its start, and where a prompt calls for it."""

from __future__ import annotations

from engram.core.idle import is_idle
from engram.hosts.hooks import END, PROMPT, START, Event
from engram.store.session_cache import SessionCache
from engram.system.files import cut_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram

WHOLE_LIMIT = 9_000


class Answer:
    """The answer to one event: the text, and what became of each memory."""

    NO_TASK = "the prompt names nothing to look for"

    def __init__(self) -> None:
        self.text = ""
        self.loaded: list[str] = []
        self.reused: list[str] = []
        self.why = ""  # nothing was loaded


def given(engram: Engram, event: Event) -> str:
    """The text for the agent, "" for nothing (DESIGN: hooks; contract clause N5).

    It stays below `giving.BYTE_LIMIT` bytes. Every memory in it was read again and is what a person
    approved; with `load.changed` at "show", also what was edited since.
    """
    if not engram.stores or not engram.settings.flag("enabled"):
        return ""
    mode = engram.settings.text("read")
    environment = engram.environment
    cache = SessionCache(environment.cache_folder, engram.project, event.session)
    if event.kind == END or (event.kind == START and event.fresh):
        cache.forget(environment.now())
    if not _applies(mode, event):
        return ""
    answer = Answer()
    if event.kind == PROMPT and is_idle(event.prompt):
        answer.why = Answer.NO_TASK
        return _with_proof(engram, answer)
    from engram.app.giving import Giving  # noqa: PLC0415 - "go on" pays for nothing of it
    from engram.app.stores import OpenStores  # noqa: PLC0415

    with OpenStores(engram) as stores:
        giving = Giving(engram, stores, cache, repeats=mode == "always")
        if event.kind == START:
            giving.start(answer)
        else:
            giving.prompt(answer, event.prompt)
    return _with_proof(engram, answer)


def _applies(mode: str, event: Event) -> bool:
    if event.kind == START:
        return mode in ("startup", "auto", "always")
    return event.kind == PROMPT and mode in ("auto", "always")


def _with_proof(engram: Engram, answer: Answer) -> str:
    """The text, with one line on what was loaded, reused and skipped where the person wants it."""
    if engram.settings.text("proof") != "compact":
        return answer.text
    parts = [f"loaded {', '.join(answer.loaded) or 'nothing'}"]
    if answer.reused:
        parts.append(f"reused {', '.join(answer.reused)}")
    if answer.why:
        parts.append(f"skipped: {answer.why}")
    proof = f"Engram proof: {'; '.join(parts)}."
    return cut_text(f"{answer.text}\n{proof}" if answer.text else proof, WHOLE_LIMIT)
