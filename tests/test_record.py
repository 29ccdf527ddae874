"""Records: frozen values that compare, hash and show themselves."""

from __future__ import annotations

from typing import Any

import pytest

from engram.record import Record, field, fields, replace


class Point(Record):
    x: int
    y: int = 2
    name: str = field(default="p", help="What it is called.")


def test_a_record_is_made_by_position_or_name_with_its_defaults() -> None:
    assert vars(Point(1)) == {"x": 1, "y": 2, "name": "p"}
    assert vars(Point(1, y=3, name="q")) == {"x": 1, "y": 3, "name": "q"}


@pytest.mark.parametrize(
    ("given", "named", "why"),
    [
        ((), {}, "the argument x is missing"),
        ((), {"y": 1}, "the argument x is missing"),
        ((1,), {"z": 2}, "an argument too many"),
        ((1, 2, "q", 4), {}, "an argument too many"),
        ((1,), {"x": 2}, "an argument is given twice"),
    ],
)
def test_a_missing_unknown_or_doubled_field_is_refused(
    given: tuple[Any, ...], named: dict[str, Any], why: str
) -> None:
    with pytest.raises(TypeError, match=f"Point: {why}"):
        Point(*given, **named)


def test_the_fields_stand_in_their_order_however_they_are_given() -> None:
    assert list(vars(Point(name="q", x=1))) == ["x", "y", "name"]
    assert hash(Point(name="q", x=1, y=2)) == hash(Point(1, 2, "q"))


def test_a_field_may_hold_what_stands_for_no_default() -> None:
    class Holder(Record):
        held: object

    assert Holder(...).held is ...


def test_a_record_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match=r"Point\.x is read-only"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"Point\.x is read-only"):
        del point.x
    assert point == Point(1)


def test_equal_fields_make_equal_records_of_one_class_only() -> None:
    class Other(Record):
        x: int
        y: int = 2
        name: str = "p"

    assert Point(1) == Point(1, 2)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(2)
    assert Point(1) != Other(1)
    assert {Point(1), Point(1, 2)} == {Point(1)}


def test_a_record_shows_its_fields() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2, name='p')"


def test_replace_gives_a_changed_copy() -> None:
    point = Point(1)
    assert replace(point, y=5) == Point(1, 5)
    assert point == Point(1)


def test_fields_tells_what_the_class_body_says() -> None:
    told = fields(Point)
    assert list(told) == ["x", "y", "name"]
    assert told["x"].default is ...
    assert told["y"].default == 2
    assert told["name"].about == {"help": "What it is called."}
