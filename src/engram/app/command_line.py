"""How an operation is spelled on a command line: its options, its usage, its help."""

from __future__ import annotations

from engram.app.parameters import Parameter, parameters
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.app.operation import Operation

JSON = Parameter("json", "boolean", "Answer with JSON on standard output.", default=False)
WORKSPACE = Parameter(
    "workspace", "string", "Work in the project that holds this folder.", default=""
)
HELP = Parameter("help", "boolean", "Show this help.", default=False)
COMMON = (JSON, WORKSPACE, HELP)  # what every command takes
SHORT = {"force": "-f", "help": "-h"}
WIDTH = 88
COLUMN = 26  # where the explanations start


class Page(Record):
    """The help of one command, in parts, for every form that it is shown in."""

    usage: str
    positional: tuple[Parameter, ...]
    options: tuple[Parameter, ...]


def page(operation: Operation) -> Page:
    """What the help of an operation holds."""
    shown = parameters(operation.input, "cli")
    positional = tuple(each for each in shown if each.positional)
    options = tuple(each for each in shown if not each.positional)
    words = [f"engram {operation.name}"]
    words += [
        each.name.upper() if each.required else f"[{placeholder(each)}]" for each in positional
    ]
    words += ["[options]"] if options else []
    return Page(" ".join(words), positional, options)


def spellings(options: Iterable[Parameter]) -> dict[str, Parameter]:
    """Every way to write each option."""
    known = {}
    for each in options:
        known[each.spelled("cli")] = each
        if each.name in SHORT:
            known[SHORT[each.name]] = each
    return known


def placeholder(parameter: Parameter) -> str:
    """What stands for the value: the choices, or the name of what is expected."""
    if parameter.choices:
        return "|".join(parameter.choices)
    if parameter.positional:
        return parameter.name.upper() + ("…" if parameter.kind == "array" else "")
    return "N" if parameter.kind == "integer" else parameter.name.upper()


def signature(parameter: Parameter) -> str:
    """The left side of a line of help: `--budget-tokens N`, `-f, --force`."""
    if parameter.positional:
        return parameter.name.upper()
    short = f"{SHORT[parameter.name]}, " if parameter.name in SHORT else ""
    value = "" if parameter.kind == "boolean" else f" {placeholder(parameter)}"
    return f"{short}{parameter.spelled('cli')}{value}"


def remarks(parameter: Parameter) -> str:
    """The explanation with what else holds: choices of a bare word, bounds, the default."""
    known = [parameter.help]
    if parameter.positional and parameter.choices:
        known.append(f"One of: {', '.join(parameter.choices)}.")
    if parameter.minimum is not None and parameter.maximum is not None:
        known.append(f"From {parameter.minimum} to {parameter.maximum}.")
    if parameter.default not in (..., None, "", (), False):
        known.append(f"Default: {parameter.default}.")
    return " ".join(known)


def help_text(operation: Operation) -> str:
    """The whole help of one command, as text."""
    shown = page(operation)
    parts = [operation.summary, f"Usage: {shown.usage}"]
    if operation.aliases:
        parts[-1] += f"\nAlso spelled: {', '.join(operation.aliases)}"
    if shown.positional:
        parts.append(_block("", shown.positional))
    if shown.options:
        parts.append(_block("Options:\n", shown.options))
    parts.append(_block("For every command:\n", COMMON))
    parts.append(f"Example:\n  {operation.example}")
    return "\n\n".join(parts)


def _block(heading: str, shown: Iterable[Parameter]) -> str:
    return heading + "\n".join(aligned(signature(each), remarks(each)) for each in shown)


def aligned(left: str, right: str) -> str:
    """A line of help with its explanation in a column, on as many lines as it takes."""
    import textwrap  # noqa: PLC0415 - only help pays for it

    lines = textwrap.wrap(right, WIDTH - COLUMN, break_on_hyphens=False)
    margin = " " * COLUMN
    if len(left) > COLUMN - 4:
        return "\n".join([f"  {left}", *(margin + line for line in lines)])
    return f"  {left}".ljust(COLUMN) + f"\n{margin}".join(lines)
