"""The words of a command line, read by the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.app.operations import operation
from engram.errors import InvalidRequest
from engram.interfaces.arguments import Arguments, command_of, read_arguments


def asked(line: str, *more: str) -> Arguments:
    name, rest = command_of([*line.split(), *more])
    return read_arguments(operation(name), rest)


def refused(line: str) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as raised:
        asked(line)
    return raised.value


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("load", {}),
        ("load fix the bug", {"query": "fix the bug"}),
        (
            "load --full fix --explain the bug",
            {"query": "fix the bug", "full": True, "explain": True},
        ),
        ("load --budget-tokens 800 x", {"query": "x", "budget_tokens": 800}),
        ("load --budget-tokens=800 x", {"query": "x", "budget_tokens": 800}),
        ("load --budget-tokens -3 x", {"query": "x", "budget_tokens": -3}),
        ("load --id= x", {"query": "x", "id": ""}),
        ("load -- --full -x", {"query": "--full -x"}),
        ("load -", {"query": "-"}),
        ("config", {}),
        ("config set roles a b", {"action": "set", "key": "roles", "value": "a b"}),
        ("config get load.limit", {"action": "get", "key": "load.limit"}),
        ("set-role a b", {"roles": ["a", "b"]}),
        ("set-role", {}),
        ("save-session -f x", {"text": "x", "force": True}),
        ("ss --file - --force", {"file": "-", "force": True}),
        ("save Run it", {"text": "Run it"}),
        ("save rule Run it", {"text": "Run it", "type": "rule"}),
        ("save workflow Run it", {"text": "Run it", "type": "skill"}),
        ("save rule", {"text": "rule"}),
        ("save --type rule knowledge grows", {"text": "knowledge grows", "type": "rule"}),
        ("load --full --full x", {"query": "x", "full": True}),
        ("load --id a --id b", {"id": "b"}),
    ],
)
def test_words_become_values(line: str, values: dict[str, object]) -> None:
    assert asked(line) == Arguments(values)


@pytest.mark.contract("F1")
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("ss -f last 50 sessions", {"query_level": 50, "force": True}),
        ("save-session --query-level 50 --force", {"query_level": 50, "force": True}),
        ("ss last 1 session", {"query_level": 1}),
        ("ss --query-level 3 last 50 sessions", {"query_level": 3}),
        ("ss last fifty sessions", {"text": "last fifty sessions"}),
        ("ss last 50 changes", {"text": "last 50 changes"}),
        ("ss last 50", {"text": "last 50"}),
    ],
)
def test_a_slash_commands_wording_is_understood(line: str, values: dict[str, object]) -> None:
    assert asked(line).values == values


def test_a_quoted_text_may_start_with_a_dash() -> None:
    assert asked("save", "- use tabs, not blanks").values == {"text": "- use tabs, not blanks"}
    assert asked("load", "--id=a b").values == {"id": "a b"}


@pytest.mark.parametrize(
    "line",
    [
        "--workspace /p --json load x",
        "load --json x --workspace=/p",
        "--workspace=/p load x --json",
    ],
)
def test_what_every_command_takes_may_stand_anywhere(line: str) -> None:
    assert asked(line) == Arguments({"query": "x"}, json=True, workspace="/p")


def test_help_is_noticed() -> None:
    assert asked("load -h").help
    assert asked("--help load").help


def test_without_a_command_there_is_none() -> None:
    assert command_of([]) == ("", [])
    assert command_of(["--json"]) == ("", ["--json"])
    assert command_of(["--workspace"]) == ("", ["--workspace"])
    assert command_of(["--", "x"]) == ("--", ["x"])


@pytest.mark.parametrize(
    ("line", "code", "message", "hint"),
    [
        ("load --bugdet-tokens 3", "input.unknown", "--bugdet-tokens", "“--budget-tokens”"),
        ("load -x", "input.unknown", "-x", "--"),
        ("load --id", "input.value_missing", "--id", ""),
        ("load --id --full", "input.value_missing", "--id", ""),
        ("load --full=yes", "input.no_value", "--full", "alone"),
        ("load --budget-tokens many", "input.type", "many", ""),
        ("status now", "input.unexpected", "now", "options"),
        ("load --query x", "input.unknown", "--query", ""),
    ],
)
def test_a_mistake_is_named(line: str, code: str, message: str, hint: str) -> None:
    error = refused(line)
    assert error.code == code
    assert message in error.message
    assert hint in error.hint


@given(
    st.sampled_from(["load", "save", "ss", "config", "set-role", "status", "verify"]),
    st.lists(
        st.sampled_from(["--json", "-f", "--", "-", "--id", "x", "--full", "a=b"]) | st.text()
    ),
)
def test_any_words_are_read_or_refused(name: str, words: list[str]) -> None:
    try:
        told: object = read_arguments(operation(name), words)
    except InvalidRequest as error:
        told = error
    assert told
