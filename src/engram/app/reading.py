"""Reading: load, route, search, list, graph, and the resources of MCP."""

from __future__ import annotations

from engram.app.inputs import Graph, List, Load, Search
from engram.app.inputs import Route as RouteInput
from engram.app.results import Diagnostic, Result
from engram.app.stores import OpenStores
from engram.core import body, briefing, frontmatter, ranking, routing, words
from engram.core.memory import APPROVED, Entry
from engram.core.tokens import estimate
from engram.errors import EngramError, InvalidRequest, NotFound
from engram.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram

POOL = 32  # hits looked at for one answer, at least
PER_CHOICE = 4  # hits looked at for each memory that may be loaded
EVERY = 10_000  # hits looked at when all are asked for
MOST_NEAR = 3  # names offered for one that no memory has
NO_STORE = Diagnostic(
    "store.none",
    "warning",
    "There is no Engram memory here yet.",
    "A person sets it up with: engram inject",
)


def load(engram: Engram, asked: Load) -> Result:
    """Route a task, or take the ids named, and give the briefing (contract clauses T1, T10, S2)."""
    asked = replace(asked, id=",".join(_ids(asked.id)))
    if not (asked.query.strip() or asked.id or asked.all):
        raise InvalidRequest(
            "load.empty",
            "Say what the task is (query), or which memory to read (id).",
            hint='For example: engram load "fix the login test"',
        )
    if not engram.settings.flag("enabled"):
        return _off()
    if not engram.stores:
        return _answer(briefing.EMPTY, [NO_STORE])
    with OpenStores(engram) as stores:
        return _loaded(stores, asked)


def route(engram: Engram, asked: RouteInput) -> Result:
    """Classify a task and list what belongs to it, in load order (clauses T2, S3)."""
    from engram.core import classify  # noqa: PLC0415 - imports re; only `route` needs it

    if not asked.query.strip():
        raise InvalidRequest("route.empty", "Say what the task is.")
    kind, confidence = classify.task_type(asked.query)
    if not engram.stores:
        chosen: Sequence[routing.Choice] = ()
        diagnostics = [NO_STORE]
    else:
        with OpenStores(engram) as stores:
            chosen = _route(stores, asked.query, Load(asked.query), kind).chosen
            diagnostics = stores.diagnostics
    lines = [f"Task type: {kind} (confidence {confidence:.2f})"]
    lines += [_line(choice.entry, choice.reason) for choice in chosen] or ["No memory matches."]
    entries = [_row(each.entry, each.score) for each in chosen]
    return Result(
        "\n".join(lines),
        {"task_type": kind, "confidence": round(confidence, 2), "entries": entries},
        tuple(diagnostics),
    )


def search(engram: Engram, asked: Search) -> Result:
    """Look for words in every memory a person can see (clauses T3, S3)."""
    if not asked.query.strip():
        raise InvalidRequest("search.empty", "Say what to look for.")
    if not engram.stores:
        return Result("No memory matches.", {"entries": []}, (NO_STORE,))
    with OpenStores(engram) as stores:
        terms = words.query_terms(asked.query)
        stores.refresh(complete=True)
        task = _task(engram, asked.query, terms)
        ranked = [
            each
            for each in ranking.rank(stores.find(terms, POOL + asked.limit), task, floor=False)
            if asked.type in ("", each.entry.type)
            and asked.scope in ("", each.entry.scope)
            and not routing.is_retired(each.entry, task)
        ][: asked.limit]
        lines = [_line(each.entry) for each in ranked] or ["No memory matches."]
        entries = [_row(each.entry, each.score) for each in ranked]
        return Result("\n".join(lines), {"entries": entries}, tuple(stores.diagnostics))


def list_memories(engram: Engram, asked: List) -> Result:
    """Every memory, one line each; with `archived` also what no longer holds."""
    if not engram.stores:
        return Result("No memories.", {"entries": []}, (NO_STORE,))
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        task = _task(engram, "", ())
        entries = [
            entry
            for entry in _by_place(stores)
            if asked.type in ("", entry.type)
            and asked.scope in ("", entry.scope)
            and (asked.archived or not routing.is_retired(entry, task))
        ]
        lines = [_line(entry, routing.retired(entry, task)) for entry in entries]
        data = {"entries": [_row(entry) for entry in entries]}
        return Result("\n".join(lines) or "No memories.", data, tuple(stores.diagnostics))


def graph(engram: Engram, asked: Graph) -> Result:
    """Which memory builds on which, and which replaced which."""
    if not engram.stores:
        return Result("No links between memories.", {"edges": []}, (NO_STORE,))
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        entries = stores.entries()
        if asked.query:
            shown = {entry.key for entry in _about(stores, asked.query)}
            entries = [entry for entry in entries if entry.key in shown]
        known = {entry.id for entry in stores.entries()}
        edges = [edge for entry in entries for edge in _edges(entry, known)]
        lines = [
            f"{edge['from']} {str(edge['kind']).replace('_', ' ')} {edge['to']}"
            + (" (missing)" if edge["missing"] else "")
            for edge in edges
        ]
        text = "\n".join(lines) or "No links between memories."
        return Result(text, {"edges": edges}, tuple(stores.diagnostics))


def resource_index(engram: Engram) -> str:
    """The text of `engram://index`: a card a line (clause F2)."""
    return list_memories(engram, List()).text


def resource_memory(engram: Engram, id: str) -> str:
    """The text of `engram://memory/{id}`, the same as `engram load --id`; counts as a fetch.

    Raises NotFound.
    """
    result = load(engram, Load(id=id))
    if not result.data["selected_keys"]:
        raise NotFound("memory.unknown", f"There is no memory “{id}”.")
    return result.text


def resource_list(engram: Engram) -> list[Entry]:
    """The memories that `resources/list` names: the most used ones first (clause F3)."""
    limit = engram.settings.integer("mcp.resource_limit")
    if not engram.stores or not limit:
        return []
    with OpenStores(engram) as stores:
        stores.refresh(complete=True)
        task = _task(engram, "", ())
        uses = {
            f"{scope.scope}:{id}": count
            for scope in engram.stores
            for id, count in stores.usage(scope.scope).best(limit)
        }
        visible = [entry for entry in stores.entries() if not routing.hidden(entry, task)]
        visible.sort(key=lambda e: (-uses.get(e.key, 0), e.scope != "workspace", e.id))
        return visible[:limit]


def ranked_for(stores: OpenStores, query: str) -> list[Entry]:
    """What a load of this task takes, the best first, whatever the load order."""
    chosen = _route(stores, query, Load(query)).chosen
    return [each.entry for each in sorted(chosen, key=lambda each: -each.score)]


def _loaded(stores: OpenStores, asked: Load) -> Result:
    choose = _by_ids if asked.id else _by_task
    routed, texts = _read(stores, choose(stores, asked))
    if None in texts.values():  # a memory changed between the index and the reading
        routed, texts = _read(stores, choose(stores, asked))
    unknown = _unknown(stores, routed.unmet) if asked.id else []
    diagnostics = [*stores.diagnostics, *unknown]
    if unknown and not routed.chosen:
        said = "\n".join(f"{each.message} {each.remediation}" for each in unknown)
        return _answer(briefing.Briefing(said, tokens=estimate(said)), diagnostics, NotFound)
    if asked.dry_run:
        said = "\n".join(_line(each.entry, each.reason) for each in routed.chosen)
        keys = tuple(each.entry.key for each in routed.chosen)
        said = said or briefing.EMPTY.text
        return _answer(briefing.Briefing(said, keys, tokens=estimate(said)), diagnostics)
    given = _brief(stores, routed.chosen, texts, asked)
    if asked.explain:
        given = briefing.with_explanation(given, routed, _plan(stores.engram, asked))
    return _answer(given, diagnostics)


def _read(stores: OpenStores, routed: routing.Route) -> tuple[routing.Route, dict[str, str | None]]:
    """A route, and the text of each memory on it as it stands on disk."""
    return routed, {choice.entry.key: stores.read(choice.entry) for choice in routed.chosen}


def _by_task(stores: OpenStores, asked: Load) -> routing.Route:
    return _route(stores, asked.query, asked)


def _by_ids(stores: OpenStores, asked: Load) -> routing.Route:
    """The memories named; those that do not exist are `unmet`, by the name that was given."""
    ids, today = _ids(asked.id), stores.engram.environment.today()
    stores.refresh(complete=False)
    chosen, unknown = routing.by_ids(ids, stores.look_up, today)
    if unknown:
        stores.refresh(complete=True)
        chosen, unknown = routing.by_ids(ids, stores.look_up, today)
    return routing.Route(chosen, unmet=unknown)


def _ids(listed: str) -> list[str]:
    return [each.strip() for each in listed.split(",") if each.strip()]


def _unknown(stores: OpenStores, ids: Sequence[str]) -> list[Diagnostic]:
    """What to say of names that no memory has, with the names nearest to them."""
    if not ids:
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    today = stores.engram.environment.today()
    known = {entry.id for entry in stores.entries() if not routing.retired_on(entry, today)}
    told = []
    for id in ids:
        near = get_close_matches(id.rpartition(":")[2], sorted(known), MOST_NEAR)
        named = f"Did you mean {' or '.join(f'“{each}”' for each in near)}?" if near else ""
        hint = named or "Find its id with: engram search WORDS"
        told.append(Diagnostic("memory.unknown", "warning", f"There is no memory “{id}”.", hint))
    return told


def _route(stores: OpenStores, query: str, asked: Load, kind: str = "") -> routing.Route:
    terms = words.query_terms(query)
    stores.refresh(complete=asked.all, terms=terms)
    task = _task(stores.engram, query, terms, kind)
    if asked.all:
        task = routing.everything(task)
    if asked.all and not query.strip():
        every = (ranking.Ranked(entry, 1.0, frozenset(), ()) for entry in _by_place(stores))
        return routing.route(every, task, stores.look_up)
    hits = stores.find(terms, EVERY if asked.all else max(POOL, PER_CHOICE * task.limit))
    return routing.route(ranking.rank(hits, task, floor=not asked.all), task, stores.look_up)


def _by_place(stores: OpenStores) -> list[Entry]:
    """Every memory, the workspace's first."""
    return sorted(stores.entries(), key=lambda entry: (entry.scope != "workspace", entry.id))


def _task(engram: Engram, query: str, terms: Sequence[str], kind: str = "") -> routing.Task:
    return routing.Task(
        query=query,
        terms=tuple(terms),
        task_type=kind,
        roles=engram.settings.names("roles"),
        today=engram.environment.today(),
        limit=engram.settings.integer("load.limit"),
    )


def _plan(engram: Engram, asked: Load) -> briefing.Plan:
    budget = asked.budget_tokens
    return briefing.Plan(
        budget_tokens=None
        if asked.id or (asked.all and budget is None)
        else budget or engram.settings.integer("load.max_tokens"),
        disclosure="bodies" if asked.id else asked.disclosure,
        full=asked.full or bool(asked.id),
        today=engram.environment.today(),
        explained=asked.explain,
    )


def _brief(
    stores: OpenStores,
    chosen: Sequence[routing.Choice],
    texts: dict[str, str | None],
    asked: Load,
) -> briefing.Briefing:
    variant = stores.engram.settings.text("rule_variants.active")

    def compact(entry: Entry) -> str | None:
        text = texts[entry.key]
        if text is None:
            return None
        return body.compact(entry, frontmatter.body_of(text), variant)

    given = briefing.brief(chosen, compact, _plan(stores.engram, asked))
    shown = set(given.body_keys)
    stores.count_use([each.entry for each in chosen if each.entry.key in shown])
    return given


def _answer(
    given: briefing.Briefing,
    diagnostics: Sequence[Diagnostic],
    failed: type[EngramError] | None = None,
) -> Result:
    return Result(
        given.text,
        {
            "selected_keys": list(given.selected_keys),
            "body_keys": list(given.body_keys),
            "card_ids": list(given.card_ids),
            "omitted_ids": list(given.omitted_ids),
            "tokens": given.tokens,
        },
        tuple(diagnostics),
        failed.exit_status if failed else 0,
    )


def _off() -> Result:
    off = Diagnostic(
        "settings.off",
        "info",
        "Engram is switched off here (setting enabled).",
        "engram config set enabled true",
    )
    return _answer(briefing.EMPTY, [off])


def _line(entry: Entry, remark: str = "") -> str:
    marks = [entry.type, "" if entry.state == APPROVED else entry.state, remark]
    return f"{entry.key} · {' · '.join(mark for mark in marks if mark)} · {entry.title}"


def _row(entry: Entry, score: float | None = None) -> dict[str, object]:
    row: dict[str, object] = {
        "id": entry.id,
        "type": entry.type,
        "scope": entry.scope,
        "title": entry.title,
        "state": entry.state,
        "file": entry.path,
    }
    if score is not None:
        row["score"] = round(score, 4)
    return row


def _about(stores: OpenStores, query: str) -> list[Entry]:
    named = routing.by_ids([query], stores.look_up, stores.engram.environment.today())[0]
    if named:
        return [choice.entry for choice in named]
    return [hit.entry for hit in stores.find(words.query_terms(query), POOL)]


def _edges(entry: Entry, known: set[str]) -> list[dict[str, object]]:
    links = (
        ("depends_on", entry.depends_on),
        ("supersedes", entry.supersedes),
        ("superseded_by", entry.superseded_by),
    )
    return [
        {"from": entry.key, "kind": kind, "to": to, "missing": to.split(":")[-1] not in known}
        for kind, targets in links
        for to in targets
    ]
