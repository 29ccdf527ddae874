"""What is folded, what is stemmed and where words stand apart."""

from __future__ import annotations

import pytest

from engram.core.scripts import fold, is_unspaced, stem


@pytest.mark.parametrize("letter", "中々テひ한ไລမខ豈𠀀")
def test_a_script_without_spaces_is_known(letter: str) -> None:
    assert is_unspaced(letter)


@pytest.mark.parametrize("letter", "aéßЖλअعאაԱ1_ ")
def test_a_script_with_spaces_is_known(letter: str) -> None:
    assert not is_unspaced(letter)


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("plain", "plain"),
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("αθήνα", "αθηνα"),
        ("ἀρχή", "αρχη"),
        ("ạ", "a"),
        ("đłøħŧı", "dlohti"),
        ("æœþð", "aeoethd"),
        ("ещё", "еще"),
        ("кий", "кий"),  # another letter, not an accent
        ("ガ", "ガ"),  # a voiced sign makes another letter
        ("हिन्दी", "हिन्दी"),
        ("مُحَمَّد", "محمد"),  # vowel signs of Arabic
        ("أحمد", "احمد"),
        ("مكتبة", "مكتبه"),
        ("العـــربية", "العربيه"),
        ("한국", "한국"),
        ("\u0301a", "a"),
    ],
)
def test_marks_that_people_leave_out_are_folded_and_others_stay(word: str, folded: str) -> None:
    assert fold(word) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("migrations", "migrating"),
        ("миграции", "миграция"),
        ("αρχεια", "αρχειο"),
        ("مكتبه", "المكتبه"),
        ("भाषा", "भाषाओं"),
        ("մատյան", "մատյաններ"),
        ("கோப்பு", "கோப்புகள்"),
    ],
)
def test_forms_of_a_word_share_their_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["", "io", "ci", "ал", "ال", "שלום", "საქართველო", "42p"])
def test_short_words_and_scripts_without_an_algorithm_stay(word: str) -> None:
    assert stem(word) == word


def test_an_arabic_word_loses_its_article_unless_hardly_anything_is_left() -> None:
    assert stem("القلم") == "قلم"
    assert stem("الفا") == "الفا"
