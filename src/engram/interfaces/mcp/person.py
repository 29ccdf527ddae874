"""The person behind a host's dialog: a proposal becomes a form, its answer a reply (clauses E1-E9).

The form names candidates by number, verdict and title, never by their text, and no default in it
approves: choices start unchosen, and the first value of each list refuses (clause E2).
"""

from __future__ import annotations

from engram.app.asking import ACCEPT, DECLINE, LATER, Reply
from engram.core.memory import SCOPES
from engram.core.proposal import NOTE
from engram.core.scan import visible
from engram.interfaces.mcp import dialog
from engram.interfaces.mcp.dialog import ONE_OF, SECONDS, SOME_OF, Answer, Dialog, Form, FormField

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.core.proposal import Change, Proposal

BOTH = "both"
REFUSE = ("no", "Do not save")
WHY = {
    dialog.CANCEL: "the dialog was closed without an answer",
    dialog.TIMEOUT: f"nobody answered the dialog within {SECONDS:.0f} seconds",
    dialog.ERROR: "the host could not show its dialog",
}
UNREADABLE = "the dialog gave an answer that its form does not allow"
NOTHING_TO_ASK = "there is nothing in it to decide in a dialog"


class DialogPerson:
    """Whoever reads the host's dialog during one call."""

    surface = "dialog"

    def __init__(self, dialog: Dialog) -> None:
        self._dialog = dialog

    def decide(self, proposal: Proposal, shown: str) -> Reply:  # noqa: ARG002 - a form has no text
        """Ask once; a dialog without an answer leaves the proposal waiting (clause E5).

        The proposal's digest is kept with the question: an answer to another one is none.
        """
        if not _choosable(proposal):
            return Reply(LATER, why=NOTHING_TO_ASK)
        answer = self._dialog.ask(form_of(proposal), {"digest": proposal.digest})
        return reply_of(proposal, answer)


def form_of(proposal: Proposal) -> Form:
    """What the person is asked about a proposal."""
    choosable = _choosable(proposal)
    scopes = proposal.scopes
    note = proposal.kind == NOTE
    lines = ["Keep this note?" if note else "Save to Engram's memory?"]
    lines += [_line(change) for change in proposal.changes]
    if len(scopes) == 1:
        lines.append(f"Scope: {scopes[0]}")
    fields = [_question(proposal, choosable)]
    if len(scopes) > 1:
        where = ((BOTH, "Workspace and personal memory"), *((each, each) for each in scopes))
        fields.append(FormField("scope", ONE_OF, "Where", choices=(REFUSE, *where)))
    return Form("\n".join(lines), tuple(fields))


def reply_of(proposal: Proposal, answer: Answer) -> Reply:
    """What the person's answer means for the proposal."""
    if answer.action in WHY:
        return Reply(LATER, why=WHY[answer.action])
    chosen = _chosen(proposal, answer)
    scope = answer.content.get("scope", "")
    if answer.action != dialog.ACCEPT or not chosen or scope == REFUSE[0]:
        return Reply(DECLINE, why=UNREADABLE if answer.action == dialog.INVALID else "")
    return Reply(ACCEPT, chosen, (str(scope),) if scope in SCOPES else ())


def _question(proposal: Proposal, choosable: dict[int, Change]) -> FormField:
    if len(choosable) == 1:
        (change,) = choosable.values()
        yes = "Keep it" if proposal.kind == NOTE else f"Save {change.number}"
        return FormField("save", ONE_OF, "Your decision", choices=(REFUSE, ("yes", yes)))
    choices = tuple((str(number), _about(change)) for number, change in choosable.items())
    return FormField("save", SOME_OF, "Save these", choices=choices)


def _chosen(proposal: Proposal, answer: Answer) -> tuple[int, ...]:
    said = answer.content.get("save")
    if isinstance(said, list):
        return tuple(int(number) for number in said)
    return tuple(_choosable(proposal)) if said == "yes" else ()


def _choosable(proposal: Proposal) -> dict[int, Change]:
    """The candidates that a yes would write, by number."""
    ready: dict[int, Change] = {}
    for change in proposal.changes:
        if change.writes and not change.deferred:
            ready.setdefault(change.number, change)
    return ready


def _line(change: Change) -> str:
    told = _about(change)
    if change.deferred:
        told += f" (held back: {visible(change.deferred)})"
    for finding in change.findings:
        told += f"\n   Warning: {finding.message}"
    return told


def _about(change: Change) -> str:
    verdict = change.verdict.removeprefix("Verdict: ")
    return f"{change.number}. {verdict}: {visible(change.title)}"
