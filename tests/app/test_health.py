"""Status and verify: what there is, and whether it is what a person approved."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram import __version__
from tests.support.world import World


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
