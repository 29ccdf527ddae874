"""Saving: what an agent or a person suggests becomes a proposal, and with a yes, memory."""

from __future__ import annotations

from engram.app import offering
from engram.app.inputs import Commit, Save, SaveSession
from engram.app.recovery import pending_of
from engram.app.results import Result
from engram.core import candidate
from engram.core.approval import Approval, check_numbers
from engram.core.candidate import Candidate
from engram.core.proposal import Proposal
from engram.errors import InvalidRequest, NotFound
from engram.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram

LARGEST_INPUT = 1 << 20  # bytes


def save(engram: Engram, asked: Save) -> Result:
    """Propose one memory (contract clause T5); with `force`, write it."""
    text = _text(engram, asked.text)
    suggested = candidate.single(text, type=asked.type, roles=_names(asked.role))
    return _propose(engram, [suggested], asked.scope, force=asked.force)


def save_session(engram: Engram, asked: SaveSession) -> Result:
    """Propose the candidates of a session, one a line (clauses T5, F1); with `force`, write them."""
    text = _file(engram, asked.file) if asked.file else _text(engram, asked.text)
    if not text.strip():
        raise InvalidRequest(
            "save.empty",
            "There is nothing to save.",
            hint="Give candidate lines: TYPE: rule | TEXT: what to remember",
        )
    suggested = candidate.read_candidates(text, roles=_names(asked.role))
    source = f"sessions:{asked.query_level}" if asked.query_level else "session"
    return _propose(engram, suggested, asked.scope, force=asked.force, source=source)


def commit(engram: Engram, asked: Commit) -> Result:
    """Write an approved proposal (clauses A1, A2, T6). Raises NotApproved, InvalidRequest."""
    if not engram.stores:
        engram.store("workspace")
    layout = engram.workspace or engram.stores[0]
    waiting = pending_of(engram, layout).find(asked.approval_token)
    numbers = chosen(asked.approve, waiting.proposal)
    approval = Approval(waiting.proposal.digest, numbers, "chat")
    return offering.carry_out(engram, waiting.proposal, approval, token_hash=waiting.token_hash)


def chosen(approve: object, proposed: Proposal) -> tuple[int, ...]:
    """The candidate numbers that `approve` names: "all", or a list of numbers from 1, each once.

    Anything else is refused: InvalidRequest, and the token stays usable (clause A1).
    """
    if approve == "all":
        return proposed.numbers
    numbers = list(approve) if isinstance(approve, list | tuple) else None
    if numbers is None or not all(type(number) is int for number in numbers):
        raise InvalidRequest(
            "approval.form",
            '“approve” must be "all" or a list of candidate numbers, such as [1, 3].',
        )
    check_numbers(numbers, proposed)
    return tuple(numbers)


def _propose(
    engram: Engram,
    suggested: Sequence[Candidate],
    scope: str,
    *,
    force: bool,
    source: str = "manual",
) -> Result:
    scopes = _scopes(engram, scope)

    proposed = offering.judged(engram, suggested, scopes, source)
    if force:
        approval = Approval(proposed.digest, proposed.numbers, "force")
        return offering.carry_out(engram, proposed, approval)
    return offering.offer(engram, proposed)


def _scopes(engram: Engram, scope: str) -> tuple[str, ...]:
    """Where to save: what is asked for, else the setting, else the workspace where there is one."""
    wanted = scope or engram.settings.text("save.scope")
    if not wanted:
        wanted = "workspace" if engram.workspace or not engram.global_store else "global"
    scopes = ("workspace", "global") if wanted == "both" else (wanted,)
    for each in scopes:
        engram.store(each)
    return scopes


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _text(engram: Engram, text: str) -> str:
    return _decoded(engram.environment.standard_input(LARGEST_INPUT), "-") if text == "-" else text


def _file(engram: Engram, path: str) -> str:
    if path == "-":
        return _text(engram, path)
    try:
        place = engram.environment.absolute(path)
        return _decoded(files.read_bounded(place, LARGEST_INPUT, follow=True), path)
    except NotFound as error:
        raise InvalidRequest("save.no_file", error.message) from error


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest("save.not_text", f"{path} is not text in UTF-8.") from error
