"""The command line: words in; text or JSON, and one exit status, out."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.app.operation import Operation
    from engram.errors import EngramError
    from engram.interfaces.arguments import Arguments
    from engram.interfaces.terminal import Screen
    from engram.system.environment import Environment

INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
PIPE_CLOSED = 141  # 128 + SIGPIPE
HELP_WORDS = ("-h", "--help", "help")
VERSION_WORDS = ("-V", "--version", "version")
INPUT_LIMIT = 10_000_000  # bytes of standard input


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; never raises, never shows a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["agent-hook"]:
        from engram.interfaces import hook  # noqa: PLC0415 - it imports little

        return hook.run(words[1:]) if argv is None else hook.main(words[1:])
    _speak_utf8()
    try:
        return _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return PIPE_CLOSED


def _speak_utf8() -> None:
    """Whatever the locale, every letter of a memory can be written."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _silence() -> None:
    """Nobody reads on: let the interpreter's last flush go nowhere."""
    import os  # noqa: PLC0415 - only a closed pipe pays for it

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _give_up_on_output() -> None:
    """Where standard output cannot be written, what is left of it must not fail once more."""
    try:
        sys.stdout.flush()
    except OSError:
        _silence()


def _run(words: list[str]) -> int:
    from engram.errors import EngramError, Unavailable  # noqa: PLC0415 - behind the hook's branch
    from engram.interfaces.terminal import Screen  # noqa: PLC0415
    from engram.system.environment import Environment  # noqa: PLC0415

    environment = Environment.of_this_process()
    screen = Screen(environment)
    try:
        return _dispatch(words, environment, screen)
    except EngramError as error:
        return _fail(error, words, screen)
    except BrokenPipeError:
        raise
    except OSError as error:
        _give_up_on_output()
        return _fail(Unavailable("system.failed", f"The system says: {error}."), words, screen)
    except Exception as error:  # noqa: BLE001 - the command line's top: a bug becomes one line
        from engram.interfaces.bugs import bug  # noqa: PLC0415 - only a bug pays for it

        return _fail(bug(error, environment), words, screen)


def _fail(error: EngramError, words: list[str], screen: Screen) -> int:
    options = words[: words.index("--")] if "--" in words else words
    if "--json" in options:
        from engram.app.results import failure  # noqa: PLC0415

        _print_json(failure(error))
    else:
        screen.fail(error)
    return error.exit_status


def _dispatch(words: list[str], environment: Environment, screen: Screen) -> int:
    from engram.app.operations import operation  # noqa: PLC0415
    from engram.errors import InvalidRequest  # noqa: PLC0415
    from engram.interfaces.arguments import command_of, read_arguments  # noqa: PLC0415

    name, rest = command_of(words)
    if name in VERSION_WORDS or (not name and any(each in VERSION_WORDS for each in rest)):
        from engram import __version__  # noqa: PLC0415

        screen.print(f"engram {__version__}")
        return 0
    if name in HELP_WORDS or (not name and any(each in HELP_WORDS for each in rest)):
        return _help([each for each in rest if not each.startswith("-")], screen)
    chosen = operation(name) if name else None
    if chosen is None:
        return _overview(rest, environment, screen)
    arguments = read_arguments(chosen, rest)
    if arguments.help:
        return _help([chosen.name], screen)
    try:
        return _call(chosen, arguments, environment, screen)
    except InvalidRequest as error:
        error.hint = error.hint or f"See: engram help {chosen.name}"
        raise


def _call(chosen: Operation, arguments: Arguments, environment: Environment, screen: Screen) -> int:
    from engram.app.engram import compose  # noqa: PLC0415
    from engram.app.parameters import read  # noqa: PLC0415
    from engram.record import replace  # noqa: PLC0415

    asked = read(chosen.input, _texts(arguments), "cli")
    engram = compose(environment, workspace=arguments.workspace, progress=screen.progress())
    if _asks(chosen):
        from engram.interfaces.prompt import person_at_terminal  # noqa: PLC0415

        person = person_at_terminal()
        engram = replace(engram, person=person, ask=person.ask if person else None)
    result = chosen.run(engram, asked)
    diagnostics = (*engram.settings.problems, *result.diagnostics)
    if arguments.json:
        from engram.app.results import envelope  # noqa: PLC0415

        _print_json(envelope(replace(result, diagnostics=diagnostics)))
    else:
        screen.show(result, diagnostics)
    return result.exit_status


def _asks(chosen: Operation) -> bool:
    """Whether an operation may have to ask the person: the writing ones, and what can be forced."""
    from engram.app.operation import WRITE  # noqa: PLC0415
    from engram.record import fields  # noqa: PLC0415

    return chosen.group == WRITE or bool({"force", "no_link"} & fields(chosen.input).keys())


def _texts(arguments: Arguments) -> dict[str, object]:
    """The values, each text checked to be text, and `-` replaced by what standard input holds."""
    from engram.errors import InvalidRequest  # noqa: PLC0415

    values = dict(arguments.values)
    for name in ("query", "text"):
        if values.get(name) == "-":
            values[name] = _standard_input()
    for name, value in values.items():
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise InvalidRequest(
                "input.encoding",
                f"“{name}” is not UTF-8 text.",
                hint="Set the terminal, or the file that it comes from, to UTF-8.",
            )
    return values


def _standard_input() -> str:
    """All of standard input; bytes that are no UTF-8 come out as lone surrogates."""
    from engram.errors import InvalidRequest  # noqa: PLC0415

    if sys.stdin is None:
        return ""
    raw = sys.stdin.buffer.read(INPUT_LIMIT + 1)
    if len(raw) > INPUT_LIMIT:
        raise InvalidRequest(
            "input.too_long",
            f"Standard input holds more than {INPUT_LIMIT:,} bytes.",
            hint="Give it in parts.",
        )
    return raw.decode("utf-8-sig", "surrogateescape").strip()


def _print_json(content: dict[str, object]) -> None:
    import json  # noqa: PLC0415 - only an answer as data pays for it

    sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    sys.stdout.flush()


def _help(names: list[str], screen: Screen) -> int:
    from engram.app.command_line import help_text  # noqa: PLC0415
    from engram.app.operations import operation  # noqa: PLC0415
    from engram.interfaces.overview import commands  # noqa: PLC0415

    screen.print(help_text(operation(names[0])) if names else commands())
    return 0


def _overview(words: list[str], environment: Environment, screen: Screen) -> int:
    """`engram` alone: what it is, and the next step."""
    from engram.app.engram import compose  # noqa: PLC0415
    from engram.app.results import Result, envelope  # noqa: PLC0415
    from engram.interfaces.arguments import read_arguments  # noqa: PLC0415
    from engram.interfaces.overview import ALONE, overview  # noqa: PLC0415

    arguments = read_arguments(ALONE, words)
    result = Result(overview(compose(environment, workspace=arguments.workspace)), {})
    if arguments.json:
        _print_json(envelope(result))
    else:
        screen.show(result, ())
    return 0
