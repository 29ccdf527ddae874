"""The rules of the house that no linter knows; docs/design/architecture.md gives the reasons."""

from __future__ import annotations

import ast
import re

import pytest

from engram.errors import EngramError
from tests.architecture.source import called, dotted, functions, lines_of, modules, texts

MACHINE = "system/environment.py"
ASKS_THE_MACHINE = {
    "os.environ",
    "os.environb",
    "os.getenv",
    "os.getcwd",
    "os.path.expanduser",
    "os.path.expandvars",
    "os.urandom",
    "time.time",
    "time.time_ns",
    "time.localtime",
    "datetime.now",
    "datetime.today",
    "datetime.utcnow",
    "date.today",
    "datetime.datetime.now",
    "datetime.date.today",
    "Path.home",
    "Path.cwd",
}
CHANCE = {"random", "secrets", "uuid"}

MAY_CATCH_ANYTHING = {"interfaces/cli.py", "interfaces/mcp/server.py", "interfaces/hook.py"}

HOST_NAMES = re.compile(
    r"claude|codex|gemini|windsurf|opencode|antigravity|copilot|\.cursor\b|\bcline\b", re.IGNORECASE
)
# The scan quotes attacks, assistants and all; an option is for one host (clause R17).
MAY_NAME_HOSTS = (
    "hosts/catalogue/",
    "hosts/hooks.py",
    "core/scanning/",
    "core/tokens.py",  # families of models, each with its tokenizer
    "interfaces/mcp/options.py",
)
# Names that are facts of a protocol or of the environment, not a branch on a host.
KNOWN_NAMES = {"CLAUDE_PROJECT_DIR"}

SAY_NOTHING = re.compile(
    r"(^|_)(manager|service|handler|helper|util|data|info|process|common|misc)s?$"
)

LONGEST_MODULE = 400
NINE_FUNCTIONS_OF_TEN = 25
MOST_PARAMETERS = 5


def test_only_the_approval_makes_an_approved_write() -> None:
    makers = {
        name
        for name, tree in modules().items()
        for _, call in called(tree)
        if call.split(".")[-1] == "ApprovedWrite"
    }
    assert makers <= {"core/approval.py"}


def test_only_the_environment_asks_the_machine() -> None:
    asking = [
        f"{name}:{line}: {what}"
        for name, tree in modules().items()
        if name != MACHINE
        for line, what in _asked_of_the_machine(tree)
    ]
    assert asking == []


def _asked_of_the_machine(tree: ast.AST) -> list[tuple[int, str]]:
    asked = [
        (node.lineno, dotted(node))
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and dotted(node) in ASKS_THE_MACHINE
    ]
    chance = [
        (node.lineno, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in CHANCE
    ]
    return asked + chance


def test_only_the_hosts_name_a_host() -> None:
    naming = [
        f"{name}:{line}: {text}"
        for name, tree in modules().items()
        if not name.startswith(MAY_NAME_HOSTS)
        for line, text in texts(tree)
        if HOST_NAMES.search(text) and text not in KNOWN_NAMES
    ]
    assert naming == []


def test_anything_at_all_is_caught_in_three_places_only() -> None:
    catching = {
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and _catches_anything(node)
    }
    assert catching <= MAY_CATCH_ANYTHING


def _catches_anything(handler: ast.ExceptHandler) -> bool:
    if isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None:
        return False  # tidies up, then lets it pass on
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or dotted(kind) in {"Exception", "BaseException"} for kind in kinds)


def test_what_is_raised_on_purpose_is_an_engram_error() -> None:
    plain = {"Exception", "RuntimeError", "SystemExit", "OSError"}
    raised = [
        f"{name}:{node.lineno}: {dotted(node.exc.func)}"
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        if dotted(node.exc.func) in plain
    ]
    assert raised == []


def test_an_exit_status_belongs_to_one_family_of_errors() -> None:
    statuses = [family.exit_status for family in EngramError.__subclasses__()]
    assert len(statuses) == len(set(statuses))
    assert EngramError.exit_status not in statuses


@pytest.mark.parametrize("module", modules())
def test_a_module_is_short_and_says_what_it_answers_for(module: str) -> None:
    said = ast.get_docstring(modules()[module]) or ""
    assert said.split("\n\n")[0].endswith((".", ":")), "the docstring opens with a sentence"
    assert lines_of(module) <= LONGEST_MODULE


def test_the_name_of_a_module_or_class_says_something() -> None:
    names = [part for module in modules() for part in module.removesuffix(".py").split("/")]
    classes = [
        re.sub(r"(?<!^)(?=[A-Z])", "_", node.name).lower()
        for tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert [name for name in names + classes if SAY_NOTHING.search(name)] == []


def test_nine_functions_of_ten_fit_a_glance() -> None:
    sizes = sorted((node.end_lineno or 0) - node.lineno + 1 for _, node in functions())
    assert sizes[len(sizes) * 9 // 10] <= NINE_FUNCTIONS_OF_TEN


def test_a_function_takes_few_parameters() -> None:
    many = [
        f"{name}: {node.name}"
        for name, node in functions()
        if len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
        > MOST_PARAMETERS + 1
    ]
    assert many == []
