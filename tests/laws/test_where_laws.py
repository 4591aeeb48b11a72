"""The compiled filter answers like the evaluated one, whatever the metadata and the filter."""

from __future__ import annotations

import json
import math
from typing import Any

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from omoide.model.filter import matches
from omoide.model.where import parse
from omoide.store.sqlite.where_sql import compile_where

KEYS = st.one_of(
    st.sampled_from(["a", "b", "a.b", "b.a", "a.b.a", "", ".", 'q"', "\\", "[0]", "$", "#", "é", "😀", "a\nb"]),
    st.text(max_size=3).filter(lambda key: "\0" not in key),
)
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, -0.0, 2**53, 2**53 + 1, 2.0**53, 2**63 - 1, 2**63, -(2**63), 10**400, 1e308]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(["", "a", "ab", "1", "true", "[1]"]), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)
METADATA = st.dictionaries(KEYS, VALUES, max_size=4)
FIELD_KEYS = KEYS.filter(lambda key: not key.startswith("$"))


def _pair(op: str, operands: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return operands.map(lambda operand: {op: operand})


ORDERED = st.one_of(st.booleans(), NUMBERS, st.text(max_size=3))
CONDITIONS = st.recursive(
    st.one_of(
        *(_pair(op, VALUES) for op in ("$eq", "$ne", "$contains")),
        *(_pair(op, ORDERED) for op in ("$gt", "$gte", "$lt", "$lte")),
        *(_pair(op, st.lists(VALUES, max_size=12)) for op in ("$in", "$nin")),
        _pair("$exists", st.booleans()),
    ),
    lambda inner: st.one_of(
        _pair("$not", inner), *(_pair(op, st.lists(inner, min_size=1, max_size=2)) for op in ("$and", "$or"))
    ),
    max_leaves=3,
)
FIELDS = st.dictionaries(FIELD_KEYS, st.one_of(SCALARS, CONDITIONS), max_size=3)
FILTERS = st.recursive(
    FIELDS,
    lambda inner: st.one_of(
        _pair("$not", inner), *(_pair(op, st.lists(inner, min_size=1, max_size=3)) for op in ("$and", "$or"))
    ),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE v(metadata TEXT)")
    return connection


def sql_matches(connection: apsw.Connection, where: Any, metadata: Any, *, ascii_: bool = True) -> bool:
    """Ask SQLite about one row of metadata; every fragment must say 0 or 1."""
    condition, parameters = compile_where(parse(where))
    text = None if metadata is None else json.dumps(metadata, ensure_ascii=ascii_)
    row = connection.execute(f"SELECT {condition} FROM (SELECT ? AS metadata) v", [*parameters, text]).fetchone()
    answer = row[0] if row else None
    assert answer in {0, 1}
    return bool(answer)


class TestCompiledEqualsEvaluated:
    @given(where=FILTERS, metadata=METADATA, ascii_=st.booleans())
    @example(where={"a": {"$in": [True]}}, metadata={"a": 1}, ascii_=True)
    @example(where={"a.b": None}, metadata={"a": [{"b": 1}]}, ascii_=True)
    @example(where={"a.b": 1}, metadata={"a.b": None, "a": {"b": 1}}, ascii_=True)
    @example(where={"a": {"$eq": 10**400}}, metadata={"a": 10**400}, ascii_=True)
    @settings(max_examples=600, deadline=None)
    def test_for_any_filter_and_metadata(
        self, connection: apsw.Connection, where: Any, metadata: Any, ascii_: bool
    ) -> None:
        expected = matches(parse(where), metadata)
        assert sql_matches(connection, where, metadata, ascii_=ascii_) is expected

    @given(data=st.data(), metadata=METADATA.filter(bool))
    @settings(max_examples=300, deadline=None)
    def test_for_a_value_taken_from_the_metadata(
        self, connection: apsw.Connection, data: st.DataObject, metadata: Any
    ) -> None:
        key = data.draw(st.sampled_from(sorted(metadata)))
        op = data.draw(st.sampled_from(["$eq", "$ne", "$contains"]))
        field = {key: {op: metadata[key]}}
        where = {"$and": [field]} if not key.startswith("$") else {}
        assert sql_matches(connection, where, metadata) is matches(parse(where), metadata)

    @given(
        left=st.floats(allow_nan=False, allow_infinity=False),
        op=st.sampled_from(["$eq", "$gt", "$gte", "$lt"]),
    )
    @settings(max_examples=300, deadline=None)
    def test_for_doubles_one_bit_apart(self, connection: apsw.Connection, left: float, op: str) -> None:
        for right in (left, math.nextafter(left, math.inf), math.nextafter(left, 0)):
            if math.isfinite(right):
                where, metadata = {"a": {op: right}}, {"a": left}
                assert sql_matches(connection, where, metadata) is matches(parse(where), metadata)


class TestLogic:
    @given(where=FILTERS, metadata=METADATA)
    @settings(deadline=None)
    def test_not_is_the_exact_opposite(self, where: Any, metadata: Any) -> None:
        assert matches(parse({"$not": where}), metadata) is not matches(parse(where), metadata)

    @given(key=FIELD_KEYS, value=VALUES, metadata=METADATA)
    @settings(deadline=None)
    def test_ne_is_the_opposite_of_eq(self, key: str, value: Any, metadata: Any) -> None:
        equal = matches(parse({key: {"$eq": value}}), metadata)
        assert matches(parse({key: {"$ne": value}}), metadata) is not equal

    @given(key=FIELD_KEYS, values=st.lists(VALUES, max_size=3), metadata=METADATA)
    @settings(deadline=None)
    def test_in_is_any_eq(self, key: str, values: list[Any], metadata: Any) -> None:
        any_equal = any(matches(parse({key: {"$eq": value}}), metadata) for value in values)
        assert matches(parse({key: {"$in": values}}), metadata) is any_equal
