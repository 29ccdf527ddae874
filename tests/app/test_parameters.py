"""An input described once: checked the same way everywhere, shown as a flat JSON Schema."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.app.operations import OPERATIONS
from engram.app.parameters import nearest, parameter, parameters, read, schema
from engram.errors import InvalidRequest
from engram.record import Record


class Cake(Record):
    name: str = parameter("What it is.", positional=True)
    layers: int | None = parameter("How many.", default=None, minimum=1, maximum=9)
    height: int = parameter("In cm.", default=5, minimum=1)
    weight: int = parameter("In kg.", default=0, maximum=3)
    icing: str = parameter("On top.", default="", choices=("sugar", "none"))
    layer_names: tuple[str, ...] = parameter("One each.", default=())
    eaten: bool = parameter("All gone.", default=False, surfaces=("cli",))
    pieces: str | tuple[int, ...] = parameter("Which.", default=())


def refused(values: dict[str, object], surface: str = "mcp") -> InvalidRequest:
    with pytest.raises(InvalidRequest) as raised:
        read(Cake, values, surface)
    return raised.value


def test_values_become_the_input_record_with_its_defaults() -> None:
    assert read(Cake, {"name": "plum", "layers": 2, "layer_names": ["a", "b"]}) == Cake(
        "plum", layers=2, layer_names=("a", "b")
    )


def test_a_missing_value_counts_as_not_given() -> None:
    assert read(Cake, {"name": "plum", "layers": None}) == Cake("plum")


def test_a_whole_number_is_one_however_json_writes_it() -> None:
    layers = read(Cake, {"name": "plum", "layers": 2.0}).layers
    assert (layers, type(layers)) == (2, int)


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ({"layers": 10}, "It goes from 1 to 9."),
        ({"height": 0}, "It goes from 1."),
        ({"weight": 4}, "It goes to 3."),
    ],
)
def test_a_number_out_of_bounds_is_told_the_bounds_there_are(
    values: dict[str, object], hint: str
) -> None:
    assert refused({"name": "x", **values}).hint == hint


def test_whole_numbers_or_a_word_are_left_to_the_operation() -> None:
    assert read(Cake, {"name": "x", "pieces": [1, 2]}).pieces == (1, 2)
    assert read(Cake, {"name": "x", "pieces": "all"}).pieces == "all"


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        ({"nam": "x"}, "input.unknown", "nam"),
        ({}, "input.missing", "name"),
        ({"name": None}, "input.missing", "name"),
        ({"name": 3}, "input.type", "text"),
        ({"name": "x", "layers": "3"}, "input.type", "a whole number"),
        ({"name": "x", "layers": True}, "input.type", "a whole number"),
        ({"name": "x", "layers": 2.5}, "input.type", "a whole number"),
        ({"name": "x", "layers": float("inf")}, "input.type", "a whole number"),
        ({"name": "x", "layers": 0}, "input.bounds", "0"),
        ({"name": "x", "layers": 10}, "input.bounds", "10"),
        ({"name": "x", "height": 0}, "input.bounds", "0"),
        ({"name": "x", "icing": "salt"}, "input.choice", "salt"),
        ({"name": "x", "icing": ""}, "input.choice", "icing"),
        ({"name": "x", "layer_names": "a"}, "input.type", "a list of texts"),
        ({"name": "x", "layer_names": ["a", 1]}, "input.type", "a list of texts"),
        ({"name": "x", "eaten": True}, "input.unknown", "eaten"),
    ],
)
def test_a_wrong_value_is_refused_and_named(
    values: dict[str, object], code: str, said: str
) -> None:
    error = refused(values)
    assert error.code == code
    assert said in error.message


def test_a_parameter_of_another_surface_is_unknown_here() -> None:
    assert read(Cake, {"name": "x", "eaten": True}, "cli").eaten is True
    assert [each.name for each in parameters(Cake, "mcp")][-1] == "pieces"
    assert "eaten" in [each.name for each in parameters(Cake)]


def test_the_command_line_reads_of_options_by_their_spelling() -> None:
    assert "“--layers”" in refused({"name": "x", "layers": 0}, "cli").message
    assert "“NAME”" in refused({}, "cli").message
    assert "“--layer-names”" in refused({"name": "x", "layer_names": 1}, "cli").message


def test_the_nearest_spelling_is_named_else_all_that_is_known() -> None:
    assert nearest("lod", ["load", "list"]) == "Did you mean “load”?"
    assert nearest("xyz", ["load", "list"]) == "Known: list, load."
    assert nearest("xyz", []) == "It takes none."


def test_the_schema_is_flat_and_names_bounds_choices_and_defaults() -> None:
    assert schema(Cake) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "What it is."},
            "layers": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9},
            "height": {"type": "integer", "description": "In cm.", "minimum": 1, "default": 5},
            "weight": {"type": "integer", "description": "In kg.", "maximum": 3, "default": 0},
            "icing": {"type": "string", "description": "On top.", "enum": ["sugar", "none"]},
            "layer_names": {
                "type": "array",
                "description": "One each.",
                "items": {"type": "string"},
            },
            "pieces": {
                "type": "array",
                "description": "Which.",
                "items": {"type": "integer", "minimum": 1},
            },
        },
        "additionalProperties": False,
        "required": ["name"],
    }
    assert schema(Cake, "cli")["required"] == ["name"]


def test_an_input_without_a_required_value_says_so_by_leaving_the_list_out() -> None:
    class Free(Record):
        word: str = parameter("Any.", default="")

    assert "required" not in schema(Free)


@pytest.mark.parametrize("each", OPERATIONS, ids=lambda each: each.name)
def test_every_input_of_the_table_makes_a_schema_that_hosts_accept(each: object) -> None:
    for surface in ("cli", "mcp"):
        told = schema(each.input, surface)  # type: ignore[attr-defined]
        jsonschema.Draft202012Validator.check_schema(told)
        assert not {"$ref", "anyOf", "oneOf", "allOf"} & set(str(told).split("'"))


ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers(-2, 12)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.integers(-2, 12).map(float)
    | st.text()
    | st.sampled_from(["sugar", "none", "all"])
    | st.lists(st.text() | st.integers())
    | st.dictionaries(st.text(), st.integers(), max_size=1)
)
NAMES = ["name", "layers", "height", "weight", "icing", "layer_names"]


def is_read(values: dict[str, object]) -> bool:
    try:
        read(Cake, values, "mcp")
    except InvalidRequest:
        return False
    return True


def is_valid(values: dict[str, object]) -> bool:
    given_values = {name: value for name, value in values.items() if value is not None}
    return bool(jsonschema.Draft202012Validator(schema(Cake)).is_valid(given_values))


@given(st.dictionaries(st.sampled_from([*NAMES, "eaten", "other"]), ANYTHING))
def test_what_is_read_is_what_the_schema_accepts(values: dict[str, object]) -> None:
    assert is_read(values) == is_valid(values)


@given(ANYTHING)
def test_numbers_or_a_word_are_read_wherever_the_schema_accepts_them(pieces: object) -> None:
    values = {"name": "x", "pieces": pieces}
    assert is_read(values) or not is_valid(values)
