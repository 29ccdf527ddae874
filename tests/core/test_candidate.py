"""Candidate lines: every spelling that is accepted, every mistake that is named."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.candidate import MOST, Candidate, read_candidates, single
from engram.errors import InvalidRequest


def one(text: str, **defaults: str) -> Candidate:
    (candidate,) = read_candidates(text, **defaults)  # type: ignore[arg-type]
    return candidate


def refused(text: str) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as raised:
        read_candidates(text)
    return raised.value


def test_a_full_line_fills_every_field() -> None:
    candidate = one(
        "TYPE: rule | TEXT: Run make lint before a push. | CONTEXT: CI is slow | TRIGGERS: push, lint "
        "| TAGS: [ci, #lint, ci] | DEPENDS_ON: use-make, rules/ci-setup.md | LEVEL: advanced "
        "| ROLE: backend, reviewer | UPDATE: lint-first | PARENT: hygiene | CONFIDENCE: High "
        "| LIGHT: Consider linting. | BALANCED: Lint. | STRICT: Always lint."
    )
    assert candidate == Candidate(
        1,
        "rule",
        "Run make lint before a push.",
        context="CI is slow",
        triggers=("push", "lint"),
        tags=("ci", "lint"),
        depends_on=("use-make", "ci-setup"),
        level="advanced",
        roles=("backend", "reviewer"),
        update="lint-first",
        parent=("hygiene",),
        confidence="high",
        light="Consider linting.",
        balanced="Lint.",
        strict="Always lint.",
    )


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("kind: skill | memory: a", "type", "skill"),
        ("Memory Type: workflows | Summary: a", "type", "skill"),
        ("TYPE: Rules | CONTENT: a", "type", "rule"),
        ("type: [knowledge] | text: a", "type", "knowledge"),
        ("TYPE: rule | TEXT: a | WHY: b", "context", "b"),
        ("TYPE: rule | TEXT: a | Rationale: b", "context", "b"),
        ("TYPE: rule | TEXT: a | ORIGIN: b", "context", "b"),
        ("TYPE: rule | TEXT: a | retrieve-when: b", "triggers", ("b",)),
        ("TYPE: rule | TEXT: a | Use for: b", "triggers", ("b",)),
        ("TYPE: rule | TEXT: a | RETRIEVAL_HINTS: b", "triggers", ("b",)),
        ("TYPE: rule | TEXT: a | Depends: b", "depends_on", ("b",)),
        ("TYPE: rule | TEXT: a | DEPENDENCIES: b; c", "depends_on", ("b", "c")),
        ("TYPE: rule | TEXT: a | prerequisites: [b, c]", "depends_on", ("b", "c")),
        ("TYPE: rule | TEXT: a | DEPENDS_ON: none", "depends_on", ()),
        ("TYPE: rule | TEXT: a | depth: 2", "level", "2"),
        ("TYPE: rule | TEXT: a | Dependency depth: deep", "level", "deep"),
        ("TYPE: rule | TEXT: a | merge_with: b", "update", "b"),
        ("TYPE: rule | TEXT: a | Existing: `rules/b.md`", "update", "b"),
        ("TYPE: rule | TEXT: a | UPDATE: -", "update", ""),
        ("TYPE: rule | TEXT: a | Supersedes: b", "supersedes", "b"),
        ("TYPE: rule | TEXT: a | REPLACES: [[b]]", "supersedes", "b"),
        ("TYPE: rule | TEXT: a | child ids: b", "parent", ("b",)),
        ("TYPE: rule | TEXT: a | Roles: b", "roles", ("b",)),
        ("TYPE: rule | TEXT: a | CONFIDENCE: n/a", "confidence", ""),
        ("TYPE：rule ｜ TEXT：使用 pnpm｜TAGS：工具，构建", "tags", ("工具", "构建")),
        ("TYPE：rule ｜ TEXT：使用 pnpm｜TAGS：工具", "text", "使用 pnpm"),
    ],
)
def test_each_field_is_known_by_its_other_names(line: str, field: str, value: object) -> None:
    assert getattr(one(line), field) == value


@pytest.mark.parametrize(
    "start", ["- ", "* ", "• ", "1. ", "2) ", "(3) ", "- [ ] ", "> ", "[4] ", "  - ", "3、", "| "]
)
def test_a_list_marker_or_a_number_before_the_line_is_no_part_of_it(start: str) -> None:
    candidate = one(f"{start}TYPE: rule | TEXT: Use pnpm")
    assert (candidate.type, candidate.text) == ("rule", "Use pnpm")


def test_names_may_be_bold_and_the_line_may_be_a_table_row() -> None:
    assert one("**TYPE:** rule | **TEXT**: Use pnpm |").text == "Use pnpm"
    assert one("| TYPE: rule | TEXT: Use pnpm | TAGS: a |").tags == ("a",)


def test_several_lines_are_several_candidates_with_their_places() -> None:
    found = read_candidates(
        "\n- TYPE: rule | TEXT: Use pnpm\r\n- knowledge: Staging runs in eu-west-1\n\nTEXT: one | TAGS: a\nTEXT: two"
    )
    assert [(each.number, each.line, each.text) for each in found] == [
        (1, 2, "Use pnpm"),
        (2, 3, "Staging runs in eu-west-1"),
        (3, 5, "one"),
        (4, 6, "two"),
    ]


def test_fields_may_stand_on_lines_of_their_own() -> None:
    candidate = one(
        "TYPE: skill\n\nTEXT: Release:\n1. tag\n\n2. push\nCONTEXT: asked often\nby many\n"
        "TAGS: a,\n  b\nDEPENDS_ON: c\nand then announce it"
    )
    assert candidate.text == "Release:\n1. tag\n\n2. push\nand then announce it"
    assert candidate.context == "asked often\nby many"
    assert (candidate.tags, candidate.depends_on) == (("a", "b"), ("c",))


def test_a_list_of_fields_is_the_line_form_too() -> None:
    candidate = one("- TYPE: rule\n- TEXT: Use pnpm\n- TAGS: a\n- why: not a field here")
    assert (candidate.text, candidate.tags) == ("Use pnpm\n- why: not a field here", ("a",))


def test_text_before_a_field_on_its_own_line_is_the_text() -> None:
    candidate = one("We deploy on Tuesdays\nContext: fewer people are away")
    assert (candidate.text, candidate.context) == (
        "We deploy on Tuesdays",
        "fewer people are away",
    )


def test_a_field_may_stand_before_the_text() -> None:
    candidate = one("TAGS: a\nUse pnpm")
    assert (candidate.text, candidate.tags) == ("Use pnpm", ("a",))


def test_a_type_with_loose_text_below_it_is_one_candidate() -> None:
    assert one("TYPE: rule\nUse pnpm").text == "Use pnpm"
    assert one("Rules:\n- Use pnpm\n- Never force-push").text == "- Use pnpm\n- Never force-push"


def test_text_above_the_first_type_is_a_candidate_of_its_own() -> None:
    first, second = read_candidates("We deploy on Tuesdays\nTYPE: rule | TEXT: Use pnpm")
    assert (first.text, second.text) == ("We deploy on Tuesdays", "Use pnpm")


@pytest.mark.parametrize("lead_in", ["Candidates:", "候補：", "# What we learned"])
def test_a_heading_over_the_lines_is_refused_rather_than_stored_or_dropped(lead_in: str) -> None:
    error = refused(f"{lead_in}\n\nTYPE: rule | TEXT: Use pnpm")
    assert (error.code, error.details["line"]) == ("candidate.lead_in", 1)


@pytest.mark.parametrize(
    "text",
    [
        "Count with `ps aux | wc -l` and log it",
        "Run ps aux | grep node",
        "Choose yes | no",
        "The pipe is `a | TAGS: b`",
        "Filter with jq | grep error messages: they are long",
        "Read it from db | https://example.org/a",
        r"A regex is a\|b",
    ],
)
def test_a_bar_inside_the_text_stays_there(text: str) -> None:
    assert one(f"TYPE: knowledge | TEXT: {text} | TAGS: x").text == text


def test_an_escaped_bar_keeps_what_looks_like_a_field_in_the_text() -> None:
    assert one(r"TYPE: rule | TEXT: Write A \| TAGS: b | TAGS: c").text == "Write A | TAGS: b"


def test_a_plain_text_is_one_candidate_of_a_detected_type() -> None:
    candidate = one("Never push to the main branch\n\nIt deploys at once.")
    assert (candidate.type, candidate.type_detected) == ("rule", True)
    assert candidate.text == "Never push to the main branch\n\nIt deploys at once."


def test_bars_of_a_plain_text_open_only_fields_in_capitals() -> None:
    assert one("Use pnpm | TAGS: a").tags == ("a",)
    assert one("a table has name | type: text").text == "a table has name | type: text"
    assert one("grep it | WARN: deprecated").text == "grep it | WARN: deprecated"


def test_the_default_type_and_roles_hold_where_none_is_named() -> None:
    first, second = read_candidates(
        "TEXT: Use pnpm\nTYPE: rule | TEXT: Use uv | ROLE: ops",
        default_type="skill",
        roles=("web",),
    )
    assert (first.type, first.type_detected, first.roles) == ("skill", False, ("web",))
    assert (second.type, second.roles) == ("rule", ("ops",))


def test_an_empty_type_is_detected() -> None:
    assert one("TYPE: - | TEXT: Never push to main").type_detected


@pytest.mark.parametrize(
    "text",
    [
        "Всегда запускай `make lint` перед отправкой.",
        "提交前始终运行测试。不要直接推送到主分支。",
        "Vor jedem Merge müssen die Prüfungen grün sein.",
        "リリース前に必ずバックアップを取る。",
    ],
)
def test_a_text_in_any_language_is_kept_whole(text: str) -> None:
    assert one(f"TYPE: rule | TEXT: {text}").text == text


def test_lines_in_a_code_fence_are_text() -> None:
    candidate = one("TYPE: skill | TEXT: Configure:\n```yaml\ntype: service\ntags: a\n```\nTAGS: b")
    assert candidate.text == "Configure:\n```yaml\ntype: service\ntags: a\n```"
    assert candidate.tags == ("b",)


def test_a_fence_that_never_closes_swallows_no_candidate() -> None:
    assert len(read_candidates("TYPE: skill | TEXT: a\n```\nTYPE: rule | TEXT: b")) == 2


def test_a_fence_around_all_lines_is_taken_off() -> None:
    found = read_candidates("```text\nTYPE: rule | TEXT: a\nTYPE: rule | TEXT: b\n```\n")
    assert [each.text for each in found] == ["a", "b"]


def test_a_summary_line_below_a_text_belongs_to_the_text() -> None:
    assert one("TYPE: rule | TEXT: a\nSummary: b").text == "a\nSummary: b"
    found = read_candidates("TYPE: rule | TEXT: a\nSUMMARY: b")
    assert [each.text for each in found] == ["a", "b"]


def test_candidates_that_say_the_same_are_reported_and_kept() -> None:
    found = read_candidates(
        "TYPE: rule | TEXT: Use pnpm.\nTYPE: rule | TEXT:  use  PNPM\nTYPE: skill | TEXT: Use pnpm"
    )
    assert [each.repeats for each in found] == [0, 1, 0]


@pytest.mark.parametrize(
    ("text", "code", "line", "field", "hint"),
    [
        ("", "empty", None, None, "TYPE: rule"),
        (" \n ", "empty", None, None, "TYPE: rule"),
        ("TYPE: rule | TEXT: a\nTYPE: rule | TEXT:", "empty", 2, "text", "TEXT:"),
        ("TYPE: rule", "empty", 1, "text", "TEXT:"),
        ("TYPE: rule | TEXT: a | TRIGERS: b", "unknown_field", 1, "trigers", "TRIGGERS"),
        ("TYPE: rule | TEXT: a | COLOUR: b", "unknown_field", 1, "colour", "TEXT, CONTEXT"),
        ("TYPE: rule | TEXT: a | Priority: b", "unknown_field", 1, "priority", "\\|"),
        ("type: rule | text: a | priority: b", "unknown_field", 1, "priority", "\\|"),
        ("TYPE: rule | TEXT: a | trigers: b", "unknown_field", 1, "trigers", "TRIGGERS"),
        ("TYPE: rule | TEXT: a\nTRIGERS: b", "unknown_field", 2, "trigers", "TRIGGERS"),
        ("Use pnpm | DEPENDS_OM: b", "unknown_field", 1, "depends_om", "DEPENDS_ON"),
        ("TYPE: rule | TEXT: a | TAGS: b | TAGS: c", "twice", 1, "tags", "\\|"),
        ("TYPE: rule | TEXT: a | TYPE: rule | TEXT: b", "twice", 1, "type", "One candidate"),
        ("TYPE: rule | TEXT: a\nUPDATE: b\nSUPERSEDES: c", "two_targets", 3, "supersedes", "UPDATE"),
        ("TYPE: rulle | TEXT: a", "unknown_type", 1, "type", "rule"),
        ("TYPE: 规则 | TEXT: a", "unknown_type", 1, "type", "knowledge"),
        ("\nTYPE: rule | TEXT: a | CONFIDENCE: hihg", "unknown_confidence", 2, "confidence", "high"),
        ("TYPE: rule | TEXT: a | CONFIDENCE: 7", "unknown_confidence", 1, "confidence", "low"),
        ("TYPE: rule | TEXT: a | UPDATE: b, c", "not_an_id", 1, "update", "engram search"),
        ("TYPE: rule | TEXT: a | SUPERSEDES: the old one about pnpm and its lock file", "not_an_id",
         1, "supersedes", "engram search"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_by_line_and_field_with_a_hint(
    text: str, code: str, line: int | None, field: str | None, hint: str
) -> None:
    error = refused(text)
    assert error.code == f"candidate.{code}"
    assert (error.details.get("line"), error.details.get("field")) == (line, field)
    assert line is None or f"Line {line} " in error.message
    assert hint in error.hint


def test_more_than_fifty_are_refused_whole() -> None:
    lines = "\n".join(f"TYPE: rule | TEXT: rule number {n}" for n in range(MOST + 1))
    error = refused(lines)
    assert (error.code, error.details["line"]) == ("candidate.too_many", MOST + 1)
    assert len(read_candidates(lines.rpartition("\n")[0])) == MOST


def test_a_single_memory_keeps_all_of_its_lines() -> None:
    text = "Deploy:\nUpdate: the tag\n- TYPE: no field\n\nnote: a \\| TAGS: b"
    candidate = single(f"  {text}\n", type="skill", roles=("ops",))
    assert (candidate.text, candidate.type, candidate.roles) == (text, "skill", ("ops",))


def test_a_single_memory_may_be_a_candidate_line() -> None:
    assert single("TYPE: rule | TEXT: Use pnpm | TAGS: a").tags == ("a",)
    with pytest.raises(InvalidRequest) as raised:
        single("TYPE: rule | TEXT: a\nTYPE: rule | TEXT: b")
    assert (raised.value.code, raised.value.details["line"]) == ("candidate.several", 2)


def test_a_single_memory_without_text_is_refused() -> None:
    with pytest.raises(InvalidRequest) as raised:
        single(" \n")
    assert raised.value.code == "candidate.empty"


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_and_never_anything_else(text: str) -> None:
    with suppress(InvalidRequest):
        assert all(each.text.strip() for each in read_candidates(text))


@given(
    st.text(min_size=1, max_size=80).filter(lambda t: t.strip() and not set(t) & set("|｜\r\n`"))
)
def test_the_text_of_a_line_comes_back_whole(text: str) -> None:
    assert one(f"TYPE: rule | TEXT: {text} | TAGS: a").text == text.strip()
