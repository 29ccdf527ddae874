"""What holds of any text: terms, titles, ids, bodies and estimates never fail and lose nothing."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from engram.core import body, classify, tokens
from engram.core.memory import TYPES, VARIANTS
from engram.core.task_words import TASK_TYPES
from engram.core.titles import LONGEST_TITLE, slug, title_from
from engram.core.words import LONGEST, MOST_TERMS, query_terms, terms

ANY = st.text(st.characters(), max_size=200)  # surrogates and NUL too
PIECES = st.sampled_from(
    [
        *("# Title", "## Content", "## Origin", "## Rule Variants", "### Light", "### Strict"),
        *("## Human Note", "```", "~~~~", "```sh", "`` `", "- bullet", "* star", "#", "##x"),
        *("Use pnpm", "数据库迁移", "Миграции", "⚠️ parseHTTPRequest", "CON", "src/core/io.py"),
        *("\ud800", "\x00", "\u2028", "\r", " ", "", "1️⃣", "e\u0301", "a\u034fb", "ß", "İ"),
    ]
)
MARKDOWN = st.lists(PIECES | st.text(max_size=12), max_size=12).map("\n".join)
TEXT = st.one_of(ANY, MARKDOWN)
RESERVED = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in "123456789"}  # fmt: skip


@given(TEXT)
def test_terms_are_lower_case_words_of_bounded_length(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term) <= LONGEST
        assert any(map(str.isalnum, term))
        assert not any(map(str.isspace, term))
        assert term == term.lower()


@given(TEXT, TEXT)
def test_the_terms_of_a_joined_text_are_those_of_its_parts(one: str, other: str) -> None:
    assert terms(f"{one} {other}") == terms(one) + terms(other)


@given(TEXT)
def test_a_task_has_few_terms_each_one_of_the_text(text: str) -> None:
    found = query_terms(text)

    assert len(found) == len(set(found)) <= MOST_TERMS
    assert set(found) <= set(terms(text))


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1, max_size=LONGEST))
def test_a_word_of_any_script_meets_itself(word: str) -> None:
    assume(terms(word))  # a stop word, or longer once it is folded

    assert set(query_terms(word)) & set(terms(f"a text with {word} in it"))


@given(TEXT)
@example("CON")
@example("../..")
@example("数" * 200)
@example("\ufe0f")
def test_an_id_is_a_name_that_every_system_holds(text: str) -> None:
    id = slug(text)

    assert 0 < len(id.encode()) <= 100
    assert not set(id) & set('/\\:*?"<>|.\x00 \n\t')
    assert id[0].isalnum()
    assert id[-1] != "-"
    assert id not in RESERVED
    assert "--" not in id


@given(TEXT)
def test_an_id_keeps_words_where_there_are_any(text: str) -> None:
    assert slug(text) != "memory" or not any(map(str.isalnum, text)) or "memory" in text.lower()


@given(TEXT)
def test_an_id_is_the_id_of_itself(text: str) -> None:
    assert slug(slug(text)) == slug(text)


@given(TEXT)
@example("ß" + "x" * 200)
def test_a_title_is_one_line_of_bounded_length(text: str) -> None:
    title = title_from(text)

    assert len(title) <= LONGEST_TITLE
    assert title == " ".join(title.split())
    assert len(title_from(title)) <= LONGEST_TITLE


@given(MARKDOWN)
def test_sections_put_together_are_the_body(text: str) -> None:
    found = body.sections(text)

    assert "".join(text[each.start : each.end] for each in found) == text
    assert all(each.text in text for each in found)


@given(MARKDOWN, st.sampled_from(VARIANTS))
def test_a_new_body_can_be_read_back(text: str, own: str) -> None:
    assume(text.strip())
    made = body.new_body("rule", text, context="why", given={own: text}, note=text)

    assert [each.name for each in body.sections(made)] == [
        "",
        body.CONTENT,
        body.ORIGIN,
        body.RULE_VARIANTS,
        body.HUMAN_NOTE,
    ]
    assert set(body.variants(made)) == set(VARIANTS)
    assert body.section(made, body.ORIGIN) == "why"


@given(MARKDOWN, MARKDOWN)
def test_another_content_keeps_every_other_section_byte_for_byte(text: str, told: str) -> None:
    assume(told.strip())
    old = body.new_body("knowledge", text or "x", context="why", note="mine")
    changed = body.with_content(old, told)

    before, after = body.sections(old), body.sections(changed)
    assert [each.name for each in before] == [each.name for each in after]
    for one, other in zip(before, after, strict=True):
        if one.name != body.CONTENT:
            assert old[one.start : one.end] == changed[other.start : other.end]


@given(TEXT)
def test_a_text_is_of_some_kind_and_some_type(text: str) -> None:
    kind, confidence = classify.task_type(text)

    assert kind in TASK_TYPES
    assert 0 <= confidence <= 1
    assert (kind == classify.UNKNOWN) == (confidence == 0)
    assert classify.memory_type(text) in TYPES


@given(TEXT, TEXT, st.sampled_from(tokens.FAMILIES))
def test_a_sum_of_estimates_is_at_least_the_estimate_of_the_whole(
    one: str, other: str, family: str
) -> None:
    whole = tokens.estimate(one + other, family)

    assert whole <= tokens.estimate(one, family) + tokens.estimate(other, family) <= whole + 1
    assert tokens.estimate(one, family) <= whole
