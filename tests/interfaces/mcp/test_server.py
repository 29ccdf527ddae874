"""The request loop inside the test's process: who is answered, by what, and who is not."""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
from typing import Any

import pytest

from engram.interfaces.mcp import server as module
from engram.interfaces.mcp.calls import Abandoned, Call, Connection, InputRequired, TimedOut
from engram.interfaces.mcp.eras import Caller, Request
from engram.interfaces.mcp.pool import Pool
from engram.interfaces.mcp.registry import Registry, Tool
from engram.interfaces.mcp.wire import Refusal, Writer
from tests.support.mcp_inside import Inline, Inside
from tests.support.mcp_peer import Message, a_request

LONG = 30  # seconds, for what must happen
BATCHES, OTHERS = "2025-03-26", ("2024-11-05", "2025-06-18", "2025-11-25")


@pytest.fixture
def inside() -> Inside:
    return Inside()


def error_of(written: list[Any]) -> tuple[object, int]:
    """The id and the code of the one error that was written."""
    (message,) = written
    return message["id"], message["error"]["code"]


def offering(run: Any) -> Inside:
    """A server with one tool, `t`."""
    return Inside(Registry("", {"tools": {}}, tools=lambda: [Tool("t", "", {}, run)]))


# Lines


@pytest.mark.contract("P10")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (None, -32700),
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 50_000, -32700),
        (b"7", -32600),
        (b"null", -32600),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","method":7}', -32600),
    ],
)
def test_a_bad_line_gets_one_error_without_an_id(
    inside: Inside, line: bytes | None, code: int
) -> None:
    assert error_of(inside.line(line)) == (None, code)
    assert inside.result("ping") == {}


@pytest.mark.contract("P10")
@pytest.mark.parametrize("line", [b"", b"  ", b"\r", b"\t\r"])
def test_a_blank_line_is_passed_over(inside: Inside, line: bytes) -> None:
    assert inside.line(line) == []


@pytest.mark.parametrize("depth", range(900, 1010))
def test_text_that_is_deep_and_no_unicode_at_once_is_refused(inside: Inside, depth: int) -> None:
    line = b"[" * depth + b'"\\ud83d"' + b"]" * depth
    assert error_of(inside.line(line))[1] in (-32700, -32600)


@pytest.mark.contract("P10")
@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "no/such", "params": []},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "bug"}},
        {"jsonrpc": "2.0", "method": "initialize", "params": {"protocolVersion": "2024-11-05"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": "engram-1", "error": {"code": 1, "message": "x"}},
        {"id": None, "result": None},
        {"id": [1], "error": None},
    ],
)
def test_a_notification_or_a_stray_response_gets_no_answer(
    inside: Inside, message: Message
) -> None:
    assert inside.send(message) == []
    assert inside.methods.legacy.version == "2025-11-25"


# Batches


@pytest.mark.contract("P10")
def test_a_batch_is_answered_as_one_array_where_the_version_has_batches(inside: Inside) -> None:
    inside.shake_hands(BATCHES)
    (replies,) = inside.send(
        [
            a_request(1, "ping"),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            a_request(2, "tools/call", {"name": "echo"}),
            a_request("x", "initialize"),
            a_request(4, "tools/list", modern=True),
            5,
            {"jsonrpc": "2.0", "id": 6, "result": {}},
        ]
    )
    told = {reply["id"]: reply.get("error", {}).get("code") for reply in replies}
    assert told == {1: None, 2: None, "x": -32600, 4: -32600, None: -32600}
    assert len(replies) == 5
    assert inside.methods.legacy.version == BATCHES


def test_a_batch_without_requests_gets_no_answer(inside: Inside) -> None:
    inside.shake_hands(BATCHES)
    assert inside.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}]) == []


@pytest.mark.contract("P10")
@pytest.mark.parametrize("version", OTHERS)
def test_a_batch_is_refused_as_a_whole_by_the_other_versions(inside: Inside, version: str) -> None:
    inside.shake_hands(version)
    assert error_of(inside.send([a_request(1, "ping")])) == (None, -32600)


@pytest.mark.parametrize("size", [0, module.MOST_IN_BATCH + 1])
def test_an_empty_or_huge_batch_is_refused(inside: Inside, size: int) -> None:
    inside.shake_hands(BATCHES)
    assert error_of(inside.send([7] * size)) == (None, -32600)
    (replies,) = inside.send([7] * module.MOST_IN_BATCH)
    assert len(replies) == module.MOST_IN_BATCH


def test_the_replies_of_a_batch_wait_for_the_slowest_of_its_calls() -> None:
    pool = Pool()
    inside = Inside(pool=pool)
    inside.shake_hands(BATCHES)
    hold = a_request(1, "tools/call", {"name": "hold", "arguments": {"text": "batch"}})
    assert inside.send([hold, a_request(2, "ping")]) == []
    inside.send(a_request(3, "tools/call", {"name": "release", "arguments": {"text": "batch"}}))
    assert pool.finish(LONG)
    arrays = [each for each in inside.written if isinstance(each, list)]
    assert [{reply["id"] for reply in array} for array in arrays] == [{1, 2}]


# Calls in flight


def test_an_id_that_is_in_flight_is_refused_without_that_id() -> None:
    seen: list[Any] = []

    def run(_arguments: object, _call: Call) -> Message:
        seen.extend(alone.send(a_request(1, "ping")))
        seen.extend(alone.send(a_request("1", "ping")))
        return {"content": []}

    alone = offering(run)
    written = alone.send(a_request(1, "tools/call", {"name": "t"}))
    assert error_of(seen[:1]) == (None, -32600)
    assert seen[1] == {"jsonrpc": "2.0", "id": "1", "result": {}}
    assert written[-1]["id"] == 1
    assert alone.send(a_request(1, "ping"))[0]["result"] == {}


@pytest.mark.parametrize("modern", [False, True])
def test_a_cancelled_call_is_not_answered_and_tells_no_more_progress(*, modern: bool) -> None:
    def run(_arguments: object, call: Call) -> Message:
        call.progress(1)
        alone.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        )
        call.progress(2)
        return {"content": []}

    alone = offering(run)
    params = {"name": "t", "_meta": {"progressToken": 0}}
    written = alone.send(a_request(7, "tools/call", params, modern=modern))
    assert [each["method"] for each in written] == ["notifications/progress"]
    assert alone.result("ping") == {}


@pytest.mark.parametrize("id", ["7", 8, True, 7.0, None])
def test_only_the_very_id_cancels(id: object) -> None:
    def run(_arguments: object, _call: Call) -> Message:
        alone.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
        )
        return {"content": []}

    alone = offering(run)
    assert alone.send(a_request(7, "tools/call", {"name": "t"}))[0]["result"] == {"content": []}


def test_a_call_that_was_cancelled_before_its_turn_never_runs() -> None:
    waiting: list[Any] = []

    class Later(Inline):
        def submit(self, job: Any) -> None:
            waiting.append(job)

    ran: list[str] = []

    def run(_arguments: object, _call: Call) -> Message:
        ran.append("ran")
        return {"content": []}

    offered = Registry("", {"tools": {}}, tools=lambda: [Tool("t", "", {}, run)])
    inside = Inside(offered, pool=Later())
    inside.send(a_request(7, "tools/call", {"name": "t"}))
    inside.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    waiting.pop()()
    assert (ran, inside.written) == ([], [])


# Questions


def asking(seconds: float = 5) -> Inside:
    def run(_arguments: object, call: Call) -> Message:
        try:
            answer = call.ask("elicitation/create", QUESTION, seconds)
        except TimedOut:
            return {"content": [{"type": "text", "text": "timed out"}]}
        return {"content": [{"type": "text", "text": json.dumps(answer)}]}

    inside = offering(run)
    inside.shake_hands(elicitation={})
    return inside


QUESTION = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}


def test_a_question_gets_the_response_of_its_own_id() -> None:
    inside = asking(5)

    def meanwhile(question: Message) -> None:
        for id in ("engram-0", 1, None, question["id"], question["id"]):
            inside.send({"jsonrpc": "2.0", "id": id, "result": {"for": id}})
        assert inside.result("ping") == {}

    inside.meanwhile = meanwhile
    question, _, response = inside.send(a_request("q", "tools/call", {"name": "t"}))
    answer = json.loads(response["result"]["content"][0]["text"])
    assert answer["result"] == {"for": question["id"]}
    assert inside.waits == [(5, True)]


def test_every_question_has_an_id_of_its_own() -> None:
    inside = asking()
    ids = [inside.send(a_request(n, "tools/call", {"name": "t"}))[0]["id"] for n in range(3)]
    assert len(set(ids)) == 3


@pytest.mark.contract("E5")
def test_a_question_that_nobody_answers_is_closed_and_a_late_answer_passed_over() -> None:
    inside = asking()
    question, closed, response = inside.send(a_request("q", "tools/call", {"name": "t"}))
    assert closed["method"] == "notifications/cancelled"
    assert closed["params"]["requestId"] == question["id"]
    assert response["result"]["content"][0]["text"] == "timed out"
    assert inside.waits == [(5, False)]
    assert inside.connection._questions == {}, "nothing is kept of it"
    assert inside.send({"jsonrpc": "2.0", "id": question["id"], "result": {}}) == []


def test_cancelling_a_call_closes_its_question_and_nobody_is_answered() -> None:
    inside = asking()
    inside.meanwhile = lambda _question: inside.connection.cancel("q")
    question, closed = inside.send(a_request("q", "tools/call", {"name": "t"}))
    assert closed["params"]["requestId"] == question["id"]
    assert "given up" in closed["params"]["reason"]
    assert inside.result("ping") == {}


def test_the_end_of_input_closes_every_question() -> None:
    inside = asking()
    inside.meanwhile = lambda _question: inside.connection.hang_up()
    _, closed = inside.send(a_request("q", "tools/call", {"name": "t"}))
    assert closed["method"] == "notifications/cancelled"


def test_a_cancelled_call_asks_nothing_more() -> None:
    sent: list[bytes] = []
    connection = Connection(sent.append, Inline())
    call = Call(Request(1, "tools/call", {}), Caller(), connection)
    connection.start(call)
    connection.cancel(1)
    with pytest.raises(Abandoned):
        call.ask("elicitation/create", {}, 1)
    assert sent == []


def test_other_questions_stay_open_when_one_call_is_given_up() -> None:
    sent: queue.Queue[bytes] = queue.Queue()
    connection = Connection(sent.put, Pool())
    answers: list[Any] = []

    def ask(call: Call) -> None:
        try:
            answers.append(call.ask("elicitation/create", {}, LONG)["result"])
        except Abandoned:
            answers.append("abandoned")

    calls = [Call(Request(n, "tools/call", {}), Caller(), connection) for n in (1, 2)]
    threads = [threading.Thread(target=ask, args=(call,)) for call in calls]
    for call, thread in zip(calls, threads, strict=True):
        connection.start(call)
        thread.start()
        sent.get(timeout=LONG)  # its question
    connection.cancel(1)
    threads[0].join(LONG)
    connection.settle({"id": "engram-2", "result": "yes"})
    threads[1].join(LONG)
    assert answers == ["abandoned", "yes"]


def test_the_everyday_clock_waits_for_the_answer() -> None:
    assert Connection(lambda _line: None, Pool()).patience(threading.Event(), 0) is False


# Questions of the modern era


def modern_asking(state: str = "s", **questions: Any) -> Inside:
    def run(*_: object) -> Message:
        raise InputRequired(questions, state)

    return offering(run)


ASKED = {"method": "elicitation/create", "params": {"mode": "form", **QUESTION}}


@pytest.mark.parametrize(
    ("state", "questions", "told"),
    [
        ("s", {"q": ASKED}, {"requestState", "inputRequests"}),
        ("s", {}, {"requestState"}),
        ("", {"q": ASKED}, {"inputRequests"}),
    ],
)
def test_a_modern_call_that_needs_input_says_what(
    state: str, questions: Message, told: set[str]
) -> None:
    result = modern_asking(state, **questions).call("t", modern=True)
    assert result["resultType"] == "input_required"
    assert result.keys() == {"resultType", "_meta"} | told


def test_a_legacy_client_is_never_answered_with_questions(
    capfd: pytest.CaptureFixture[str],
) -> None:
    inside = modern_asking(q=ASKED)
    assert inside.error("tools/call", {"name": "t"})["code"] == -32603
    assert inside.error("t")["code"] == -32603
    assert "InputRequired" in capfd.readouterr().err


def test_only_what_may_ask_is_answered_with_questions(capfd: pytest.CaptureFixture[str]) -> None:
    def ask(*_: object) -> Any:
        raise InputRequired({}, "s")

    inside = Inside(Registry("", {"resources": {}}, resources=ask, read=ask))
    assert inside.error("resources/list", modern=True)["code"] == -32603
    read = inside.result("resources/read", {"uri": "x://y"}, modern=True)
    assert read["requestState"] == "s"
    assert "resources/list" in capfd.readouterr().err


def test_a_refusal_of_a_tool_is_told_with_its_data() -> None:
    def run(*_: object) -> Message:
        raise Refusal(-32021, "Needed.", {"requiredCapabilities": {"sampling": {}}})

    assert offering(run).error("tools/call", {"name": "t"}, modern=True) == {
        "code": -32021,
        "message": "Needed.",
        "data": {"requiredCapabilities": {"sampling": {}}},
    }


def test_a_tool_that_gives_its_call_up_is_not_answered() -> None:
    def run(*_: object) -> Message:
        raise Abandoned

    assert offering(run).send(a_request(1, "tools/call", {"name": "t"})) == []


# The process, as far as it can be seen from inside


def test_only_the_signals_that_a_machine_has_are_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[int] = []
    monkeypatch.setattr(signal, "signal", lambda number, _stop: waited.append(number))
    monkeypatch.delattr(signal, "SIGHUP")
    module._stop_on_signals(Writer(1, closed=lambda: None))
    assert waited == [signal.SIGINT, signal.SIGTERM]


def test_a_signal_waits_for_the_line_that_is_being_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stops: list[Any] = []
    ended: list[tuple[int, bool]] = []
    writer = Writer(1, closed=lambda: None)
    monkeypatch.setattr(signal, "signal", lambda _number, stop: stops.append(stop))
    monkeypatch.setattr(os, "_exit", lambda status: ended.append((status, writer.lock.locked())))
    module._stop_on_signals(writer)
    stops[0]()
    assert ended == [(0, True)], "whoever comes after it cannot begin a line"
