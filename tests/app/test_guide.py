"""What an agent is told: one text for all, within the lengths that hosts read."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.app.guide import INSTRUCTIONS, proposal_protocol
from engram.app.host_texts import INSTRUCTIONS_TEXT, SKILL_TEXT, SLASH_TEXT
from engram.core.candidate import read_candidates
from tests.support.world import World


@pytest.mark.contract("I1", "A7")
def test_the_instructions_fit_what_hosts_read_and_need_no_other_text() -> None:
    assert len(INSTRUCTIONS) <= 512
    assert "engram_load" in INSTRUCTIONS
    assert "engram_commit only after the person approved" in INSTRUCTIONS


def test_the_guide_holds_reading_and_proposing(tmp_path: Path) -> None:
    text = World(tmp_path).run("llm").text
    assert INSTRUCTIONS in text
    assert text.endswith(proposal_protocol())


def test_the_examples_of_the_protocol_are_candidates() -> None:
    lines = [
        line.strip()
        for line in proposal_protocol().splitlines()
        if line.strip().startswith("TYPE:")
    ]
    assert [each.type for each in read_candidates("\n".join(lines))] == [
        "rule",
        "skill",
        "knowledge",
    ]


@pytest.mark.contract("A7")
@pytest.mark.parametrize("text", [INSTRUCTIONS_TEXT, SKILL_TEXT])
def test_hosts_texts_say_when_to_load_how_to_propose_and_what_never_to_do(text: str) -> None:
    assert "engram_load" in text
    assert "engram_save_session" in text
    assert "Never approve for the person" in text
    assert "engram_commit" in text


@pytest.mark.contract("F1")
def test_the_slash_command_knows_the_short_wording() -> None:
    assert "`-f`" in SLASH_TEXT
    assert "`engram save-session --force`" in SLASH_TEXT
    assert "--query-level N" in SLASH_TEXT


def test_hosts_texts_are_short() -> None:
    assert len(INSTRUCTIONS_TEXT.encode()) <= 700
    assert len(SKILL_TEXT.encode()) <= 2_600
    assert len(SLASH_TEXT.encode()) <= 1_700
