"""The project-memory set holds together, and its check notices when it does not."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.retrieval import sets
from benchmarks.retrieval.project import check, content
from benchmarks.retrieval.project.check import Line

ROOT = Path(check.__file__).resolve().parents[3]
MEMORIES = sets.lines("memories")
QUERIES = sets.lines("queries")


def test_the_set_is_without_fault() -> None:
    assert check.faults(MEMORIES, QUERIES) == []


def test_the_product_takes_every_memory_and_finds_nothing_private() -> None:
    assert content.faults(MEMORIES, QUERIES) == []


def test_what_the_product_would_not_take_is_named() -> None:
    odd, private = copy.deepcopy(MEMORIES[:2])
    odd |= {"title": "  Blanks around  ", "body": "TYPE: rule | TEXT: a candidate line"}
    private["body"] += " Write to anna.berger@mailhaus.at."
    query = {**QUERIES[0], "query": "why does AKIAIOSFODNN7EXAMPL3 not work"}
    assert content.faults([odd, private], [query]) == [
        f"{odd['id']}: reads otherwise than it was written",
        f"{odd['id']}: its text is no candidate as it stands",
        f"{private['id']}: personal.email in its body",
        f"{query['id']}: secret.aws_access_key in its query",
    ]


def test_copied_words_are_counted_and_a_copied_query_is_named() -> None:
    body = MEMORIES[0]["body"]
    query = {**QUERIES[0], "expected": [MEMORIES[0]["id"]], "query": " ".join(body.split()[8:15])}
    assert content.copied(MEMORIES, [query]) == (4, 4)
    assert content.copied(MEMORIES, [{**query, "query": "one two three four five"}]) == (1, 0)
    queries = [query, *QUERIES[1:]]
    assert f"{query['id']}: copies a passage of its memory" in check.faults(MEMORIES, queries)


def test_letters_of_scripts_without_blanks_count_half_a_word() -> None:
    assert content.runs("潮位为零是真实值用别的") == {
        tuple("潮位为零是真实值用别"),
        tuple("位为零是真实值用别的"),
    }
    assert content.runs("潮位为零 one two three") == {(*"潮位为零", "one", "two", "three")}
    assert content.runs("four words are few") == set()


def test_the_readme_shows_the_counts_that_the_check_prints() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.retrieval.project.check"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={"PYTHONUTF8": "1"},
    ).stdout
    assert "queries in language" in told
    assert told in (sets.PROJECT / "README.md").read_text(encoding="utf-8")


def test_every_topic_lies_in_one_half() -> None:
    halves: dict[str, set[str]] = {}
    for query in QUERIES:
        for id in query["expected"]:
            halves.setdefault(id, set()).add(query["half"])
    assert {len(each) for each in halves.values()} == {1}


def test_hardly_a_query_repeats_the_title_of_its_memory() -> None:
    titles = {each["id"]: set(content.folded(each["title"]).split()) for each in MEMORIES}
    shares = [
        len(titles[id] & set(content.folded(query["query"]).split())) / len(titles[id])
        for query in QUERIES
        for id in query["expected"]
    ]
    assert sum(shares) / len(shares) < 0.15
    assert sum(each > 0.6 for each in shares) / len(shares) < 0.02


def _set(key: str, value: object) -> Callable[[Line], object]:
    return lambda line: line.update({key: value})


TOPIC = QUERIES[0]["topic"]
OTHER_HALF = {"tune": "test", "test": "tune"}[QUERIES[0]["half"]]
STRANGERS = {sets.half_of(each["topic"]): each["id"] for each in MEMORIES if each["topic"] != TOPIC}
OF_TOPIC = [each["id"] for each in MEMORIES if each["topic"] == TOPIC]


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (_set("expected", ["nowhere"]), "no such memory: nowhere"),
        (_set("expected", [STRANGERS[QUERIES[0]["half"]]]), "expects no memory of its topic"),
        (_set("expected", [OF_TOPIC[0], STRANGERS[OTHER_HALF]]), "a memory of the other half"),
        (_set("expected", OF_TOPIC[:6]), "expects more than 5 memories"),
        (_set("expected", OF_TOPIC[:1] * 2), "a memory is named twice"),
        (_set("forbidden", QUERIES[0]["expected"]), "a memory is named twice"),
        (_set("half", OTHER_HALF), "not in the half that its topic gives"),
        (_set("category", "riddle"), "no such category: riddle"),
        (_set("category", "cross-language"), "in the language of its memory"),
        (_set("query", " "), "no text"),
        (_set("expected", []), "expects nothing, but its category or topic says otherwise"),
        (_set("query", QUERIES[1]["query"].upper() + "!"), "query given twice"),
        (_set("id", QUERIES[1]["id"]), "query id given twice"),
        (lambda line: line.pop("language"), "fields missing or unknown: language"),
        (_set("expected", "all"), "of the wrong type: expected"),
    ],
)
def test_a_spoilt_query_is_named(spoil: Callable[[Line], object], fault: str) -> None:
    queries = copy.deepcopy(QUERIES)
    spoil(queries[0])
    assert any(fault in each for each in check.faults(MEMORIES, queries))


def test_a_query_about_nothing_lies_in_the_half_that_its_text_gives() -> None:
    queries = copy.deepcopy(QUERIES)
    idle = next(each for each in queries if not each["expected"])
    idle["half"] = "test" if idle["half"] == "tune" else "tune"
    assert check.faults(MEMORIES, queries) == [f"{idle['id']}: not in the half that its text gives"]


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (_set("id", MEMORIES[1]["id"]), "memory id given twice"),
        (_set("id", "a/b"), "no safe file name"),
        (_set("title", MEMORIES[1]["title"]), "title given twice"),
        (_set("body", MEMORIES[1]["body"]), "body given twice"),
        (_set("type", "poem"), "no such type: poem"),
        (_set("tags", []), "no tags"),
        (_set("project", "another"), "in more than one project"),
    ],
)
def test_a_spoilt_memory_is_named(spoil: Callable[[Line], object], fault: str) -> None:
    memories = copy.deepcopy(MEMORIES)
    spoil(memories[0])
    assert any(fault in each for each in check.faults(memories, QUERIES))


def test_a_memory_that_no_query_asks_for_is_named() -> None:
    (extra,) = copy.deepcopy(MEMORIES[:1])
    extra |= {"id": "extra", "title": "Extra", "body": "Nobody asked for this."}
    assert check.faults([*MEMORIES, extra], QUERIES) == [
        "extra: too little text, no topic or no tags",
        "extra: no query asks for it",
    ]


def test_a_set_that_is_too_small_is_named() -> None:
    told = check.faults(MEMORIES[:10], [each for each in QUERIES if not each["expected"]][:10])
    assert "the set should have at least 300 memories" in told
    assert "the set should have at least 600 queries" in told
