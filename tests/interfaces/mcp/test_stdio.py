"""What only a real process on real pipes shows: the wire, its ends, and what cannot reach it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.interfaces.mcp.wire import LIMIT
from tests.support.mcp_peer import (
    FIXTURE,
    KEY,
    PATIENCE,
    REPOSITORY,
    SERVER,
    SOURCE,
    Message,
    Peer,
    a_request,
    an_envelope,
)
from tests.support.mcp_schemas import LEGACY, MODERN
from tests.support.world import World

MIB = 1 << 20
PING = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}'
TORN = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"\\ud83d"}}'

has_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")


@pytest.fixture
def world(home: Path) -> World:
    return World(home).with_store()


@pytest.fixture
def server(world: World) -> Iterator[Peer]:
    """The product, in a project with an empty store."""
    with Peer(cwd=world.project) as peer:
        yield peer


@pytest.fixture
def fixture() -> Iterator[Peer]:
    with Peer(command=FIXTURE) as peer:
        yield peer


def started(
    command: tuple[str, ...] = FIXTURE,
    *,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    stderr: int | None = None,
) -> subprocess.Popen[bytes]:
    """A server without a peer, for ends that a peer does not have."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join((SOURCE, REPOSITORY))}
    return subprocess.Popen(command, env=variables, stdin=stdin, stdout=stdout, stderr=stderr)


def through_shell(script: str, command: tuple[str, ...] = FIXTURE) -> tuple[str, ...]:
    """The server's command, its descriptors changed by a shell."""
    return ("/bin/sh", "-c", f'exec "$@" {script}', "sh", *command)


def peak(peer: Peer) -> int:
    """The most memory that the server ever held, in bytes."""
    status = Path(f"/proc/{peer.process.pid}/status").read_text("ascii")
    (line,) = [each for each in status.splitlines() if each.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


# Eras


@pytest.mark.contract("P1", "P8")
def test_every_legacy_version_shakes_hands_on_one_pipe(server: Peer) -> None:
    for version in (*LEGACY, MODERN, "1999-01-01"):
        answered = server.shake_hands(version)["protocolVersion"]
        assert answered == (version if version in LEGACY else LEGACY[-1])
        tools = server.result("tools/list")["tools"]
        assert "engram_load" in {tool["name"] for tool in tools}
        assert any("title" in tool for tool in tools) is (answered >= "2025-06-18")
        result = server.call("engram_status")
        assert ("structuredContent" in result) is (answered >= "2025-06-18")
        assert server.result("ping") == {}


@pytest.mark.contract("P2", "P3", "P4", "P5")
def test_a_modern_client_needs_no_handshake(server: Peer) -> None:
    tools = server.result("tools/list", modern=True)
    assert (tools["resultType"], tools["cacheScope"]) == ("complete", "private")
    assert tools["_meta"][KEY + "serverInfo"]["name"] == "engram"
    assert tools["ttlMs"] > 0
    assert server.call("engram_status", modern=True)["resultType"] == "complete"
    read = server.result("resources/read", {"uri": "engram://index"}, modern=True)
    assert (read["ttlMs"], read["cacheScope"]) == (0, "private")
    assert server.result("resources/list", modern=True)["resources"]
    assert server.result("prompts/get", {"name": "propose"}, modern=True)["messages"]

    no_capabilities = {"_meta": {KEY + "protocolVersion": MODERN}}
    assert server.error("tools/list", no_capabilities)["code"] == -32602
    refused = server.error("tools/list", {"_meta": an_envelope("2099-01-01")})
    assert refused["code"] == -32022
    assert refused["data"] == {"supported": [MODERN], "requested": "2099-01-01"}


@pytest.mark.contract("P2", "P6", "P11")
def test_both_eras_are_served_request_by_request(fixture: Peer) -> None:
    fixture.shake_hands("2024-11-05")
    for _ in range(3):
        assert fixture.call("echo", modern=True)["structuredContent"]["version"] == MODERN
        assert "structuredContent" not in fixture.call("echo")
        assert fixture.error("ping", modern=True)["code"] == -32601
        assert fixture.result("ping") == {}
        assert fixture.error("initialize", modern=True)["code"] == -32601
        assert fixture.error("server/discover")["code"] == -32602


WATCHED = """
import os, sys
from engram.interfaces.mcp.server import main

log = os.open(sys.argv.pop(), os.O_WRONLY)

def watch(event, args):
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect"):
        os.write(log, f"{args[0]}\\n".encode())

sys.addaudithook(watch)
sys.exit(main())
"""


@pytest.mark.contract("P6", "I1")
def test_a_host_may_discover_and_then_shake_hands_without_opening_the_store(
    world: World, tmp_path: Path
) -> None:
    log = tmp_path / "opened"
    log.touch()
    with Peer(str(log), command=(sys.executable, "-c", WATCHED), cwd=world.project) as server:
        modern = server.result("server/discover", modern=True)
        legacy = server.shake_hands("2025-11-25")
        assert modern["supportedVersions"] == [MODERN]
        assert ".engram" not in log.read_text("utf-8")
        server.call("engram_load", query="invoices")
        assert ".engram" in log.read_text("utf-8"), "the watch sees the store"
    assert modern["instructions"] == legacy["instructions"]
    assert 0 < len(legacy["instructions"]) <= 512
    assert "engram_load" in legacy["instructions"]
    assert "engram_commit only after the person" in legacy["instructions"]


@pytest.mark.contract("P9")
def test_a_bare_call_of_a_tool_returns_plain_text(server: Peer, world: World) -> None:
    world.save("Invoices are numbered per calendar year.")
    server.shake_hands()
    bare = server.result("engram_load", {"query": "how are invoices numbered"})
    assert "calendar year" in bare
    called = server.call("engram_load", query="how are invoices numbered")
    assert called["content"][0]["text"] == bare
    assert server.error("engram_load", {"query": "x"}, modern=True)["code"] == -32601


@pytest.mark.contract("P10")
def test_an_unknown_or_wrong_argument_is_told_to_the_model(server: Peer) -> None:
    server.shake_hands()
    for arguments, wrong in (
        ({"query": "x", "colour": "red"}, "colour"),
        ({"query": 5}, "query"),
        ({"budget_tokens": "many"}, "budget_tokens"),
    ):
        result = server.call("engram_load", **arguments)
        assert result["isError"] is True
        assert wrong in result["content"][0]["text"]
        refused = server.error("engram_load", dict(arguments))
        assert (refused["code"], wrong in refused["message"]) == (-32602, True)


# Options


@pytest.mark.contract("I2")
def test_always_load_marks_one_tool(world: World) -> None:
    with Peer("--always-load", cwd=world.project) as server:
        server.shake_hands()
        tools = server.result("tools/list")["tools"]
    marked = [t["name"] for t in tools if t.get("_meta", {}).get("anthropic/alwaysLoad")]
    assert marked == ["engram_load"]


@pytest.mark.contract("I2")
def test_no_tool_is_marked_unasked(server: Peer) -> None:
    tools = server.result("tools/list", modern=True)["tools"]
    assert [t["name"] for t in tools if "anthropic/alwaysLoad" in t.get("_meta", {})] == []


@pytest.mark.contract("I3", "E9")
def test_no_elicitation_keeps_to_the_token(world: World) -> None:
    with Peer("--no-elicitation", cwd=world.project) as server:
        server.shake_hands(elicitation={"form": {}})
        legacy = server.call("engram_save", text="Invoices are numbered per year.")
        params = {"name": "engram_save", "arguments": {"text": "Lint before every push."}}
        params["_meta"] = an_envelope(elicitation={"form": {}})
        modern = server.result("tools/call", params, modern=True)
    assert modern["resultType"] == "complete"
    for result in (legacy, modern):
        assert result["structuredContent"]["data"]["approval_token"]


@pytest.mark.contract("I4")
def test_an_unknown_option_is_noted_and_the_server_serves(world: World) -> None:
    with Peer("--loud", "--workspace", cwd=world.project) as server:
        server.shake_hands()
        ended = server.close()
    assert ended.exit == 0
    assert ended.log == (
        "engram-mcp: unknown option --loud; ignored.\n"
        "engram-mcp: --workspace needs a folder; ignored.\n"
    )


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_are_printed_instead_of_serving(option: str) -> None:
    run = subprocess.run(
        [*SERVER, option], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert run.stdout.startswith(b"engram-mcp")
    assert run.stderr == b""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_person_who_starts_it_by_hand_is_told_what_it_waits_for() -> None:
    ours, theirs = os.openpty()
    with started(SERVER, stdin=theirs, stderr=subprocess.PIPE) as process:
        os.write(ours, b"\x04")
        out, log = process.communicate(timeout=PATIENCE)
    os.close(ours)
    os.close(theirs)
    assert (process.returncode, out) == (0, b"")
    assert b"waiting for a coding agent" in log


# The wire


@pytest.mark.contract("P7")
def test_nothing_that_prints_reaches_the_wire_and_no_child_reads_from_it(fixture: Peer) -> None:
    fixture.shake_hands()
    id = fixture.start("tools/call", {"name": "pollute"})
    for _ in range(3):
        fixture.line(PING)
    read = [fixture.read() for _ in range(4)]
    (polluted,) = [each for each in read if each["id"] == id]
    assert polluted["result"]["content"][0]["text"] == "the child read 0 bytes"
    ended = fixture.close()
    assert ended.rest == b""
    for stray in ("a stray line", "stray bytes", "a stray child"):
        assert stray in ended.log


@pytest.mark.contract("P7")
def test_no_text_can_break_a_line(fixture: Peer) -> None:
    fixture.shake_hands()
    words = "a\nb\r\u2028c\u2029d\x85e\x00f\x1b[31m\U0001f600é"
    request = a_request(1, "tools/call", {"name": "echo", "arguments": {"text": words}})
    for ascii in (True, False):
        fixture.line(json.dumps(request, ensure_ascii=ascii).encode())
        assert fixture.read()["result"]["content"][0]["text"] == words


@pytest.mark.contract("P10")
def test_bad_lines_are_each_answered_and_the_server_goes_on(fixture: Peer) -> None:
    fixture.shake_hands()
    for line, id, code in (
        (b"{", None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"p\xff"}', None, -32700),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', None, -32700),
        (b"[" * 200_000 + b"]" * 200_000, None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 99_999, None, -32700),
        (b"[]", None, -32600),
        (b'"ping"', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, -32600),
        (TORN % 8, 8, -32600),
        (b"[" * 950 + TORN % 8 + b"]" * 950, None, None),
    ):
        fixture.line(line)
        answer = fixture.read()
        assert answer["id"] == id
        assert code in (None, answer["error"]["code"])
        fixture.line(b"")
        fixture.line(b' {"jsonrpc":"2.0","method":"no/such/notice"} \r')
        assert fixture.silent()


@pytest.mark.contract("P10")
@pytest.mark.parametrize("version", LEGACY)
def test_a_batch_is_served_in_the_version_that_has_batches(fixture: Peer, version: str) -> None:
    fixture.shake_hands(version)
    hold, release = (
        a_request(n, "tools/call", {"name": name, "arguments": {"text": "b"}})
        for n, name in enumerate(("hold", "release"), 100)
    )
    fixture.send([hold, a_request(1, "ping"), a_request("x", "no/such"), release, 5])
    answer = fixture.read()
    if version == "2025-03-26":
        codes = {each["id"]: each.get("error", {}).get("code") for each in answer}
        assert codes == {100: None, 1: None, "x": -32601, 101: None, None: -32600}
    else:
        assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert fixture.silent()


# Sizes


@has_proc
@pytest.mark.contract("P10")
def test_an_endless_line_is_dropped_as_it_comes(fixture: Peer) -> None:
    fixture.shake_hands()
    before = peak(fixture)
    for _ in range(200):
        fixture.write(b'{"a":"' + b"y" * MIB)
    fixture.line(b"")
    answer = fixture.read()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert "too long" in answer["error"]["message"]
    assert peak(fixture) - before < 3 * LIMIT
    assert fixture.silent()


@has_proc
@pytest.mark.contract("P10")
def test_a_message_of_16_mebibytes_is_served_in_bounded_memory(fixture: Peer) -> None:
    fixture.shake_hands()
    before = peak(fixture)
    words = "x" * (16 * MIB)
    for _ in range(2):
        assert fixture.call("echo", text=words)["content"][0]["text"] == words
    assert peak(fixture) - before < 16 * len(words)


@has_proc
def test_ten_thousand_requests_leave_memory_flat(fixture: Peer) -> None:
    fixture.shake_hands()

    def round(first: int) -> None:
        for n in range(first, first + 250):
            echo = {"name": "echo", "arguments": {"text": str(n)}}
            fixture.send(a_request(f"a{n}", "tools/call", echo))
            fixture.send(a_request(f"b{n}", "ping"))
            fixture.send(a_request(f"c{n}", "tools/call", {"name": "no_such"}, modern=True))
            fixture.send(a_request(f"d{n}", "tools/call", {"name": "ask", "arguments": echo}))
        ids = {fixture.read()["id"] for _ in range(1000)}
        assert len(ids) == 1000

    round(0)
    before = peak(fixture)
    for first in range(250, 2500, 250):
        round(first)
    assert peak(fixture) - before < 4 * MIB


# Cancellation


@pytest.mark.parametrize("modern", [False, True])
def test_a_cancelled_call_is_never_answered(fixture: Peer, *, modern: bool) -> None:
    fixture.shake_hands()
    params = {"name": "hold", "arguments": {"text": "c"}, "_meta": {"progressToken": "going"}}
    id = fixture.start("tools/call", params, modern=modern)
    assert fixture.read()["params"]["progressToken"] == "going"
    for other in (id + 100, str(id), None, [id]):
        fixture.notify("notifications/cancelled", requestId=other)
    fixture.notify("notifications/cancelled", requestId=id, reason="Esc")
    fixture.notify("notifications/cancelled", requestId=id)
    fixture.call("release", modern=modern, text="c")
    assert fixture.silent()
    assert fixture.close().rest == b""


def test_slow_calls_hold_up_neither_pings_nor_each_other(fixture: Peer) -> None:
    fixture.shake_hands()
    held = [
        fixture.start("tools/call", {"name": "hold", "arguments": {"text": str(n)}})
        for n in range(3)
    ]
    assert fixture.result("ping") == {}
    assert fixture.result("tools/list", modern=True)["tools"]
    for n in (2, 0, 1):
        fixture.start("tools/call", {"name": "release", "arguments": {"text": str(n)}})
        answers = {fixture.read()["id"] for _ in range(2)}
        assert held[n] in answers


# Ends


@pytest.mark.contract("P11")
def test_the_end_of_input_ends_the_server(fixture: Peer) -> None:
    fixture.shake_hands()
    ended = fixture.close()
    assert (ended.exit, ended.rest, ended.log) == (0, b"", "")


@pytest.mark.contract("P11")
def test_what_was_asked_before_the_end_of_input_is_still_answered() -> None:
    lines = [json.dumps(a_request(n, "tools/call", {"name": "echo"})).encode() for n in range(50)]
    with started() as process:
        out, _ = process.communicate(b"\n".join(lines), timeout=PATIENCE)
    assert {json.loads(line)["id"] for line in out.splitlines()} == set(range(50))
    assert process.returncode == 0


@pytest.mark.contract("P11")
def test_the_end_of_input_in_the_middle_of_a_call_ends_the_server(fixture: Peer) -> None:
    fixture.shake_hands()
    params = {"name": "hold", "arguments": {}, "_meta": {"progressToken": 1}}
    fixture.start("tools/call", params)
    fixture.read()
    ended = fixture.close()
    assert (ended.exit, ended.rest, ended.log) == (0, b"", "")


@pytest.mark.contract("P11")
def test_the_end_of_input_in_the_middle_of_a_dialog_ends_the_server(fixture: Peer) -> None:
    fixture.shake_hands(elicitation={})
    fixture.start("tools/call", {"name": "ask"})
    question = fixture.read()
    ended = fixture.close()
    assert (ended.exit, ended.log) == (0, "")
    closed = [json.loads(line) for line in ended.rest.splitlines()]
    assert [each["params"]["requestId"] for each in closed] == [question["id"]]


@pytest.mark.contract("P11")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("busy", [False, True])
def test_a_signal_ends_the_server_quietly(fixture: Peer, name: str, *, busy: bool) -> None:
    fixture.shake_hands()
    if busy:
        params = {"name": "hold", "arguments": {}, "_meta": {"progressToken": 1}}
        fixture.start("tools/call", params)
        fixture.read()
    assert fixture.silent()
    fixture.process.send_signal(getattr(signal, name))
    ended = fixture.ended()
    assert (ended.exit, ended.rest, ended.log) == (0, b"", "")


@pytest.mark.contract("P11")
@pytest.mark.parametrize("end", ["SIGTERM", "the input"])
def test_a_client_that_stopped_reading_keeps_no_server_alive(end: str) -> None:
    with started(stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        echo = {"name": "echo", "arguments": {"text": "x" * MIB}}
        process.stdin.write(json.dumps(a_request(1, "tools/call", echo)).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.read(1) == b"{", "more is written than the pipe takes"
        if end == "SIGTERM":
            process.terminate()
        else:
            process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr.read() == b""


@pytest.mark.contract("P11")
@pytest.mark.parametrize("method", ["ping", "tools/call"])
def test_a_closed_stdout_ends_the_server_without_a_traceback(method: str) -> None:
    reader, writer = os.pipe()
    with started(stdout=writer, stderr=subprocess.PIPE) as process:
        os.close(reader)
        os.close(writer)
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(a_request(1, method, {"name": "echo"})).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr.read() == b""


@pytest.mark.contract("P11")
@pytest.mark.parametrize("script", ["<&-", ">&-"])
def test_a_server_without_an_end_of_the_wire_has_nobody_to_serve(script: str) -> None:
    command = through_shell(script)
    with started(command, stderr=subprocess.PIPE) as process:
        _, log = process.communicate(PING, timeout=PATIENCE)
    assert (process.returncode, log) == (0, b"")


@pytest.mark.contract("P7")
def test_a_server_without_a_stderr_serves_and_keeps_its_wire_clean() -> None:
    with Peer(command=through_shell("2>&-")) as peer:
        peer.shake_hands()
        (block,) = peer.call("pollute")["content"]
        assert block["text"] == "the child read 0 bytes"
        assert peer.error("tools/call", {"name": "bug"})["code"] == -32603
        assert peer.close().exit == 0


def test_a_log_that_nobody_reads_holds_nobody_up() -> None:
    reader, writer = os.pipe()
    with started(stderr=writer) as process:
        os.close(reader)
        os.close(writer)
        bug = json.dumps(a_request(1, "tools/call", {"name": "bug"})).encode()
        out, _ = process.communicate(bug + b"\n" + PING, timeout=PATIENCE)
    told = {each["id"]: each for each in map(json.loads, out.splitlines())}
    assert told[1]["error"]["code"] == -32603
    assert told["ping"]["result"] == {}
    assert process.returncode == 0


@pytest.mark.contract("P11")
def test_two_servers_serve_one_project_at_once(world: World) -> None:
    world.save("Invoices are numbered per calendar year.")
    with Peer(cwd=world.project) as one, Peer(cwd=world.project) as other:
        for peer in (one, other):
            peer.shake_hands()
        ids = [peer.start("tools/call", SAVE) for peer in (one, other)]
        for peer, id in zip((one, other), ids, strict=True):
            assert peer.response(id)["result"]["structuredContent"]["data"]["approval_token"]
            assert "calendar year" in peer.result("engram_load", {"query": "invoices"})
        assert one.close().exit == 0
        assert "calendar year" in other.result("engram_load", {"query": "invoices"})


SAVE: Message = {"name": "engram_save", "arguments": {"text": "Lint before every push."}}


# Dialogs, with a real clock and real threads


FLAT, LISTS = "2025-06-18", "2025-11-25"
FILLED: Message = {"name": "n", "sure": True, "scope": "here"}


def answer(peer: Peer, question: Message, action: str = "accept", **content: object) -> None:
    result: Message = {"action": action, **({"content": content} if content else {})}
    peer.send({"jsonrpc": "2.0", "id": question["id"], "result": result})


@pytest.mark.contract("E6")
def test_several_dialogs_are_open_while_other_requests_are_answered(fixture: Peer) -> None:
    fixture.shake_hands(LISTS, elicitation={})
    calls = [fixture.start("tools/call", {"name": "ask"}) for _ in range(8)]
    questions = [fixture.read() for _ in calls]
    assert len({question["id"] for question in questions}) == len(calls)
    assert fixture.result("ping") == {}
    assert fixture.call("echo", text="meanwhile")["content"][0]["text"] == "meanwhile"
    assert fixture.call("ask", modern=True)["content"][0]["text"] == "no dialog"
    told = {}
    for number, question in enumerate(reversed(questions)):
        answer(fixture, question, **{**FILLED, "name": str(number)})
        response = fixture.read()
        told[response["id"]] = response["result"]["structuredContent"]["content"]["name"]
    assert told.keys() == set(calls)
    assert set(told.values()) == {str(n) for n in range(8)}


@pytest.mark.parametrize("version", [FLAT, LISTS])
def test_cancelling_a_call_closes_its_dialog_alone(fixture: Peer, version: str) -> None:
    fixture.shake_hands(version, elicitation={})
    first = fixture.start("tools/call", {"name": "ask"})
    first_question = fixture.read()
    second = fixture.start("tools/call", {"name": "ask"})
    second_question = fixture.read()
    fixture.notify("notifications/cancelled", requestId=first)
    closed = fixture.read()
    assert closed["params"]["requestId"] == first_question["id"]
    answer(fixture, first_question, **FILLED)
    assert fixture.silent()
    answer(fixture, second_question, "decline")
    assert fixture.response(second)["result"]["structuredContent"]["action"] == "decline"


@pytest.mark.contract("E5")
def test_a_late_answer_is_passed_over() -> None:
    with Peer("impatient", command=FIXTURE) as peer:
        peer.shake_hands(elicitation={})
        id = peer.start("tools/call", {"name": "ask"})
        told = peer.response(id)["result"]["structuredContent"]["action"]
        question, closed = peer.aside
        assert told == "timeout"
        assert closed["params"]["requestId"] == question["id"]
        answer(peer, question, **FILLED)
        assert peer.silent()


@pytest.mark.contract("E7", "E8")
def test_a_modern_dialog_survives_no_restart(fixture: Peer) -> None:
    params: Message = {"name": "ask", "_meta": an_envelope(elicitation={"form": {}})}
    asked = fixture.result("tools/call", params, modern=True)
    (name,) = asked["inputRequests"]
    answers = {name: {"action": "accept", "content": FILLED}}
    again = {**params, "requestState": asked["requestState"], "inputResponses": answers}
    with Peer(command=FIXTURE) as restarted:
        assert restarted.error("tools/call", again, modern=True)["code"] == -32602
    result = fixture.result("tools/call", again, modern=True)
    assert result["structuredContent"]["action"] == "accept"
