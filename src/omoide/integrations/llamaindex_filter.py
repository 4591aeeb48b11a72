"""LlamaIndex's metadata filters; they are read by their values, so that nothing of theirs is needed here."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from omoide.errors import InvalidInputError

_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_SIGNS: Final = {">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}
_EMPTY: Final[tuple[Any, ...]] = (None, "", [])


def accepts(metadata: Mapping[str, Any], filters: Any) -> bool:
    """Say whether metadata passes ``MetadataFilters``, nested ones included; a field that is not there only ``!=`` it.

    Raises:
        InvalidInputError: an unknown operator or condition.
    """
    if filters is None:
        return True
    parts = [accepts(metadata, each) if hasattr(each, "filters") else _one(metadata, each) for each in filters.filters]
    condition = _word(filters.condition or "and")
    if condition not in {"and", "or", "not"}:
        raise InvalidInputError(f"unknown condition {condition!r}; there are and, or, not", value=condition)
    if condition == "not":
        return not any(parts)
    return not parts or (all(parts) if condition == "and" else any(parts))


def pushed(field: str, filters: Any) -> dict[str, Any] | None:
    """Return conditions on the metadata under ``field`` that all that is accepted fulfils, None when there are none."""
    if filters is None or not filters.filters or _word(filters.condition or "and") == "not":
        return None
    parts = [pushed(field, each) if hasattr(each, "filters") else _part(field, each) for each in filters.filters]
    known = [part for part in parts if part is not None]
    if _word(filters.condition or "and") == "or":
        return {"$or": known} if len(known) == len(parts) else None
    return {"$and": known} if known else None


def _one(metadata: Mapping[str, Any], wanted: Any) -> bool:
    found, value, op = metadata.get(wanted.key), wanted.value, _word(wanted.operator)
    if op == "is_empty":
        return found in _EMPTY
    if found is None:
        return op in {"!=", "nin"}
    if op in _ORDER:
        return _comparable(found, value) and _ORDER[op](found, value)
    test = _TESTS.get(op)
    if test is None:
        raise InvalidInputError(f"unknown operator {op!r}; there are {', '.join([*_TESTS, *_ORDER])}", value=op)
    return test(found, value)


def _part(field: str, wanted: Any) -> dict[str, Any] | None:
    """Return what the store can say of one filter; a key with a dot would be read as a path."""
    value, op = wanted.value, _word(wanted.operator)
    if not wanted.key or "." in wanted.key or "\0" in wanted.key:
        return None
    place = f"{field}.{wanted.key}"
    if op == "==" and isinstance(value, str | int | float):
        return {place: {"$eq": value}}
    if op in _SIGNS and isinstance(value, str | int | float):
        return {place: {_SIGNS[op]: value}}
    if op == "in" and isinstance(value, list):
        return {place: {"$in": value}}
    if op in {"contains", "text_match"} and isinstance(value, str):
        return {place: {"$contains": value}}
    return None


def _comparable(found: Any, value: Any) -> bool:
    if isinstance(found, str) or isinstance(value, str):
        return isinstance(found, str) and isinstance(value, str)
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in (found, value))


def _equal(found: Any, value: Any) -> bool:
    return isinstance(found, bool) == isinstance(value, bool) and bool(found == value)


def _among(found: Any, values: Any) -> bool:
    return any(_equal(found, each) for each in (values if isinstance(values, list) else [values]))


def _within(found: Any, value: Any) -> bool:
    """Whether a list holds a value, or a text that text."""
    if isinstance(found, str):
        return isinstance(value, str) and value in found
    return isinstance(found, list) and _among(value, found)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_TESTS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": _equal,
    "!=": lambda found, value: not _equal(found, value),
    "in": _among,
    "nin": lambda found, value: not _among(found, value),
    "contains": _within,
    "any": lambda found, value: any(_within(found, each) for each in _listed(value)),
    "all": lambda found, value: all(_within(found, each) for each in _listed(value)),
    "text_match": lambda found, value: isinstance(found, str) and _within(found, value),
    "text_match_insensitive": lambda found, value: (
        isinstance(found, str) and isinstance(value, str) and value.casefold() in found.casefold()
    ),
    "is_empty": lambda found, _: found in _EMPTY,
}


def _word(name: Any) -> str:
    """Return the value of a member of an enumeration, or the text itself."""
    return str(getattr(name, "value", name))
