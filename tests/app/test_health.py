"""Status and verify: what there is, and whether it is what a person approved."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engram import __version__
from engram.store.layout import LIMIT_BYTES
from engram.system import files
from tests.support.world import World, yes

LINT = "rules/run-make-lint-before-every-push.md"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path).with_store()
    world.save("Run make lint before every push.", type="rule")
    world.save("Staging runs in the second region.", type="knowledge")
    return world


def test_status_without_a_store_names_the_version_and_what_to_run(tmp_path: Path) -> None:
    result = World(tmp_path).run("status")
    assert result.text.startswith(f"Engram {__version__}\n")
    assert "engram inject" in result.text


def test_status_counts_by_type_and_names_what_needs_a_look(world: World) -> None:
    world.run("note", text="The export fails before noon.", force=True)
    file = Path(world.layout.root, "rules", "run-make-lint-before-every-push.md")
    file.write_text(file.read_text("utf-8") + "\n- More.\n")

    text = world.run("status").text

    assert "2 memories (1 rule, 0 skill, 1 knowledge; 1 notes, 1 changed)" in text
    assert "engram verify names the files" in text


def test_verify_of_a_scope_that_is_not_there_says_so(world: World) -> None:
    result = world.run("verify", scope="global")
    assert result.data == {"checked": 0, "findings": []}


def test_verify_names_each_difference_with_what_mends_it(world: World) -> None:
    folder = Path(world.layout.root)
    changed = folder / "rules" / "run-make-lint-before-every-push.md"
    changed.write_text(changed.read_text("utf-8") + "\n- More.\n")
    (folder / "knowledge" / "staging-runs-in-the-second-region.md").unlink()
    (folder / "rules" / "new.md").write_text("---\ntype: rule\n---\n\n# New\n\n- New.\n")
    (folder / "rules" / "broken.md").write_text("---\ntype: [\n---\n\n# B\n")

    result = world.run("verify")

    findings: object = result.data["findings"]
    assert isinstance(findings, list)
    assert {each["problem"] for each in findings} == {
        "changed",
        "missing",
        "unreviewed",
        "malformed",
    }
    assert result.exit_status == 1
    assert "4 to look at." in result.text
    hints = [each.remediation for each in result.diagnostics]
    assert "Take it in with: engram verify --accept new" in hints


def findings(world: World, **asked: Any) -> dict[str, dict[str, Any]]:
    """What verify found, by path."""
    found: Any = world.run("verify", **asked).data["findings"]
    return {each["path"]: each for each in found}


def hand_written(world: World, path: str, content: bytes = b"# New\n\n- New.\n") -> Path:
    file = Path(world.layout.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


@contextmanager
def stopped(step: str, error: Exception, ending: str) -> Iterator[None]:
    """The disk fails at this kind of step on the path that ends so."""
    before = files.on_step

    def fail(kind: str, path: str) -> None:
        if kind == step and path.endswith(ending):
            raise error

    files.on_step = fail
    try:
        yield
    finally:
        files.on_step = before


@pytest.mark.contract("T4")
def test_verify_of_what_was_approved_finds_nothing(world: World) -> None:
    result = world.run("verify")
    assert result.text == "2 memories checked, all as approved."
    assert (result.exit_status, result.diagnostics) == (0, ())


@pytest.mark.contract("T4")
def test_what_is_gone_says_how_to_bring_it_back_or_let_it_go(world: World) -> None:
    Path(world.layout.root, LINT).unlink()

    told = findings(world)[LINT]

    assert told["problem"] == "missing"
    assert "git checkout" in told["hint"]
    manifest = Path(world.layout.manifest)
    assert told["hint"].endswith(f"take its line out of {manifest.name}.")
    kept = [line for line in manifest.read_text("utf-8").splitlines() if LINT not in line]
    manifest.write_text("\n".join(kept) + "\n", "utf-8")
    assert world.run("verify").exit_status == 0


def test_what_is_gone_from_an_earlier_store_names_the_earlier_manifest(world: World) -> None:
    Path(world.layout.manifest).unlink()
    text = json.dumps({"rules/gone.md": "0" * 64})
    Path(world.layout.legacy_manifest).write_text(text, "utf-8")

    assert findings(world)["rules/gone.md"]["hint"].endswith("out of memory.hashes.json.")


def test_an_archived_memory_is_not_missing(world: World) -> None:
    world.run("archive", yes(), id=Path(LINT).stem, reason="The hook does it.")
    for file in Path(world.layout.archive).rglob("*.md"):
        file.unlink()

    assert world.run("verify").exit_status == 0


def test_two_files_of_one_name_are_told_once_with_what_to_do(world: World) -> None:
    nested = "rules/deeper/run-make-lint-before-every-push.md"
    hand_written(world, nested)

    found = findings(world)

    assert {path: each["problem"] for path, each in found.items()} == {
        nested: "unreviewed",
        LINT: "duplicate",
    }
    assert found[LINT]["message"] == f"Its name is also that of {nested}, which is used."
    assert found[LINT]["hint"] == "Rename one of the two."
    assert f"also that of {nested}, which is used." in world.run("status").text


@pytest.mark.contract("T4")
@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"---\ntype: [\n---\n\n# B\n", {2, 3}),  # where it opens, or where the end surprises
        (b"---\ntype: rule\nid: other\n\xff\n---\n", {4}),
        (b"x" * (LIMIT_BYTES + 1), {0}),
    ],
)
def test_a_file_that_is_no_memory_is_named_with_its_line_and_what_to_do(
    world: World, content: bytes, lines: set[int]
) -> None:
    hand_written(world, "rules/broken.md", content)

    told = findings(world)["rules/broken.md"]

    assert told["problem"] == "malformed"
    assert told["line"] in lines
    assert told["hint"]
    assert ("line " in world.run("verify").text) == (lines != {0})


def test_what_status_names_verify_names_too(world: World) -> None:
    folder = Path(world.layout.root, "rules")
    (folder / "link.md").symlink_to(folder / Path(LINT).name)
    (folder / "linked").symlink_to(world.home)
    with open(os.fsencode(folder) + b"/\xff.md", "wb") as file:
        file.write(b"# Odd\n")

    status, verified = world.run("status").text, findings(world)

    assert "rules/link.md" in status
    assert "symbolic link" in verified["rules/link.md"]["message"]
    assert verified["rules/linked"]["problem"] == "malformed"
    assert [each["hint"] for each in verified.values()].count("Rename the file.") == 1
    assert world.run("verify").data["checked"] == 2


def test_a_file_and_a_folder_that_may_not_be_read_are_named_and_nothing_is_missing(
    world: World,
) -> None:
    denied = PermissionError(errno.EACCES, "denied")
    with stopped("read", denied, Path(LINT).name):
        unreadable = findings(world)
    with stopped("list", denied, "rules"):
        folder = findings(world)

    assert unreadable[LINT]["problem"] == "malformed"
    assert "denied" in unreadable[LINT]["message"]
    assert {path: each["message"] for path, each in folder.items()} == {
        "rules": "The folder cannot be read."
    }


def test_a_file_that_is_taken_away_meanwhile_is_no_finding(world: World) -> None:
    gone = FileNotFoundError(errno.ENOENT, "gone")
    with stopped("read", gone, Path(LINT).name):
        assert findings(world) == {}


def test_verify_of_one_scope_looks_at_that_one_alone(world: World) -> None:
    world.with_global()
    world.save("Answer in short sentences.", type="rule", scope="global")
    Path(world.layout.root, LINT).unlink()

    assert world.run("verify", scope="global").text == "1 memories checked, all as approved."
    assert list(findings(world, scope="workspace")) == [LINT]
    assert list(findings(world)) == [LINT]


def test_a_write_that_a_crash_interrupted_is_finished_by_verify(world: World) -> None:
    Path(world.layout.journal).parent.mkdir(exist_ok=True)
    Path(world.layout.journal).write_text("{}", "utf-8")

    result = world.run("verify")

    assert [each.id for each in result.diagnostics] == ["store.recovered"]
    assert not Path(world.layout.journal).exists()


@pytest.mark.contract("T4")
def test_status_has_a_line_for_each_store_with_its_place_and_the_roles(world: World) -> None:
    world.with_global()
    world.save("Answer in short sentences.", type="rule", scope="global")
    world.run("archive", yes(), id=Path(LINT).stem, reason="The hook does it.")
    world.run("set-role", roles=("backend", "reviewer"))

    result = world.run("status")

    assert result.text.splitlines()[1:] == [
        f"workspace: 1 memories (0 rule, 0 skill, 1 knowledge; 1 archived) in {world.layout.root}",
        f"global: 1 memories (1 rule, 0 skill, 0 knowledge) in {world.global_layout.root}",
        "roles: backend, reviewer",
    ]
    stores: Any = result.data["stores"]
    assert [(each["scope"], each["memories"], each["archived"]) for each in stores] == [
        ("workspace", 1, 1),
        ("global", 1, 0),
    ]


def test_status_names_what_nobody_approved(world: World) -> None:
    hand_written(world, "rules/new.md")

    result = world.run("status")

    stores: Any = result.data["stores"]
    assert stores[0]["unreviewed"] == ["new"]
    assert "1 unreviewed" in result.text
    assert "engram verify names the files" in result.text
