"""A model on the loopback: it speaks the four wire formats of agents and asks for one tool, once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Message = dict[str, Any]
SAID = "MOCK-OK"
SEARCH = "ToolSearch"  # one host offers most tools behind a search


class Call:
    """A tool that the model wants run."""

    def __init__(self, id: str, name: str, arguments: Message, space: str = "") -> None:
        self.id = id
        self.name = name
        self.arguments = arguments
        self.space = space

    @property
    def text(self) -> str:
        return json.dumps(self.arguments)


class Model(ThreadingHTTPServer):
    """Answers every request with a short text, or first with a call of `tool`; keeps the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tool = ""
        self.arguments: Message = {}
        self.requests: list[Message] = []
        self._asked: set[str] = set()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def will_ask_for(self, tool: str, **arguments: Any) -> None:
        """Forget what was; ask for this tool as soon as it is offered."""
        self.tool, self.arguments = tool, arguments
        self.requests.clear()
        self._asked.clear()

    @property
    def asked(self) -> bool:
        """Whether the model has asked for its tool."""
        return "tool" in self._asked

    @property
    def offered(self) -> set[str]:
        """The names of all tools that any request offered."""
        return {name for body in self.requests for name, _ in tools_of(body)}

    @property
    def results(self) -> list[str]:
        """What the agent has sent back for calls, each text once."""
        found = (text for body in self.requests for text in results_of(body))
        return list(dict.fromkeys(found))

    def most(self, text: str) -> int:
        """The largest number of times that one request holds `text`."""
        return max((json.dumps(body).count(text) for body in self.requests), default=0)

    def next_call(self, body: Message) -> Call | None:
        """The call that answers this request, if it is time for one."""
        tools = dict(tools_of(body))
        with self._turn:
            if not self.tool or "tool" in self._asked:
                return None
            for name, space in tools.items():
                if name.endswith(self.tool):
                    self._asked.add("tool")
                    return Call("call_tool", name, self.arguments, space)
            if SEARCH in tools and SEARCH not in self._asked:
                self._asked.add(SEARCH)
                return Call("call_search", SEARCH, {"query": self.tool, "max_results": 5})
        return None


class Handler(BaseHTTPRequestHandler):
    """One request of an agent."""

    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: object) -> None:
        """Nothing: the requests are kept whole."""

    def do_GET(self) -> None:
        self._send({"data": [], "object": "list", "models": []})

    do_HEAD = do_GET  # noqa: N815 - the base class wants that name

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {}
        if path.endswith("count_tokens"):
            self._send({"input_tokens": 10})
        elif path.endswith("countTokens"):
            self._send({"totalTokens": 10})
        elif path.endswith("/messages"):
            self._answer(body, anthropic, streams=bool(body.get("stream")))
        elif path.endswith("/responses"):
            self._answer(body, responses, streams=True)
        elif path.endswith("/chat/completions"):
            self._answer(body, chat, streams=bool(body.get("stream")))
        elif "enerateContent" in path:
            self._answer(body, gemini, streams="stream" in path)
        else:
            self._send({}, status=404)

    def _answer(self, body: Message, format: Any, *, streams: bool) -> None:
        self.server.requests.append(body)
        whole, events = format(str(body.get("model", "mock")), self.server.next_call(body))
        self._send(events if streams else whole)

    def _send(self, answer: Message | list[Message], status: int = 200) -> None:
        if isinstance(answer, list):
            text, kind = "".join(lines_of(answer)), "text/event-stream"
        else:
            text, kind = json.dumps(answer), "application/json"
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


def lines_of(events: Iterable[Message]) -> Iterator[str]:
    """Server-sent events; those with a type are named by it."""
    for event in events:
        name = f"event: {event['type']}\n" if "type" in event else ""
        yield f"{name}data: {json.dumps(event)}\n\n"


# What a request holds, in any of the formats


def tools_of(body: Message) -> Iterator[tuple[str, str]]:
    """Each offered tool's name, and the name space it is in."""
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            yield from ((each["name"], tool["name"]) for each in tool.get("tools", []))
        elif "functionDeclarations" in tool:
            yield from ((each["name"], "") for each in tool["functionDeclarations"])
        else:
            yield (tool.get("function") or tool).get("name", ""), ""


def results_of(body: Message) -> Iterator[str]:
    """What the agent reports of the calls that were made."""
    for message in parts_of(body, "messages"):  # two formats
        if message.get("role") == "tool":
            yield as_text(message.get("content"))
        for part in of_type("tool_result", parts_of(message, "content")):
            yield as_text(part.get("content"))
    for item in of_type("function_call_output", parts_of(body, "input")):
        yield as_text(item.get("output"))
    for content in parts_of(body, "contents"):
        for part in parts_of(content, "parts"):
            if "functionResponse" in part:
                yield as_text(part["functionResponse"].get("response"))


def of_type(kind: str, parts: Iterable[Message]) -> Iterator[Message]:
    return (part for part in parts if part.get("type") == kind)


def parts_of(holder: Message, key: str) -> list[Message]:
    """The objects of a list, where there is one."""
    value = holder.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# The formats: one whole answer, and the same as a stream of events


def anthropic(model: str, call: Call | None) -> tuple[Message, list[Message]]:
    """The Messages API."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.name}
        whole, empty = {**block, "input": call.arguments}, {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.text}
    else:
        whole, empty = {"type": "text", "text": SAID}, {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": SAID}
    reason = "tool_use" if call else "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    none: Message = {"stop_reason": None, "stop_sequence": None}
    begun: Message = {**message, "content": [], **none, "usage": usage}
    ended = {"stop_reason": reason, "stop_sequence": None}
    return (
        {**message, "content": [whole], **ended, "usage": usage},
        [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ],
    )


def responses(_: str, call: Call | None) -> tuple[Message, list[Message]]:
    """The Responses API."""
    item: Message
    if call:
        item = {"type": "function_call", "id": "fc_1", "call_id": call.id, "name": call.name}
        item |= {"arguments": call.text} | ({"namespace": call.space} if call.space else {})
    else:
        item = {"type": "message", "id": "m_1", "role": "assistant"}
        item["content"] = [{"type": "output_text", "text": SAID, "annotations": []}]
    item["status"] = "completed"
    response = {"id": "r_1", "object": "response"}
    begun = {**response, "status": "in_progress", "output": []}
    ended = {
        **response,
        "status": "completed",
        "output": [item],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }
    return ended, [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": ended},
    ]


def chat(model: str, call: Call | None) -> tuple[Message, list[Message]]:
    """The Chat Completions API."""
    message: Message = {"role": "assistant"}
    if call:
        function = {"name": call.name, "arguments": call.text}
        message["tool_calls"] = [
            {"index": 0, "id": call.id, "type": "function", "function": function}
        ]
    else:
        message["content"] = SAID
    reason = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    about = {"id": "c_1", "created": 1, "model": model}
    chunk = {**about, "object": "chat.completion.chunk"}
    choice = {"index": 0, "finish_reason": reason}
    return (
        {
            **about,
            "object": "chat.completion",
            "choices": [{**choice, "message": message}],
            "usage": usage,
        },
        [
            {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**chunk, "choices": [{**choice, "delta": {}}], "usage": usage},
        ],
    )


def gemini(_: str, call: Call | None) -> tuple[Message, list[Message]]:
    """generateContent."""
    part: Message = {"text": SAID}
    if call:
        part = {"functionCall": {"name": call.name, "args": call.arguments}}
    content = {"role": "model", "parts": [part]}
    answer = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "mock",
    }
    return answer, [answer]
