"""The sealed `requestState` of a modern dialog (contract clauses E7, E8).

The client carries it back with a person's answer, so it is treated as hostile: an HMAC-SHA-256 over
what it is bound to and when it ends. What a tool keeps between its question and the answer stays in
this process, under the state's single-use name; a client reads none of it, a restart voids it.
"""

from __future__ import annotations

import base64
import json
import threading

from engram.interfaces.mcp.wire import INVALID_PARAMS, Refusal
from engram.store.seal import Key
from engram.system.environment import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Kept = Mapping[str, object]

LIFETIME_SECONDS = 600  # for a person to answer; the client holds the dialog, not we
MOST_OPEN = 256
_KEY_BYTES, _NAME_BYTES = 32, 16


class Seal:
    """Makes states, and opens each that is ours, unexpired, unused and bound to the same call."""

    def __init__(
        self,
        key: Key | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        """A key of its own for this process, and its clock, where none are given."""
        self._environment = Environment.of_this_process()
        self._key = key or Key(bytes.fromhex(self._environment.random_token(_KEY_BYTES)))
        self._now = now or self._environment.now
        self._lock = threading.Lock()
        self._open: dict[str, Kept] = {}  # oldest first

    def seal(self, bound: Mapping[str, object], kept: Kept) -> str:
        """A state for a call; `bound` is what the retry must have in common with it."""
        name = self._environment.random_token(_NAME_BYTES)
        with self._lock:
            while len(self._open) >= MOST_OPEN:
                del self._open[next(iter(self._open))]
            self._open[name] = dict(kept)
        claims = {"v": 1, "name": name, "expires": self._now() + LIFETIME_SECONDS}
        body = base64.urlsafe_b64encode(_canonical(claims)).decode("ascii")
        return f"{body}.{self._key.seal(_signed(body, bound))}"

    def open(self, state: object, bound: Mapping[str, object]) -> Kept:
        """What was kept under a state; it opens once.

        Raises Refusal for one that is forged, expired, used, of another process or another call.
        """
        body, _, seal = state.partition(".") if isinstance(state, str) else ("", "", "")
        if not self._key.holds(seal, _signed(body, bound)):
            raise _invalid()
        claims = json.loads(base64.urlsafe_b64decode(body))
        with self._lock:
            kept = self._open.pop(claims["name"], None)
        if kept is None or claims["expires"] <= self._now():
            raise _invalid()
        return kept


def _signed(body: str, bound: Mapping[str, object]) -> bytes:
    return body.encode("utf-8", "replace") + b"\n" + _canonical(bound)


def _canonical(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def _invalid() -> Refusal:
    return Refusal(
        INVALID_PARAMS,
        "Invalid or expired requestState: call the tool again without it.",
        {"reason": "invalid_request_state"},
    )
