"""The composition root: which project, which stores, whose settings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from engram.app.engram import compose
from engram.errors import NotFound
from engram.record import replace
from engram.store.layout import Layout
from engram.store.memories import create_store
from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def a_store(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    create_store(Layout.of_project(str(folder)))
    return folder


def test_without_any_store_there_is_a_project_to_make_one_in(world: World) -> None:
    engram = world.engram()
    assert engram.stores == ()
    assert engram.project == str(world.project)


def test_the_workspace_comes_before_the_personal_store(world: World) -> None:
    engram = world.with_store().with_global().engram()
    assert [each.scope for each in engram.stores] == ["workspace", "global"]
    assert engram.store("workspace") == world.layout
    assert engram.store("global") == world.global_layout


@pytest.mark.parametrize(
    ("scope", "command"),
    [
        ("workspace", "engram inject"),
        ("global", "engram inject --global-only --global-path DIR"),
    ],
)
def test_a_store_that_is_not_there_says_how_to_set_it_up(
    world: World, scope: str, command: str
) -> None:
    with pytest.raises(NotFound) as refused:
        world.engram().store(scope)
    assert refused.value.hint == f"Set it up with: {command}"


def test_a_personal_folder_that_is_named_and_not_there_is_no_store(world: World) -> None:
    world.variables["ENGRAM_GLOBAL_DIR"] = str(world.home / "gone")
    assert world.engram().global_store is None


def test_a_personal_folder_may_be_named_from_the_home(world: World) -> None:
    world.with_global()
    world.variables["ENGRAM_GLOBAL_DIR"] = "~/personal"
    assert world.engram().global_store == world.global_layout


def test_a_word_on_the_command_line_goes_before_the_variables_and_these_before_the_folder(
    world: World, tmp_path: Path
) -> None:
    one, two, three = (a_store(tmp_path / name) for name in ("one", "two", "three"))
    here = a_store(world.project)

    assert world.engram().project == str(here)
    world.variables["CLAUDE_PROJECT_DIR"] = str(three)
    assert world.engram().project == str(three)
    world.variables["ENGRAM_WORKSPACE"] = str(two)
    assert world.engram().project == str(two)
    assert compose(world.environment, workspace=str(one)).project == str(one)


def test_an_empty_variable_names_no_project(world: World) -> None:
    world.with_store().variables.update(ENGRAM_WORKSPACE="", CLAUDE_PROJECT_DIR="")
    assert world.engram().project == str(world.project)


def test_a_project_may_be_named_relative_to_the_working_folder(world: World) -> None:
    below = a_store(world.project / "packages" / "shop")
    assert compose(world.environment, workspace="packages/shop").project == str(below)


def test_a_named_folder_inside_a_project_stands_for_that_project(world: World) -> None:
    world.with_store()
    deep = world.project / "src" / "deep"
    deep.mkdir(parents=True)
    assert compose(world.environment, workspace=str(deep)).workspace == world.layout


def test_the_search_ends_at_the_top_of_a_repository(world: World) -> None:
    world.with_store()
    inner = world.project / "vendor" / "library"
    inner.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(inner)], check=True)

    engram = compose(replace(world.environment, working_directory=str(inner)))

    assert engram.workspace is None
    assert engram.project == str(inner)


def test_the_settings_of_the_project_that_is_found_are_read(world: World) -> None:
    world.with_store()
    Path(world.layout.config).write_text(json.dumps({"load": {"limit": 3}}), "utf-8")
    deep = world.project / "deep"
    deep.mkdir()

    engram = compose(replace(world.environment, working_directory=str(deep)))

    assert engram.settings.integer("load.limit") == 3


def test_nobody_can_be_asked_and_nobody_watches_unless_a_surface_says_so(world: World) -> None:
    def watch(done: int, total: int) -> None:
        raise AssertionError((done, total))

    engram = compose(world.environment, progress=watch)

    assert engram.progress is watch
    assert (engram.person, engram.ask, engram.counts_use) == (None, None, True)
    assert world.engram().progress is None


def test_putting_together_opens_no_index(world: World) -> None:
    world.with_store().engram()
    assert not Path(world.environment.cache_folder).exists()


def git(*words: object) -> None:
    allowed = ("git", "-c", "protocol.file.allow=always")
    subprocess.run([*allowed, *map(str, words)], check=True, capture_output=True)


def a_repository(folder: Path) -> Path:
    git("init", "-q", folder)
    (folder / "code.txt").write_text("1\n")
    git("-C", folder, "add", "-A")
    git("-C", folder, "commit", "-qm", "Begin")
    return folder


def injected(world: World, folder: Path) -> str:
    """Run inject in a folder; what it says of the workspace."""
    folder.mkdir(parents=True, exist_ok=True)
    world.project = folder
    return world.run("inject", no_global=True, no_link=True).text.splitlines()[0]


def test_injecting_again_from_below_finds_what_is_there(world: World) -> None:
    top = a_repository(world.home / "shop")
    root = Layout.of_project(str(top)).root

    assert injected(world, top) == f"workspace: memory set up in {root}"
    assert injected(world, top / "src" / "deep") == f"workspace: already set up in {root}"


def test_a_worktree_has_a_store_of_its_own(world: World) -> None:
    top = a_repository(world.home / "shop")
    tree = world.home / "tree"
    git("-C", top, "worktree", "add", "-q", tree)
    injected(world, top)

    own = Layout.of_project(str(tree)).root
    assert injected(world, tree) == f"workspace: memory set up in {own}"
    assert injected(world, tree / "src") == f"workspace: already set up in {own}"


def test_a_submodule_without_a_store_serves_the_project_around_it(world: World) -> None:
    library = a_repository(world.home / "library")
    top = a_repository(world.home / "shop")
    git("-C", top, "submodule", "add", "-q", library, "vendor")
    injected(world, top)

    root = Layout.of_project(str(top)).root
    assert injected(world, top / "vendor" / "src") == f"workspace: already set up in {root}"
    create_store(Layout.of_project(str(top / "vendor")))
    assert world.engram().project == str(top / "vendor")
