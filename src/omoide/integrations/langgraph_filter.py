"""The filters of LangGraph's ``search`` on values of items."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from omoide.errors import InvalidInputError

_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def accepts(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Say whether an item's value has every field that the filter asks for.

    Numbers compare as numbers, texts as texts, booleans as booleans; what cannot be compared does not match.

    Raises:
        InvalidInputError: an unknown operator.
    """
    return all(_matches(value.get(key), condition) for key, condition in (wanted or {}).items())


def _matches(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if any(str(key).startswith("$") for key in condition):
            return all(_operates(value, op, operand) for op, operand in condition.items())
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
