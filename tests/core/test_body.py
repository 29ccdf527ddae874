"""A body is taken apart into sections and put together again without losing a byte of a person's."""

from __future__ import annotations

import pytest

from engram.core.body import (
    LIGHT_PREFIX,
    STRICT_PREFIX,
    SUMMARY_LENGTH,
    compact,
    content,
    new_body,
    section,
    sections,
    summary,
    title_of,
    variant,
    variants,
    with_content,
)
from engram.core.memory import Memory
from tests.support.builders import an_entry

BODY = """# Use pnpm

## Content

- Use pnpm.

## Origin

The lockfile.

```sh
# no heading
## nor this
```

## Rule Variants

### Light

Prefer pnpm.

### Balanced

- Use pnpm.

### Strict

Only pnpm.

## Human Note

Mine.
"""


def summary_of(body: str) -> str:
    return summary(Memory("use-pnpm", "rule", "Use pnpm", body))


def shown(body: str, mode: str = "balanced", type: str = "rule") -> str:
    return compact(an_entry("use-pnpm", type=type, title="Use pnpm"), body, mode)


# --- taking apart


def test_sections_are_named_by_their_headings_and_bounded_by_the_next() -> None:
    found = sections(BODY)

    assert [each.name for each in found] == [
        "",
        "Content",
        "Origin",
        "Rule Variants",
        "Human Note",
    ]
    assert found[1].text == "- Use pnpm."
    assert found[4].text == "Mine."
    assert "".join(BODY[each.start : each.end] for each in found) == BODY


def test_a_section_is_asked_for_in_any_case_and_the_first_counts() -> None:
    assert section("## content\n\none\n\n## Content\n\ntwo\n", "Content") == "one"
    assert section(BODY, "Nothing") == ""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("```\n## Content\n```\n", [""]),
        ("~~~\n## a\n```\n## b\n~~~\n## c\n", ["", "c"]),
        ("````\n```\n## a\n````\n## b\n", ["", "b"]),
        ("```\n## never closed\n", [""]),
        ("```sh\n## a\n``` \n## b\n", ["", "b"]),
        ("```code``` in a line\n## a\n", ["", "a"]),
        ("  ```\n## a\n  ```\n## b\n", ["", "b"]),
        ("##no heading\n##\n## a\n", ["", "a"]),
        ("### deeper\n## a", ["", "a"]),
        (" ## indented\n", [""]),
        ("", [""]),
    ],
)
def test_headings_in_fenced_code_are_none(body: str, names: list[str]) -> None:
    assert [each.name for each in sections(body)] == names


def test_the_title_is_the_first_heading_of_level_one() -> None:
    assert title_of(BODY) == "Use pnpm"
    assert title_of("```\n# code\n```\n\n# Title\n\n# Other") == "Title"
    assert title_of("## Content") == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (BODY, "- Use pnpm."),
        ("# Title\n\nOnly text.\n", "Only text."),
        ("# Title\n\n```sh\n# install\nmake\n```\n", "```sh\n# install\nmake\n```"),
        ("Above\n# Title\nBelow\n# Second", "Above\nBelow"),
        ("# Title\n\n## Content\n\n## Origin\n\nWhy.\n", "## Content\n\n## Origin\n\nWhy."),
        ("", ""),
    ],
)
def test_what_a_memory_says_is_its_content_or_all_but_the_title(body: str, said: str) -> None:
    assert content(body) == said


# --- variants


def test_a_rule_has_the_wordings_that_its_section_names() -> None:
    assert variants(BODY) == {
        "light": "Prefer pnpm.",
        "balanced": "- Use pnpm.",
        "strict": "Only pnpm.",
    }


def test_an_unknown_an_empty_and_a_repeated_wording_are_passed_over() -> None:
    body = (
        "## Rule Variants\n\n### Loose\n\nx\n\n### Light\n\n### STRICT\n\none\n\n### Strict\n\ntwo"
    )

    assert variants(body) == {"strict": "one"}


@pytest.mark.parametrize(
    ("kept", "mode", "told"),
    [
        (("light", "balanced", "strict"), "light", "light"),
        (("light", "balanced", "strict"), "strict", "strict"),
        (("light", "balanced", "strict"), "off", "balanced"),
        (("balanced", "strict"), "light", "balanced"),
        (("strict",), "light", "strict"),
        (("light", "strict"), "balanced", "light"),
        (("light", "strict"), "off", "light"),
        (("light",), "strict", "light"),
        ((), "strict", "said"),
    ],
)
def test_a_missing_wording_falls_back_to_the_nearest(
    kept: tuple[str, ...], mode: str, told: str
) -> None:
    wordings = "".join(f"### {name.capitalize()}\n\n{name}\n\n" for name in kept)
    body = f"## Content\n\nsaid\n\n## Rule Variants\n\n{wordings}"

    assert variant(body, mode) == told


# --- what a card and a briefing show


def test_a_summary_is_one_line_without_markdown() -> None:
    body = "## Content\n\n- Use **pnpm**\n* and `make`.\n\n### Why\n> it works\n"

    assert summary_of(body) == "Use pnpm and make. Why it works"


def test_a_long_summary_is_cut_and_says_so() -> None:
    said = summary_of("word " * 100)

    assert len(said) <= SUMMARY_LENGTH
    assert said.endswith("word…")


def test_a_briefing_shows_a_rule_in_one_wording_with_its_other_sections() -> None:
    told = shown(BODY, "strict")

    assert told.startswith("# Use pnpm\n\nOnly pnpm.\n\n## Origin\n\nThe lockfile.")
    assert told.endswith("## Human Note\n\nMine.\n")
    assert "Prefer" not in told
    assert "## Content" not in told


def test_a_briefing_shows_what_a_fact_says_whatever_the_mode() -> None:
    body = "# T\n\n## Content\n\nThe port is 8080.\n\n## Empty\n"

    assert shown(body, "strict", "knowledge") == "# Use pnpm\n\nThe port is 8080.\n"


def test_a_briefing_says_nothing_twice() -> None:
    lower = "## content\n\nsaid\n\n## rule variants\n\n### light\n\nlight\n"
    bare = "# T\n\nsaid\n\n## Origin\n\nwhy\n"

    assert shown(lower) == "# Use pnpm\n\nlight\n"
    assert shown(lower, type="skill") == "# Use pnpm\n\nsaid\n"
    assert shown(bare) == "# Use pnpm\n\nsaid\n\n## Origin\n\nwhy\n"


def test_a_rule_of_wordings_alone_is_shown_with_its_other_sections() -> None:
    body = "# T\n\n## Origin\n\nwhy\n\n## Rule Variants\n\n### Light\n\nlight\n"

    assert shown(body) == "# Use pnpm\n\nlight\n\n## Origin\n\nwhy\n"


# --- making


def test_a_new_rule_holds_the_text_whole_its_reason_and_three_wordings() -> None:
    assert new_body("rule", " Use pnpm. ", context="The lockfile.", note="Mine.") == (
        "# Use pnpm\n\n## Content\n\n- Use pnpm.\n\n## Origin\n\nThe lockfile.\n\n"
        f"## Rule Variants\n\n### Light\n\n- {LIGHT_PREFIX}Use pnpm.\n\n"
        f"### Balanced\n\n- Use pnpm.\n\n### Strict\n\n- {STRICT_PREFIX}Use pnpm.\n\n"
        "## Human Note\n\nMine.\n"
    )


def test_a_new_fact_has_neither_reason_nor_wordings_unless_given() -> None:
    assert new_body("knowledge", "порт 8080") == "# Порт 8080\n\n## Content\n\n- порт 8080\n"


def test_wordings_of_the_persons_own_are_taken_and_the_others_made() -> None:
    body = new_body("rule", "Use pnpm", given={"light": "Prefer pnpm", "strict": " "})

    assert variants(body) == {
        "light": "- Prefer pnpm",
        "balanced": "- Use pnpm",
        "strict": f"- {STRICT_PREFIX}Use pnpm",
    }


@pytest.mark.parametrize(
    ("text", "light"),
    [
        ("one\ntwo", f"{LIGHT_PREFIX}one\ntwo"),
        ("* one\n* two", f"* {LIGHT_PREFIX}one\n* two"),
        ("```\n## code\n```", f"{LIGHT_PREFIX.rstrip()}\n\n```\n## code\n```"),
    ],
)
def test_a_made_wording_leaves_lists_and_code_whole(text: str, light: str) -> None:
    assert variants(new_body("rule", text))["light"] == light


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a bullet", "- a bullet"),
        ("* a star", "* a star"),
        ("one\ntwo\nthree\nfour\nfive\nsix\nseven", "one\ntwo\nthree\nfour\nfive\nsix\nseven"),
        ("первое. второе. третье", "- первое. второе. третье"),
        ("one\n## Origin\ntwo", "one\n#### Origin\ntwo"),
        ("one\n##### deep", "one\n##### deep"),
        ("run\n```\n# comment\n```", "run\n```\n# comment\n```"),
        ("run\n```\nmake", "run\n```\nmake\n```"),
        ("run\n~~~~\nmake\n~~~", "run\n~~~~\nmake\n~~~\n~~~~"),
        ("```make``` first", "- ```make``` first"),
        ("```", "- ```"),
    ],
)
def test_no_text_is_lost_and_none_poses_as_a_section(text: str, said: str) -> None:
    body = new_body("rule", text, context="why\n## Content", note="mine\n```")

    assert content(body) == said
    assert section(body, "Origin") == "why\n#### Content"
    assert section(body, "Human Note") == "mine\n```\n```"
    assert variants(body)["balanced"] == said
    assert [each.name for each in sections(body)] == [
        "",
        "Content",
        "Origin",
        "Rule Variants",
        "Human Note",
    ]


# --- changing


def test_another_content_leaves_the_other_sections_as_they_are() -> None:
    changed = with_content(BODY, "Use bun.")

    assert content(changed) == "- Use bun."
    for name in ("Origin", "Human Note"):
        assert section(changed, name) == section(BODY, name)
    assert title_of(changed) == "Use pnpm"


def test_wordings_of_the_persons_own_survive_and_made_ones_are_made_anew() -> None:
    made = new_body("rule", "Use pnpm.", given={"light": "Prefer pnpm."})

    assert variants(with_content(made, "Use bun.")) == {
        "light": "- Prefer pnpm.",
        "balanced": "- Use bun.",
        "strict": f"- {STRICT_PREFIX}Use bun.",
    }


def test_a_reason_and_a_note_replace_those_that_stand_or_are_added_at_the_end() -> None:
    plain = new_body("knowledge", "The port is 8080")

    added = with_content(plain, "The port is 9090", context="moved", note="checked")
    again = with_content(added, "The port is 9091", context="moved\n# again", note="checked twice")

    assert added.endswith("## Origin\n\nmoved\n\n## Human Note\n\nchecked\n")
    assert again.endswith("## Origin\n\nmoved\n#### again\n\n## Human Note\n\nchecked twice\n")
    assert "Rule Variants" not in again


def test_a_heading_keeps_its_own_spelling() -> None:
    assert with_content("## content\n\nold\n\n## other\n\nx\n", "new") == (
        "## content\n\n- new\n\n## other\n\nx\n"
    )
    assert with_content("Old words.", "new") == "Old words.\n\n## Content\n\n- new\n"


def test_the_heading_of_a_section_without_text_gets_it() -> None:
    assert with_content("# T\n\n## Content", "new") == "# T\n\n## Content\n\n- new\n"
