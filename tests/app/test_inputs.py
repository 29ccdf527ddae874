"""What can be asked: every input has help, and its bounds are those that the contract names."""

from __future__ import annotations

import pytest

from engram.app import inputs
from engram.app.operations import OPERATIONS
from engram.app.parameters import Parameter, parameters, read
from engram.app.settings_table import SETTINGS
from engram.errors import InvalidRequest
from engram.record import Record

EVERY = [
    value
    for value in vars(inputs).values()
    if isinstance(value, type) and issubclass(value, Record) and value is not Record
]
EACH = {f"{cls.__name__}.{each.name}": each for cls in EVERY for each in parameters(cls)}


def of(operation: str) -> dict[str, Parameter]:
    """The parameters that the MCP tool of an operation shows, by name."""
    (found,) = [each for each in OPERATIONS if each.name == operation]
    return {each.name: each for each in parameters(found.input, "mcp")}


@pytest.mark.parametrize("each", EACH.values(), ids=EACH.keys())
def test_every_parameter_says_what_it_is_for_and_its_default_is_allowed(each: Parameter) -> None:
    assert each.help[0].isupper() or each.help.startswith((*each.choices, "rule, skill"))
    assert each.help[-1] in ".?])…"
    if each.choices and each.default not in (..., ""):
        assert each.default in each.choices
    if isinstance(each.default, int) and not isinstance(each.default, bool):
        assert each.minimum is not None
        assert each.maximum is not None
        assert each.minimum <= each.default <= each.maximum
    assert set(each.surfaces) <= {"cli", "mcp"}


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_bare_words_are_never_ambiguous(cls: type[Record]) -> None:
    bare = [each for each in parameters(cls) if each.positional]
    required = [each.required for each in bare]
    assert required == sorted(required, reverse=True), "what may be left out comes last"
    assert not any(each.kind == "array" for each in bare[:-1]), "a list takes all that follow"


@pytest.mark.contract("T1", "T10", "T11")
def test_a_load_takes_what_the_contract_names() -> None:
    load = of("load")
    assert set(load) == {"query", "id", "budget_tokens", "disclosure", "full", "explain"}
    assert (load["budget_tokens"].minimum, load["budget_tokens"].maximum) == (1, 100_000)
    assert load["disclosure"].choices == ("tiered", "cards", "bodies")
    assert load["disclosure"].default == "tiered"
    assert not any(each.required for each in load.values())


@pytest.mark.contract("T2", "T3", "T5", "T6", "T7", "T8")
def test_the_other_tools_take_what_the_contract_names() -> None:
    assert set(of("route")) == {"query"}
    assert set(of("search")) == {"query", "limit", "type", "scope"}
    assert set(of("status")) == set()
    assert {"accept", "force"}.isdisjoint(of("verify")), "taking in is a person's act"
    assert set(of("save")) == {"text", "type", "scope", "role"}
    assert set(of("save-session")) == {"text", "scope", "role"}
    assert set(of("commit")) == {"approval_token", "approve"}
    assert set(of("set-role")) == {"roles"}
    assert of("set-rule-variant")["variant"].choices == ("light", "balanced", "strict", "off")
    assert set(of("note")) == {"text", "objective", "type", "scope"}


@pytest.mark.contract("A1")
def test_nothing_that_an_agent_reaches_can_force_a_write() -> None:
    shown = [each for each in OPERATIONS if "mcp" in each.surfaces]
    names = {name for each in shown for name in of(each.name)}
    assert "force" not in names
    with pytest.raises(InvalidRequest):
        read(inputs.Save, {"text": "x", "force": True}, "mcp")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("read", inputs.READ_MODES),
        ("proof", inputs.PROOF_MODES),
        ("rule_variants.active", inputs.VARIANT_MODES),
    ],
)
def test_the_words_of_a_short_command_are_those_of_its_setting(
    setting: str, words: tuple[str, ...]
) -> None:
    (found,) = [each for each in SETTINGS if each.key == setting]
    assert set(found.choices) == set(words)
