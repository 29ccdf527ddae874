"""The person at a terminal: shows a proposal there and reads A, B or C from that same terminal.

The answer comes from the controlling terminal, never from standard input, so that a pipe cannot
say yes (DESIGN §7).
"""

from __future__ import annotations

from engram.app.asking import ACCEPT, DECLINE, EDIT, LATER, NOTE, Reply
from engram.core.proposal import Proposal
from engram.core.verdict import NOOP
from engram.system.environment import controlling_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

QUESTION = """\
A  approve{some}
B  add a note, see it again
E  edit the text first{one}
C  decline
L  leave it waiting
"""
ASK = "Your answer [A/B/E/C/L]: "


class TerminalPerson:
    """Whoever sits at the controlling terminal."""

    surface = "terminal"

    def __init__(self, reader: IO[str], writer: IO[str]) -> None:
        self.reader = reader
        self.writer = writer

    def decide(self, proposal: Proposal, shown: str) -> Reply:
        """Show the proposal, ask until the answer can be read; the end of input leaves it waiting."""
        several = len(proposal.numbers) > 1
        self._say(f"\n{shown}\n\n")
        self._say(
            QUESTION.format(
                some=" all, or some: A 1,3" if several else "", one=": E 2" if several else ""
            )
        )
        while True:
            self._say(ASK)
            line = self.reader.readline()
            if not line:
                return Reply(LATER, why="the terminal was closed")
            reply = read_reply(line, proposal)
            if isinstance(reply, Reply):
                return self._with_note(reply)
            self._say(reply + "\n")

    def ask(self, question: str) -> str:
        """Ask a short question; the line that was typed, "" at the end of the input."""
        self._say(question)
        return self.reader.readline().strip()

    def _with_note(self, reply: Reply) -> Reply:
        if reply.action != NOTE or reply.note:
            return reply
        return Reply(NOTE, note=self.ask("Your note: "))

    def _say(self, text: str) -> None:
        self.writer.write(text)
        self.writer.flush()


def read_reply(line: str, proposal: Proposal) -> Reply | str:
    """What a typed line says, or what is wrong with it."""
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    letter = word.upper()
    plain = {
        "B": Reply(NOTE, note=rest),
        "C": Reply(DECLINE),
        "L": Reply(LATER, why="it was left waiting"),
    }
    if letter in plain:
        return plain[letter]
    if letter not in ("A", "E"):
        return "Please answer A, B, E, C or L."
    numbers = _numbers(rest)
    if numbers is None or any(number not in proposal.numbers for number in numbers):
        return f"Name candidates by number: {', '.join(map(str, proposal.numbers))}."
    if letter == "E":
        return Reply(EDIT, numbers or proposal.numbers)
    if not numbers and all(change.action == NOOP for change in proposal.changes):
        return Reply(DECLINE, note="nothing new")
    return Reply(ACCEPT, numbers or proposal.numbers)


def person_at_terminal() -> TerminalPerson | None:
    """The person at the controlling terminal, or None where there is none."""
    terminal = controlling_terminal()
    return TerminalPerson(*terminal) if terminal else None


def _numbers(text: str) -> tuple[int, ...] | None:
    """The numbers of "1,3" or "1 3", each once; None when it is something else."""
    parts = text.replace(",", " ").split()
    if not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return tuple(dict.fromkeys(int(part) for part in parts))
