"""Frozen value classes that cost nothing to import.

`dataclasses` pulls `inspect` and costs a third more than the interpreter's own start
(ADR 6), which a hook that answers in tens of milliseconds cannot pay. This is the part
of it that we use: positional and keyword construction, defaults, equality, hash, repr,
and no assignment afterwards. Type checkers see a dataclass (PEP 681).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    Value = TypeVar("Value")
else:

    def dataclass_transform(**_):  # noqa: ANN003, ANN201
        return lambda decorator: decorator


def field(*, default: Any = ..., **about: Any) -> Any:
    """A default together with what else is known of the field, read back with `fields`."""
    return Field(default, about)


class Field:
    """What a record's class body says of one field."""

    def __init__(self, default: object, about: dict[str, Any]) -> None:
        self.default = default
        self.about = about


_MISSING = object()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """Base of a frozen value class: its annotated names, in their order, are its fields."""

    __record_fields__: dict[str, Field]

    def __init_subclass__(cls) -> None:
        names = tuple(cls.__annotations__)
        described = {name: _described(cls.__dict__.get(name, ...)) for name in names}
        for name in names:
            if name in cls.__dict__:
                delattr(cls, name)
        cls.__record_fields__ = described
        setattr(cls, "__init__", _initialiser(described))  # noqa: B010 - a checker sees PEP 681's

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inside})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is read-only")


def fields(cls: type[Record]) -> dict[str, Field]:
    """The fields of a record class, in their order."""
    return cls.__record_fields__


def replace(value: Value, **changes: object) -> Value:
    """A copy of the record `value` with some fields changed."""
    return type(value)(**{**vars(value), **changes})


def _described(value: object) -> Field:
    return value if isinstance(value, Field) else Field(value, {})


def _initialiser(described: dict[str, Field]) -> Callable[..., None]:
    """An `__init__` with the fields as parameters.

    Nothing is compiled for it: for the fifty records that a cold load defines, that would take
    as long as the interpreter's own start.
    """
    names = tuple(described)
    required = tuple(name for name, field in described.items() if field.default is ...)
    blank = {
        name: _MISSING if name in required else field.default for name, field in described.items()
    }

    def __init__(self: Record, /, *given: object, **named: object) -> None:  # noqa: N807
        values = self.__dict__
        values.update(blank)  # first, since it brings the fields into their order
        values.update(zip(names, given, strict=False))
        values.update(named)
        if len(values) > len(names) or len(given) > len(names):
            raise TypeError(f"{type(self).__name__}: an argument too many")
        if not named.keys().isdisjoint(names[: len(given)]):
            raise TypeError(f"{type(self).__name__}: an argument is given twice")
        for name in required:
            if values[name] is _MISSING:
                raise TypeError(f"{type(self).__name__}: the argument {name} is missing")

    return __init__
