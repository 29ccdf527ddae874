"""The words of a command line, read by the table: which command, with which input."""

from __future__ import annotations

from engram.app.command_line import COMMON, page, spellings
from engram.app.operation import Operation
from engram.app.parameters import nearest
from engram.core.memory import TYPES
from engram.errors import InvalidRequest
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engram.app.parameters import Parameter

OTHER_WORDS_FOR_TYPES = {"workflow": "skill"}
END_OF_OPTIONS = "--"


class Arguments(Record):
    """What a command line asks for."""

    values: Mapping[str, object]  # by parameter name, for `parameters.read`
    json: bool = False
    workspace: str = ""
    help: bool = False


def command_of(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command's name and the other words; options for every command may come before it."""
    leading: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != END_OF_OPTIONS:
        word = rest.pop(0)
        leading.append(word)
        if word == "--workspace" and rest:
            leading.append(rest.pop(0))
    return (rest[0] if rest else ""), leading + rest[1:]


def read_arguments(operation: Operation, words: Sequence[str]) -> Arguments:
    """The input that `words` (without the command's name) give to an operation.

    Raises InvalidRequest naming the option and its nearest spelling. The values are not yet
    checked against their bounds.
    """
    shown = page(operation)
    values, bare = _split(list(words), spellings((*COMMON, *shown.options)))
    common = {each.name: values.pop(each.name) for each in COMMON if each.name in values}
    bare = _natural(operation.name, values, bare)
    values |= _placed(shown.positional, bare)
    return Arguments(
        values,
        json=common.get("json") is True,
        workspace=str(common.get("workspace", "")),
        help=common.get("help") is True,
    )


def _split(words: list[str], known: Mapping[str, Parameter]) -> tuple[dict[str, object], list[str]]:
    """The options with their values, and the bare words."""
    values: dict[str, object] = {}
    bare: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == END_OF_OPTIONS:
            bare.extend(rest)
        elif not word.startswith("-") or word == "-" or _is_prose(word, known):
            bare.append(word)
        else:
            option, given = _option(word, known)
            values[option.name] = _value(option, given, rest, known)
    return values, bare


def _is_prose(word: str, known: Mapping[str, Parameter]) -> bool:
    """Whether a quoted text merely starts with a dash, as an item of a list does."""
    return " " in word and word.partition("=")[0] not in known


def _option(word: str, known: Mapping[str, Parameter]) -> tuple[Parameter, str | None]:
    name, equals, given = word.partition("=")
    if name not in known:
        raise InvalidRequest(
            "input.unknown",
            f"There is no option {name} here.",
            hint=f"{nearest(name, known)} Text that starts with a dash goes behind “--”.",
        )
    return known[name], given if equals else None


def _value(
    option: Parameter, given: str | None, rest: Iterator[str], known: Mapping[str, Parameter]
) -> object:
    if option.kind == "boolean":
        if given is not None:
            raise InvalidRequest(
                "input.no_value",
                f"{option.spelled('cli')} takes no value.",
                hint=f"Write {option.spelled('cli')} alone, or leave it out.",
            )
        return True
    text = next(rest, None) if given is None else given
    if text is None or (given is None and text in known):
        raise InvalidRequest(
            "input.value_missing", f"{option.spelled('cli')} needs a value behind it."
        )
    if option.kind == "integer":
        return _number(option, text)
    return text


def _number(option: Parameter, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidRequest(
            "input.type", f"{option.spelled('cli')} must be a whole number, not “{text}”."
        ) from None


def _natural(name: str, values: dict[str, object], bare: list[str]) -> list[str]:
    """What people and slash commands write instead of an option (contract clause F1)."""
    if name == "save-session" and (level := _level(bare)):
        values.setdefault("query_level", level)
        return []
    if name == "save" and len(bare) > 1 and "type" not in values:
        kind = OTHER_WORDS_FOR_TYPES.get(bare[0], bare[0])
        if kind in TYPES:
            values["type"] = kind
            return bare[1:]
    return bare


def _level(bare: list[str]) -> int:
    """The N of `last N sessions`; 0 for any other words."""
    asked = len(bare) == 3 and bare[0] == "last" and bare[2] in ("session", "sessions")
    return int(bare[1]) if asked and bare[1].isdecimal() else 0


def _placed(positional: Sequence[Parameter], bare: list[str]) -> dict[str, object]:
    """The bare words by the parameter that they are for; the last one takes all that are left."""
    if bare and not positional:
        raise InvalidRequest(
            "input.unexpected",
            f"“{bare[0]}” is one word too many.",
            hint="This command takes options only.",
        )
    placed: dict[str, object] = {}
    for each, text in zip(positional[:-1], bare, strict=False):
        placed[each.name] = text
    left = bare[len(positional) - 1 :] if positional else []
    if left:
        last = positional[-1]
        placed[last.name] = left if last.kind == "array" else " ".join(left)
    return placed
