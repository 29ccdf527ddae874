"""A team's own retrieval cases: measured with the product's load, fit for CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engram.app.reading import resource_list
from engram.app.results import Result
from engram.errors import Damaged, InvalidRequest
from tests.support.world import World

LINT = "run-make-lint-before-every-push"
CASES = [
    {"query": "lint before a push", "expected": [LINT], "category": "rules"},
    {
        "query": "where does staging run",
        "expected": ["workspace:staging-runs-in-the-second-region"],
    },
    {"query": "a poem about the sea"},
    {"query": "lint", "expected": [LINT], "forbidden": [LINT], "limit": 1, "budget": 100},
    {"query": "zebra", "expected": [LINT]},
]


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path).with_store()
    world.save("Run make lint before every push.", type="rule")
    world.save("Staging runs in the second region.", type="knowledge")
    return world


def run(world: World, cases: object = CASES, version: object = 1, **how: str) -> Result:
    path = world.project / "cases.json"
    path.write_text(json.dumps({"version": version, "cases": cases}))
    return world.run("benchmark", file="cases.json", **how)


def test_the_measures_are_those_of_the_products_load(world: World) -> None:
    result = run(world)

    measures: Any = result.data["measures"]
    assert measures["cases"] == 5
    assert measures["recall"] == measures["mrr"] == 0.75
    assert measures["nothing"] == 1.0
    assert measures["forbidden"] == 1
    assert measures["tokens"] > 0
    categories: Any = result.data["categories"]
    assert list(categories) == ["rules"]
    misses: Any = result.data["misses"]
    assert [each["query"] for each in misses] == ["lint", "zebra"]
    assert result.exit_status == 0
    assert result.text.splitlines()[0].split() == [
        "cases",
        "recall",
        "mrr",
        "nothing",
        "forbidden",
        "tokens",
    ]


def test_measuring_counts_as_no_use(world: World) -> None:
    run(world)
    assert [entry.uses for entry in resource_list(world.engram())] == [0, 0]


@pytest.mark.parametrize(
    ("limits", "status"),
    [
        ("recall=0.7,mrr=0.7,nothing=1,forbidden=1", 0),
        ("recall=0.9", 1),
        ("forbidden=0", 1),
        ("tokens=1", 1),
        (" ", 0),
    ],
)
def test_a_limit_that_is_not_kept_fails(world: World, limits: str, status: int) -> None:
    result = run(world, fail_on=limits)
    assert result.exit_status == status
    assert ("not kept" in result.text) == bool(status)


@pytest.mark.parametrize("limits", ["speed=1", "recall", "recall=much", "recall=-1"])
def test_a_limit_that_is_none_is_refused(world: World, limits: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        run(world, fail_on=limits)
    assert "--fail-on" in refused.value.hint


def test_a_baseline_fails_what_has_become_worse(world: World) -> None:
    good = run(world, CASES[:3])
    (world.project / "before.json").write_text(json.dumps({"data": good.data}))

    assert run(world, CASES[:3], baseline="before.json").exit_status == 0
    worse = run(world, baseline="before.json")

    assert worse.exit_status == 1
    assert "recall is 0.75, it was 1" in worse.text
    assert "forbidden is 1, it was 0" in worse.text


@pytest.mark.parametrize("content", ["{}", "[]", '{"data": []}', '{"data": {"measures": {}}}'])
def test_a_baseline_that_is_none_is_refused(world: World, content: str) -> None:
    (world.project / "before.json").write_text(content)
    with pytest.raises(Damaged) as refused:
        run(world, baseline="before.json")
    assert "--json" in refused.value.hint


@pytest.mark.parametrize(
    "cases",
    [
        7,
        [7],
        [{}],
        [{"query": 7}],
        [{"query": "x", "expects": []}],
        [{"query": "x", "expected": "a"}],
        [{"query": "x", "limit": -1}],
        [{"query": "x", "budget": "9"}],
    ],
)
def test_a_file_without_cases_is_refused(world: World, cases: object) -> None:
    with pytest.raises(Damaged):
        run(world, cases)


def test_another_version_and_a_file_that_is_no_json_are_refused(world: World) -> None:
    with pytest.raises(Damaged):
        run(world, version=2)
    (world.project / "cases.json").write_text("{")
    with pytest.raises(Damaged) as refused:
        world.run("benchmark", file="cases.json")
    assert refused.value.code == "benchmark.json"


def test_without_a_store_nothing_is_found(tmp_path: Path) -> None:
    result = run(World(tmp_path), CASES[:1])
    measures: Any = result.data["measures"]
    assert measures["recall"] == 0.0
