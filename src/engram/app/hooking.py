"""What a session is given by itself: at its start, and where a prompt calls for it."""

from __future__ import annotations

from engram.core import body, briefing, ranking, routing, words
from engram.core.idle import is_idle
from engram.core.memory import Entry
from engram.core.parts import body_of
from engram.core.routing import Choice
from engram.core.tokens import estimate
from engram.hosts.hooks import END, PROMPT, START, Event
from engram.record import replace
from engram.store.session_cache import SessionCache
from engram.system.files import cut_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram
    from engram.app.stores import OpenStores

BYTE_LIMIT = 8_600  # of UTF-8: every host takes 9,000 whole, and a proof line may follow
POOL = 32  # hits looked at for one prompt
LONGEST_PROMPT = 16_000  # characters that are looked at: its beginning and its end
WHOLE_LIMIT = 9_000
MOST_CARDS = 8  # of what is used most, at the start of a session
NO_TASK = "the prompt names nothing to look for"
GIVEN = "Already given in this session: "
OBJECTIVE = "ENGRAM_SESSION_OBJECTIVE"


class Given:
    """The answer to one event: the text, and what became of each memory."""

    def __init__(self) -> None:
        self.text = ""
        self.loaded: list[str] = []
        self.reused: list[str] = []
        self.why = ""  # nothing was loaded


def given(engram: Engram, event: Event) -> str:
    """The text for the agent, "" for nothing (DESIGN: hooks; contract clause N5).

    It stays below BYTE_LIMIT bytes. Every memory in it was read again and is what a person
    approved; with `load.changed` at "show", also what was edited since.
    """
    if not engram.stores or not engram.settings.flag("enabled"):
        return ""
    mode = engram.settings.text("read")
    environment = engram.environment
    cache = SessionCache(environment.cache_folder, engram.project, event.session)
    if event.kind == END or (event.kind == START and event.fresh):
        cache.forget(environment.now())
    if not _applies(mode, event):
        return ""
    answer = Given()
    if event.kind == PROMPT and is_idle(event.prompt):
        answer.why = NO_TASK
        return _with_proof(engram, answer)
    from engram.app.stores import OpenStores  # noqa: PLC0415 - "go on" opens nothing

    with OpenStores(engram) as stores:
        session = _Session(engram, stores, cache, repeats=mode == "always")
        if event.kind == START:
            session.start(answer)
        else:
            session.prompt(answer, event.prompt)
    return _with_proof(engram, answer)


def _applies(mode: str, event: Event) -> bool:
    if event.kind == START:
        return mode in ("startup", "auto", "always")
    return event.kind == PROMPT and mode in ("auto", "always")


class _Session:
    """One event's work with the stores open."""

    def __init__(
        self, engram: Engram, stores: OpenStores, cache: SessionCache, *, repeats: bool
    ) -> None:
        self.engram = engram
        self.stores = stores
        self.cache = cache
        self.repeats = repeats

    def start(self, answer: Given) -> None:
        """Bodies of what every session starts with, notes of its objective, what is used most."""
        self.stores.refresh(complete=False)
        task = self._task("")
        objective = self.engram.environment.variables.get(OBJECTIVE, "")
        entries = self.stores.for_start()
        routed = routing.always(entries, task, self.stores.look_up, objective)
        bodies = list(routed.chosen)
        taken = {choice.entry.key for choice in bodies}
        cards = [
            Choice(entry, 0.0, "among the most used")
            for entry in self.stores.most_used(MOST_CARDS)
            if entry.key not in taken and not routing.hidden(entry, task)
        ]
        self._give(answer, bodies, cards)
        answer.why = "" if answer.loaded else "nothing is marked for every session"

    def prompt(self, answer: Given, prompt: str) -> None:
        """What the prompt routes to; nothing when nothing matches."""
        terms = words.query_terms(_shortened(prompt))
        if not terms:
            answer.why = NO_TASK
            return
        self.stores.refresh(complete=False, terms=terms)
        task = self._task(prompt, terms)
        hits = self.stores.find(terms, POOL)
        routed = routing.route(ranking.rank(hits, task), task, self.stores.look_up)
        self._give(answer, routed.chosen, ())
        if not routed.chosen:
            answer.why = "no memory matches"

    def _task(self, query: str, terms: Sequence[str] = ()) -> routing.Task:
        settings = self.engram.settings
        return routing.Task(
            query=_shortened(query),
            terms=tuple(terms),
            roles=settings.names("roles"),
            today=self.engram.environment.today(),
            limit=settings.integer("load.limit"),
            automatic=True,
            hold_unapproved=settings.text("load.changed") == "hold",
        )

    def _give(self, answer: Given, bodies: Sequence[Choice], cards: Sequence[Choice]) -> None:
        """Show what is new or changed since this session last got it; name the rest."""
        texts = {each.entry.key: self.stores.read(each.entry) for each in (*bodies, *cards)}
        readable = [each for each in bodies if texts[each.entry.key] is not None]
        known = [each for each in readable if self._has(each.entry)]
        new = [each for each in readable if each not in known]
        new += [
            each
            for each in cards
            if texts[each.entry.key] is not None and not self._has(each.entry, card=True)
        ]
        answer.reused = [each.entry.key for each in known]
        if not new:
            return
        shown = self._brief(new, texts, [each.entry.id for each in known])
        answer.text = shown.text
        answer.loaded = [*shown.body_keys, *shown.card_ids]
        self._remember(new, shown)

    def _brief(
        self, new: Sequence[Choice], texts: dict[str, str | None], known: Sequence[str]
    ) -> briefing.Briefing:
        variant = self.engram.settings.text("rule_variants.active")

        def compact(entry: Entry) -> str | None:
            text = texts[entry.key]
            return None if text is None else body.compact(entry, body_of(text), variant)

        tail = f"\n{GIVEN}{', '.join(known)}" if known else ""
        plan = briefing.Plan(
            budget_tokens=self.engram.settings.integer("load.max_tokens") - estimate(tail),
            disclosure="tiered" if any(each.score for each in new) else "cards",
            today=self.engram.environment.today(),
            byte_limit=BYTE_LIMIT - len(tail.encode()),
        )
        shown = briefing.brief(new, compact, plan)
        return replace(shown, text=shown.text + tail) if shown.text else shown

    def _has(self, entry: Entry, *, card: bool = False) -> bool:
        return not self.repeats and self.cache.has(entry.key, entry.digest, card=card)

    def _remember(self, choices: Sequence[Choice], shown: briefing.Briefing) -> None:
        bodies = set(shown.body_keys)
        cards = set(shown.card_ids)
        entries = [choice.entry for choice in choices]
        self.cache.add(
            [
                (entry.key, entry.digest, entry.key not in bodies)
                for entry in entries
                if entry.key in bodies or entry.id in cards
            ]
        )
        self.stores.count_use([entry for entry in entries if entry.key in bodies])


def _shortened(prompt: str) -> str:
    """A long prompt's beginning and end: where people say what they want."""
    if len(prompt) <= LONGEST_PROMPT:
        return prompt
    half = LONGEST_PROMPT // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"


def _with_proof(engram: Engram, answer: Given) -> str:
    """The text, with one line on what was loaded, reused and skipped where the person wants it."""
    if engram.settings.text("proof") != "compact":
        return answer.text
    parts = [f"loaded {', '.join(answer.loaded) or 'nothing'}"]
    if answer.reused:
        parts.append(f"reused {', '.join(answer.reused)}")
    if answer.why:
        parts.append(f"skipped: {answer.why}")
    proof = f"Engram proof: {'; '.join(parts)}."
    return cut_text(f"{answer.text}\n{proof}" if answer.text else proof, WHOLE_LIMIT)
