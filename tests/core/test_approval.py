"""The one door to a write: what an approval allows, and what it never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.approval import Approval, authorise, check_numbers
from engram.core.candidate import Candidate
from engram.core.proposal import Change, Proposal, propose
from engram.core.verdict import ADD, NOOP
from engram.errors import InvalidRequest, NotApproved
from engram.record import replace
from engram.system.files import sha256

ACTIONS = st.lists(st.sampled_from([ADD, NOOP]), min_size=1, max_size=5)


def a_change(number: int, action: str = ADD, scope: str = "workspace") -> Change:
    candidate = Candidate(number, "rule", f"Text {number}.")
    return Change(candidate, scope, action, f"m{number}", "Title", path=f"rules/m{number}.md")


def a_proposal(*changes: Change, workspace: str = "/project") -> Proposal:
    return propose(changes, workspace, sha256)


@given(ACTIONS, st.data())
def test_what_was_chosen_is_written_and_nothing_else(
    actions: list[str], data: st.DataObject
) -> None:
    proposal = a_proposal(*(a_change(n, action) for n, action in enumerate(actions, 1)))
    chosen = data.draw(st.lists(st.sampled_from(proposal.numbers), min_size=1, unique=True))

    writes = authorise(proposal, Approval(proposal.digest, tuple(chosen), "terminal"))

    assert [write.change.number for write in writes] == [
        n for n, action in enumerate(actions, 1) if n in chosen and action != NOOP
    ]


def test_an_approval_of_another_proposal_opens_nothing() -> None:
    proposal = a_proposal(a_change(1))
    other = a_proposal(a_change(1), workspace="/elsewhere")

    with pytest.raises(NotApproved, match="another proposal"):
        authorise(proposal, Approval(other.digest, (1,), "terminal"))


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "other"},
        {"path": "rules/other.md"},
        {"id": "other"},
        {"action": "UPDATE"},
        {"target": "other"},
        {"replaces": "0" * 64},
        {"scope": "global"},
        {"retired": "rules/old.md"},
        {"archived": "archive/old.md"},
    ],
)
def test_the_digest_covers_what_would_be_written_and_where(fields: dict[str, str]) -> None:
    assert a_proposal(a_change(1)).digest != a_proposal(replace(a_change(1), **fields)).digest


def test_scopes_are_narrowed_never_widened() -> None:
    proposal = a_proposal(a_change(1), a_change(1, scope="global"))
    narrow = Approval(proposal.digest, (1,), "dialog", ("global",))
    alone = a_proposal(a_change(1))

    assert [write.change.scope for write in authorise(proposal, narrow)] == ["global"]
    assert authorise(alone, Approval(alone.digest, (1,), "dialog", ("global",))) == ()


@pytest.mark.parametrize(
    ("numbers", "code"),
    [((), "approval.empty"), ((3,), "approval.unknown"), ((1, 1), "approval.repeated")],
)
def test_numbers_that_are_none_are_refused(numbers: tuple[int, ...], code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_numbers(numbers, a_proposal(a_change(1), a_change(2)))
    assert refused.value.code == code
