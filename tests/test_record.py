"""Records: frozen values that compare, hash and show themselves."""

from __future__ import annotations

import pytest

from engram.record import Record, field, fields, replace


class Point(Record):
    x: int
    y: int = 2
    name: str = field(default="p", help="What it is called.")


def test_a_record_is_made_by_position_or_name_with_its_defaults() -> None:
    assert vars(Point(1)) == {"x": 1, "y": 2, "name": "p"}
    assert vars(Point(1, y=3, name="q")) == {"x": 1, "y": 3, "name": "q"}


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}])
def test_a_missing_or_unknown_field_is_refused(given: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="argument"):
        Point(**given)  # type: ignore[arg-type]


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
