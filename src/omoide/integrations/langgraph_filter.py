"""The filters of LangGraph's ``search`` on values of items."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from omoide.errors import InvalidInputError

_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_MOST: Final = 100
"""Conditions that are handed to the store; more are only judged here."""
_DEEPEST: Final = 6


def accepts(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Say whether an item's value has every field that the filter asks for.

    Numbers compare as numbers, texts as texts, booleans as booleans; what cannot be compared does not match.

    Raises:
        InvalidInputError: an unknown operator.
    """
    return all(_matches(value.get(key), condition) for key, condition in (wanted or {}).items())


def pushed(field: str, wanted: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return conditions on the metadata under ``field`` that everything accepted fulfils, None when there are none.

    What the store cannot say exactly is left out, so ``accepts`` still has the last word.
    """
    parts = [part for key, condition in (wanted or {}).items() for part in _pushed(f"{field}", key, condition, 1)]
    return {"$and": parts[:_MOST]} if parts else None


def _pushed(path: str, key: Any, condition: Any, depth: int) -> Iterator[dict[str, Any]]:
    if not _nameable(key) or depth > _DEEPEST:
        return
    place = f"{path}.{key}"
    if not isinstance(condition, Mapping):
        if _plain(condition):
            yield {place: {"$eq": condition}}
    elif any(str(name).startswith("$") for name in condition):
        yield from ({place: {op: it}} for op, it in condition.items() if _exact(op, it))
    else:
        for name, each in condition.items():
            yield from _pushed(place, name, each, depth + 1)


def _exact(op: str, operand: Any) -> bool:
    if op not in _ORDER:
        return op == "$eq" and _plain(operand)
    return operand is not None and not isinstance(operand, list | tuple) and _plain(operand)


def _nameable(key: Any) -> bool:
    """Whether a path can name the key: a dot would be read as a step."""
    return isinstance(key, str) and bool(key) and not any(char in ".\0" or "\ud800" <= char <= "\udfff" for char in key)


def _plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(each, str) and _plain(each) for each in value)
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" or char == "\0" for char in value)
    return value is None or (isinstance(value, bool | int | float) and not (value != value or abs(value) == math.inf))  # noqa: PLR0124


def _matches(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if any(str(key).startswith("$") for key in condition):
            return all([_operates(value, op, operand) for op, operand in condition.items()])  # noqa: C419  (each is checked)
        return isinstance(value, Mapping) and all(_matches(value.get(key), each) for key, each in condition.items())
    if isinstance(condition, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(condition)
            and all(_matches(one, other) for one, other in zip(value, condition, strict=True))
        )
    return _equal(value, condition)


def _operates(value: Any, op: str, operand: Any) -> bool:
    if op == "$eq":
        return _equal(value, operand)
    if op == "$ne":
        return not _equal(value, operand)
    if op not in _ORDER:
        raise InvalidInputError(f"unknown operator {op!r}; there are $eq, $ne, {', '.join(_ORDER)}", value=op)
    if isinstance(value, bool) or isinstance(operand, bool):
        return isinstance(value, bool) and isinstance(operand, bool) and _ORDER[op](value, operand)
    if isinstance(value, int | float) and isinstance(operand, int | float):
        return _ORDER[op](value, operand)
    return isinstance(value, str) and isinstance(operand, str) and _ORDER[op](value, operand)


def _equal(value: Any, operand: Any) -> bool:
    return isinstance(value, bool) == isinstance(operand, bool) and bool(value == operand)
