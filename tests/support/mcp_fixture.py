"""An MCP server with fixed tools, resources and prompts: what the tests and the official
conformance suite need, served by the product's own protocol layer.

The names that begin with `test_` or `test://` are the conformance suite's; the others are ours.
Options: `impatient` (nobody answers a question in time), `late` (states expire at once),
`no-dialogs`.
"""
# ruff: noqa: ARG001, ARG002 - every tool has the same shape

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from engram.errors import InvalidRequest
from engram.interfaces.mcp.calls import Call, InputRequired, in_time
from engram.interfaces.mcp.dialog import (
    NUMBER,
    ONE_OF,
    SOME_OF,
    TEXT,
    YES_NO,
    Dialog,
    Form,
    FormField,
)
from engram.interfaces.mcp.eras import LOG_LEVELS
from engram.interfaces.mcp.registry import (
    Argument,
    Prompt,
    Registry,
    Resource,
    ResourceTemplate,
    Tool,
)
from engram.interfaces.mcp.seal import Seal
from engram.interfaces.mcp.server import serve
from engram.interfaces.mcp.tools import failed
from engram.interfaces.mcp.wire import INVALID_PARAMS, Refusal

Arguments = Mapping[str, Any]
Answered = dict[str, Any]

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
NOTHING: Answered = {"type": "object", "additionalProperties": False}
ANYTHING: Answered = {"type": "object"}
ONE_TEXT: Answered = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "Any text."}},
}
QUESTION: Answered = {"type": "object", "properties": {"name": {"type": "string"}}}

held: dict[str, threading.Event] = {}
held_lock = threading.Lock()
levels = {"legacy": "info"}


def text(words: str) -> Answered:
    return {"type": "text", "text": words}


def said(*blocks: Answered, **more: Any) -> Answered:
    return {"content": list(blocks), **more}


# Our own tools


def echo(arguments: Arguments, call: Call) -> Answered:
    words = arguments.get("text", "")
    return said(text(str(words)), structuredContent={"text": words, "version": call.caller.version})


def event(arguments: Arguments) -> threading.Event:
    with held_lock:
        return held.setdefault(str(arguments.get("text")), threading.Event())


def hold(arguments: Arguments, call: Call) -> Answered:
    """Goes on until `release` is called with the same text."""
    call.progress(0)
    event(arguments).wait()
    return said(text("released"))


def release(arguments: Arguments, call: Call) -> Answered:
    event(arguments).set()
    return said(text("done"))


def pollute(arguments: Arguments, call: Call) -> Answered:
    print("a stray line")
    sys.stdout.flush()
    os.write(1, b"stray bytes\n")
    subprocess.run(["echo", "a stray child"], check=True)
    read = subprocess.run(["cat"], check=True, stdout=subprocess.PIPE)
    return said(text(f"the child read {len(read.stdout)} bytes"))


def bug(arguments: Arguments, call: Call) -> Answered:
    raise RuntimeError("a secret detail")


def leave(arguments: Arguments, call: Call) -> Answered:
    sys.exit("a tool must not end the server")


def endless(arguments: Arguments, call: Call) -> Answered:
    return said(text("x"), structuredContent={"number": float("inf")})


def half(arguments: Arguments, call: Call) -> Answered:
    return said(text("half a pair: \ud83d, a whole one: \U0001f600"))


def wrong(arguments: Arguments, call: Call) -> Answered:
    code = str(arguments.get("text", "input.wrong"))
    return failed(InvalidRequest(code, "It is wrong.", hint="Mend it."))


def blocks(arguments: Arguments, call: Call) -> Answered:
    link = {"type": "resource_link", "uri": "test://static-text", "name": "a link"}
    sound = {"type": "audio", "data": SOUND, "mimeType": "audio/wav"}
    return said(text("blocks"), sound, link, structuredContent=["not", "an", "object"])


def steps(arguments: Arguments, call: Call) -> Answered:
    for done in (0, 50, 50, 20, 100):
        call.progress(done, 100, f"step {done}")
    return said(text("done"))


FORM = Form(
    "What shall be done?",
    (
        FormField("name", TEXT, "Name", "Any name."),
        FormField("count", NUMBER, "Count", required=False),
        FormField("sure", YES_NO, "Sure?"),
        FormField("scope", ONE_OF, "Scope", "", (("none", "Nowhere"), ("here", "Here"))),
        FormField("numbers", SOME_OF, "Which", "", (("1", "ADD one"), ("2", "UPDATE two"))),
    ),
)


def asker(seal: Seal, *, offered: bool) -> Callable[[Arguments, Call], Answered]:
    def ask(arguments: Arguments, call: Call) -> Answered:
        dialog = Dialog(call, seal, "a workspace", offered=offered)
        if not dialog.available:
            return said(text("no dialog"))
        answer = dialog.ask(FORM, {"token": "kept in the process"})
        told = {"action": answer.action, "content": dict(answer.content), "kept": dialog.kept}
        return said(text(json.dumps(told)), structuredContent=told)

    return ask


OWN = {
    "echo": echo,
    "hold": hold,
    "release": release,
    "pollute": pollute,
    "bug": bug,
    "leave": leave,
    "endless": endless,
    "half": half,
    "wrong": wrong,
    "blocks": blocks,
    "steps": steps,
}

# The conformance suite's tools


def image() -> Answered:
    return {"type": "image", "data": IMAGE, "mimeType": "image/png"}


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> Answered:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": words}}


def log(call: Call, words: str) -> None:
    """What the caller wants to hear of: nothing unless it says so, in the modern era."""
    wanted = call.caller.log_level if call.caller.modern else levels["legacy"]
    if wanted and LOG_LEVELS.index("info") >= LOG_LEVELS.index(wanted):
        call.notify("notifications/message", {"level": "info", "data": words})


def logging(arguments: Arguments, call: Call) -> Answered:
    for words in ("started", "working", "done"):
        log(call, words)
    return said(text("logged"))


def progress(arguments: Arguments, call: Call) -> Answered:
    for done in (0, 50, 100):
        call.progress(done, 100, f"{done} of 100")
    return said(text("done"))


def error(arguments: Arguments, call: Call) -> Answered:
    return failed(InvalidRequest("test.error", "This tool always fails."))


def sampling(arguments: Arguments, call: Call) -> Answered:
    message = {"role": "user", "content": text(str(arguments.get("prompt")))}
    params = {"messages": [message], "maxTokens": 100}
    answer = call.ask("sampling/createMessage", params, 20)
    return said(text(f"The model said: {answer['result']['content']['text']}"))


def elicited(message: str, properties: Answered, required: list[str], call: Call) -> Answered:
    schema = {"type": "object", "properties": properties, "required": required}
    params = {"message": message, "requestedSchema": schema}
    result = call.ask("elicitation/create", params, 20)["result"]
    told = f"action={result['action']}, content={json.dumps(result.get('content', {}))}"
    return said(text(told))


def elicitation(arguments: Arguments, call: Call) -> Answered:
    properties = {"response": {"type": "string", "description": "The answer."}}
    return elicited(str(arguments.get("message")), properties, ["response"], call)


def defaults(arguments: Arguments, call: Call) -> Answered:
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    return elicited("Look through the values.", properties, [], call)


def enums(arguments: Arguments, call: Call) -> Answered:
    plain = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
    old = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]}
    properties = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", **old},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return elicited("Choose.", properties, [], call)


def missing_capability(arguments: Arguments, call: Call) -> Answered:
    if "sampling" not in call.caller.capabilities:
        raise Refusal(-32021, "Sampling is needed.", {"requiredCapabilities": {"sampling": {}}})
    return said(text("It could sample."))


def form(message: str, name: str, kind: str = "string") -> Answered:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
    }


def sample(words: str) -> Answered:
    params = {"messages": [{"role": "user", "content": text(words)}], "maxTokens": 100}
    return {"method": "sampling/createMessage", "params": params}


ROOTS: Answered = {"method": "roots/list", "params": {}}
NAME = {"user_name": form("What is your name?", "name")}
SURE = {"confirm": form("Sure?", "ok", "boolean")}
ROUNDS = ({"step1": form("Your name?", "name")}, {"step2": form("Your colour?", "color")})
NEEDED = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}


class Rounds:
    """Tools and prompts that ask in the modern way, round by round."""

    def __init__(self, seal: Seal) -> None:
        self.seal = seal

    def tool(
        self, *rounds: Mapping[str, Answered], state: bool = False
    ) -> Callable[[Arguments, Call], Answered]:
        def run(arguments: Arguments, call: Call) -> Answered:
            self.go_through(call, rounds, state=state)
            return said(text("state-ok" if state else "Hello, whoever you are!"))

        return run

    def prompt(self, arguments: Arguments, call: Call) -> Answered:
        asked = {"user_context": form("Which context?", "context")}
        self.go_through(call, (asked,), state=False)
        return {"messages": [{"role": "user", "content": text("A prompt with its context.")}]}

    def declared(self, arguments: Arguments, call: Call) -> Answered:
        """Asks only what the client declared that it can answer."""
        offers = {"name": form("Your name?", "name"), "line": sample("A line, please.")}
        able = {
            key: asked
            for key, asked in offers.items()
            if NEEDED[asked["method"]] in call.caller.capabilities
        }
        self.go_through(call, (able,), state=False)
        return said(text("done"))

    def go_through(
        self, call: Call, rounds: tuple[Mapping[str, Answered], ...], *, state: bool
    ) -> None:
        """Return when the last round is answered."""
        bound = {"method": call.request.method, "name": call.params.get("name")}
        number = 0
        if "requestState" in call.params:
            number = int(str(self.seal.open(call.params["requestState"], bound)["round"]))
        answers = call.params.get("inputResponses", {})
        if not isinstance(answers, dict):
            raise Refusal(INVALID_PARAMS, "inputResponses must be an object.")
        if all(isinstance(answers.get(key), dict) for key in rounds[number]):
            number += 1
        if number < len(rounds):
            sealed = self.seal.seal(bound, {"round": number}) if state else ""
            raise InputRequired(rounds[number], sealed)


SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def official_tools(seal: Seal) -> dict[str, Callable[[Arguments, Call], Answered]]:
    rounds = Rounds(seal)
    several = {**NAME, "greeting": sample("Greet."), "client_roots": ROOTS}
    mixed = (text("Several:"), image(), embedded("test://mixed", '{"a": 1}', "application/json"))
    asking = "test_input_required_result_"
    return {
        "test_simple_text": lambda _a, _c: said(text("A simple text.")),
        "test_image_content": lambda _a, _c: said(image()),
        "test_audio_content": lambda _a, _c: said(
            {"type": "audio", "data": SOUND, "mimeType": "audio/wav"}
        ),
        "test_embedded_resource": lambda _a, _c: said(embedded("test://embedded", "Embedded.")),
        "test_multiple_content_types": lambda _a, _c: said(*mixed),
        "test_tool_with_logging": logging,
        "test_logging_tool": logging,
        "test_tool_with_progress": progress,
        "test_error_handling": error,
        "test_sampling": sampling,
        "test_elicitation": elicitation,
        "test_elicitation_sep1034_defaults": defaults,
        "test_elicitation_sep1330_enums": enums,
        "test_missing_capability": missing_capability,
        "test_streaming_elicitation": rounds.tool(NAME),
        asking + "elicitation": rounds.tool(NAME),
        asking + "sampling": rounds.tool({"capital_question": sample("Which capital?")}),
        asking + "list_roots": rounds.tool({"client_roots": ROOTS}),
        asking + "request_state": rounds.tool(SURE, state=True),
        asking + "multiple_inputs": rounds.tool(several, state=True),
        asking + "multi_round": rounds.tool(*ROUNDS, state=True),
        asking + "tampered_state": rounds.tool(SURE, state=True),
        asking + "capabilities": rounds.declared,
        "json_schema_2020_12_tool": lambda a, _c: said(text(json.dumps(dict(a)))),
    }


# Resources and prompts

RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "A static text."},
    "test://static-binary": {"mimeType": "image/png", "blob": IMAGE},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}


def read(uri: str, call: Call) -> list[Answered] | None:
    if uri == "test://broken":
        raise InvalidRequest("test.broken", "It is broken.", hint="Mend it.")
    if uri in RESOURCES:
        return [{"uri": uri, **RESOURCES[uri]}]
    if uri.startswith("test://template/") and uri.endswith("/data"):
        id = uri.removeprefix("test://template/").removesuffix("/data")
        words = json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})
        return [{"uri": uri, "mimeType": "application/json", "text": words}]
    return None


def prompt_of(*blocks: Callable[[Arguments], Answered]) -> Callable[[Arguments, Call], Answered]:
    def run(arguments: Arguments, call: Call) -> Answered:
        return {"messages": [{"role": "user", "content": block(arguments)} for block in blocks]}

    return run


def prompts(seal: Seal) -> tuple[Prompt, ...]:
    about = "A prompt for the conformance suite."
    two = (Argument("arg1", "First.", required=True), Argument("arg2", "Second.", required=True))
    uri = (Argument("resourceUri", "What to embed.", required=True),)
    runs: dict[str, tuple[Callable[[Arguments, Call], Answered], tuple[Argument, ...]]] = {
        "test_simple_prompt": (prompt_of(lambda _a: text("A simple prompt.")), ()),
        "test_prompt_with_arguments": (
            prompt_of(lambda a: text(f"arg1='{a['arg1']}', arg2='{a['arg2']}'")),
            two,
        ),
        "test_prompt_with_embedded_resource": (
            prompt_of(
                lambda a: embedded(a["resourceUri"], "Embedded."), lambda _a: text("Use it.")
            ),
            uri,
        ),
        "test_prompt_with_image": (
            prompt_of(lambda _a: image(), lambda _a: text("Look at it.")),
            (),
        ),
        "test_input_required_result_prompt": (Rounds(seal).prompt, ()),
        "audible": (
            prompt_of(lambda _a: {"type": "audio", "data": SOUND, "mimeType": "audio/wav"}),
            (),
        ),
    }
    return tuple(
        Prompt(name, run, name, about, arguments) for name, (run, arguments) in runs.items()
    )


def set_level(call: Call) -> Answered:
    levels["legacy"] = call.params["level"]
    return {}


def complete(call: Call) -> Answered:
    return {"completion": {"values": [], "total": 0, "hasMore": False}}


def registry(*, late: bool = False, dialogs: bool = True) -> Registry:
    """Everything above; with `late`, an hour passes between any two looks at the clock."""
    clock = iter(range(0, 10**9, 3600))
    seal = Seal(now=lambda: float(next(clock))) if late else Seal()
    tools = [Tool(name, f"{name}, a fixture.", ONE_TEXT, run) for name, run in OWN.items()]
    tools.append(Tool("ask", "Asks.", NOTHING, asker(seal, offered=dialogs), title="Ask"))
    tools.append(
        Tool("odd_schema", "Odd.", NOTHING, echo, output_schema={"type": "array", "items": {}})
    )
    tools += [
        Tool(
            name,
            f"{name}, for the conformance suite.",
            SCHEMA_2020 if name == "json_schema_2020_12_tool" else ANYTHING,
            run,
        )
        for name, run in official_tools(seal).items()
    ]
    template = ResourceTemplate("test://template/{id}/data", "template", "A template")
    return Registry(
        instructions="A fixture.",
        capabilities={
            "tools": {},
            "resources": {"subscribe": True},
            "prompts": {},
            "logging": {},
            "completions": {},
        },
        tools=lambda: tools,
        prompts=lambda: prompts(seal),
        templates=lambda: (template,),
        resources=lambda _call: [Resource(uri, uri, "A resource") for uri in RESOURCES],
        read=read,
        methods={
            "logging/setLevel": set_level,
            "completion/complete": complete,
            "resources/subscribe": lambda _call: {},
            "resources/unsubscribe": lambda _call: {},
        },
    )


def main() -> int:
    words = sys.argv[1:]
    offered = registry(late="late" in words, dialogs="no-dialogs" not in words)
    impatient = "impatient" in words
    return serve(offered, "1.0", (lambda _event, _seconds: False) if impatient else in_time)


if __name__ == "__main__":
    sys.exit(main())
