"""How what a candidate says relates to what a memory says, sentence by sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.likeness import (
    ALIKE,
    APART,
    CONFLICTS,
    CONTRADICTS,
    EXTENDS,
    REWORDED,
    SAME,
    compare,
    mentions,
)

TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)


def kind(candidate: str, memory: str) -> str:
    return compare(candidate, memory).kind


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("Use pnpm for installs.", "use  PNPM for installs"),
        ("Please always use pnpm for all installs.", "Use pnpm for installs."),
        ("Before a push run make lint.", "Run make lint before a push."),
        ("The timeout is 30 seconds.", "The timeout is 30s."),
        ("Die Frist beträgt 2 Wochen.", "Die Frist beträgt zwei Wochen."),
        ("日志保留 30 天。", "日志要保留 30 天"),
        ("The limit is 1,000 requests.", "The limit is 1000 requests."),
        ("Retry at most 3 times.", "Retry no more than 3 times."),
        ("The queue holds <= 50 jobs.", "The queue holds ≤ 50 jobs."),
        ("Build -> test -> deploy.", "Build → test → deploy."),
        ("Never push to main.", "Pushing to main is forbidden."),
        ("The team may not push to main.", "The team must never push to main."),
        ("Use pnpm.", "Use pnpm, and lock the version."),
        ("Never use eval.", "Never use exec. Never use eval."),
        ("Use version 2 of the API.", "Use version 2 of the API."),
    ],
)
def test_what_differs_only_in_wording_without_weight_is_the_same(
    candidate: str, memory: str
) -> None:
    assert kind(candidate, memory) == SAME


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("Use C++ for the plugin host.", "Use C for the plugin host."),
        ("Use C# for the plugin host.", "Use C++ for the plugin host."),
        ("The offset is -3.", "The offset is 3."),
        ("The plan costs $5.", "The plan costs €5."),
        ("Accept values > 5.", "Accept values < 5."),
        ("Fail where a != b holds.", "Fail where a == b holds."),
        ("The lead or the owner reviews.", "The lead and the owner reviews."),
        ("Der Leiter oder der Besitzer prüft.", "Der Leiter und der Besitzer prüft."),
        ("Revisa el jefe o la dueña.", "Revisa el jefe y la dueña."),
        ("Проверяет автор или владелец.", "Проверяет автор и владелец."),
        ("Squash the commits.", "You may squash the commits."),
        ("可以压缩提交。", "必须压缩提交。"),
        ("Staging was on port 8080.", "Staging is on port 8080."),
        ("The port used to be 8080.", "The port is 8080."),
        ("Build passes 👍", "Build passes 👎"),
        ("राम की किताब", "राम का किताब"),
    ],
)
def test_a_sign_or_a_small_word_that_turns_the_meaning_is_not_overlooked(
    candidate: str, memory: str
) -> None:
    assert kind(candidate, memory) not in (SAME, EXTENDS, CONTRADICTS)


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("The upload limit is 50 MB.", "The upload limit is 20 MB."),
        ("The timeout is 30 s, the pause is 5 s.", "The timeout is 5 s, the pause is 30 s."),
        ("The team releases each Monday.", "The team releases each Friday."),
        ("Keep the log level at debug.", "Keep the log level at info."),
        ("Do not squash the commits.", "Squash the commits."),
        ("Deploys on Friday are allowed.", "Deploys on Friday are forbidden."),
        ("Use uv instead of pip for installs.", "Use pip for installs."),
        ("The team no longer uses pip for installs.", "The team uses pip for installs."),
        ("日志保留到周一。", "日志保留到周五。"),
        ("The limit is 2,5 s.", "The limit is 2,7 s."),
    ],
)
def test_another_value_or_the_opposite_of_all_that_is_said_contradicts(
    candidate: str, memory: str
) -> None:
    assert kind(candidate, memory) == CONTRADICTS


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("The upload limit is 50 MB.", "The upload limit is 20 MB. CI keeps caches by lock file."),
        ("Do not push on a Friday evening.", "Push on a Friday."),
    ],
)
def test_what_is_against_a_part_or_may_be_is_left_to_a_person(candidate: str, memory: str) -> None:
    assert kind(candidate, memory) == CONFLICTS


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("Run make lint before a push, because CI is strict.", "Run make lint before a push."),
        ("Use pnpm. Lock its version in package.json.", "Use pnpm."),
        ("Pushing is allowed, and squashing too.", "Pushing is allowed."),
        ("Use C++, and format it.", "Use C++."),
        ("提交前运行测试，然后推送。", "提交前运行测试。"),
    ],
)
def test_all_that_the_memory_says_and_a_clause_more_extends(candidate: str, memory: str) -> None:
    assert kind(candidate, memory) == EXTENDS


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("Run make lint, but only on CI machines.", "Run make lint."),
        ("Use pnpm unless npm is pinned.", "Use pnpm."),
        ("提交前运行测试，除非赶时间。", "提交前运行测试。"),
        ("Use C++, and format it.", "Use C."),
        ("Use the cache, and drop it.", "You may use the cache."),
    ],
)
def test_a_clause_that_narrows_or_a_changed_beginning_does_not_extend(
    candidate: str, memory: str
) -> None:
    assert kind(candidate, memory) != EXTENDS


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("Merge before a rebase.", "Rebase before a merge."),
        ("Use tabs, not spaces.", "Use spaces, not tabs."),
    ],
)
def test_the_same_words_in_another_order_may_say_something_else(
    candidate: str, memory: str
) -> None:
    assert kind(candidate, memory) == REWORDED


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("Node 20 is not supported.", "Node 18 is not supported."),
        ("Python 3.12 is supported.", "Python 3.11 is supported."),
        ("Section 3.3 covers the retries.", "Section 3.2 covers the retries."),
        ("Error 500 is retried once.", "Error 404 is retried once."),
        ("Customer 42 pays in euro.", "Customer 43 pays in euro."),
        ("On staging the port is 9090.", "In production the port is 8080."),
        ("On staging use uv instead of pip for installs.", "Use pip for installs."),
        ("Push to main → deploy runs.", "Deploy runs."),
        ("Use a token without an expiry.", "Use a token with an expiry."),
        ("Never deploy on Fridays.", "Never deploy on Mondays."),
        ("The database was MySQL 5.7.", "The database is MySQL 8.0."),
        ("Use C++ 17 for the plugin host.", "Use C 11 for the plugin host."),
        ("Use uv rather than pip for tools.", "Use pip rather than uv for tools."),
        ("The limit is 5x of that.", "The limit is 6x of that."),
    ],
)
def test_what_is_about_another_thing_place_or_time_changes_no_memory(
    candidate: str, memory: str
) -> None:
    assert kind(candidate, memory) in (APART, ALIKE)


def test_texts_that_share_many_words_are_alike_and_others_apart() -> None:
    assert (
        kind("The orders service keeps carts in Redis.", "The orders service uses Redis.") == ALIKE
    )
    assert kind("The orders service keeps carts.", "Write commit messages in English.") == APART
    assert compare("The orders service keeps carts.", "Write in English.").score == 0.0


@pytest.mark.parametrize("text", ["", "…", "👍", "It is the.", "的"])
def test_a_text_without_a_word_of_meaning_is_apart_from_everything(text: str) -> None:
    assert kind(text, "Use pnpm.") == kind("Use pnpm.", text) == kind(text, text) == APART


@pytest.mark.parametrize(
    ("candidate", "memory"),
    [
        ("```sh\nmake run all\n```", "```sh\nmake all\n```"),
        ("```sh\ncurl -X POST a\n```", "```sh\ncurl -x POST a\n```"),
        ("```py\nif a:\n  b\nc\n```", "```py\nif a:\n  b\n  c\n```"),
        ("```sh\nmake lint test\n```", "```sh\nmake test lint\n```"),
    ],
)
def test_code_is_the_same_only_letter_by_letter(candidate: str, memory: str) -> None:
    assert kind(candidate, candidate) == SAME
    assert kind(candidate, memory) not in (SAME, EXTENDS, CONTRADICTS)


def test_a_candidate_that_holds_a_memory_among_more_restates_it() -> None:
    memory = "Squash pull requests on merge."
    assert compare("Squash pull requests on merge and never push to main.", memory).restates
    assert not compare("Squash commits.", memory).restates
    assert not compare("Squash and push.", "Squash.").restates  # one word proves nothing


def test_a_sentence_mentions_a_title_by_all_of_its_words() -> None:
    assert mentions("This builds on rotating the signing key.", "Rotate the signing key")
    assert not mentions("This builds on the signing key.", "Rotate the signing key")
    assert not mentions("This builds on the key.", "The key")  # too little to tell


@given(TEXTS, TEXTS)
def test_any_two_texts_have_a_likeness_between_nothing_and_one(new: str, old: str) -> None:
    found = compare(new, old)
    assert found == compare(new, old)
    assert 0.0 <= found.score <= 1.0
    assert found.kind in (SAME, EXTENDS, CONTRADICTS, CONFLICTS, REWORDED, ALIKE, APART)


@given(TEXTS)
def test_a_text_never_goes_against_itself_nor_adds_to_itself(text: str) -> None:
    assert kind(text, text) in (SAME, APART)
