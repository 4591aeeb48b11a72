"""A filter over metadata as a value, and its evaluation; ``where`` parses it, the store compiles it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeGuard

OrderOp: TypeAlias = Literal["$gt", "$gte", "$lt", "$lte"]

INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Flag:
    """A JSON true or false, which never equals 1 or 0."""

    on: bool


@dataclass(frozen=True, slots=True)
class Array:
    """A JSON list."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Object:
    """A JSON object; the order of its keys does not matter."""

    items: frozenset[tuple[str, Value]]


Scalar: TypeAlias = str | int | float | Flag
Value: TypeAlias = Scalar | Array | Object | None


@dataclass(frozen=True, slots=True)
class Equal:
    """The field equals one of ``values``; a missing key counts as null."""

    key: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """The field has the type of ``value`` and lies on that side of it."""

    key: str
    op: OrderOp
    value: Scalar


@dataclass(frozen=True, slots=True)
class Exists:
    """The field is there, be it null."""

    key: str


@dataclass(frozen=True, slots=True)
class Contains:
    """The field is a list with the element ``value``, or a text with that part."""

    key: str
    value: Value


@dataclass(frozen=True, slots=True)
class And:
    """All parts match; true without parts."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part matches; false without parts."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not match."""

    part: Filter


Leaf: TypeAlias = Equal | Order | Exists | Contains
Filter: TypeAlias = Leaf | And | Or | Not


def matches(filter_: Filter | None, metadata: Mapping[str, Any]) -> bool:
    """Say whether ``metadata`` passes; the reference for every compiled form."""
    match filter_:
        case None:
            return True
        case And(parts):
            return all(matches(part, metadata) for part in parts)
        case Or(parts):
            return any(matches(part, metadata) for part in parts)
        case Not(part):
            return not matches(part, metadata)
        case _:
            return _leaf_matches(filter_, _look_up(filter_.key, metadata))


def key_paths(key: str) -> Iterator[tuple[str, ...]]:
    """Yield the paths that ``key`` may mean, the first that exists counting: whole, then split at dots.

    ``"a.b.c"`` yields ``("a.b.c",)``, ``("a", "b.c")``, ``("a", "b", "c")``.
    """
    parts = key.split(".")
    for split in range(len(parts)):
        yield (*parts[:split], ".".join(parts[split:]))


def number(value: int | float) -> int | float:  # noqa: PYI041 - what comes out may be either
    """Return a number as JSON in SQLite knows it: an integer beyond 64 bits becomes a double."""
    if isinstance(value, float) or value in INT64:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


_MISSING: Final = object()


def _look_up(key: str, metadata: Mapping[str, Any]) -> object:
    for path in key_paths(key):
        found: Any = metadata
        for step in path:
            found = found.get(step, _MISSING) if isinstance(found, Mapping) else _MISSING
        if found is not _MISSING:
            return found
    return _MISSING


def _leaf_matches(leaf: Leaf, found: object) -> bool:
    match leaf:
        case Exists():
            return found is not _MISSING
        case Equal(_, values):
            return any(_equals(None if found is _MISSING else found, value) for value in values)
        case Order(_, op, value):
            return _ordered(found, op, value)
        case Contains(_, value):
            return _contains(found, value)


def _equals(found: object, value: Value) -> bool:
    if isinstance(found, list | tuple) and not isinstance(value, Array):
        return any(_same(element, value) for element in found)
    return _same(found, value)


def _contains(found: object, value: Value) -> bool:
    if isinstance(found, list | tuple):
        return any(_same(element, value) for element in found)
    return isinstance(found, str) and isinstance(value, str) and value in found


def _same(found: object, value: Value) -> bool:
    """Compare JSON values by type and content."""
    match value:
        case Array(items):
            return _same_list(found, items)
        case Object(items):
            return _same_object(found, items)
        case Flag(on):
            return found is on
        case str():
            return isinstance(found, str) and found == value
        case None:
            return found is None
        case _:
            return _is_number(found) and number(found) == value


def _same_list(found: object, items: tuple[Value, ...]) -> bool:
    if not isinstance(found, list | tuple) or len(found) != len(items):
        return False
    return all(_same(element, item) for element, item in zip(found, items, strict=True))


def _same_object(found: object, items: frozenset[tuple[str, Value]]) -> bool:
    if not isinstance(found, Mapping) or len(found) != len(items):
        return False
    return all(key in found and _same(found[key], item) for key, item in items)


def _ordered(found: object, op: OrderOp, value: Scalar) -> bool:
    match value:
        case Flag(on):
            return isinstance(found, bool) and _compare(found, op, on)
        case str():
            return isinstance(found, str) and _compare(found, op, value)
        case _:
            return _is_number(found) and _compare(number(found), op, value)


def _compare(left: Any, op: OrderOp, right: Any) -> bool:
    match op:
        case "$gt":
            return bool(left > right)
        case "$gte":
            return bool(left >= right)
        case "$lt":
            return bool(left < right)
        case "$lte":
            return bool(left <= right)


def _is_number(found: object) -> TypeGuard[int | float]:
    return isinstance(found, int | float) and not isinstance(found, bool)
