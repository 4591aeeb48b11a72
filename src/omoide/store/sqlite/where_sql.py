"""A metadata filter as SQL over a column of JSON text, equal to ``model.filter.matches``.

Every operand and every path is a bound parameter. Every fragment yields 0 or 1, never NULL, so that NOT is
the exact opposite. A path names each step in JSON quotes, which SQLite unescapes, so any key can be named;
only NUL, at which SQLite stops comparing keys, has no place in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from omoide.model.filter import (
    And,
    Array,
    Contains,
    Equal,
    Exists,
    Filter,
    Flag,
    Leaf,
    Not,
    Object,
    Or,
    Order,
    OrderOp,
    Value,
    key_paths,
)

Sql: TypeAlias = tuple[str, list[object]]

_SIGNS: Final[dict[OrderOp, str]] = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_FEW: Final = 8  # as parameters of their own; more go as one JSON list, to stay below SQLite's limit
_TRUE: Final[Sql] = ("1", [])
_FALSE: Final[Sql] = ("0", [])


def compile_where(filter_: Filter | None, column: str = "v.metadata") -> Sql:
    """Return a condition over ``column`` and its parameters, fit to stand between ANDs.

    ``column`` is a qualified column name of ours; it holds a JSON object, or NULL for an empty one.
    """
    match filter_:
        case None:
            return _TRUE
        case And(parts):
            return _joined("AND", [compile_where(part, column) for part in parts], _TRUE)
        case Or(parts):
            return _joined("OR", [compile_where(part, column) for part in parts], _FALSE)
        case Not(part):
            sql, parameters = compile_where(part, column)
            return f"NOT {sql}", parameters
        case _:
            return _leaf(filter_, column)


def _leaf(leaf: Leaf, column: str) -> Sql:
    """Compile a leaf for the first path of its key that exists; the last one also stands for none."""
    paths = [_path(steps) for steps in key_paths(leaf.key)]
    *earlier, (sql, parameters) = [_condition(leaf, column, path) for path in paths]
    for path, (condition, bound) in zip(reversed(paths[:-1]), reversed(earlier), strict=True):
        sql = f"CASE WHEN json_type({column}, ?) IS NOT NULL THEN {condition} ELSE {sql} END"
        parameters = [path, *bound, *parameters]
    return f"({sql})", parameters


def _condition(leaf: Leaf, column: str, path: str) -> Sql:
    match leaf:
        case Exists():
            return f"json_type({column}, ?) IS NOT NULL", [path]
        case Equal(_, values):
            return _by_type(column, path, _equal_branches(column, path, values), missing=None in values)
        case Order():
            return _by_type(column, path, _order_branches(leaf, column, path))
        case Contains(_, value):
            return _by_type(column, path, _contains_branches(value, column, path))


def _by_type(column: str, path: str, branches: dict[str, Sql], *, missing: bool = False) -> Sql:
    """Return a CASE over the JSON type at ``path``; a type without a branch does not match."""
    sql = f"CASE ifnull(json_type({column}, ?), '')"
    parameters: list[object] = [path]
    for type_, (condition, bound) in {**branches, "": _TRUE if missing else _FALSE}.items():
        sql += f" WHEN '{type_}' THEN {condition}"
        parameters += bound
    return f"{sql} ELSE 0 END", parameters


def _equal_branches(column: str, path: str, values: Sequence[Value]) -> dict[str, Sql]:
    found = f"json_extract({column}, ?)"
    branches: dict[str, Sql] = {}
    if texts := [value for value in values if isinstance(value, str)]:
        branches["text"] = _in(found, [path], texts)
    if numbers := [value for value in values if isinstance(value, int | float)]:
        branches["integer"] = branches["real"] = _in(found, [path], numbers)
    for name, literal in (("true", Flag(True)), ("false", Flag(False)), ("null", None)):
        if literal in values:
            branches[name] = _TRUE
    if objects := [value for value in values if isinstance(value, Object)]:
        branches["object"] = _any_same(column, path, objects)
    branches["array"] = _list_branch(column, path, values)
    return branches


def _list_branch(column: str, path: str, values: Sequence[Value]) -> Sql:
    """A list field equals a list as a whole, anything else when an element does."""
    wholes = [value for value in values if isinstance(value, Array)]
    elements = [value for value in values if not isinstance(value, Array)]
    parts = [_any_same(column, path, wholes)] if wholes else []
    parts += [_has_element(column, path, elements)] if elements else []
    return _joined("OR", parts, _FALSE)


def _order_branches(leaf: Order, column: str, path: str) -> dict[str, Sql]:
    sign = _SIGNS[leaf.op]
    if isinstance(leaf.value, Flag):
        on = int(leaf.value.on)
        return {"true": (f"1 {sign} {on}", []), "false": (f"0 {sign} {on}", [])}
    condition: Sql = (f"json_extract({column}, ?) {sign} ?", [path, leaf.value])
    return {"text": condition} if isinstance(leaf.value, str) else {"integer": condition, "real": condition}


def _contains_branches(value: Value, column: str, path: str) -> dict[str, Sql]:
    branches: dict[str, Sql] = {"array": _has_element(column, path, [value])}
    if isinstance(value, str):
        branches["text"] = (f"instr(json_extract({column}, ?), ?) > 0", [path, value])
    return branches


def _has_element(column: str, path: str, values: Sequence[Value]) -> Sql:
    """Say whether the list at ``path`` has an element that is one of ``values``."""
    texts = [value for value in values if isinstance(value, str)]
    numbers = [value for value in values if isinstance(value, int | float)]
    parts: list[Sql] = []
    if texts:
        parts.append(_and_in("item_.type = 'text'", texts))
    if numbers:
        parts.append(_and_in("item_.type IN ('integer', 'real')", numbers))
    for name, literal in (("true", Flag(True)), ("false", Flag(False)), ("null", None)):
        if literal in values:
            parts.append((f"item_.type = '{name}'", []))
    for type_, kind in (("array", Array), ("object", Object)):
        if nested := [value for value in values if isinstance(value, kind)]:
            same, bound = _any_same("item_.value", "$", nested)
            parts.append((f"CASE item_.type WHEN '{type_}' THEN {same} ELSE 0 END", bound))
    condition, parameters = _joined("OR", parts, _FALSE)
    return f"EXISTS(SELECT 1 FROM json_each({column}, ?) item_ WHERE {condition})", [path, *parameters]


def _and_in(guard: str, values: Sequence[object]) -> Sql:
    condition, parameters = _in("item_.value", [], values)
    return f"({guard} AND {condition})", parameters


def _any_same(column: str, path: str, values: Sequence[Value]) -> Sql:
    return _joined("OR", [_same(column, path, value) for value in values], _FALSE)


def _same(column: str, path: str, value: Value) -> Sql:
    """Say whether the JSON at ``path`` is ``value``, type for type."""
    match value:
        case Array(items):
            return _same_list(column, path, items)
        case Object(items):
            return _same_object(column, path, items)
        case None | Flag():
            return f"json_type({column}, ?) IS '{_literal_type(value)}'", [path]
        case _:
            types = "('text')" if isinstance(value, str) else "('integer', 'real')"
            sql = f"(ifnull(json_type({column}, ?), '') IN {types} AND json_extract({column}, ?) = ?)"
            return sql, [path, path, value]


def _same_list(column: str, path: str, items: Sequence[Value]) -> Sql:
    length = f"json_array_length({column}, ?) = {len(items)}"
    parts = [_same(column, f"{path}[{index}]", item) for index, item in enumerate(items)]
    return _joined("AND", [(f"json_type({column}, ?) IS 'array' AND {length}", [path] * 2), *parts], _TRUE)


def _same_object(column: str, path: str, items: Iterable[tuple[str, Value]]) -> Sql:
    pairs = list(items)
    size = f"(SELECT count(*) FROM json_each({column}, ?)) = {len(pairs)}"
    parts = [_same(column, path + _path([key])[1:], item) for key, item in pairs]
    return _joined("AND", [(f"json_type({column}, ?) IS 'object' AND {size}", [path] * 2), *parts], _TRUE)


def _literal_type(value: Flag | None) -> str:
    if value is None:
        return "null"
    return "true" if value.on else "false"


def _in(found: str, bound: Sequence[object], values: Sequence[object]) -> Sql:
    if len(values) == 1:
        return f"{found} = ?", [*bound, *values]
    if len(values) <= _FEW:
        return f"{found} IN ({', '.join('?' * len(values))})", [*bound, *values]
    return f"{found} IN (SELECT value FROM json_each(?))", [*bound, json.dumps(values)]


def _path(steps: Iterable[str]) -> str:
    """Return the JSON path of ``steps``, each quoted and escaped as in JSON."""
    return "$" + "".join("." + json.dumps(step) for step in steps)


def _joined(word: str, parts: Sequence[Sql], empty: Sql) -> Sql:
    """Join conditions as a balanced tree: SQLite limits how deep an expression nests."""
    if not parts:
        return empty
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, left_bound = _joined(word, parts[:middle], empty)
    right, right_bound = _joined(word, parts[middle:], empty)
    return f"({left} {word} {right})", [*left_bound, *right_bound]
