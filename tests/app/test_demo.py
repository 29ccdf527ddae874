from __future__ import annotations

import hashlib
import os
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from engram.app import demo as module
from engram.app.demo import GUIDANCE, WIDTH, demo
from engram.app.engram import Engram, compose
from engram.app.inputs import Demo
from engram.app.results import Result
from engram.core import frontmatter, words
from engram.system.environment import Environment
from tests.support.home import everything_below

MEMORIES = sorted(Path(GUIDANCE).rglob("*.md"))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def shown(scratch: Path) -> Iterator[Result]:
    """What the demonstration shows, run once, with its folder kept below `scratch`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(scratch))
        yield demo(here(), Demo(keep=True))


def here() -> Engram:
    return compose(Environment.of_this_process())


def tasks(result: Result) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", result.data["tasks"])


def test_it_fits_a_screen_and_a_half(shown: Result) -> None:
    lines = shown.text.splitlines()
    assert len(lines) <= 40
    assert max(width(line) for line in lines if str(shown.data["folder"]) not in line) <= WIDTH


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, {"reproduce-ci-failure", "flaky-tests", "test-clock"}),
        (1, {"zapolnenie-kolonki", "migratsii-sovmestimy", "tablitsa-orders", "srok-dostavki"}),
        (2, {"zh-captcha", "zh-component-tests", "zh-form-validation"}),
    ],
    ids=["English", "Russian", "Chinese"],
)
def test_a_task_gets_what_its_team_knows_about_it(
    shown: Result, number: int, expected: set[str]
) -> None:
    got = {key.removeprefix("workspace:") for key in tasks(shown)[number]["selected_keys"]}
    assert expected <= got


def test_both_eras_of_the_protocol_are_spoken(shown: Result) -> None:
    assert [task["protocol"] for task in tasks(shown)] == ["2025-11-25", "2025-11-25", "2026-07-28"]


def test_the_times_are_measured(shown: Result) -> None:
    measured = [shown.data["start_ms"], *(task["ms"] for task in tasks(shown))]
    assert all(isinstance(each, float) and each > 0 for each in measured)


def test_what_an_agent_gets_is_a_small_part_of_what_there_is(shown: Result) -> None:
    assert all(task["tokens"] < 1600 for task in tasks(shown))


def test_what_is_learned_is_proposed_and_decided(shown: Result) -> None:
    said_yes, replaced, refused = cast("list[dict[str, str]]", shown.data["proposals"])
    assert said_yes["outcome"] == "written after a yes in the host's dialog"
    assert said_yes["verdict"] == "ADD"
    assert replaced["outcome"] == "written after a yes in the chat"
    assert replaced["verdict"] == "SUPERSEDE staging-is-rebuilt-every-night-at-02-00-utc"
    assert refused["verdict"] == "refused"
    assert "GitHub token" in refused["outcome"]
    assert "ghp_" not in shown.text


def test_kept_it_names_its_folder_which_holds_the_memories(shown: Result) -> None:
    store = Path(str(shown.data["folder"]), "project", ".agents", ".engram")
    assert str(shown.data["folder"]) in shown.text
    assert len(list(store.rglob("*.md"))) == len(MEMORIES) + 3  # two saved, a changelog
    for line in (store / "memory.sha256").read_text().splitlines():
        digest, path = line.split("  ")
        assert hashlib.sha256((store / path).read_bytes()).hexdigest() == digest


def test_it_leaves_nothing_behind(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("ENGRAM_GLOBAL_DIR", str(tmp_path / "global"))
    result = demo(here(), Demo())
    assert result.data["folder"] == ""
    assert everything_below(tmp_path) == {"temporary", "here"}
    assert everything_below(home) == set()


def test_it_leaves_nothing_behind_when_the_server_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(module, "GUIDANCE", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError):
        demo(here(), Demo())
    assert everything_below(tmp_path) == set()


@pytest.mark.parametrize("path", MEMORIES, ids=lambda path: path.stem)
def test_the_guidance_is_well_formed(path: Path) -> None:
    memory = frontmatter.parse(
        path.read_text(encoding="utf-8"), id=path.stem, folder=path.parent.name
    )
    assert memory.title
    assert memory.tags
    assert words.terms(memory.body)
    known = {each.stem for each in MEMORIES}
    assert set(memory.depends_on) <= known


def test_more_than_a_few_memories_are_counted_not_listed() -> None:
    ids = [path.stem for path in MEMORIES[:9]]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in MEMORIES[:9]}
    data = {"body_keys": [f"workspace:{each}" for each in ids], "card_ids": [], "tokens": 9}
    lines = module._gained(module.Answer("task", "era", data, 1.0), texts, 99, first=False)
    assert lines[-1].strip() == "and 5 more"
    assert len(lines) == module.SHOWN + 1


def test_the_demonstration_comes_with_the_package() -> None:
    assert len(MEMORIES) >= 36
    assert os.path.dirname(GUIDANCE) == os.path.dirname(module.__file__)
