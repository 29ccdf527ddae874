"""The project-memory set holds together, and its check notices when it does not."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.retrieval.project import check
from benchmarks.retrieval.project.check import Line

ROOT = Path(check.__file__).resolve().parents[3]
MEMORIES = check.lines("memories")
QUERIES = check.lines("queries")


def test_the_set_is_without_fault() -> None:
    assert check.faults(MEMORIES, QUERIES) == []


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
    assert told in (check.HERE / "README.md").read_text(encoding="utf-8")


def test_every_topic_lies_in_one_half() -> None:
    halves: dict[str, set[str]] = {}
    for query in QUERIES:
        for id in query["expected"]:
            halves.setdefault(id, set()).add(query["half"])
    assert {len(each) for each in halves.values()} == {1}


def test_hardly_a_query_repeats_the_title_of_its_memory() -> None:
    titles = {each["id"]: set(check.folded(each["title"]).split()) for each in MEMORIES}
    shares = [
        len(titles[id] & set(check.folded(query["query"]).split())) / len(titles[id])
        for query in QUERIES
        for id in query["expected"]
    ]
    assert sum(shares) / len(shares) < 0.15
    assert sum(each > 0.6 for each in shares) / len(shares) < 0.02


def _set(key: str, value: object) -> Callable[[Line], object]:
    return lambda line: line.update({key: value})


TOPIC = QUERIES[0]["topic"]
OTHER_HALF = {"tune": "test", "test": "tune"}[QUERIES[0]["half"]]
STRANGERS = {
    check.half_of(each["topic"]): each["id"] for each in MEMORIES if each["topic"] != TOPIC
}
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
