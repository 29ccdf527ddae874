"""Statements as they are compared: what is said, with which values, and what is denied."""

from __future__ import annotations

import pytest

from engram.core.statements import VALUE, environments, language_of, spans, statements


def test_spans_leave_out_markers_and_what_holds_nothing() -> None:
    text = "- One thing. Another!\n-   \n* 三。\n"
    assert [text[start:end] for start, end in spans(text)] == ["One thing.", "Another!", "三。"]


def test_a_number_with_its_unit_is_a_value_in_any_script() -> None:
    (english,) = statements("The limit is 20 minutes", "english")
    (chinese,) = statements("上限是 20 分钟", "english")
    assert VALUE in english.said
    assert english.values[0].startswith("20")
    assert chinese.values == ("20 分钟",)


def test_the_first_instead_of_counts() -> None:
    (told,) = statements("Use uv instead of pip instead of conda", "english")
    assert told.said[told.cue_at] == "pip"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Не храните ключи", "russian"),
        ("Der Schlüssel ist nicht im Code", "german"),
        ("The key is not in the code", "english"),
        ("", "english"),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_environments_are_told_apart() -> None:
    assert environments("On staging and in production") == {"staging", "production"}
    assert environments("Everywhere") == frozenset()
