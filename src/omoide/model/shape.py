"""Values of the door as plain JSON, and the JSON schema of what comes out."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

Shape: TypeAlias = Any
"""A type, one of ``later``, ``[shape]`` for a list, ``{"name": shape}``, ``Optional(shape)``, or a JSON schema."""

HIDDEN: Final = frozenset({"explanation"})
"""Fields that are shown on request only."""

_ATOMS: Final = frozenset({str, bool, int, float, type(None)})
_SCALARS: Final[dict[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def plain(value: Any) -> Any:
    """Return ``value`` as JSON knows it: objects by field name, lists, RFC 3339 times in UTC, texts as they are."""
    kind = type(value)
    return value if kind in _ATOMS else _writer(kind)(value)  # type: ignore[arg-type]  # every class can be hashed


@cache
def _writer(kind: Hashable) -> Callable[[Any], Any]:
    """Return what makes values of one type plain."""
    assert isinstance(kind, type)
    names = _names(kind)
    if names is not None:
        return _fields_writer(names)
    return next((writer for base, writer in _WRITERS if issubclass(kind, base)), str)


def _fields_writer(names: tuple[str, ...]) -> Callable[[Any], dict[str, Any]]:
    # One look at all fields at once, and no call for the plain ones: an answer has some thirty fields a row.
    told: Callable[[Any], Any] = attrgetter(*names, "__class__")  # a tuple of however many fields
    return lambda value: {
        name: item if type(item) in _ATOMS else plain(item) for name, item in zip(names, told(value), strict=False)
    }


def _time(value: datetime) -> str:
    return value.isoformat(timespec="microseconds")


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): item if type(item) in _ATOMS else plain(item) for key, item in value.items()}


def _list(value: Iterable[Any]) -> list[Any]:
    return [item if type(item) in _ATOMS else plain(item) for item in value]


# The first class that fits decides: a datetime is a date, too.
_WRITERS: Final[tuple[tuple[type | types.UnionType, Callable[[Any], Any]], ...]] = (
    (datetime, _time),
    (date, date.isoformat),
    (int, int),
    (Mapping, _mapping),
    (list | tuple | set | frozenset, _list),
)


@cache
def _names(kind: Hashable) -> tuple[str, ...] | None:
    """Return the fields of a dataclass or named tuple, None for anything else."""
    if isinstance(kind, type) and is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.name not in HIDDEN)
    return getattr(kind, "_fields", None)


@dataclass(frozen=True)
class _Later:
    """A type that is looked up when its schema is asked for."""

    module: str
    name: str

    @property
    def kind(self) -> Any:
        return getattr(import_module(self.module), self.name)


def later(module: str, *names: str) -> tuple[Shape, ...]:
    """Return types of a module as shapes without loading it: making so many classes takes a door half its start."""
    return tuple(_Later(module, name) for name in names)


def schema_of(shape: Shape) -> dict[str, Any]:
    """Return the JSON schema of what ``plain`` makes of a value of this shape."""
    if isinstance(shape, _Later):
        return _of_type(shape.kind)
    if isinstance(shape, Optional):
        return _nullable(schema_of(shape.shape))
    if isinstance(shape, list):
        return {"type": "array", "items": schema_of(shape[0])}
    if isinstance(shape, dict):
        if "type" in shape:
            return dict(shape)
        return _object({name: schema_of(inner) for name, inner in shape.items()})
    return _of_type(shape)


class Optional:
    """A shape that may be null."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


def _of_type(kind: Any) -> dict[str, Any]:
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}
    if kind in (datetime, date):
        return {"type": "string", "format": "date-time" if kind is datetime else "date"}
    for reader in (_of_named_fields, _of_generic):
        found = reader(kind)
        if found is not None:
            return found
    return {}


def _of_named_fields(kind: Any) -> dict[str, Any] | None:
    names = _names(kind) if isinstance(kind, type) else None
    if names is None:
        return None
    hints = typing.get_type_hints(kind)
    return _object({name: _of_type(hints[name]) for name in names})


def _of_generic(kind: Any) -> dict[str, Any] | None:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (types.UnionType, typing.Union):
        return _union([_of_type(part) for part in inner])
    if origin in (tuple, list):
        return {"type": "array", "items": _of_type(inner[0])}
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        values = _of_type(inner[1])
        return {"type": "object", "additionalProperties": values or True}
    return None


def _union(parts: list[dict[str, Any]]) -> dict[str, Any]:
    others = [part for part in parts if part != {"type": "null"}]
    if len(others) == 1:
        return _nullable(others[0])
    names = [part["type"] for part in others]
    return {"type": [*names, "null"] if len(others) < len(parts) else names}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type", [])
    widened = {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}
    return widened | ({"enum": [*schema["enum"], None]} if "enum" in schema else {})


def _object(properties: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
