"""What is chosen for a task, in which order, and what is passed over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.core.memory import CHANGED, UNREVIEWED, Entry
from engram.core.ranking import Ranked
from engram.core.routing import (
    UNLIMITED,
    Route,
    Task,
    always,
    by_ids,
    everything,
    hidden,
    is_retired,
    resolve,
    retired,
    route,
)
from tests.support.builders import an_entry

TODAY = "2026-12-01"


class Store:
    """Entries found as an index finds them: by id without regard to case."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = {(each.id.lower(), each.scope): each for each in entries}

    def __call__(self, id: str, scope: str) -> Entry | None:
        return self.entries.get((id.lower(), scope))


def a_task(**fields: Any) -> Task:
    return Task(**{"terms": ("pnpm",), "today": TODAY, **fields})


def routed(ranked: Iterable[Entry], others: Iterable[Entry] = (), **fields: Any) -> Route:
    """Route with `ranked` best first, and `others` known to the store without matching."""
    entries = list(ranked)
    order = [
        Ranked(each, 1 - n / 100, frozenset({"pnpm"}), ("matches pnpm",))
        for n, each in enumerate(entries)
    ]
    return route(order, a_task(**fields), Store([*entries, *others]))


def keys(result: Route) -> list[str]:
    return [choice.entry.key for choice in result.chosen]


def passed(result: Route) -> dict[str, str]:
    return {choice.entry.key: choice.reason for choice in result.passed}


class TestVisibility:
    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({}, ""),
            ({"superseded_by": ("newer",)}, "superseded by newer"),
            ({"lifecycle": "superseded"}, "superseded"),
            ({"lifecycle": "archived"}, "archived"),
            ({"archived": True}, "archived"),
            ({"valid_until": "2026-11-30"}, "expired on 2026-11-30"),
            ({"valid_until": TODAY}, ""),
            ({"valid_until": "someday"}, ""),
            ({"valid_until": "1 January"}, ""),
        ],
    )
    def test_a_memory_that_no_longer_holds_is_hidden(
        self, fields: dict[str, Any], reason: str
    ) -> None:
        entry = an_entry(**fields)

        assert retired(entry, a_task()) == hidden(entry, a_task()) == reason
        assert is_retired(entry, a_task()) == bool(reason)

    @pytest.mark.parametrize(
        ("own", "active", "reason"),
        [
            (("qa", "ops"), ("backend",), "for the role qa, ops"),
            (("qa",), ("QA",), ""),
            (("qa",), (), ""),
            ((), ("qa",), ""),
        ],
    )
    def test_a_memory_of_other_roles_is_hidden(
        self, own: tuple[str, ...], active: tuple[str, ...], reason: str
    ) -> None:
        assert hidden(an_entry(roles=own), a_task(roles=active)) == reason

    def test_low_confidence_is_hidden_unless_everything_is_asked_for(self) -> None:
        entry = an_entry(confidence="low")

        assert hidden(entry, a_task()) == "low confidence"
        assert hidden(entry, everything(a_task())) == ""

    @pytest.mark.parametrize(
        ("state", "reason"),
        [(CHANGED, "changed since approval"), (UNREVIEWED, "not approved here")],
    )
    def test_what_nobody_approved_is_hidden_where_it_is_to_be_held(
        self, state: str, reason: str
    ) -> None:
        entry = an_entry(state=state)

        assert hidden(entry, a_task()) == ""
        assert hidden(entry, a_task(hold_unapproved=True)) == reason

    def test_hidden_memories_are_passed_over_with_the_reason(self) -> None:
        result = routed([an_entry("old", archived=True), an_entry("new")])

        assert keys(result) == ["workspace:new"]
        assert passed(result) == {"workspace:old": "archived"}


class TestChoice:
    def test_a_choice_says_why(self) -> None:
        (choice,) = routed([an_entry("a")]).chosen

        assert (choice.score, choice.reason) == (1, "matches pnpm")
        assert choice.matched == {"pnpm"}

    def test_what_is_below_the_floor_is_passed_over(self) -> None:
        ranked = Ranked(an_entry("a"), 0.1, frozenset({"pnpm"}), (), "matches only 1 of 9 terms")

        result = route([ranked], a_task(), Store([]))

        assert passed(result) == {"workspace:a": "matches only 1 of 9 terms"}

    def test_the_best_are_chosen_up_to_the_limit(self) -> None:
        result = routed([an_entry(id) for id in "abc"], limit=2)

        assert keys(result) == ["workspace:a", "workspace:b"]
        assert passed(result) == {"workspace:c": "over the limit"}

    def test_a_limit_of_none_chooses_nothing(self) -> None:
        assert keys(routed([an_entry("a", depends_on=("b",)), an_entry("b")], limit=0)) == []

    def test_everything_has_no_limit(self) -> None:
        assert everything(a_task()).limit == UNLIMITED

    @pytest.mark.parametrize("twin", [{"id": "a"}, {"id": "b", "digest": "d1"}])
    def test_a_global_duplicate_gives_way_to_the_workspace(self, twin: dict[str, Any]) -> None:
        result = routed(
            [an_entry(scope="global", id="a", digest="d1"), an_entry(**twin)],
        )

        assert keys(result) == [f"workspace:{twin['id']}"]
        assert passed(result) == {"global:a": f"duplicate of workspace:{twin['id']}"}

    def test_a_hidden_workspace_memory_does_not_take_the_place_of_a_global_one(self) -> None:
        result = routed([an_entry("a", scope="global")], [an_entry("a", archived=True)])

        assert keys(result) == ["global:a"]


class TestPrerequisites:
    def test_prerequisites_come_first_all_the_way_down(self) -> None:
        result = routed(
            [an_entry("top", depends_on=("middle",))],
            [an_entry("middle", depends_on=("base",)), an_entry("base")],
        )

        assert keys(result) == ["workspace:base", "workspace:middle", "workspace:top"]
        base, _, top = result.chosen
        assert base.prerequisite_of == "workspace:top"
        assert base.reason == "prerequisite of workspace:top"
        assert base.score == 0
        assert top.needs == ("workspace:middle",)
        assert top.prerequisite_of == ""

    def test_a_prerequisite_that_matches_itself_keeps_its_score(self) -> None:
        result = routed([an_entry("top", depends_on=("base",)), an_entry("base")])

        assert keys(result) == ["workspace:base", "workspace:top"]
        assert result.chosen[0].score == pytest.approx(0.99)
        assert result.chosen[0].matched == {"pnpm"}

    def test_a_prerequisite_that_was_passed_over_is_no_near_miss(self) -> None:
        weak = Ranked(an_entry("base"), 2.0, frozenset({"pnpm"}), (), "below")
        top = Ranked(an_entry("top", depends_on=("base",)), 1.0, frozenset({"pnpm"}))

        result = route([weak, top], a_task(), Store([weak.entry, top.entry]))

        assert keys(result) == ["workspace:base", "workspace:top"]
        assert result.passed == ()

    @pytest.mark.parametrize(
        "reference",
        ["base", "Base", "base.md", "rules/BASE.MD", " workspace:base ", "Workspace:base"],
    )
    def test_a_reference_may_be_written_in_many_ways(self, reference: str) -> None:
        result = routed([an_entry("top", depends_on=(reference,))], [an_entry("base")])

        assert keys(result) == ["workspace:base", "workspace:top"]

    def test_a_bare_reference_means_the_same_scope_first(self) -> None:
        result = routed(
            [an_entry("top", depends_on=("base",))],
            [an_entry("base"), an_entry("base", scope="global")],
        )

        assert keys(result) == ["workspace:base", "workspace:top"]

    def test_a_bare_reference_is_looked_for_in_the_other_scope_then(self) -> None:
        result = routed([an_entry("top", depends_on=("base",))], [an_entry("base", scope="global")])

        assert keys(result) == ["global:base", "workspace:top"]

    def test_a_global_prerequisite_gives_way_to_the_workspace_too(self) -> None:
        result = routed(
            [an_entry("top", scope="global", depends_on=("base",))],
            [an_entry("base"), an_entry("base", scope="global")],
        )

        assert keys(result) == ["workspace:base", "global:top"]

    def test_cycles_are_survived(self) -> None:
        result = routed(
            [an_entry("a", depends_on=("b",)), an_entry("b", depends_on=("a", "b"))],
        )

        assert sorted(keys(result)) == ["workspace:a", "workspace:b"]

    def test_a_very_long_chain_is_survived(self) -> None:
        chain = [an_entry(f"m{n}", depends_on=(f"m{n + 1}",)) for n in range(3000)]

        assert len(routed(chain[:1], chain[1:], limit=UNLIMITED).chosen) == 3000

    def test_a_missing_prerequisite_is_told(self) -> None:
        result = routed([an_entry("top", depends_on=("gone", "gone"))])

        assert keys(result) == ["workspace:top"]
        assert result.unmet == ("workspace:top needs gone, which does not exist",)

    def test_a_hidden_prerequisite_is_told_with_the_reason(self) -> None:
        result = routed([an_entry("top", depends_on=("old",))], [an_entry("old", archived=True)])

        assert keys(result) == ["workspace:top"]
        assert result.unmet == ("workspace:top needs old, which is left out: archived",)

    def test_what_replaced_a_prerequisite_is_loaded_in_its_place(self) -> None:
        result = routed(
            [an_entry("top", depends_on=("old",))],
            [an_entry("old", archived=True, superseded_by=("new",)), an_entry("new")],
        )

        assert keys(result) == ["workspace:new", "workspace:top"]
        assert result.unmet == ()

    def test_prerequisites_that_replaced_each_other_are_survived(self) -> None:
        result = routed(
            [an_entry("top", depends_on=("a",))],
            [an_entry("a", superseded_by=("b",)), an_entry("b", superseded_by=("a", "lost"))],
        )

        assert keys(result) == ["workspace:top"]
        assert result.unmet == ("workspace:top needs a, which is left out: superseded by a, lost",)

    def test_prerequisites_count_against_the_limit(self) -> None:
        result = routed(
            [an_entry("best"), an_entry("top", depends_on=("base",)), an_entry("single")],
            [an_entry("base")],
            limit=2,
        )

        assert keys(result) == ["workspace:best", "workspace:single"]
        assert passed(result) == {"workspace:top": "over the limit"}

    def test_the_best_is_taken_even_where_its_prerequisites_do_not_all_fit(self) -> None:
        result = routed(
            [an_entry("top", depends_on=("near", "close"))],
            [an_entry("near", depends_on=("far",)), an_entry("far"), an_entry("close")],
            limit=3,
        )

        assert keys(result) == ["workspace:near", "workspace:close", "workspace:top"]

    def test_a_shared_prerequisite_is_loaded_once_for_both(self) -> None:
        result = routed(
            [an_entry("a", depends_on=("base",)), an_entry("b", depends_on=("base",))],
            [an_entry("base")],
            limit=3,
        )

        assert keys(result) == ["workspace:base", "workspace:a", "workspace:b"]
        assert [choice.needs for choice in result.chosen[1:]] == [("workspace:base",)] * 2


IDS = [f"m{n}" for n in range(8)]
stores = st.lists(
    st.builds(
        an_entry,
        st.sampled_from(IDS),
        scope=st.sampled_from(["workspace", "global"]),
        depends_on=st.lists(st.sampled_from([*IDS, "gone"]), max_size=3).map(tuple),
        archived=st.sampled_from([False, False, False, True]),
        superseded_by=st.sampled_from([(), (), (), ("m1",), ("m2",)]),
    ),
    unique_by=lambda entry: entry.key,
)


@given(stores, st.integers(0, 9), st.integers(1, 8))
def test_every_route_keeps_its_promises(entries: list[Entry], limit: int, matching: int) -> None:
    result = routed(entries[:matching], entries[matching:], limit=limit)

    order = keys(result)
    assert len(order) == len(set(order)) <= limit
    assert not set(order) & set(passed(result))
    assert set(order) | set(passed(result)) >= {each.key for each in entries[:matching]}
    assert all(not hidden(choice.entry, a_task()) for choice in result.chosen)
    assert len({choice.entry.id for choice in result.chosen}) == len(order)
    needs = {choice.entry.key: choice.needs for choice in result.chosen}
    for key, needed in needs.items():
        assert set(needed) <= set(order)
        for each in needed:
            assert key in all_below(each, needs) or order.index(each) < order.index(key)


def all_below(key: str, needs: dict[str, tuple[str, ...]]) -> set[str]:
    found = {key}
    waiting = [key]
    for here in waiting:
        new = [each for each in needs[here] if each not in found]
        found.update(new)
        waiting.extend(new)
    return found


class TestById:
    store = Store(
        [
            an_entry("a"),
            an_entry("a", scope="global"),
            an_entry("old", archived=True),
            an_entry("old", scope="global"),
            an_entry("replaced", superseded_by=("a",), state=CHANGED),
            an_entry("private", roles=("qa",), confidence="low"),
            an_entry("note", tier="working", valid_until="2026-12-24"),
            an_entry("stale-note", tier="working", valid_until="2026-11-01"),
        ]
    )

    def test_named_memories_come_in_the_order_of_the_names_whatever_hides_them(self) -> None:
        chosen, unknown = by_ids(["private", "global:a", "a", "a"], self.store, TODAY)

        assert [choice.entry.key for choice in chosen] == [
            "workspace:private",
            "global:a",
            "workspace:a",
        ]
        assert all(choice.named for choice in chosen)
        assert unknown == ()

    def test_unknown_ids_are_listed(self) -> None:
        assert by_ids(["nope", "a", "global:private", ""], self.store, TODAY)[1] == (
            "nope",
            "global:private",
            "",
        )

    def test_a_bare_id_means_the_memory_that_holds(self) -> None:
        (choice,), _ = by_ids(["old"], self.store, TODAY)

        assert choice.entry.key == "global:old"

    def test_a_retired_or_changed_memory_carries_a_warning(self) -> None:
        chosen, _ = by_ids(["workspace:old", "replaced", "a"], self.store, TODAY)

        assert [choice.reason for choice in chosen] == [
            "named by id; archived",
            "named by id; superseded by a; changed since approval",
            "named by id",
        ]

    @pytest.mark.contract("N5")
    def test_an_expired_note_is_not_even_shown_by_id(self) -> None:
        chosen, unknown = by_ids(["note", "stale-note"], self.store, TODAY)

        assert [choice.entry.id for choice in chosen] == ["note"]
        assert unknown == ("stale-note",)

    def test_a_reference_may_be_resolved_without_a_day(self) -> None:
        found = resolve("stale-note.md", self.store)

        assert found is not None
        assert found.id == "stale-note"


class TestSessionStart:
    def test_memories_tagged_for_every_session_are_chosen_with_their_prerequisites(self) -> None:
        entries = [
            an_entry("a", tags=("build",)),
            an_entry("b", tags=("Always",), depends_on=("a",)),
            an_entry("c", scope="global", tags=("session-start",)),
        ]

        result = always(entries, a_task(), Store(entries))

        assert keys(result) == ["workspace:a", "workspace:b", "global:c"]
        assert result.chosen[1].reason == "loaded at every session start"

    @pytest.mark.contract("N5")
    @pytest.mark.parametrize(
        ("objective", "shown"), [("ship 2.0", ["workspace:n1"]), ("", []), ("other", [])]
    )
    def test_a_note_takes_part_only_in_the_sessions_of_its_objective(
        self, objective: str, shown: list[str]
    ) -> None:
        entries = [
            an_entry("n1", tier="working", objective="ship 2.0", tags=("always",)),
            an_entry("n2", tier="working"),
        ]

        assert keys(always(entries, a_task(), Store(entries), objective)) == shown
