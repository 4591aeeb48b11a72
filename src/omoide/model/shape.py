"""Values of the door as plain JSON, and the JSON schema of what comes out."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

Shape: TypeAlias = Any
"""A type, ``[shape]`` for a list, ``{"name": shape}`` for an object, ``Optional(shape)``, or a JSON schema."""

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
    if type(value) in _ATOMS:
        return value
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int):
        return int(value)
    return _container(value)


def _container(value: Any) -> Any:
    names = _names(type(value))  # type: ignore[arg-type]  # every class can be hashed
    if names is not None:
        told = ((name, getattr(value, name)) for name in names)
        return {name: item if type(item) in _ATOMS else plain(item) for name, item in told}
    if isinstance(value, Mapping):
        return {str(key): item if type(item) in _ATOMS else plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a dataclass or named tuple, None for anything else."""
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.name not in HIDDEN)
    return getattr(kind, "_fields", None)


def schema_of(shape: Shape) -> dict[str, Any]:
    """Return the JSON schema of what ``plain`` makes of a value of this shape."""
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
