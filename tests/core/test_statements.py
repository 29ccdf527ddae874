"""Statements as they are compared: what is said, with which values, and what is denied."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.statements import (
    ANYWHERE,
    MAY,
    VALUE,
    environments,
    language_of,
    spans,
    statements,
)


def test_spans_leave_out_markers_and_what_holds_nothing() -> None:
    text = "- One thing. Another!\n-   \n* 三。\n"
    assert [text[start:end] for start, end in spans(text)] == ["One thing.", "Another!", "三。"]


def test_a_number_with_its_unit_is_a_value_in_any_script() -> None:
    (english,) = statements("The limit is 20 minutes", "english")
    (chinese,) = statements("上限是 20 分钟", "english")
    assert english.said == ("limit", VALUE)
    assert english.whole == ("limit", "#20 min")
    assert english.values == chinese.values == ("20 min",)


def test_the_first_instead_of_counts() -> None:
    (told,) = statements("Use uv instead of pip instead of conda", "english")
    assert told.said[told.cue_at] == "pip"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It takes 30s", ("30 s",)),
        ("It takes 30 secs", ("30 s",)),
        ("It takes half of 5 percent", ("5 %",)),
        ("It holds 1,000 and 12,5", ("1000", "12,5")),
        ("It takes no more than two weeks", ("≤2 week",)),
        ("It needs at least 4 GB", ("≥4 gb",)),
        ("The weekly job starts on Friday with debug", ("friday", "debug")),
        ("See level 2 of error 404 in 2025 for v2", ()),
        ("Friday is free", ()),
        ("It is 3d", ()),
    ],
)
def test_values_are_told_from_names(text: str, values: tuple[str, ...]) -> None:
    (told,) = statements(text, "english")
    assert told.values == values


@pytest.mark.parametrize(
    ("text", "language", "denied"),
    [
        ("Do not push tags", "english", ("push",)),
        ("Ne poussez pas", "french", ("pouss",)),
        ("不要提交密码", "english", ("提交",)),
        ("提交密码不", "english", ("密码",)),
    ],
)
def test_a_negation_is_of_the_word_that_follows(
    text: str, language: str, denied: tuple[str, ...]
) -> None:
    (told,) = statements(text, language)
    assert tuple(told.said[at] for at in told.denied) == denied


@pytest.mark.parametrize(
    "text", ["Pushing tags is forbidden", "Pushing tags: never", "推送标签 禁止"]
)
def test_a_prohibition_is_of_the_whole_statement(text: str) -> None:
    (told,) = statements(text, "english")
    assert told.denied == (ANYWHERE,)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("Use C++", ((0, "+"), (0, "+"))),
        ("Write C#", ((1, "#"),)),
        ("The plan costs $5", ((1, "$"),)),
        ("Keep -3 there", ((0, "-"),)),
        ("Anna or Bob reviews", ((0, "or"),)),
        ("The port was 80", ((0, "past"),)),
        ("Anna may review", ((0, MAY),)),
        ("Anna reviews, Bob may deploy", ((2, MAY),)),
        ("“Quoted” (in brackets) – with `code` and feat/PAY-1…", ()),
    ],
)
def test_signs_stay_with_the_word_that_they_belong_to(
    text: str, signs: tuple[tuple[int, str], ...]
) -> None:
    (told,) = statements(text, "english")
    assert told.signs[: len(signs)] == signs
    assert bool(told.signs) == bool(signs)


def test_marks_for_private_use_in_a_text_steer_nothing() -> None:
    (told,) = statements("Use \ue000 uv \ue001 for tools", "english")
    (plain,) = statements("Use uv for tools", "english")
    assert told == plain


def test_code_is_one_statement_that_no_filler_is_taken_from() -> None:
    code = "```sh\nmake run. All\n```"
    (told,) = statements(code, "english")
    assert told.said == ("sh", "make", "run.", "All")
    assert told.signs == ((0, code),)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_spans_hold_every_letter_in_order(text: str) -> None:
    found = spans(text)
    assert all(a < b <= c < d for (a, b), (c, d) in itertools.pairwise(found))
    inside = {at for start, end in found for at in range(start, end)}
    assert not any(text[at].isalpha() for at in range(len(text)) if at not in inside)


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
