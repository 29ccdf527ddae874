"""Whole-program journeys: each transcript, and the pages that show commands, run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.transcript import agree, rendered, run, steps_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [page for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if steps_of(page)]


@pytest.mark.parametrize(
    "path", [*sorted(HERE.glob("*.txt")), *sorted(PAGES)], ids=lambda path: path.name
)
def test_the_commands_print_what_the_transcript_shows(path: Path, tmp_path: Path) -> None:
    steps = steps_of(path)
    shown = rendered(steps, [step.expected for step in steps])
    assert rendered(steps, run(steps, tmp_path)) == shown


def test_there_are_transcripts_and_the_pages_for_newcomers_are_among_them() -> None:
    assert list(HERE.glob("*.txt"))
    assert {"README.md", "quickstart.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        (["a"], ["a"], True),
        (["a"], ["b"], False),
        (["a", ""], ["a"], True),
        (["...", "b"], ["x", "y", "b"], True),
        (["...", "b"], ["x"], False),
        (["took 12 ms on 2026-01-31"], ["took N ms on DATE"], True),
        ([], ["a"], False),
    ],
)
def test_a_transcript_is_compared_line_by_line(
    expected: list[str], got: list[str], *, same: bool
) -> None:
    assert agree(expected, got) is same


def test_a_page_shows_its_commands_in_console_blocks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("$ not this\n```console\n$ printf 'a\\n'\n> printf 'b\\n'\na\nb\n```\n")
    (step,) = steps_of(page)
    assert (step.script, step.expected) == ("printf 'a\\n'\nprintf 'b\\n'", ["a", "b"])
    assert run([step], tmp_path) == [["a", "b"]]


def test_a_failing_command_shows_its_status(tmp_path: Path) -> None:
    transcript = tmp_path / "fails.txt"
    transcript.write_text("$ pwd; exit 3\n")
    assert run(steps_of(transcript), tmp_path) == [["PROJECT", "[exit 3]"]]
