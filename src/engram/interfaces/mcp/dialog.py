"""A question to the person in the host's own dialog, in both eras (contract clauses E1 to E9).

A legacy client is sent `elicitation/create` and the call waits. A modern client gets an
`input_required` result, and the tool runs a second time when the client calls again with the
answer; what the tool must know then it hands to `ask` as `keep` and finds as `kept`.
"""

from __future__ import annotations

from engram.interfaces.mcp import eras
from engram.interfaces.mcp.calls import InputRequired, TimedOut
from engram.interfaces.mcp.wire import INVALID_PARAMS, Refusal
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from engram.interfaces.mcp.calls import Call
    from engram.interfaces.mcp.seal import Seal

SECONDS = 60.0  # contract clause E5
_QUESTION = "answer"  # the name of the one question of a modern round

TEXT, NUMBER, YES_NO, ONE_OF, SOME_OF = "text", "number", "yes or no", "one of", "some of"

ACCEPT, DECLINE, CANCEL = "accept", "decline", "cancel"
TIMEOUT = "timeout"
ERROR = "error"  # the client could not show the dialog
INVALID = "invalid"  # an answer that the form does not allow


class FormField(Record):
    """One field of a form. Nothing is chosen beforehand; a yes-or-no starts at no."""

    name: str
    kind: str  # TEXT | NUMBER | YES_NO | ONE_OF | SOME_OF
    title: str = ""
    description: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # (value, what the person reads)
    required: bool = True


class Form(Record):
    """What a person is asked."""

    message: str
    fields: tuple[FormField, ...]


class Answer(Record):
    """What came of it; `content` holds a value for each field that was filled in."""

    action: str  # ACCEPT | DECLINE | CANCEL | TIMEOUT | ERROR | INVALID
    content: Mapping[str, object] = {}


class Dialog:
    """The dialog of one call."""

    def __init__(self, call: Call, seal: Seal, workspace: str, *, offered: bool) -> None:
        """`offered` is false where the person asked for no dialogs.

        Raises Refusal (INVALID_PARAMS) when a modern call comes back with a state that is not
        ours, or with answers that are no object.
        """
        self._call = call
        self._seal = seal
        self._bound = {
            "method": call.request.method,
            "tool": call.params.get("name"),
            "workspace": workspace,
            "arguments": call.params.get("arguments") or {},
        }
        self._answers: Mapping[str, Any] = {}
        self.kept: Mapping[str, object] | None = None  # what the tool kept when it asked
        self.available = offered and call.caller.shows_forms
        if call.caller.modern and "requestState" in call.params:
            self.kept = seal.open(call.params["requestState"], self._bound)
            self._answers = _answers(call.params)

    def ask(
        self, form: Form, keep: Mapping[str, object] | None = None, seconds: float = SECONDS
    ) -> Answer:
        """Ask once; a modern call that brings no answer yet ends here, to be called again.

        What a modern call kept tells which question its answer is for.

        Raises Abandoned when the call was given up meanwhile.
        """
        question = {"message": form.message, "requestedSchema": schema(form, self._call.caller)}
        if not self._call.caller.modern:
            return self._ask_now(form, question, seconds)
        if _QUESTION in self._answers and self.kept == (keep or {}):
            return read_answer(form, self._answers[_QUESTION])
        asked = {"method": "elicitation/create", "params": {"mode": "form", **question}}
        raise InputRequired({_QUESTION: asked}, self._seal.seal(self._bound, keep or {}))

    def _ask_now(self, form: Form, question: Mapping[str, Any], seconds: float) -> Answer:
        try:
            response = self._call.ask("elicitation/create", question, seconds)
        except TimedOut:
            return Answer(TIMEOUT)
        return Answer(ERROR) if "error" in response else read_answer(form, response["result"])


def schema(form: Form, caller: eras.Caller) -> dict[str, Any]:
    """The `requestedSchema` of a form as the caller's version knows it (MCP: elicitation)."""
    lists = caller.version >= eras.WITH_LISTS_IN_FORMS
    properties: dict[str, Any] = {}
    required: list[str] = []
    for field in form.fields:
        for name, described in _properties(field, lists=lists):
            properties[name] = described
            if field.required and field.kind != SOME_OF:
                required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def read_answer(form: Form, result: object) -> Answer:
    """What the person answered; INVALID for whatever the form does not allow."""
    if not isinstance(result, dict):
        return Answer(INVALID)
    action, content = result.get("action"), result.get("content")
    if action in (DECLINE, CANCEL):
        return Answer(action)
    if action != ACCEPT or not isinstance(content, dict | None):
        return Answer(INVALID)
    told: dict[str, object] = {}
    for field in form.fields:
        value = _value(field, content or {})
        if value is None and field.required:
            return Answer(INVALID)
        if value is not None:
            if not _allows(field, value):
                return Answer(INVALID)
            told[field.name] = value
    return Answer(ACCEPT, told)


def _answers(params: Mapping[str, Any]) -> Mapping[str, Any]:
    answers = params.get("inputResponses", {})
    if not isinstance(answers, dict):
        raise Refusal(INVALID_PARAMS, "Invalid params: inputResponses must be an object.")
    return answers


def _properties(field: FormField, *, lists: bool) -> list[tuple[str, dict[str, Any]]]:
    """The properties of one field: several where a version has no lists, a yes or no for each."""
    about = {"title": field.title, "description": field.description}
    told = {key: text for key, text in about.items() if text}
    if field.kind == YES_NO:
        return [(field.name, {"type": "boolean", **told, "default": False})]
    if field.kind == ONE_OF:
        return [(field.name, {"type": "string", **told, **_choices(field, titled=lists)})]
    if field.kind == SOME_OF and lists:
        items = {"anyOf": [{"const": value, "title": title} for value, title in field.choices]}
        return [(field.name, {"type": "array", **told, "items": items})]
    if field.kind == SOME_OF:
        return [
            (_part(field, value), {"type": "boolean", "title": title, "default": False})
            for value, title in field.choices
        ]
    return [(field.name, {"type": "string" if field.kind == TEXT else "number", **told})]


def _choices(field: FormField, *, titled: bool) -> dict[str, Any]:
    if titled:
        return {"oneOf": [{"const": value, "title": title} for value, title in field.choices]}
    return {
        "enum": [value for value, _ in field.choices],
        "enumNames": [title for _, title in field.choices],
    }


def _part(field: FormField, value: str) -> str:
    """The name of the yes-or-no that stands for one choice of several."""
    return f"{field.name}_{value}"


def _value(field: FormField, content: Mapping[str, object]) -> object:
    """What the content says of a field; None: nothing."""
    if field.kind != SOME_OF or field.name in content:
        return content.get(field.name)
    chosen = [(value, content.get(_part(field, value), False)) for value, _ in field.choices]
    if not all(isinstance(yes, bool) for _, yes in chosen):
        return False  # allowed for no list of choices
    return [value for value, yes in chosen if yes]


def _allows(field: FormField, value: object) -> bool:
    known = [each for each, _ in field.choices]
    if field.kind == YES_NO:
        return isinstance(value, bool)
    if field.kind == NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if field.kind == SOME_OF:
        return (
            isinstance(value, list)
            and all(each in known for each in value)
            and len(set(value)) == len(value)
        )
    return isinstance(value, str) and (field.kind == TEXT or value in known)
