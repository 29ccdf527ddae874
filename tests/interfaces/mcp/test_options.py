"""The command line of `engram-mcp`: what is known is taken, what is not is noted and passed over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram import __version__
from engram.interfaces.mcp.options import Options, options_of


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], Options()),
        (["--always-load"], Options(always_load=True)),
        (["--no-elicitation"], Options(elicitation=False)),
        (["--workspace", "a b"], Options(workspace="a b")),
        (["--workspace=a=b"], Options(workspace="a=b")),
        (["--workspace", "a", "--workspace", "b"], Options(workspace="b")),
        (
            ["--no-elicitation", "--workspace", "--always-load"],
            Options(elicitation=False, workspace="--always-load"),
        ),
    ],
)
def test_known_options_are_taken_without_a_note(words: list[str], options: Options) -> None:
    assert options_of(words) == (options, [])


@pytest.mark.contract("I4")
@pytest.mark.parametrize("word", ["--loud", "stray", "-x", "--always-load=1", "--", ""])
def test_an_unknown_word_is_passed_over_with_a_note(word: str) -> None:
    options, notes = options_of(["--always-load", word, "--no-elicitation"])
    assert options == Options(always_load=True, elicitation=False)
    assert notes == [f"unknown option {word}; ignored."]


@pytest.mark.parametrize("words", [["--workspace"], ["--workspace="], ["--workspace", ""]])
def test_a_workspace_without_a_folder_is_none(words: list[str]) -> None:
    options, (told,) = options_of(words)
    assert options == Options()
    assert "needs a folder" in told


@pytest.mark.parametrize(
    ("word", "told"),
    [("--version", f"engram-mcp {__version__}\n"), ("--help", "options:"), ("-h", "options:")],
)
def test_what_is_to_be_told_is_told_instead_of_serving(word: str, told: str) -> None:
    assert told in options_of([word])[0].told


WORDS = (
    st.sampled_from(["--workspace", "--workspace=x", "--always-load", "--help", "x"]) | st.text()
)


@given(st.lists(WORDS))
def test_no_command_line_is_refused(words: list[str]) -> None:
    options, notes = options_of(words)
    assert isinstance(options, Options)
    assert len(notes) <= len(words)
