"""Words of every project are terms, as the index and the tasks have them."""

from __future__ import annotations

import pytest

from engram.core import words
from engram.core.common_words import COMMON


def test_each_entry_is_a_term_that_some_text_gives() -> None:
    stems = {
        term
        for word in ("adding", "files", "Пожалуйста", "Datei", "文件")
        for term in words.terms(word)
    }
    assert stems <= COMMON
    assert all(entry and entry == entry.strip().casefold() for entry in COMMON)


@pytest.mark.parametrize(
    "prompt",
    [
        "commit and push",
        "show me the diff",
        "open the pull request",
        "rename the file",
        "покажи файл",
    ],
)
def test_chores_hold_nothing_else(prompt: str) -> None:
    assert set(words.query_terms(prompt)) <= COMMON


@pytest.mark.parametrize("word", ["invoice", "pnpm", "kubernetes", "retry", "миграция", "発票"])
def test_subjects_are_not_common(word: str) -> None:
    assert COMMON.isdisjoint(words.query_terms(word))
