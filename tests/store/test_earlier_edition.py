"""A store that the earlier edition wrote works as it is, and reading rewrites nothing of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.cli import Machine

STORE = Path(__file__).parents[1] / "data" / "stores" / "earlier"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    shutil.copytree(STORE, machine.store)
    return machine


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("task", "id", "text"),
    [
        ("the invoice job fails", "retry-invoices", "Retry the invoice job three times"),
        ("ротация ключа подписи", "ротация-ключа", "make rotate-key"),
        ("lint before a push", "lint-first", "Run make lint before every push."),
    ],
)
def test_memories_of_every_schema_load(machine: Machine, task: str, id: str, text: str) -> None:
    run = machine.engram("load", task)
    assert run.exit == 0
    assert id in run.out
    assert text in run.out
    assert "changed since approval" not in run.out
    assert "not approved here" not in run.out


def test_reading_leaves_every_byte(machine: Machine) -> None:
    before = contents(machine.store)
    for words in (
        ["load", "lint"],
        ["search", "ключа"],
        ["list"],
        ["graph"],
        ["status"],
        ["verify"],
    ):
        assert machine.engram(*words).exit == 0
    assert contents(machine.store) == before


def test_what_was_approved_there_is_approved_here(machine: Machine) -> None:
    assert "3 memories checked, all as approved." in machine.engram("verify").out
    assert "old-way" in machine.engram("list", "--archived").out
    assert "old-way" not in machine.engram("list").out


def test_a_variant_and_a_prerequisite_of_the_old_files_hold(machine: Machine) -> None:
    machine.engram("set-rule-variant", "strict")
    assert "Never push before make lint has passed." in machine.engram("load", "lint push").out
    assert "ротация-ключа depends on retry-invoices" in machine.engram("graph").out


def test_a_save_goes_on_from_there_and_keeps_what_was_approved(machine: Machine) -> None:
    machine.engram("save", "--force", "Staging runs in the second region.")

    assert "4 memories checked, all as approved." in machine.engram("verify").out
    assert (machine.store / "memory.sha256").is_file()


def test_an_upgrade_turns_the_record_of_approvals_and_a_plan_only_says_so(machine: Machine) -> None:
    planned = machine.engram("upgrade", "--plan")
    assert "would be in" in planned.out
    assert not (machine.store / "memory.sha256").exists()

    done = machine.engram("upgrade")

    assert "what was approved is now in" in done.out
    assert "3 memories checked, all as approved." in machine.engram("verify").out
    assert (machine.store / "memory.hashes.json").is_file()
    assert "approved" not in machine.engram("upgrade").out
