"""Where a store is found, and how its files are named."""

from __future__ import annotations

import os
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.store.layout import Layout, find_workspace, folder_of, is_safe_id, part_of

HOME = "/nonexistent/home"


def a_store(project: Path) -> Path:
    (project / ".agents" / ".engram").mkdir(parents=True)
    return project


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def a_repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    (folder / "README").write_text("A repository.\n")
    git(folder, "add", "README")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


def found(start: Path, home: str = HOME) -> str | None:
    return find_workspace(str(start), home)


def test_a_store_has_its_places() -> None:
    layout = Layout.of_project("/p")
    assert layout.root == "/p/.agents/.engram"
    below = {
        name: getattr(layout, name).removeprefix(f"{layout.root}/")
        for name in [
            "config",
            "manifest",
            "legacy_manifest",
            "changelog",
            "gitignore",
            "gitattributes",
            "archive",
            "working",
            "local",
            "pending",
            "journal",
            "lock",
            "working_manifest",
        ]
    }
    assert below == {
        "config": "engram.config.json",
        "manifest": "memory.sha256",
        "legacy_manifest": "memory.hashes.json",
        "changelog": "changelog.md",
        "gitignore": ".gitignore",
        "gitattributes": ".gitattributes",
        "archive": "archive",
        "working": "working",
        "local": "local",
        "pending": "local/pending-approvals.json",
        "journal": "local/journal.json",
        "lock": "local/lock",
        "working_manifest": "local/working.sha256",
    }
    assert layout.folder("rule") == "/p/.agents/.engram/rules"
    assert layout.path_of("a-b", "skill") == "skills/a-b.md"
    assert layout.absolute("rules/x/a.md") == "/p/.agents/.engram/rules/x/a.md"
    assert layout.scope == "workspace"


def test_no_project_has_no_store() -> None:
    assert not Layout.of_project("").exists()


def test_a_store_exists_when_its_folder_does(tmp_path: Path) -> None:
    assert not Layout.of_project(str(tmp_path)).exists()
    assert Layout.of_project(str(a_store(tmp_path))).exists()


def test_a_path_tells_id_part_and_type() -> None:
    assert Layout.id_of("rules/team/use-pnpm.md") == "use-pnpm"
    assert part_of("rules/a.md") == "memory"
    assert part_of("working/a.md") == "working"
    assert part_of("archive/2026-01-01/rules/a.md") == "archive"
    assert part_of("elsewhere/a.md") == ""
    assert Layout.is_archived("archive/a.md")
    assert not Layout.is_archived("rules/archive/a.md")
    assert folder_of("archive/2026-01-01/rules/a.md") == "rules"
    assert folder_of("working/a.md") == ""


def test_an_id_is_composed_whatever_the_file_system_does() -> None:
    decomposed = unicodedata.normalize("NFD", "kiểm-thử")
    assert Layout.id_of(f"rules/{decomposed}.md") == unicodedata.normalize("NFC", "kiểm-thử")


@pytest.mark.parametrize("id", ["use-pnpm", "правило", "数据库迁移", "ก่อน", "a.b_c", "v1.2"])
def test_an_id_of_any_script_is_safe(id: str) -> None:
    assert is_safe_id(id)


@pytest.mark.parametrize(
    "id",
    ["", ".", "..", ".a", "a.", "-", "a/b", "a\\b", "a b", "con", "NUL.x", "ж" * 51, "a\0", "a:"],
)
def test_an_id_that_some_system_refuses_is_not_safe(id: str) -> None:
    assert not is_safe_id(id)


@given(st.text(max_size=110))
def test_a_safe_id_never_leaves_its_folder(id: str) -> None:
    if is_safe_id(id):
        assert os.path.normpath(f"/root/{id}.md") == f"/root/{id}.md"
        assert len(f"{id}.md".encode()) < 110


def test_the_name_in_the_cache_is_readable_and_the_stores_own(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "My Shop", tmp_path / "b" / "My Shop"
    a_store(one)
    a_store(other)
    name = Layout.of_project(str(one)).name
    assert name.startswith("my-shop-")
    assert name != Layout.of_project(str(other)).name
    (tmp_path / "alias").symlink_to(one)
    assert Layout.of_project(str(tmp_path / "alias")).name == name
    assert Layout(str(tmp_path / "notes"), "global").name.startswith("notes-")
    assert Layout(str(tmp_path / ".engram"), "global").name.startswith(
        tmp_path.name[:20].replace("_", "-")
    )
    assert Layout("/x/数据库").name.startswith("store-")
    assert Layout("/x/a").cache("/cache") == f"/cache/{Layout('/x/a').name}"


def test_the_nearest_store_upwards_serves_a_sub_folder(tmp_path: Path) -> None:
    outer = a_store(a_repository(tmp_path / "outer"))
    deep = outer / "src" / "deep"
    deep.mkdir(parents=True)
    assert found(deep) == str(outer)
    inner = a_store(outer / "src")
    assert found(deep) == str(inner)


def test_the_search_ends_at_the_top_of_the_repository(tmp_path: Path) -> None:
    a_store(tmp_path)
    project = a_repository(tmp_path / "project")
    assert found(project) is None
    plain = tmp_path / "plain"
    plain.mkdir()
    assert found(plain) == str(tmp_path)


def test_a_worktree_is_a_repository_of_its_own(tmp_path: Path) -> None:
    project = a_repository(a_store(tmp_path / "outer") / "project")
    a_store(project)
    git(project, "worktree", "add", "-q", str(tmp_path / "outer" / "tree"))
    (tmp_path / "outer" / "tree" / "src").mkdir()
    assert found(tmp_path / "outer" / "tree" / "src") is None
    a_store(tmp_path / "outer" / "tree")
    assert found(tmp_path / "outer" / "tree" / "src") == str(tmp_path / "outer" / "tree")


def test_a_submodule_without_a_store_uses_that_of_the_project_around_it(tmp_path: Path) -> None:
    library = a_repository(tmp_path / "library")
    project = a_store(a_repository(tmp_path / "project"))
    git(
        project,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(library),
        "libs/x",
    )
    assert found(project / "libs" / "x") == str(project)
    a_store(project / "libs" / "x")
    assert found(project / "libs" / "x") == str(project / "libs" / "x")


def test_a_submodule_of_a_worktree_uses_the_worktree(tmp_path: Path) -> None:
    library = a_repository(tmp_path / "library")
    project = a_repository(tmp_path / "project")
    allow = ("-c", "protocol.file.allow=always")
    git(project, *allow, "submodule", "add", "-q", str(library), "libs/x")
    git(project, "commit", "-q", "-m", "Use the library")
    tree = tmp_path / "tree"
    git(project, "worktree", "add", "-q", str(tree))
    git(tree, *allow, "submodule", "update", "-q", "--init")
    a_store(tree)
    assert found(tree / "libs" / "x") == str(tree)


def test_a_pointer_that_cannot_be_read_ends_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = a_store(tmp_path) / "project"
    project.mkdir()
    (project / ".git").write_text("gitdir: elsewhere\n")
    assert found(project) is None

    def refuse(path: str, **_: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("builtins.open", refuse)
    assert found(project) is None


def test_a_link_to_the_project_finds_the_project_itself(tmp_path: Path) -> None:
    project = a_store(a_repository(tmp_path / "project"))
    (project / "src").mkdir()
    (tmp_path / "alias").symlink_to(project / "src")
    assert found(tmp_path / "alias") == str(project)


def test_git_variables_have_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = a_store(a_repository(tmp_path / "project"))
    other = a_repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert found(project) == str(project)


def test_the_home_folder_is_taken_only_when_it_is_the_start(tmp_path: Path) -> None:
    home = a_store(tmp_path / "home")
    below = home / "notes"
    below.mkdir()
    assert found(below, str(home)) is None
    assert found(home, str(home)) == str(home)
    bare = tmp_path / "bare"
    bare.mkdir()
    a_store(tmp_path)
    assert found(bare, str(bare)) is None


def test_a_folder_where_anyone_may_put_files_is_no_project(tmp_path: Path) -> None:
    shared = a_store(tmp_path / "shared")
    shared.chmod(0o1777)
    below = shared / "mine"
    below.mkdir()
    assert found(below) is None
    assert found(shared) == str(shared)


def test_the_root_of_the_disk_and_a_lost_start_have_no_store(tmp_path: Path) -> None:
    assert find_workspace("/", "") is None
    assert find_workspace("", HOME) is None
    assert found(tmp_path / "gone" / "deep") is None


def test_finding_makes_nothing(tmp_path: Path) -> None:
    project = a_repository(tmp_path / "project")
    before = sorted(project.rglob("*"))
    found(project)
    assert sorted(project.rglob("*")) == before
