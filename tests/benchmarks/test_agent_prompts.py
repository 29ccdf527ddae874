"""The measurement of real prompts, on three memories."""

from __future__ import annotations

from pathlib import Path

from benchmarks import agent_prompts

CORPUS = {
    "name": "kitchen",
    "docs": [
        {"id": 7, "title": "Sharpen knives on the whetstone", "body": "Never in the dishwasher."},
        {"id": 8, "title": "Store flour in sealed jars", "body": "Moths eat open flour."},
        {"id": 9, "title": "", "body": "Proof the yeast dough overnight in the fridge."},
    ],
    "queries": [
        {"text": "sharpen the kitchen knives with a whetstone", "relevant": ["7"]},
        {"text": "store flour jars", "relevant": ["8", "7"]},
        {"text": "thanks a lot", "relevant": []},
    ],
}


def test_recall_is_the_share_of_the_wanted_memories_that_came() -> None:
    found = agent_prompts.measured(CORPUS)
    assert found.recall == (1.0, 0.5)
    assert found.silent == (True,)
    assert found.memories == 3
    assert len(found.milliseconds) == len(found.tokens) == 3


def test_the_page_gives_the_means() -> None:
    found = agent_prompts.Found("kitchen", 3, (1.0, 0.5), (True, False), (2.0, 4.0, 3.0), (5, 6, 7))
    page = agent_prompts.page("set.json", 8, [found])
    assert "`python -m benchmarks.agent_prompts set.json`" in page
    assert "| kitchen | 3 | 2 | 0.750 | 1 of 2 | 3.0 | 6 |" in page


def test_a_set_is_read_as_its_corpora(tmp_path: Path) -> None:
    place = tmp_path / "set.json"
    place.write_text('{"licence": "CC0", "corpora": [{"name": "one"}]}')
    assert agent_prompts.read(place) == [{"name": "one"}]
