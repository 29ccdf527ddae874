"""The reference pages say all that the program knows, and nothing that it no longer knows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engram
from engram.app.operations import shown_on
from engram.app.parameters import parameters
from engram.app.settings_table import SETTINGS, VARIABLES
from engram.hosts.catalogue.parts import ROOTS
from engram.hosts.hooks import VARIABLES as HOOK_VARIABLES
from tests.test_errors import FAMILIES, raised

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "docs" / "reference.py"
SOURCE = sorted(Path(engram.__file__).parent.rglob("*.py"))


def page(name: str) -> str:
    return (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")


def generate(script: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(script), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PYTHONPATH": str(ROOT / "src")},
    )


def test_no_page_is_out_of_date() -> None:
    ended = generate(GENERATOR, "--check")
    assert ended.returncode == 0, ended.stderr


def test_a_page_that_is_out_of_date_is_named_and_can_be_written_anew(tmp_path: Path) -> None:
    script = tmp_path / "docs" / "reference.py"
    script.parent.mkdir()
    shutil.copy(GENERATOR, script)
    assert generate(script).returncode == 0
    assert generate(script, "--check").returncode == 0
    (script.parent / "reference" / "errors.md").write_text("old")
    ended = generate(script, "--check")
    assert ended.returncode == 1
    assert ended.stderr == "errors.md is out of date; run: python docs/reference.py\n"
    (script.parent / "reference" / "errors.md").unlink()
    assert generate(script, "--check").returncode == 1


@pytest.mark.parametrize("name", [each.name for each in shown_on("cli")])
def test_every_command_and_option_is_in_the_reference(name: str) -> None:
    (each,) = (row for row in shown_on("cli") if row.name == name)
    section = page("commands").split(f"\n### engram {name}\n")[1].split("\n### ")[0]
    assert each.summary in section
    for p in parameters(each.input, "cli"):
        assert f"{p.spelled('cli')}" in section


@pytest.mark.parametrize("each", SETTINGS, ids=lambda each: each.key)
def test_every_setting_is_in_the_reference(each: object) -> None:
    assert f"\n## {each.key}\n" in page("settings")  # type: ignore[attr-defined]
    assert f"`{each.variable}`" in page("settings")  # type: ignore[attr-defined]


def test_every_variable_that_the_source_names_is_in_the_reference() -> None:
    name = re.compile(
        r"\"((?:ENGRAM|XDG|CLAUDE)_[A-Z_]+)\"|variables\.get\(\s*\"([A-Z_]+)\"|\"([A-Z]+DATA)\""
    )
    named = {
        next(filter(None, found))
        for path in SOURCE
        for found in name.findall(path.read_text(encoding="utf-8"))
    } - {"ENGRAM_"}
    assert {"ENGRAM_WORKSPACE", "NO_COLOR", "APPDATA"} <= named
    told = page("environment")
    assert [each for each in sorted(named) if f"`{each}`" not in told] == []
    moved = {variable for variable, _, _ in ROOTS.values()}
    others = {each for each, _ in (*VARIABLES, *HOOK_VARIABLES)}
    assert {each.variable for each in SETTINGS} | moved | others >= named


def test_every_family_and_every_code_is_in_the_reference() -> None:
    told = page("errors")
    assert [name for name in FAMILIES if f"| {name} |" not in told] == []
    codes = {code for path in SOURCE for code in raised(path)}
    assert [code for code in sorted(codes) if f"`{code}`" not in told] == []
