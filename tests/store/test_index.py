"""A question finds the memories that share its words, whatever befell the index."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.core import words
from engram.errors import Unavailable
from engram.store import database as databases
from engram.store import index as indexes
from engram.store.index import Index, open_index
from tests.support.stores import Store, ids


@pytest.fixture
def filled(store: Store) -> Store:
    store.put("rules/use-pnpm.md", "Use pnpm for installs", tags="packages, node")
    store.put("skills/release.md", "Cut a release", "Tag the commit, then run the pnpm publisher")
    store.put("knowledge/database.md", "The database is PostgreSQL", "It holds the billing ledger")
    return store


def find(index: Index, question: str, limit: int = 10) -> list[str]:
    return ids(index.find(words.query_terms(question), limit))


def test_a_question_finds_what_shares_its_words_best_first(filled: Store) -> None:
    assert filled.ask("install pnpm packages") == ["use-pnpm", "release"]
    assert filled.ask("billing") == ["database"]
    assert filled.ask("kubernetes") == []
    assert filled.ask("") == []


def test_a_hit_says_which_words_matched_and_where(filled: Store) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        terms = words.query_terms("pnpm packages kubernetes")
        best = index.find(terms, 1)[0]
    assert len(terms) == 3
    assert best.entry.id == "use-pnpm"
    assert best.matched == set(terms[:2])
    assert terms[0] in best.in_title
    assert terms[0] in best.in_labels
    assert best.in_labels == set(terms[:2])
    assert best.score > 0


def test_an_entry_holds_what_routing_needs(store: Store) -> None:
    store.put(
        "rules/team/use-pnpm.md",
        "Use pnpm",
        tags="node, packages",
        extra="depends_on: [node, registry]\nrole: [frontend]\nvalid_until: 2027-01-01\n",
    )
    with store.open() as index:
        index.refresh(complete=True)
        entry = index.entry("use-pnpm")
        assert entry is not None
        assert index.entries() == [entry]
        assert index.entry("nothing") is None
    assert entry.path == "rules/team/use-pnpm.md"
    assert (entry.type, entry.scope, entry.title) == ("rule", "workspace", "Use pnpm")
    assert entry.tags == ("node", "packages")
    assert entry.depends_on == ("node", "registry")
    assert entry.roles == ("frontend",)
    assert entry.supersedes == ()
    assert (entry.valid_until, entry.updated) == ("2027-01-01", "2026-01-02")
    assert entry.tokens > 0
    assert entry.summary
    assert entry.state == "unreviewed"
    assert (entry.tier, entry.archived, entry.uses) == ("durable", False, 0)


def test_notes_and_the_archive_are_marked_and_kept_apart(filled: Store) -> None:
    filled.put("working/today.md", "Migrate the ledger", extra="tier: working\n")
    filled.put("archive/2026-01-01/rules/use-npm.md", "Use npm for the ledger")
    with filled.open() as index:
        index.refresh(complete=True)
        live = index.find(words.query_terms("ledger npm"), 10)
        archived = index.find(words.query_terms("ledger npm"), 10, archived=True)
        every = index.entries()
        old = index.entry("use-npm")
    assert {hit.entry.id: hit.entry.tier for hit in live} == {
        "today": "working",
        "database": "durable",
    }
    assert [(hit.entry.id, hit.entry.archived) for hit in archived] == [("use-npm", True)]
    assert [entry.id for entry in every] == ["database", "release", "use-pnpm", "today", "use-npm"]
    assert old is not None
    assert old.type == "rule"
    assert old.archived


def test_a_note_that_calls_itself_durable_is_a_note(store: Store) -> None:
    store.put("working/note.md", "A note", extra="tier: durable\n")
    with store.open() as index:
        index.refresh(complete=True)
        assert [entry.tier for entry in index.entries()] == ["working"]


def test_a_memory_comes_before_a_note_and_the_archive_of_its_name(filled: Store) -> None:
    filled.put("archive/x/rules/use-pnpm.md", "Use the old pnpm")
    filled.put("working/use-pnpm.md", "Note about pnpm", extra="tier: working\n")
    with filled.open() as index:
        index.refresh(complete=True)
        entry = index.entry("use-pnpm")
        assert entry is not None
        assert entry.path == "rules/use-pnpm.md"
        assert len([each for each in index.entries() if each.id == "use-pnpm"]) == 3


def test_of_two_files_with_one_id_the_first_counts_and_the_other_is_told(filled: Store) -> None:
    filled.put("rules/zoo/use-pnpm.md", "Use pnpm in the zoo")
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "zoo pnpm").count("use-pnpm") == 1
        assert find(index, "zoo") == []
        entry = index.entry("use-pnpm")
        assert entry is not None
        assert entry.path == "rules/use-pnpm.md"
        assert len(index.entries()) == 3
        problem = index.problems()[0]
    assert problem.path == "rules/zoo/use-pnpm.md"
    assert "rules/use-pnpm.md" in problem.message


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ('Quote "the thing" in src/auth/session.ts', 'session.ts "quoted" thing'),
        ("数据库迁移必须可以回滚", "数据库迁移"),
        ("リリース前に必ずスモークテストを実行する", "スモークテスト"),
        ("Правило: не пушить в релизную ветку", "релизная ветка"),
        ("Deploy with helm: NEAR(a b) OR NOT x*", "NEAR OR NOT helm"),
    ],
)
def test_words_of_any_script_and_any_punctuation_are_found(
    filled: Store, title: str, question: str
) -> None:
    filled.put("knowledge/wanted.md", "Wanted", title)
    assert filled.ask(question)[0] == "wanted"


@pytest.mark.parametrize("term", ['"', "'", 'a"b', "a*", "(", "a OR b", "-", "^x", "{a b}:c", ":"])
def test_no_term_is_taken_for_a_query_of_its_own(filled: Store, term: str) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        assert index.find([term], 10) == []


def test_only_the_rarest_terms_decide(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "MOST_TERMS", 1)
    assert filled.ask("pnpm ledger") == ["database"]


def test_a_question_in_bigrams_may_have_more_terms(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("rules/one.md", "数据库迁移")
    store.put("rules/two.md", "数据库")
    monkeypatch.setattr(indexes, "MOST_TERMS", 1)
    monkeypatch.setattr(indexes, "MOST_BIGRAMS", 4)
    assert store.ask("数据库迁移") == ["one", "two"]


def test_in_a_large_store_frequent_terms_do_not_count_unless_nothing_else_is_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "LARGE", 2)
    monkeypatch.setattr(indexes, "FEWEST_TERMS", 1)
    monkeypatch.setattr(indexes, "MOST_FREQUENT", 1)
    store.put("rules/one.md", "Common apple")
    store.put("rules/two.md", "Common banana")
    store.put("rules/three.md", "Common cherry")
    assert store.ask("common cherry") == ["three"]
    assert sorted(store.ask("common")) == ["one", "three", "two"]


def test_the_limit_is_kept(filled: Store) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "pnpm", 1) == ["use-pnpm"]


def test_progress_counts_the_files_that_are_read(filled: Store) -> None:
    told: list[tuple[int, int]] = []
    with open_index(
        filled.layout,
        filled.cache,
        time.time() + 10,
        lambda done, total: told.append((done, total)),
    ) as index:
        index.refresh(complete=True)
        index.refresh(complete=True)
    assert told == [(3, 3)]


# What befalls the index


def broken_json(path: Path) -> None:
    path.write_bytes(b"{")


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_another_kind(path: Path) -> None:
    path.write_bytes(b"no database" * 500)


def newer(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 999999")
    database.close()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_text("kept")


def scrambled(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)
    path.write_bytes(bytes(content))


def without_a_table(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE file")
    database.close()


def a_dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "nowhere")


@pytest.mark.parametrize(
    "damage",
    [
        broken_json,
        emptied,
        of_another_kind,
        newer,
        a_folder,
        scrambled,
        without_a_table,
        a_dangling_link,
    ],
)
def test_a_damaged_index_is_made_anew_and_said_once(
    filled: Store, damage: Callable[[Path], None]
) -> None:
    filled.ask("pnpm")
    damage(filled.index_file)
    with filled.open() as index:
        index.refresh(complete=False, terms=["pnpm"])
        assert find(index, "install pnpm packages") == ["use-pnpm", "release"]
        assert len(index.notes) == 1
        assert "made anew" in index.notes[0]
        assert len(index.entries()) == 3
    with filled.open() as index:
        index.refresh(complete=True)
        assert index.notes == []
        assert find(index, "install pnpm packages") == ["use-pnpm", "release"]
    assert filled.index_file.is_file()
    assert not list(filled.index_file.parent.glob("*.new"))


def test_an_index_that_is_damaged_while_in_use_is_made_anew(filled: Store) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        index._database.execute("DROP TABLE live")
        assert find(index, "pnpm") == ["use-pnpm", "release"]
        assert index.notes == ["The search index was damaged; it is made anew."]
    assert filled.ask("pnpm") == ["use-pnpm", "release"]


def test_an_index_that_cannot_be_replaced_gives_way_to_memory(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        index._database.execute("DROP TABLE live")
        monkeypatch.setattr(databases, "SCHEMA", ("no statement of SQL",))
        with pytest.raises(Unavailable) as raised:
            find(index, "pnpm")
        assert raised.value.code == "index.no_search"
        monkeypatch.undo()
        assert index.path == ""


def test_an_index_that_fails_again_when_made_anew_gives_way_to_memory(filled: Store) -> None:
    failures = [sqlite3.DatabaseError("malformed"), sqlite3.DatabaseError("malformed again")]

    def question() -> str:
        if failures:
            raise failures.pop()
        return "answer"

    with filled.open() as index:
        index.refresh(complete=True)
        assert index._ask(question) == "answer"
        assert index.path == ""
        assert find(index, "pnpm") == ["use-pnpm", "release"]


def test_an_index_folder_that_cannot_be_locked_gives_way_to_memory(filled: Store) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        filled.index_file.with_name("index.lock").unlink()
        filled.index_file.with_name("index.lock").mkdir()
        index._database.execute("DROP TABLE live")
        assert find(index, "pnpm") == ["use-pnpm", "release"]
        assert "cannot be kept" in index.notes[0]


def test_where_no_index_can_be_kept_the_files_answer(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for cache in ("", "/proc/engram", str(tmp_path / "file")):
        with open_index(filled.layout, cache, time.time()) as index:
            index.refresh(complete=False)
            assert find(index, "pnpm") == ["use-pnpm", "release"]
            assert len(index.notes) == bool(cache)
            assert all("cannot be kept" in note for note in index.notes)


def read_only(index: Index) -> None:
    index._database.execute("PRAGMA query_only = ON")


def full(index: Index) -> None:
    pages = index._database.execute("PRAGMA page_count").fetchone()[0]
    index._database.execute(f"PRAGMA max_page_count = {pages}")


@pytest.mark.parametrize("refuse", [read_only, full])
def test_a_disk_that_refuses_costs_time_and_no_answer(
    filled: Store, refuse: Callable[[Index], None]
) -> None:
    filled.ask("pnpm")
    for number in range(60):
        filled.put(f"rules/fruit-{number}.md", f"Fruit {number}", "Bananas are yellow " * 50)
    with filled.open() as index:
        refuse(index)
        index.refresh(complete=True)
        assert find(index, "yellow bananas")
        assert find(index, "install pnpm packages") == ["use-pnpm", "release"]
        assert len(index.notes) == 1
        assert "cannot be kept" in index.notes[0]
    assert filled.ask("yellow bananas")


def test_an_index_locked_too_long_costs_time_and_no_answer(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "WAIT_SECONDS", 0.01)
    filled.ask("pnpm")
    filled.put("rules/banana.md", "Bananas are yellow")
    writer = sqlite3.connect(filled.index_file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "yellow bananas") == ["banana"]
        assert "locked" in index.notes[0]
    writer.execute("ROLLBACK")
    writer.close()
    with filled.open() as index:
        index.refresh(complete=True)
        assert index.notes == []
        assert find(index, "yellow bananas") == ["banana"]


def test_an_index_that_is_locked_when_opened_is_not_thrown_away(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "WAIT_SECONDS", 0.01)
    filled.ask("pnpm")
    holder = sqlite3.connect(filled.index_file, isolation_level=None)
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("BEGIN EXCLUSIVE")
    with filled.open() as index:
        index.refresh(complete=True)
        assert find(index, "pnpm") == ["use-pnpm", "release"]
        assert "locked" in index.notes[0]
    holder.execute("ROLLBACK")
    assert holder.execute("SELECT count(*) FROM file").fetchone() == (3,)
    holder.close()


def test_a_python_without_text_search_says_so(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ("CREATE VIRTUAL TABLE live USING no_such_module(a)",)
    monkeypatch.setattr(databases, "SCHEMA", broken)
    with pytest.raises(Unavailable) as raised:
        filled.open()
    assert raised.value.code == "index.no_search"
    assert not list(filled.index_file.parent.glob("*.new"))


def test_another_process_may_make_the_index_first(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = databases._open
    calls: list[str] = []

    def late(path: str) -> sqlite3.Connection | None:
        calls.append(path)
        if len(calls) == 1:
            filled.ask("pnpm")
            return None
        return opened(path)

    monkeypatch.setattr(databases, "_open", late)
    with filled.open() as index:
        index.refresh(complete=True)
        assert index.notes == []
        assert find(index, "pnpm") == ["use-pnpm", "release"]


# A winner is read again


def test_the_bytes_of_a_winner_are_those_that_were_indexed(filled: Store) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        entry = index.entry("use-pnpm")
        assert entry is not None
        assert index.check(entry) == filled.place("rules/use-pnpm.md").read_bytes()


def test_a_winner_that_changed_is_not_shown_and_is_indexed_again(filled: Store) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        entry = index.entry("use-pnpm")
        assert entry is not None
        filled.put("rules/use-pnpm.md", "Use yarn for installs")
        assert index.check(entry) is None
        assert find(index, "yarn") == ["use-pnpm"]
        changed = index.entry("use-pnpm")
        assert changed is not None
        assert index.check(changed) is not None
        filled.place("rules/use-pnpm.md").unlink()
        assert index.check(changed) is None
        assert index.entry("use-pnpm") is None


def test_a_winner_whose_folder_became_a_link_is_not_shown(filled: Store, tmp_path: Path) -> None:
    with filled.open() as index:
        index.refresh(complete=True)
        entry = index.entry("use-pnpm")
        assert entry is not None
        os.rename(filled.place("rules"), tmp_path / "elsewhere")
        filled.place("rules").symlink_to(tmp_path / "elsewhere")
        assert index.check(entry) is None
