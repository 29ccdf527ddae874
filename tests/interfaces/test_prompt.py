"""The question at a terminal: what is typed, what it means, and where it is read from."""

from __future__ import annotations

import io

import pytest

from engram.app.asking import ACCEPT, DECLINE, EDIT, LATER, NOTE, Reply
from engram.core.candidate import Candidate
from engram.core.proposal import Change, Proposal, propose
from engram.core.verdict import ADD, NOOP
from engram.interfaces.prompt import TerminalPerson, read_reply
from engram.system.files import sha256


def a_proposal(*actions: str) -> Proposal:
    return propose(
        tuple(
            Change(Candidate(number, "rule", "Text."), "workspace", action, f"m{number}", "Title")
            for number, action in enumerate(actions, 1)
        ),
        "/project",
        sha256,
    )


TWO = a_proposal(ADD, ADD)


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("A", Reply(ACCEPT, (1, 2))),
        ("a 2", Reply(ACCEPT, (2,))),
        (" A 2, 1 2 ", Reply(ACCEPT, (2, 1))),
        ("B", Reply(NOTE)),
        ("b say why", Reply(NOTE, note="say why")),
        ("E", Reply(EDIT, (1, 2))),
        ("E 1", Reply(EDIT, (1,))),
        ("c", Reply(DECLINE)),
        ("L", Reply(LATER, why="it was left waiting")),
    ],
)
def test_a_letter_and_numbers_are_an_answer(typed: str, reply: Reply) -> None:
    assert read_reply(typed, TWO) == reply


@pytest.mark.parametrize("typed", ["", "y", "yes", "1", "AA", "all", "да"])
def test_anything_else_is_asked_again(typed: str) -> None:
    assert read_reply(typed, TWO) == "Please answer A, B, E, C or L."


@pytest.mark.parametrize("typed", ["A 3", "A x", "E 0", "A 1.5", "A -1", "A ²"])
def test_a_number_that_is_none_is_asked_again(typed: str) -> None:
    assert read_reply(typed, TWO) == "Name candidates by number: 1, 2."


def test_approving_what_is_all_known_already_saves_nothing() -> None:
    assert read_reply("A", a_proposal(NOOP, NOOP)) == Reply(DECLINE, note="nothing new")


def asked(*lines: str, proposal: Proposal = TWO) -> tuple[Reply, str]:
    written = io.StringIO()
    person = TerminalPerson(io.StringIO("".join(f"{line}\n" for line in lines)), written)
    return person.decide(proposal, "What would be written."), written.getvalue()


def test_the_proposal_is_shown_before_the_question() -> None:
    _, written = asked("A")
    assert written.index("What would be written.") < written.index("Your answer [A/B/E/C/L]: ")
    assert "or some: A 1,3" in written


def test_one_candidate_needs_no_numbers() -> None:
    _, written = asked("A", proposal=a_proposal(ADD))
    assert "1,3" not in written


def test_it_asks_until_it_can_read_the_answer() -> None:
    reply, written = asked("yes", "A 9", "A 1")
    assert reply == Reply(ACCEPT, (1,))
    assert written.count("Your answer") == 3
    assert "Please answer A, B, E, C or L." in written


def test_a_note_is_asked_for_when_the_letter_came_alone() -> None:
    assert asked("B", " Only for staging. ")[0] == Reply(NOTE, note="Only for staging.")
    assert asked("B only here")[0] == Reply(NOTE, note="only here")


def test_the_end_of_the_input_leaves_it_waiting() -> None:
    assert asked()[0] == Reply(LATER, why="the terminal was closed")
