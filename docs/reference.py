"""Write the reference pages from the tables that the program itself reads.

usage: python docs/reference.py            write docs/reference/*.md
       python docs/reference.py --check    say which of them are out of date; exit status 1
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import engram
from engram import errors
from engram.app.command_line import COMMON, page, remarks, signature
from engram.app.operation import Operation
from engram.app.operations import OPERATIONS
from engram.app.parameters import Parameter
from engram.app.settings_table import SETTINGS, VARIABLES, Setting, shown
from engram.errors import BUG_EXIT_STATUS, EngramError
from engram.hosts.catalogue.parts import ROOTS
from engram.hosts.hooks import VARIABLES as HOOK_VARIABLES

FOLDER = Path(__file__).resolve().parent / "reference"
SOURCE = Path(engram.__file__).resolve().parent
MADE = "<!-- Made by docs/reference.py from the program's own tables; change those. -->\n"
CODE = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")
FAMILIES = {
    name: each
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, EngramError)
}


def main(words: list[str]) -> int:
    stale = [path for path, text in pages() if _text_of(path) != text]
    if "--check" in words:
        for path in stale:
            print(f"{path.name} is out of date; run: python docs/reference.py", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
    print(f"{len(stale)} of {len(list(pages()))} pages changed")
    return 0


def pages() -> Iterator[tuple[Path, str]]:
    """Every reference page with what it should hold."""
    yield FOLDER / "commands.md", commands()
    yield FOLDER / "settings.md", settings()
    yield FOLDER / "environment.md", environment()
    yield FOLDER / "errors.md", failures()


def commands() -> str:
    """All commands by group, with what each takes."""
    groups = dict.fromkeys(each.group for each in OPERATIONS if "cli" in each.surfaces)
    parts = [
        "# Commands",
        (
            "`engram help` lists them, `engram help COMMAND` explains one. Words of a text need no "
            "quotes; what starts with a dash goes behind `--`; `-` in place of a text reads standard "
            "input."
        ),
        "Every command takes:",
        _parameters(COMMON),
        "## Exit status",
        _exit_statuses(),
    ]
    for group in groups:
        parts.append(f"## {group.capitalize()}")
        parts += [_command(each) for each in OPERATIONS if each.group == group]
    return _page(part for part in parts if part)


def _command(each: Operation) -> str:
    if "cli" not in each.surfaces:
        return ""
    told = page(each)
    parts = [f"### engram {each.name}", each.summary]
    if each.aliases:
        parts.append(f"Also spelled {_listed(each.aliases)}.")
    if "mcp" in each.surfaces:
        parts.append(f"An agent calls it as `{each.tool}`.")
    parts.append(f"```\n{told.usage}\n```")
    if told.positional or told.options:
        parts.append(_parameters((*told.positional, *told.options)))
    parts.append(f"For example:\n\n```sh\n{each.example}\n```")
    return "\n\n".join(parts)


def _parameters(some: Iterable[Parameter]) -> str:
    return _table(("", ""), [(f"`{_cell(signature(p))}`", _cell(remarks(p))) for p in some])


def _exit_statuses() -> str:
    rows = [("0", "done"), ("1", "done, and there are findings (`verify`, `doctor`)")]
    rows += [(str(each.exit_status), _cell(text)) for each, text in _families()]
    rows += [
        (str(BUG_EXIT_STATUS), "a fault of Engram's own"),
        ("130", "interrupted"),
        ("141", "whoever read the output left early"),
    ]
    return _table(("status", "meaning"), rows)


def settings() -> str:
    """All settings, and the order in which their places count."""
    parts = [
        "# Settings",
        "A value comes from the first of these places that sets it:",
        (
            "1. the environment variable;\n"
            "2. `local/engram.config.json` in the project's store: for one person in one project; git "
            "ignores it; `engram set-role` and `engram set-rule-variant` write here;\n"
            "3. `engram.config.json` in the project's store: for everybody who works on the project;\n"
            "4. `engram.config.json` in the person's own settings folder: for one person in all "
            "projects;\n"
            "5. `engram.config.json` in the folder of the personal memory;\n"
            "6. the default."
        ),
        (
            "A project's files come with a clone, so they are not trusted with everything: a setting "
            "marked *yours alone* is taken only from the environment and from the person's own file. "
            "A value that is wrong, or in a place that may not set it, is passed over with a warning. "
            "The files are JSON; comments and trailing commas are allowed; keys that are not known "
            "here, such as those of the earlier edition, are left alone."
        ),
        (
            "`engram config view` shows each value with the place that it comes from; `engram config "
            "set KEY VALUE [--scope person|local|workspace|global]` writes one."
        ),
    ]
    parts += [_setting(each) for each in SETTINGS]
    return _page(parts)


def _setting(each: Setting) -> str:
    mine = "" if each.shared else "; *yours alone*"
    return "\n".join(
        [
            f"## {each.key}\n",
            f"{each.help}\n",
            f"- Value: {each.expected}",
            f"- Default: {f'`{shown(each.default)}`' if shown(each.default) else 'empty'}{mine}",
            f"- Environment: `{each.variable}`",
        ]
    )


def environment() -> str:
    """All environment variables that are read."""
    parts = [
        "# Environment variables",
        "An empty variable counts as not set.",
        "## Of a setting",
        _table(
            ("variable", "setting", "value"),
            [
                (
                    f"`{each.variable}`",
                    f"[{each.key}](settings.md#{_anchor(each.key)})",
                    _cell(each.expected),
                )
                for each in SETTINGS
            ],
        ),
        "Names in a list are separated by commas or blanks.",
        "## Others",
        _table(("variable", "meaning"), [(f"`{name}`", _cell(text)) for name, text in VARIABLES]),
        "## Of hosts",
        "Where `engram link` finds a host's files when they were moved, and what hooks read.",
        _table(("variable", "meaning"), [(f"`{name}`", _cell(text)) for name, text in _of_hosts()]),
    ]
    return _page(parts)


def _of_hosts() -> list[tuple[str, str]]:
    moved = [
        (
            variable,
            f"The folder in place of `~/{usual}`{f' (`{below}` below it)' if below else ''}.",
        )
        for variable, below, usual in ROOTS.values()
        if variable not in dict(VARIABLES)
    ]
    return [*moved, *HOOK_VARIABLES]


def failures() -> str:
    """All codes of failures and remarks."""
    found = sorted(set(_found()))
    rows: dict[tuple[str, str], list[str]] = {}
    for code, family, message in found:
        rows.setdefault((code, family), []).append(message)
    failed = [(key, said) for key, said in rows.items() if key[1] in FAMILIES]
    remarked = [(key, said) for key, said in rows.items() if key[1] not in FAMILIES]
    parts = [
        "# Failures and remarks",
        (
            "A failure has a stable code, a message and a hint how to go on. Its family says what to "
            "do next, and is the exit status of the command line."
        ),
        _table(
            ("family", "exit status", "meaning"),
            [(each.__name__, str(each.exit_status), _cell(text)) for each, text in _families()],
        ),
        "## Codes of failures",
        _table(
            ("code", "family", "message"),
            [(f"`{code}`", family, _said(said)) for (code, family), said in failed],
        ),
        "## Codes of remarks",
        "A remark stands beside an answer: in `diagnostics`, or on standard error.",
        _table(("code", "message"), [(f"`{code}`", _said(said)) for (code, _), said in remarked]),
    ]
    return _page(parts)


def _families() -> list[tuple[type[EngramError], str]]:
    """The families with the sentence on each in the module's own words."""
    lines = re.findall(r"^ {4,6}(\w+) +\d +(.+)$", errors.__doc__ or "", re.MULTILINE)
    return [(FAMILIES[name], text) for name, text in lines]


def _found() -> Iterator[tuple[str, str, str]]:
    """Code, family ("Diagnostic" for a remark) and message of everything the source makes."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                yield from _told(call, call.func.id, tree)


def _told(call: ast.Call, name: str, tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    arguments = call.args
    if name not in (*FAMILIES, "Diagnostic") or name == "EngramError" or len(arguments) < 2:
        return
    message = _words(arguments[2 if name == "Diagnostic" and len(arguments) > 2 else 1])
    code = arguments[0]
    if isinstance(code, ast.Constant):
        yield str(code.value), name, message
    elif name != "Diagnostic":  # the code is looked up in a table of the same module
        for each in ast.walk(tree):
            if isinstance(each, ast.Tuple) and len(each.elts) == 3:
                texts = [_words(part) for part in each.elts]
                if CODE.fullmatch(texts[0]):
                    yield texts[0], name, texts[1].capitalize() + "."


def _words(node: ast.expr) -> str:
    """The text that an expression makes, … for what is known only when it runs."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_words(each) for each in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _words(node.left) + _words(node.right)
    return "…"


def _said(messages: list[str]) -> str:
    return _cell(" / ".join(dict.fromkeys(messages)))


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _page(parts: Iterable[str]) -> str:
    return MADE + "\n" + "\n\n".join(parts) + "\n"


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
