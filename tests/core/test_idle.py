"""Which prompts name no task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.idle import is_idle


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "!!!",
        "Thanks!",
        "Thank you so much.",
        "ok, go ahead",
        "Commit and push it, please",
        "LGTM",
        "Спасибо большое!",
        "да, продолжай",
        "Danke, weiter",
        "merci, vas-y",
        "sí, gracias",
        "谢谢！",
        "继续。",
        "ありがとうございます",
        "네",
    ],
)
def test_a_prompt_of_courtesy_or_routine_is_idle(prompt: str) -> None:
    assert is_idle(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the login test",
        "commit message style",
        "push notifications are late",
        "continue with the migration of orders",
        "ok, now the invoices",
        "почини сборку",
        "提交表单时报错",
        "yes " * 40,
    ],
)
def test_a_prompt_that_names_something_is_not(prompt: str) -> None:
    assert not is_idle(prompt)


@given(st.text())
def test_any_text_is_judged(prompt: str) -> None:
    assert is_idle(prompt) in (True, False)
