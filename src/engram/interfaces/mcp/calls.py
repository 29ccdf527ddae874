"""Requests on their way: who may still answer them, and what they may ask the client meanwhile."""

from __future__ import annotations

import threading

from engram.interfaces.mcp.eras import Caller, Request
from engram.interfaces.mcp.wire import INVALID_REQUEST, Refusal, encode, is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from engram.interfaces.mcp.pool import Pool

    Write = Callable[[bytes], None]
    Key = tuple[type, str | int]
    Patience = Callable[[threading.Event, float], bool]

_PROGRESS_TEXT_SINCE = "2025-03-26"


class Abandoned(Exception):  # noqa: N818 - reads as what happened
    """Nobody waits for this call's answer any more."""


class TimedOut(Exception):  # noqa: N818
    """The client did not answer a question in time."""


class InputRequired(Exception):  # noqa: N818
    """The modern way to ask: the call ends with questions, the client calls again with answers.

    `questions` maps a name to a request without jsonrpc and id; `state` comes back unchanged.
    """

    def __init__(self, questions: Mapping[str, Mapping[str, Any]], state: str = "") -> None:
        super().__init__()
        self.result: dict[str, Any] = {"resultType": "input_required"}
        if questions:
            self.result["inputRequests"] = dict(questions)
        if state:
            self.result["requestState"] = state


def in_time(settled: threading.Event, seconds: float) -> bool:
    """The clock of every day: wait for an event, at most so many seconds."""
    return settled.wait(seconds)


class _Question:
    """A request to the client that waits for its answer."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.settled = threading.Event()  # answered, or given up with the call
        self.answer: Mapping[str, Any] | None = None


class Connection:
    """What all calls share: the way out, the table of calls in flight, the open questions."""

    def __init__(self, write: Write, pool: Pool, patience: Patience = in_time) -> None:
        """`patience` decides whether an event came within so many seconds."""
        self.write = write
        self.pool = pool
        self.patience = patience
        self._lock = threading.Lock()
        self._calls: dict[Key, Call] = {}
        self._questions: dict[str, _Question] = {}
        self._asked = 0

    def send(self, message: object) -> None:
        """Send one message."""
        self.write(encode(message))

    def start(self, call: Call) -> None:
        """Take a call into the table.

        Raises Refusal, without an id, while another of the same id is in flight: an error under
        that id would be taken for the answer to the first.
        """
        with self._lock:
            if call.key in self._calls:
                raise Refusal(INVALID_REQUEST, "Invalid request: this id is already in flight.")
            self._calls[call.key] = call

    def end(self, call: Call) -> bool:
        """Take a call out of the table; whether it may still be answered."""
        with self._lock:
            return self._calls.pop(call.key, None) is not None

    def cancel(self, id: object) -> None:
        """The client gave a call up: it will not be answered, its questions are closed."""
        with self._lock:
            call = self._calls.pop((type(id), id), None) if isinstance(id, str | int) else None
            if call is not None:
                call.cancelled = True
                self._abandon(call)

    def hang_up(self) -> None:
        """The client is gone: nobody will answer the open questions."""
        with self._lock:
            for call in self._calls.values():
                self._abandon(call)

    def ask(self, call: Call, method: str, params: Mapping[str, Any], seconds: float) -> Any:
        """Send the client a request and wait for its answer, a JSON-RPC response.

        Raises TimedOut, or Abandoned when the call was given up meanwhile; both tell the client to
        close the question.
        """
        question = _Question(call)
        with self._lock:
            if call.cancelled:
                raise Abandoned
            self._asked += 1
            id = f"engram-{self._asked}"
            self._questions[id] = question
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": dict(params)})
        self.pool.wait_outside(lambda: self.patience(question.settled, seconds))
        with self._lock:
            self._questions.pop(id, None)
            answer, given_up = question.answer, question.settled.is_set()
        if answer is not None:
            return answer
        reason = "The call was given up." if given_up else "Nobody answered in time."
        self.notify("notifications/cancelled", {"requestId": id, "reason": reason})
        raise Abandoned if given_up else TimedOut

    def settle(self, response: Mapping[str, Any]) -> None:
        """A response of the client; one that nobody waits for is passed over."""
        id = response.get("id")
        with self._lock:
            question = self._questions.pop(id, None) if isinstance(id, str) else None
            if question is not None:
                question.answer = response
                question.settled.set()

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send the client a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": dict(params)})

    def _abandon(self, call: Call) -> None:
        for question in self._questions.values():
            if question.call is call:
                question.settled.set()


class Call:
    """One request being answered: all that a tool, a resource or a prompt may know of it."""

    def __init__(self, request: Request, caller: Caller, connection: Connection) -> None:
        self.request = request
        self.caller = caller
        self.cancelled = False
        self._connection = connection
        self._progress = -1.0

    @property
    def key(self) -> Key:
        return type(self.request.id), self.request.id

    @property
    def params(self) -> dict[str, Any]:
        return self.request.params

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell how far the call is, where the client asked for it; never backwards."""
        meta = self.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not is_id(token) or done <= self._progress or self.cancelled:
            return
        self._progress = done
        told: dict[str, Any] = {"progressToken": token, "progress": done}
        if total is not None:
            told["total"] = total
        if message and self.caller.version >= _PROGRESS_TEXT_SINCE:
            told["message"] = message
        self.notify("notifications/progress", told)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification that belongs to this call."""
        self._connection.notify(method, params)

    def ask(self, method: str, params: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """Send the client a request (legacy era) and wait for its response, result or error.

        Raises TimedOut or Abandoned.
        """
        answer: Mapping[str, Any] = self._connection.ask(self, method, params, seconds)
        return answer
