"""The evaluation of retrieval, on sets of three memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.retrieval import evaluate, generated, sets
from engram.core.frontmatter import render
from engram.core.measures import Outcome

KITCHEN = {
    "name": "kitchen",
    "docs": [
        {"id": 7, "title": "Sharpen knives on the whetstone", "body": "Never in the dishwasher."},
        {"id": 8, "title": "", "body": "Moths eat flour in open jars.\nSeal the jars."},
        {"id": 9, "title": "Proof the yeast dough", "body": "Overnight, in the fridge."},
    ],
    "queries": [
        {"text": "sharpen the knives with a whetstone", "relevant": ["7"]},
        {"text": "moths in the flour jars", "relevant": ["8", "elsewhere"]},
        {"text": "quorbel vandrup tesquat", "relevant": []},
    ],
}
HALVES = {each["text"]: sets.half_of(each["text"]) for each in KITCHEN["queries"]}  # type: ignore[index]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of sets with one file, "kitchen"."""
    _write(tmp_path / "kitchen.json", {"name": "kitchen", "corpora": [KITCHEN]})
    return tmp_path


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def test_each_query_goes_through_a_store_that_holds_the_memories(folder: Path) -> None:
    ((name, found),) = evaluate.evaluate("both", folder, ["kitchen"])
    assert name == "kitchen"
    assert [(half, each.ranked, each.expected) for half, each in found] == [
        (HALVES["sharpen the knives with a whetstone"], ("doc-00000",), ("doc-00000",)),
        (HALVES["moths in the flour jars"], ("doc-00001",), ("doc-00001",)),
        (HALVES["quorbel vandrup tesquat"], (), ()),
    ]


def test_a_half_asks_its_own_queries_only(folder: Path) -> None:
    for half in sets.HALVES:
        ((_, found),) = evaluate.evaluate(half, folder, ["kitchen"])
        assert [of for of, _ in found] == [half] * list(HALVES.values()).count(half)


def test_processes_side_by_side_find_the_same(folder: Path) -> None:
    alone = list(evaluate.evaluate("both", folder, ["kitchen"]))
    assert list(evaluate.evaluate("both", folder, ["kitchen"], jobs=2)) == alone


def test_the_wordings_of_a_set_stand_apart(tmp_path: Path) -> None:
    corpora = [KITCHEN, {**KITCHEN, "name": "Küche"}]
    _write(tmp_path / "agent-prompts.json", {"corpora": corpora})
    named = [name for name, _ in sets.every(tmp_path, ["agent-prompts"])]
    assert named == ["agent-prompts/kitchen", "agent-prompts/Küche"]


def test_the_first_line_of_a_translation_becomes_the_trigger(tmp_path: Path) -> None:
    docs = [{"id": "8", "title": "", "body": "Моль ест муку.\n- Закрывайте банки."}]
    _write(tmp_path / "tldr-ru.json", {"corpora": [{"name": "ru", "docs": docs, "queries": []}]})
    _write(tmp_path / "tldr-en-from-ru.json", {"corpora": [KITCHEN]})
    found = dict(sets.every(tmp_path, ["tldr-en-from-ru"]))
    assert list(found) == ["tldr-en-from-ru", "tldr-en-from-ru + a trigger line"]
    triggers = {
        name: [each.triggers for each in corpora[0].memories] for name, corpora in found.items()
    }
    assert triggers["tldr-en-from-ru"] == [(), (), ()]
    assert triggers["tldr-en-from-ru + a trigger line"] == [(), ("Моль ест муку.",), ()]


def test_a_store_with_cases_beside_it_is_a_set(tmp_path: Path) -> None:
    (tmp_path / "shop" / "rules").mkdir(parents=True)
    told = {"id": "prices", "type": "rule", "title": "Prices are cents", "body": "Never floats."}
    memory = sets.memory_of({**told, "tags": ["money"], "triggers": []})
    (tmp_path / "shop/rules/prices.md").write_text(render(memory), encoding="utf-8")
    cases = [{"query": "prices in cents", "expect": ["prices"], "forbid": ["other"]}]
    _write(tmp_path / "shop/cases.json", {"version": 2, "cases": cases})
    ((name, found),) = evaluate.evaluate("both", tmp_path, ["shop"])
    assert name == "shop"
    assert [each for _, each in found] == [Outcome(("prices",), ("prices",), ("other",))]


def test_generated_memories_answer_the_queries_made_of_them() -> None:
    memories = generated.memories(40)
    queries = generated.queries(memories, asked=5, idle=2)
    bodies = {each.id: each.body for each in memories}
    assert queries == generated.queries(generated.memories(40), asked=5, idle=2)
    assert [bool(ids) for _, ids in queries] == [True] * 5 + [False] * 2
    assert all(ids and all(id in bodies for id in ids) for _, ids in queries[:5])


def test_a_score_tells_recall_of_what_is_asked_and_silence_of_what_is_not() -> None:
    found = [
        Outcome(("a", "b"), ("b",)),
        Outcome(("a",), ("c",)),
        Outcome((), ()),
        Outcome(("a",), ()),
        Outcome(("a", "b"), ()),
    ]
    row = evaluate.row(evaluate.scored("xquad-de", "tune", found))
    assert row == "| xquad-de | tune | 2 | 5 | 0.500 | 0.250 | 3 | 0.333 | 0.667 |"
    only = evaluate.scored("toy", "test", found[2:3])
    assert evaluate.row(only) == "| toy | test | 0 | 8 | — | — | 1 | 1.000 | 1.000 |"


def test_the_page_puts_the_target_beside_the_row() -> None:
    project = [
        ("tune", Outcome(("a",), ("a",), ("a",), category="task")),
        ("tune", Outcome(("a", "b"), (), category="nothing-chat")),
    ]
    text = evaluate.page({"project": project, "mine": [("test", Outcome(("a",), ("a",)))]}, [])
    kept = "recall@8 ≥ 0.92: kept; MRR ≥ 0.80: kept; at most one card ≥ 0.95: **missed** |"
    assert f"| project | tune | 1 | 8 | 1.000 | 1.000 | 1 | 0.000 | 0.000 | {kept}\n" in text
    assert "| mine | test | 1 | 8 | 1.000 | 1.000 | 0 | — | — |  |\n" in text
    assert "| task | tune | 1 | 8 | 1.000 | 1.000 | 0 | — | — |\n" in text
    assert "Forbidden memories that came, tune: 1." in text
    assert "- locomo-turns: LoCoMo, github.com/snap-research/locomo, CC BY-NC 4.0" in text
    assert "Not run" not in evaluate.page({"project": project}, ["project"])


def test_a_set_that_nobody_knows_has_no_target() -> None:
    assert sets.limit_of("xquad-el") == 5
    assert sets.limit_of("mine") == 8
    score = evaluate.scored("mine", "tune", [Outcome((), ())])
    assert evaluate.targets(sets.known("mine"), score) == ""


def test_the_command_writes_the_page_when_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = folder / "RESULTS.md"
    monkeypatch.setattr(evaluate, "RESULTS", results)
    asked = ["evaluate", "--sets", str(folder), "--only", "kitchen", "--half", "both"]
    monkeypatch.setattr("sys.argv", asked)
    evaluate.main()
    assert not results.exists()
    monkeypatch.setattr("sys.argv", [*asked, "--write"])
    evaluate.main()
    assert capsys.readouterr().out == results.read_text(encoding="utf-8") * 2
