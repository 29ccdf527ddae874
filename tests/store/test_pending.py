"""Proposals that wait: found by their token alone, sealed, private, and gone after half an hour."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.candidate import Candidate
from engram.core.proposal import Change, Proposal, Related, propose
from engram.core.scan import Finding
from engram.core.verdict import ADD
from engram.errors import NotApproved
from engram.store.codec import proposal_from, to_plain
from engram.store.pending import (
    DECLINED,
    LIFETIME_SECONDS,
    MOST_WAITING,
    TURNED_DOWN,
    WAITING,
    WRITTEN,
    Pending,
)
from engram.store.seal import Key
from tests.support.stores import Store

NOW = 1_796_126_400.0
KEY = Key(b"k" * 32)
TOKEN = "a-token"  # noqa: S105 - of the test


def a_proposal(*texts: str) -> Proposal:
    changes = tuple(
        Change(Candidate(number, "rule", text), "workspace", ADD, f"id-{number}", text, text=text)
        for number, text in enumerate(texts or ("Lint before a push.",), 1)
    )
    return propose(changes, "/project", lambda data: sha256(data).hexdigest())


def pending(store: Store, now: float = NOW, key: Key = KEY) -> Pending:
    return Pending(store.layout, key, now)


def refusal(waiting: Pending, token: str = TOKEN) -> NotApproved:
    with pytest.raises(NotApproved) as refused:
        waiting.find(token)
    return refused.value


def edited(store: Store, change: Callable[[dict[str, Any]], object]) -> None:
    """Edit the file as a program would that knows its form but not the key."""
    path = Path(store.layout.pending)
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")


@pytest.mark.contract("A3", "A4")
def test_a_proposal_waits_for_its_token_for_half_an_hour(store: Store) -> None:
    proposed = a_proposal()

    added = pending(store).add(proposed, TOKEN)

    last = NOW + LIFETIME_SECONDS
    assert pending(store, last - 1).find(TOKEN) == added
    assert added.proposal == proposed
    assert added.outcome == WAITING
    assert refusal(pending(store, last)).code == "approval.expired"
    assert LIFETIME_SECONDS == 30 * 60


@pytest.mark.contract("A4")
def test_only_the_hash_of_a_token_is_kept_where_nobody_else_reads(store: Store) -> None:
    added = pending(store).add(a_proposal(), TOKEN)

    file = Path(store.layout.pending)
    text = file.read_text("utf-8")
    assert TOKEN not in text
    assert added.token_hash == sha256(TOKEN.encode()).hexdigest()
    assert added.token_hash in text
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.contract("A3")
@pytest.mark.parametrize("token", ["", "another", "a-token ", "A-TOKEN", "\ud800"])
def test_any_other_token_finds_nothing(store: Store, token: str) -> None:
    assert refusal(pending(store), token).code == "approval.unknown_token"
    pending(store).add(a_proposal(), TOKEN)
    assert refusal(pending(store), token).code == "approval.unknown_token"
    assert "30 minutes" in refusal(pending(store), token).hint


@pytest.mark.contract("A4")
@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry["proposal"]["changes"][0].update(text="Planted."),
        lambda entry: entry["proposal"].update(digest="0" * 64),
        lambda entry: entry.update(expires=entry["expires"] + 1),
        lambda entry: entry.update(outcome=WAITING, told="x"),
        lambda entry: entry.update(seal="0" * 64),
        lambda entry: entry.update(seal=None),
        lambda entry: entry.pop("seal"),
        lambda entry: entry.update(more=1),
        lambda entry: entry.pop("proposal"),
    ],
)
def test_an_entry_that_somebody_edited_cannot_be_approved_and_stops_no_other(
    store: Store, change: Callable[[dict[str, Any]], object]
) -> None:
    pending(store).add(a_proposal(), TOKEN)
    pending(store).add(a_proposal("Another."), "other")
    edited(store, lambda content: change(content["proposals"][0]))

    assert refusal(pending(store)).code == "approval.tampered"
    assert pending(store).find("other").proposal == a_proposal("Another.")
    assert len(pending(store).waiting()) == 1


@pytest.mark.contract("A3", "A4")
def test_an_entry_of_another_person_or_another_store_is_none(store: Store, tmp_path: Path) -> None:
    pending(store).add(a_proposal(), TOKEN)
    copied = Store(tmp_path / "copy")
    Path(copied.layout.local).mkdir()
    Path(copied.layout.pending).write_bytes(Path(store.layout.pending).read_bytes())

    assert refusal(pending(copied)).code == "approval.tampered"
    assert refusal(pending(store, key=Key(b"o" * 32))).code == "approval.tampered"
    assert pending(store).find(TOKEN).outcome == WAITING


@pytest.mark.contract("A4")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"null",
        b'{"proposals": {}}',
        b'{"proposals": [1, null, [], {}]}',
        b"[" * 100_000,
    ],
)
def test_a_broken_file_holds_nothing_and_is_no_hindrance(store: Store, content: bytes) -> None:
    Path(store.layout.local).mkdir()
    Path(store.layout.pending).write_bytes(content)

    assert pending(store).waiting() == []
    assert refusal(pending(store)).code == "approval.unknown_token"
    pending(store).add(a_proposal(), TOKEN)
    assert pending(store).find(TOKEN).proposal == a_proposal()


def test_a_link_in_the_place_of_the_file_is_not_followed(store: Store, tmp_path: Path) -> None:
    pending(store).add(a_proposal(), TOKEN)
    file, elsewhere = Path(store.layout.pending), tmp_path / "elsewhere"
    elsewhere.write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(elsewhere)

    assert pending(store).waiting() == []


@pytest.mark.contract("A3", "E4", "A8")
@pytest.mark.parametrize(
    ("outcome", "code", "said"),
    [
        (WRITTEN, "approval.spent", "already used"),
        (DECLINED, "approval.declined", "was declined in the approval dialog"),
        (TURNED_DOWN, "approval.turned_down", "engram review"),
    ],
)
def test_what_is_settled_never_writes_again_and_says_what_became_of_it(
    store: Store, outcome: str, code: str, said: str
) -> None:
    added = pending(store).add(a_proposal(), TOKEN)
    pending(store).add(a_proposal("Another."), "other")

    pending(store).settle(outcome, "As it is told.", token_hash=added.token_hash)

    refused = refusal(pending(store))
    assert refused.code == code
    assert said in refused.message
    assert refused.message.endswith("As it is told.")
    assert [each.proposal for each in pending(store).waiting()] == [a_proposal("Another.")]
    pending(store).settle(WRITTEN if outcome != WRITTEN else DECLINED, "", token_hash="")
    assert refusal(pending(store)).code == code


def test_without_a_word_about_it_the_refusal_stands_alone(store: Store) -> None:
    added = pending(store).add(a_proposal(), TOKEN)
    pending(store).settle(DECLINED, "", token_hash=added.token_hash)
    assert refusal(pending(store)).message.endswith("approval dialog.")


def test_settling_a_digest_settles_every_token_of_that_proposal(store: Store) -> None:
    for token, text in (("one", "Lint."), ("two", "Lint."), ("three", "Test.")):
        pending(store).add(a_proposal(text), token)

    pending(store).settle(WRITTEN, "", digest=a_proposal("Lint.").digest)

    assert refusal(pending(store), "one").code == "approval.spent"
    assert refusal(pending(store), "two").code == "approval.spent"
    assert pending(store).find("three").outcome == WAITING


def test_settling_what_is_not_there_writes_nothing(store: Store) -> None:
    pending(store).add(a_proposal(), TOKEN)
    file = Path(store.layout.pending)
    before = (file.read_bytes(), file.stat().st_ino)

    pending(store).settle(WRITTEN, "", token_hash="none")  # noqa: S106 - a hash that nobody has

    assert (file.read_bytes(), file.stat().st_ino) == before


def test_what_waits_is_told_the_oldest_first_until_it_expires(store: Store) -> None:
    for number in range(3):
        pending(store, NOW + number).add(a_proposal(f"Text {number}."), f"token {number}")

    def texts(now: float) -> list[str]:
        return [each.proposal.changes[0].text for each in pending(store, now).waiting()]

    assert texts(NOW + 3) == ["Text 0.", "Text 1.", "Text 2."]
    assert texts(NOW + LIFETIME_SECONDS + 1) == ["Text 2."]


def test_the_expired_leave_the_file_with_the_next_proposal_and_only_so_many_stay(
    store: Store,
) -> None:
    pending(store).add(a_proposal("Old."), "old")
    later = NOW + LIFETIME_SECONDS
    pending(store, later).add(a_proposal("New."), "new")
    assert refusal(pending(store, later), "old").code == "approval.unknown_token"

    edited(
        store, lambda content: content.update(proposals=content["proposals"] * (MOST_WAITING + 5))
    )
    pending(store, later).add(a_proposal("Last."), "last")

    kept = json.loads(Path(store.layout.pending).read_text("utf-8"))["proposals"]
    assert len(kept) == MOST_WAITING + 1
    assert pending(store, later).find("last").outcome == WAITING


TEXTS = st.text(st.characters())
CANDIDATES = st.builds(
    Candidate,
    st.integers(1, 50),
    st.sampled_from(["rule", "skill", "knowledge"]),
    TEXTS,
    triggers=st.lists(TEXTS).map(tuple),
    type_detected=st.booleans(),
)
CHANGES = st.builds(
    Change,
    CANDIDATES,
    st.sampled_from(["workspace", "global"]),
    st.sampled_from(["ADD", "UPDATE", "SUPERSEDE", "NOOP"]),
    TEXTS,
    TEXTS,
    text=TEXTS,
    related=st.lists(st.builds(Related, TEXTS, TEXTS)).map(tuple),
    findings=st.lists(
        st.builds(Finding, TEXTS, TEXTS, *[st.integers(1, 9)] * 3, severity=TEXTS, message=TEXTS),
        max_size=2,
    ).map(tuple),
)


@given(st.lists(CHANGES, min_size=1, max_size=3).map(tuple))
def test_any_proposal_comes_back_from_its_plain_form_as_it_was(
    changes: tuple[Change, ...],
) -> None:
    proposed = Proposal("/project", changes, "digest", origin="mcp")
    through = json.loads(json.dumps(to_plain(proposed)))
    assert proposal_from(through) == proposed


def test_a_field_of_a_later_version_is_passed_over() -> None:
    plain = to_plain(a_proposal())
    assert proposal_from({**plain, "later": 1}) == a_proposal()


def test_a_proposal_with_half_of_a_surrogate_pair_waits_like_any_other(store: Store) -> None:
    broken = a_proposal("broken \ud83d half")
    pending(store).add(a_proposal(), TOKEN)
    pending(store).add(broken, "broken")

    assert pending(store).find("broken").proposal == broken
    assert pending(store).find(TOKEN).proposal == a_proposal()
