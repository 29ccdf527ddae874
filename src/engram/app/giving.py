"""What one event gives to a session, with the stores open."""

from __future__ import annotations

from engram.core import body, briefing, ranking, routing, words
from engram.core.memory import Entry
from engram.core.parts import body_of
from engram.core.routing import Choice
from engram.core.tokens import estimate
from engram.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.engram import Engram
    from engram.app.hooking import Answer
    from engram.app.stores import OpenStores
    from engram.store.session_cache import SessionCache

BYTE_LIMIT = 8_600  # of UTF-8: every host takes 9,000 whole, and a proof line may follow
POOL = 32  # hits looked at for one prompt
LONGEST_PROMPT = 16_000  # characters that are looked at: its beginning and its end
MOST_CARDS = 8  # of what is used most, at the start of a session
GIVEN = "Already given in this session: "
OBJECTIVE = "ENGRAM_SESSION_OBJECTIVE"


class Giving:
    """One event's work with the stores open."""

    def __init__(
        self, engram: Engram, stores: OpenStores, cache: SessionCache, *, repeats: bool
    ) -> None:
        self.engram = engram
        self.stores = stores
        self.cache = cache
        self.repeats = repeats

    def start(self, answer: Answer) -> None:
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

    def prompt(self, answer: Answer, prompt: str) -> None:
        """What the prompt routes to; nothing when nothing matches."""
        terms = words.query_terms(_shortened(prompt))
        if not terms:
            answer.why = answer.NO_TASK
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

    def _give(self, answer: Answer, bodies: Sequence[Choice], cards: Sequence[Choice]) -> None:
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
