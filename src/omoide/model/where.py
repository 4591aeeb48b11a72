"""Parsing of filters over metadata.

A filter is a mapping whose keys all have to match::

    {"city": "Osaka", "visits": {"$gte": 3}, "$or": [{"tags": "home"}, {"address.zip": {"$exists": True}}]}

A plain value means ``$eq``. A key with dots is looked up as it stands first, then level by level.
A missing key counts as null. A list field equals an operand that is not a list when one of its elements
does, and equals a list only as a whole. Values compare within their JSON type: ``True`` is not ``1``,
``1`` is ``1.0``. ``$ne``, ``$nin`` and ``$not`` match exactly what their opposites do not, missing keys
included. ``$gt`` and its kin order numbers, texts (by code point) and booleans.
A date or an aware datetime after ``$gt`` and its kin stands for its UTC ISO text, as
``value.astimezone(UTC).isoformat()`` writes it, and compares as text; metadata itself holds JSON only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final, TypeAlias

from omoide.errors import InvalidInputError
from omoide.model.filter import (
    And,
    Array,
    Contains,
    Equal,
    Exists,
    Filter,
    Flag,
    Not,
    Object,
    Or,
    Order,
    OrderOp,
    Scalar,
    Value,
    matches,
    number,
)

__all__ = ["MAX_DEPTH", "MAX_PARTS", "OPERATORS", "Filter", "matches", "parse"]

MAX_DEPTH: Final = 16
MAX_PARTS: Final = 1000

OPERATORS: Final = (
    "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$contains", "$and", "$or", "$not",
)  # fmt: skip
LOGIC: Final = ("$and", "$or", "$not")
_ORDER: Final[dict[object, OrderOp]] = {"$gt": "$gt", "$gte": "$gte", "$lt": "$lt", "$lte": "$lte"}

_Part: TypeAlias = Callable[[object, str, int], Filter]


def parse(where: object) -> Filter | None:
    """Return the filter that ``where`` describes, or None for None and ``{}``, which let all through.

    Raises:
        InvalidInputError: not a mapping, an unknown operator, an operand that is not JSON or does not suit
            its operator, more than 16 levels or 1000 conditions and values.
    """
    if where is None:
        return None
    parsed = _Parser().fields(where, "where", 1)
    return None if parsed == And(()) else parsed


class _Parser:
    """One parse; counts the parts so that a filter stays within what a store can run.

    A part of a key with dots counts once for every path that the key may mean.
    """

    def __init__(self) -> None:
        self._parts = 0
        self._weight = 1

    def fields(self, where: object, name: str, depth: int) -> Filter:
        """Parse a mapping of keys, or of ``$and``, ``$or``, ``$not``."""
        if not isinstance(where, Mapping):
            raise InvalidInputError(
                f"{name} must be a mapping such as {{'key': value}}, not {_shown(where)}", value=where
            )
        self._count(depth, name)
        return _all_of([self._field(key, operand, name, depth) for key, operand in where.items()])

    def _field(self, key: object, operand: object, name: str, depth: int) -> Filter:
        if not isinstance(key, str):
            raise InvalidInputError(f"{name}: keys must be text, not {_shown(key)}", value=key)
        if key in LOGIC:
            return self._logic(key, operand, name, depth, self.fields)
        if key.startswith("$"):
            raise _unknown(name, key)
        key = _key(key, f"{name}: key")
        self._weight = 1 + key.count(".")
        self._count(depth + self._weight - 1, f"{name}: {_shown(key)}")
        return self._condition(key, operand, depth)

    def _condition(self, key: str, operand: object, depth: int) -> Filter:
        name = f"where: {_shown(key)}"
        if isinstance(operand, Mapping):
            marked = [str(op).startswith("$") for op in operand]
            if all(marked) and marked:
                return self._operators(key, operand, name, depth)
            if any(marked):
                raise InvalidInputError(
                    f"{name} mixes operators with plain keys; the operators are {', '.join(OPERATORS)}",
                    value=operand,
                )
        return Equal(key, (self._value(operand, name, depth, literal=False),))

    def _operators(self, key: str, operand: object, name: str, depth: int) -> Filter:
        """Parse what stands after ``key``: a mapping of operators, all of which have to match."""
        if not isinstance(operand, Mapping):
            raise InvalidInputError(
                f"{name} needs operators here, such as {{'$gt': 3}}, not {_shown(operand)}", value=operand
            )
        self._count(depth, name)
        return _all_of([self._operator(key, op, value, name, depth) for op, value in operand.items()])

    def _operator(self, key: str, op: object, operand: object, name: str, depth: int) -> Filter:
        name_op = f"{name}: {op}"
        if op in LOGIC:
            return self._logic(str(op), operand, name, depth, lambda w, n, d: self._operators(key, w, n, d))
        if op in _ORDER:
            return Order(key, _ORDER[op], self._order_operand(operand, name_op, depth))
        if op == "$contains":
            return Contains(key, self._value(operand, name_op, depth))
        if op == "$exists":
            return Exists(key) if _flag(operand, name_op) else Not(Exists(key))
        return self._equality(key, op, operand, name, depth)

    def _equality(self, key: str, op: object, operand: object, name: str, depth: int) -> Filter:
        if op in {"$eq", "$ne"}:
            equal = Equal(key, (self._value(operand, f"{name}: {op}", depth),))
        elif op in {"$in", "$nin"}:
            values = _list(operand, f"{name}: {op}", "a list of values")
            equal = Equal(key, tuple(self._value(value, f"{name}: {op}", depth) for value in values))
        else:
            raise _unknown(name, op)
        return Not(equal) if op in {"$ne", "$nin"} else equal

    def _logic(self, op: str, operand: object, name: str, depth: int, part: _Part) -> Filter:
        if op == "$not":
            return Not(part(operand, f"{name}: $not", depth + 1))
        filters = _list(operand, f"{name}: {op}", "a list of one or more filters")
        if not filters:
            raise InvalidInputError(f"{name}: {op} needs a list of one or more filters, not []", value=operand)
        parts = tuple(part(item, f"{name}: {op}", depth + 1) for item in filters)
        return And(parts) if op == "$and" else Or(parts)

    def _order_operand(self, operand: object, name: str, depth: int) -> Scalar:
        if isinstance(operand, date):
            return _iso(operand, name)
        if isinstance(operand, str | int | float):
            self._count(depth, name)
            return _scalar(operand, name)
        raise InvalidInputError(
            f"{name} needs a number, a text, a boolean, a date or an aware datetime, not {_shown(operand)}",
            value=operand,
        )

    def _value(self, operand: object, name: str, depth: int, literal: bool = True) -> Value:
        """Freeze one JSON operand; without ``literal`` an object may not hold operators."""
        self._count(depth, name)
        if operand is None:
            return None
        if isinstance(operand, str | int | float):
            return _scalar(operand, name)
        if isinstance(operand, list | tuple):
            return Array(tuple(self._value(item, name, depth + 1, literal) for item in operand))
        if isinstance(operand, Mapping):
            return self._object(operand, name, depth, literal)
        raise InvalidInputError(
            f"{name}: {_shown(operand)} is not a JSON value; write text, numbers, booleans, None, lists or "
            f"mappings{_hint(operand)}",
            value=operand,
        )

    def _object(self, operand: Mapping[Any, Any], name: str, depth: int, literal: bool) -> Value:
        for key in operand:
            if not isinstance(key, str):
                raise InvalidInputError(f"{name}: object keys must be text, not {_shown(key)}", value=key)
            if key.startswith("$") and not literal:
                raise InvalidInputError(
                    f"{name}: {key!r} stands too deep to be an operator; write a key with dots, such as "
                    f"'a.b', or {{'$eq': ...}} to compare with the object as it is",
                    value=key,
                )
        pairs = ((_key(key, name), self._value(item, name, depth + 1, literal)) for key, item in operand.items())
        return Object(frozenset(pairs))

    def _count(self, depth: int, name: str) -> None:
        self._parts += self._weight
        if depth > MAX_DEPTH:
            raise InvalidInputError(f"{_cut(name)}: more than {MAX_DEPTH} levels deep", value=depth)
        if self._parts > MAX_PARTS:
            raise InvalidInputError(
                f"{_cut(name)}: more than {MAX_PARTS} conditions and values in one filter", value=self._parts
            )


def _all_of(parts: list[Filter]) -> Filter:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _scalar(operand: str | float, name: str) -> Scalar:
    """Return text and numbers as the plain types, whatever subclass came in."""
    if isinstance(operand, bool):
        return Flag(operand)
    if isinstance(operand, str):
        return _text(operand, name)
    if isinstance(operand, int):
        return number(int(operand))
    if math.isnan(operand):
        raise InvalidInputError(f"{name}: NaN is not a JSON value and compares with nothing", value=operand)
    return float(operand)


def _text(text: str, name: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInputError(f"{name}: {text!r} holds a lone surrogate, which is not text", value=text)
    return str.__str__(text)


def _key(text: str, name: str) -> str:
    if "\0" in text:
        raise InvalidInputError(f"{name}: {text!r} holds NUL, which no metadata key may", value=text)
    return _text(text, name)


def _iso(moment: date, name: str) -> str:
    if not isinstance(moment, datetime):
        return moment.isoformat()
    if moment.tzinfo is None:
        raise InvalidInputError(f"{name} needs a datetime with a time zone, not {moment!r}", value=moment)
    return moment.astimezone(UTC).isoformat()


def _flag(operand: object, name: str) -> bool:
    if isinstance(operand, bool):
        return operand
    raise InvalidInputError(f"{name} needs True or False, not {_shown(operand)}", value=operand)


def _list(operand: object, name: str, what: str) -> list[object] | tuple[object, ...]:
    if isinstance(operand, list | tuple):
        return operand
    raise InvalidInputError(f"{name} needs {what}, not {_shown(operand)}", value=operand)


def _unknown(name: str, op: object) -> InvalidInputError:
    return InvalidInputError(f"{name}: unknown operator {op!r}; the operators are {', '.join(OPERATORS)}", value=op)


def _hint(operand: object) -> str:
    return "; compare with the ISO text that the metadata holds" if isinstance(operand, date) else ""


def _shown(value: object) -> str:
    return f"{type(value).__name__} {_cut(repr(value))}" if not isinstance(value, str) else _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
