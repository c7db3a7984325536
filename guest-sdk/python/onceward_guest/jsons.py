"""JSON, and how it is read into dataclasses and written from them.

It reads what a step's types say (dataclasses, lists, dicts with text keys, ``X | None``, ``Literal`` and enums) and names the place of
what does not fit as a JSON Pointer (RFC 6901). Members that a dataclass does not name are not read; what is ``None`` in a dataclass is
not written.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import types
import typing
from typing import Any, TypeVar

T = TypeVar("T")

_NAMES = {bool: "true or false", str: "text", int: "a whole number", float: "a number", type(None): "null"}


class Misfit(Exception):
    """JSON that is not of the type that was expected."""

    def __init__(self, pointer: str, found: str) -> None:
        place = f"the JSON does not fit at `{pointer}`" if pointer else "the JSON as a whole does not fit"
        super().__init__(f"{place}: {found}")
        self.pointer = pointer


def read(text: str, into: type[T]) -> T:
    """Read JSON text into a type; into ``object`` as whatever it is."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise Misfit("", str(error)) from None
    return typing.cast(T, _fit(value, into, ""))


def write(value: object) -> str:
    """Write JSON text. What is no JSON is a ``TypeError`` or a ``ValueError``."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _no_constant(name: str) -> typing.NoReturn:
    raise ValueError(f"{name} is no JSON")


def _fit(value: object, into: Any, pointer: str) -> object:
    if into is Any or into is object:
        return value
    origin = typing.get_origin(into)
    if origin in (typing.Union, types.UnionType):
        return _fit_one_of(value, typing.get_args(into), pointer)
    if origin is typing.Literal:
        return _one_of(value, typing.get_args(into), pointer)
    if isinstance(into, type) and issubclass(into, enum.Enum):
        return into(_one_of(value, [member.value for member in into], pointer))
    if dataclasses.is_dataclass(into):
        return _fit_dataclass(value, typing.cast(type, into), pointer)
    if origin in (list, tuple):
        (of, *_) = typing.get_args(into)
        if not isinstance(value, list):
            raise Misfit(pointer, f"a list is expected, and {_said(value)} was found")
        return origin(_fit(element, of, f"{pointer}/{at}") for at, element in enumerate(value))
    if origin is dict:
        (_, of) = typing.get_args(into)
        return {name: _fit(member, of, _below(pointer, name)) for name, member in _members(value, pointer).items()}
    # JSON has one kind of numbers; and true is no number.
    if into is float and type(value) is int:
        return float(value)
    if type(value) is not into:
        raise Misfit(pointer, f"{_NAMES.get(into, into)} is expected, and {_said(value)} was found")
    return value


def _fit_one_of(value: object, types_: tuple[Any, ...], pointer: str) -> object:
    misfit: Misfit | None = None
    for into in types_:
        try:
            return _fit(value, into, pointer)
        except Misfit as error:
            # The one that came furthest says most.
            if misfit is None or len(error.pointer) > len(misfit.pointer):
                misfit = error
    assert misfit is not None
    raise misfit


def _one_of(value: object, known: typing.Iterable[object], pointer: str) -> object:
    if any(type(value) is type(one) and value == one for one in known):
        return value
    raise Misfit(pointer, f"one of {', '.join(map(repr, known))} is expected, and {_said(value)} was found")


def _fit_dataclass(value: object, into: type, pointer: str) -> object:
    members = _members(value, pointer)
    hints = _hints(into)
    given: dict[str, object] = {}
    for field in dataclasses.fields(into):
        if field.name in members:
            given[field.name] = _fit(members[field.name], hints[field.name], _below(pointer, field.name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise Misfit(pointer, f"the member `{field.name}` is missing")
    return into(**given)


@functools.cache
def _hints(into: type) -> dict[str, Any]:
    """A dataclass's types. Annotations are text until they are looked at, and that is slow."""
    return typing.get_type_hints(into)


def prepare(into: Any) -> None:
    """Look at a type beforehand: while a component is built, so that no run does."""
    for part in typing.get_args(into):
        prepare(part)
    if dataclasses.is_dataclass(into) and isinstance(into, type):
        for member in _hints(into).values():
            prepare(member)


def _members(value: object, pointer: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Misfit(pointer, f"an object is expected, and {_said(value)} was found")
    return value


def _below(pointer: str, name: str) -> str:
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"


def _said(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: _plain(member) for name, member in members if member is not None}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("an object's members have text as their names")
        return {name: _plain(member) for name, member in value.items()}
    return value
