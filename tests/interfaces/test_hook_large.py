"""A hook in a large store looks at some files only; what it shows is true all the same."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import pytest

from benchmarks import generate
from engram.store.indexing import SMALL
from tests.support.cli import Machine

PROMPT = "How do we rotate the zephyrine certificate of checkout?"
TOLD = "Rotate the zephyrine certificate of checkout in {} hours."
WINNER = "rules/zephyrine.md"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A project with more memories than a hook looks at, all approved, indexed, and settled."""
    machine = Machine(tmp_path).set_up()
    generate.write(machine.store, SMALL + 50)
    write(machine, TOLD.format(7), approved=True)
    time.sleep(2.1)  # no clock can be set back here: a file just written is read each time
    assert machine.engram("load", PROMPT).exit == 0
    return machine


def write(machine: Machine, text: str, *, approved: bool) -> None:
    """Write the winner in place, and its line in the manifest in place where it is approved."""
    data = f"---\nschema_version: 3\ntype: rule\n---\n\n# {text}\n\n## Content\n\n{text}\n".encode()
    path = machine.store / WINNER
    with open(path, "wb") as file:
        file.write(data)
    if approved:
        manifest = machine.store / "memory.sha256"
        lines = [line for line in manifest.read_text().splitlines() if WINNER not in line]
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {WINNER}")
        with open(manifest, "w", encoding="utf-8") as file:
            file.write("\n".join(sorted(lines, key=lambda line: line[66:])) + "\n")


def hook(machine: Machine, prompt: str = PROMPT, session: str = "s") -> str:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt}
    told = json.dumps({**event, "cwd": str(machine.project)})
    run = machine.engram("agent-hook", "claude", stdin=told)
    answer = json.loads(run.out)
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_an_edit_in_place_is_shown_neither_as_it_was_nor_before_a_person_approved_it(
    machine: Machine,
) -> None:
    assert "in 7 hours" in hook(machine)

    write(machine, TOLD.format(9), approved=False)
    shown = hook(machine, session="s2")
    assert "zephyrine" not in shown

    write(machine, TOLD.format(9), approved=True)
    assert "in 9 hours" in hook(machine, session="s3")


def test_an_approval_that_is_taken_back_holds_at_once(machine: Machine) -> None:
    manifest = machine.store / "memory.sha256"
    lines = [line for line in manifest.read_text().splitlines() if WINNER not in line]
    with open(manifest, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    assert "zephyrine" not in hook(machine)


def test_a_word_that_is_new_to_the_store_is_found_at_once(machine: Machine) -> None:
    write(machine, "Polish the quorbital lens of checkout every morning.", approved=True)
    assert "quorbital lens" in hook(machine, "How do I polish the quorbital lens?")
    assert "in 7 hours" not in hook(machine, session="s2")
