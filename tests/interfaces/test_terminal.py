"""What a person sees: plain text for programs, landmarks in colour on a terminal."""

from __future__ import annotations

import io

import pytest

from engram.app.results import Diagnostic, Result
from engram.errors import NotFound
from engram.interfaces.terminal import Progress, Screen
from engram.system.environment import Environment

ESCAPE = "\x1b["


class Glass(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Watched:
    """What a person sees of a screen on a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.out, self.err = Glass(), Glass()
        monkeypatch.setattr("sys.stdout", self.out)
        monkeypatch.setattr("sys.stderr", self.err)


def screen(**variables: str) -> Screen:
    return Screen(Environment(variables, "", ""))


REMARKS = (
    Diagnostic("a.a", "info", "So it is."),
    Diagnostic("a.b", "warning", "Take care.", "Do this."),
    Diagnostic("a.c", "error", "Broken."),
)
ANSWER = """\
# Heading
workspace:use-pnpm · rule · Use pnpm
  Verdict: ADD
  Verdict: NOOP duplicate of use-pnpm
Agent action: load again
a: b
plain · line"""


def test_elsewhere_an_answer_is_plain_and_remarks_are_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen().show(Result(ANSWER, {}), REMARKS)
    told = capsys.readouterr()
    assert told.out == ANSWER + "\n"
    assert told.err == ("note: So it is.\nwarning: Take care.\nhint: Do this.\nerror: Broken.\n")


def test_an_empty_answer_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    screen().show(Result("", {}), ())
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_the_landmarks_are_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    screen().show(Result(ANSWER, {}), REMARKS)
    coloured = [ESCAPE in line for line in watched.out.getvalue().splitlines()]
    assert coloured == [True, True, True, True, True, False, False]
    assert f"{ESCAPE}32mADD" in watched.out.getvalue()
    assert all(line.startswith(ESCAPE) for line in watched.err.getvalue().splitlines())


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_person_who_wants_no_colour_gets_none(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    watched = Watched(monkeypatch)
    screen(**variables).show(Result(ANSWER, {}), REMARKS)
    assert ESCAPE not in watched.out.getvalue() + watched.err.getvalue()


def test_a_failure_says_why_and_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    screen().fail(NotFound("a.b", "There is none.", hint="Look."))
    screen().fail(NotFound("a.b", "There is none."))
    assert capsys.readouterr().err == (
        "engram: There is none.\nhint: Look.\nengram: There is none.\n"
    )


def test_nobody_watches_the_progress_of_a_program() -> None:
    assert screen().progress() is None


def test_progress_is_shown_where_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    Watched(monkeypatch)
    assert isinstance(screen().progress(), Progress)


def bar(*steps: tuple[float, int, int]) -> str:
    """What a bar wrote: at each second it is told (done, total)."""
    seconds = iter([0.0, *(step[0] for step in steps)])
    stream = io.StringIO()
    progress = Progress(stream, lambda: next(seconds))
    for _, done, total in steps:
        progress(done, total)
    return stream.getvalue()


def test_short_work_shows_no_progress() -> None:
    assert bar((0.1, 1, 4), (0.9, 4, 4)) == ""


def test_long_work_fills_a_bar_and_leaves_no_trace() -> None:
    written = bar((0.5, 1, 1000), (1.5, 500, 1000), (1.6, 501, 1000), (2.0, 1000, 1000))
    assert written.split("\r") == [
        "",
        "████████████░░░░░░░░░░░░ 500 of 1,000",
        "████████████████████████ 1,000 of 1,000",
        "\x1b[K",
    ]


def test_work_on_nothing_is_done_at_once() -> None:
    assert bar((3.0, 0, 0)).endswith("\x1b[K")
