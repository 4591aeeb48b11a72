"""mem0's filters over the fields of a memory, and its rules for the ids of a scope."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from omoide.errors import InvalidInputError

SCOPE: Final = ("user_id", "agent_id", "run_id")
_LOGIC: Final = ("AND", "OR", "NOT")
_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
_EXACT: Final = ("eq", "gt", "gte", "lt", "lte", "in")
_MARKS: Final = ("adapter", "data", "role", "actor_id", "expiration_date")
_OTHERS: Final = ("eq", "ne", "in", "nin", "contains", "icontains")


def scope_of(ids: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that are given, trimmed, numbers as text.

    Raises:
        InvalidInputError: an id that is blank or holds white space.
    """
    return {name: _checked(name, ids[name]) for name in SCOPE if ids.get(name) is not None}


def _checked(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInputError(f"{name} must be a text, not {value!r}", value=value)
    text = str(value).strip()
    if not text or any(char.isspace() for char in text):
        raise InvalidInputError(f"{name} must be a text without white space, not {value!r}", value=value)
    return text


def accepts(fields: Mapping[str, Any], filters: Mapping[str, Any] | None) -> bool:
    """Say whether a memory's fields match; ``"*"`` is any value, AND, OR and NOT take lists of filters.

    Raises:
        InvalidInputError: an unknown operator, or AND, OR, NOT without a list.
    """
    return all(_part(fields, key, wanted) for key, wanted in (filters or {}).items())


def _part(fields: Mapping[str, Any], key: str, wanted: Any) -> bool:
    if key not in _LOGIC:
        return _field(fields.get(key), wanted)
    if not isinstance(wanted, list | tuple) or not wanted or not all(isinstance(each, Mapping) for each in wanted):
        raise InvalidInputError(f"{key} needs a list of one or more filters, not {wanted!r}", value=wanted)
    matched = [accepts(fields, each) for each in wanted]
    if key == "AND":
        return all(matched)
    return any(matched) if key == "OR" else not any(matched)


def pushed(filters: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return conditions on a memory's marks that all that is accepted fulfils, None when there are none.

    The caller's metadata is under ``data``; what the store cannot say exactly is left out.
    """
    parts = [part for key, wanted in (filters or {}).items() for part in _pushed(key, wanted)]
    return {"$and": parts} if parts else None


def _pushed(key: str, wanted: Any) -> list[dict[str, Any]]:
    if key in _LOGIC:
        within = [pushed(each) for each in wanted if isinstance(each, Mapping)] if isinstance(wanted, list) else []
        known = [part for part in within if part is not None]
        if key == "AND":
            return known
        return [{"$or": known}] if key == "OR" and known and len(known) == len(within) else []
    if key in _MARKS or not key or "." in key or "\0" in key:
        return []
    if wanted == "*":
        return [_anywhere(key, {"$exists": True})]
    short = {"in": wanted} if isinstance(wanted, list | tuple) else {"eq": wanted}
    given = wanted if isinstance(wanted, Mapping) else short
    return [_anywhere(key, {f"${op}": it}) for op, it in given.items() if op in _EXACT and _scalars(it, op == "in")]


def _anywhere(key: str, condition: dict[str, Any]) -> dict[str, Any]:
    """A scope id that a memory does not have may still be a name in its metadata."""
    mine = {f"data.{key}": condition}
    return {"$or": [{key: condition}, mine]} if key in SCOPE else mine


def _scalars(value: Any, listed: bool) -> bool:
    """Whether the store compares a value as Python does; 1 and True are one to Python in a list only."""
    if listed:
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return isinstance(value, str | int | float)


def _field(value: Any, wanted: Any) -> bool:
    if wanted == "*":
        return value is not None
    if isinstance(wanted, list | tuple):
        return value in wanted
    if not isinstance(wanted, Mapping):
        return _equal(value, wanted)
    return all([_operates(value, op, operand) for op, operand in wanted.items()])  # noqa: C419  (each is checked)


def _operates(value: Any, op: str, operand: Any) -> bool:
    if op in _ORDER:
        try:
            return value is not None and bool(_ORDER[op](value, operand))
        except TypeError:
            return False
    if op in {"eq", "ne"}:
        return _equal(value, operand) == (op == "eq")
    if op in {"in", "nin"}:
        return (value in operand) == (op == "in")
    if op == "contains":
        return isinstance(value, str | list) and operand in value
    if op == "icontains":
        return isinstance(value, str) and str(operand).casefold() in value.casefold()
    raise InvalidInputError(f"unknown operator {op!r}; there are {', '.join((*_ORDER, *_OTHERS))}", value=op)


def _equal(value: Any, wanted: Any) -> bool:
    return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)
