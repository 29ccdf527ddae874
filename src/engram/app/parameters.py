"""An input described once: validation, JSON Schema, command-line options and reference pages read it."""

from __future__ import annotations

from engram.errors import InvalidRequest
from engram.record import Record, field, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    Input = TypeVar("Input", bound=Record)

NUMBERS = "numbers"  # whole numbers, or a word: checked by the operation that takes them
KINDS = {
    "str": "string",
    "int": "integer",
    "int | None": "integer",
    "bool": "boolean",
    "tuple[str, ...]": "array",
    "str | tuple[int, ...]": NUMBERS,
}
A_KIND = {"string": "text", "integer": "a whole number", "boolean": "true or false"}
AN_ARRAY = "a list of texts"


class Parameter(Record):
    """One named input of an operation."""

    name: str
    kind: str  # a JSON Schema type
    help: str
    default: object  # `...` where the caller must give it
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    positional: bool = False  # on the command line: a bare word
    surfaces: tuple[str, ...] = ()  # empty: every surface of the operation

    @property
    def required(self) -> bool:
        return self.default is ...

    def on(self, surface: str) -> bool:
        """Whether `surface` ("cli" or "mcp") shows this parameter."""
        return not self.surfaces or surface in self.surfaces

    def spelled(self, surface: str) -> str:
        """The name as a reader of `surface` knows it: `--budget-tokens` on the command line."""
        if surface != "cli":
            return self.name
        plain = self.name.rstrip("_")  # a word that Python keeps for itself has one behind it
        return plain.upper() if self.positional else "--" + plain.replace("_", "-")


def parameter(
    help: str,
    *,
    default: Any = ...,
    **about: Any,
) -> Any:
    """A field of an input record: what it is for, its default, its bounds (see `Parameter`)."""
    return field(default=default, help=help, **about)


def parameters(cls: type[Record], surface: str = "") -> tuple[Parameter, ...]:
    """The parameters of an input record, in their order; those of one surface when it is named."""
    kinds = cls.__annotations__
    every = (
        Parameter(name, KINDS[kinds[name]], default=described.default, **described.about)
        for name, described in fields(cls).items()
    )
    return tuple(p for p in every if not surface or p.on(surface))


def schema(cls: type[Record], surface: str = "mcp") -> dict[str, object]:
    """A flat JSON Schema of the input: the part that every host accepts."""
    shown = parameters(cls, surface)
    described: dict[str, object] = {
        "type": "object",
        "properties": {p.name: _property(p) for p in shown},
        "additionalProperties": False,
    }
    required = [p.name for p in shown if p.required]
    if required:
        described["required"] = required
    return described


def read(cls: type[Input], values: Mapping[str, object], surface: str = "") -> Input:
    """The input record of `values`, checked.

    Raises InvalidRequest naming the argument, what it should be and the nearest spelling.
    """
    known = {p.name: p for p in parameters(cls, surface)}
    unknown = [name for name in values if name not in known]
    if unknown:
        raise InvalidRequest(
            "input.unknown",
            f"There is no argument “{unknown[0]}”.",
            hint=nearest(unknown[0], known),
        )
    missing = [p for p in known.values() if p.required and values.get(p.name) is None]
    if missing:
        raise InvalidRequest("input.missing", f"“{missing[0].spelled(surface)}” is missing.")
    given = {name: value for name, value in values.items() if value is not None}
    return cls(**{name: _checked(known[name], value, surface) for name, value in given.items()})


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the spelling nearest to `word`, or all that is known."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    names = sorted(known)
    close = get_close_matches(word, names, n=1)
    if close:
        return f"Did you mean “{close[0]}”?"
    return f"Known: {', '.join(names)}." if names else "It takes none."


def _property(p: Parameter) -> dict[str, object]:
    described: dict[str, object] = {"type": p.kind, "description": p.help}
    if p.choices:
        described["enum"] = list(p.choices)
    if p.kind == "array":
        described["items"] = {"type": "string"}
    if p.kind == NUMBERS:  # a union of types is more than several hosts accept
        described.update(type="array", items={"type": "integer", "minimum": 1})
    if p.minimum is not None:
        described["minimum"] = p.minimum
    if p.maximum is not None:
        described["maximum"] = p.maximum
    if not p.required and p.default not in (None, "", ()):
        described["default"] = p.default
    return described


def _checked(p: Parameter, value: object, surface: str) -> object:
    if p.kind == "array":
        return _texts(p, value, surface)
    if p.kind == NUMBERS:
        return tuple(value) if isinstance(value, list) else value
    if p.kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON knows one kind of number: 8.0 is a whole one
    expected = {"string": str, "integer": int, "boolean": bool}[p.kind]
    if not isinstance(value, expected) or (p.kind == "integer" and isinstance(value, bool)):
        raise InvalidRequest("input.type", f"“{p.spelled(surface)}” must be {A_KIND[p.kind]}.")
    if isinstance(value, str) and p.choices and value not in p.choices:
        raise InvalidRequest(
            "input.choice",
            f"“{p.spelled(surface)}” cannot be “{value}”.",
            hint=f"It is one of: {', '.join(p.choices)}.",
        )
    if p.kind == "integer" and isinstance(value, int):
        _within(p, value, surface)
    return value


def _within(p: Parameter, value: int, surface: str) -> None:
    low, high = p.minimum, p.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        ends = [f"from {low}" if low is not None else "", f"to {high}" if high is not None else ""]
        raise InvalidRequest(
            "input.bounds",
            f"“{p.spelled(surface)}” is {value}.",
            hint=f"It goes {' '.join(end for end in ends if end)}.",
        )


def _texts(p: Parameter, value: object, surface: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InvalidRequest("input.type", f"“{p.spelled(surface)}” must be {AN_ARRAY}.")
    return tuple(value)
