"""Values with every field filled, and values with nothing in them, made from the types themselves.

A store must give back what it was given, to the microsecond and the last odd character. Building the samples from the
type hints means that a field which is added to the model tomorrow is asked for tomorrow, without anybody remembering
to.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import Enum
from types import NoneType, UnionType
from typing import TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

Value = TypeVar("Value")

ODD_TEXT = "ключ 漢字 🦀 'q' \"d\" \\ / % _ \t\n\u2028 é"
ODD_INSTANT = datetime(2026, 3, 29, 1, 59, 59, 999_999, tzinfo=UTC)
BIG = 9_007_199_254_740_993  # a double cannot hold it


def filled(kind: type[Value]) -> Value:
    """One value of a kind in which no field is None or empty, and no two fields are equal by accident."""
    return _build(kind, _fill)


def hollow(kind: type[Value]) -> Value:
    """One value of a kind in which each field that may be None or empty is."""
    return _build(kind, _empty)


def _build(kind: type[Value], make: Callable[[object, str], object]) -> Value:
    hints = get_type_hints(kind)
    assert issubclass(kind, Struct)
    return kind(**{name: make(hints[name], name) for name in kind.__struct_fields__})


def _options(hint: object) -> list[object]:
    """The alternatives of a union, or the type itself."""
    return list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]


def _fill(hint: object, name: str) -> object:
    chosen = next(option for option in _options(hint) if option is not NoneType)
    if get_origin(chosen) is tuple:
        items = get_args(chosen)
        if items[-1] is Ellipsis:
            return (_fill(items[0], name), _fill(items[0], f"{name}-second"))
        return tuple(_fill(item, name) for item in items)
    return _plain(chosen, name, _fill)


def _empty(hint: object, name: str) -> object:
    options = _options(hint)
    if NoneType in options:
        return None
    if get_origin(options[0]) is tuple:
        items = get_args(options[0])
        return () if items[-1] is Ellipsis else tuple(_empty(item, name) for item in items)
    return _plain(options[0], "", _empty)


def _plain(kind: object, name: str, make: Callable[[object, str], object]) -> object:
    """A value of a type that is no tuple and no union."""
    assert isinstance(kind, type), kind
    if issubclass(kind, Struct):
        return _build(kind, make)
    if issubclass(kind, Enum):
        return list(kind)[-1]
    number = sum(name.encode())
    made: dict[type, object] = {
        str: f"{name} {ODD_TEXT}" if name else "",
        int: BIG + number if name else 0,
        bool: bool(name),
        bytes: bytes(range(256)) if name else b"",
        datetime: ODD_INSTANT + timedelta(seconds=number) if name else datetime(1970, 1, 1, tzinfo=UTC),
    }
    assert kind in made, f"say in dunr.testing.filled how to make a {kind.__name__}"
    return made[kind]
