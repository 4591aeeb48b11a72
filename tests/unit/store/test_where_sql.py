"""A compiled filter runs in SQLite, with every value bound."""

from __future__ import annotations

import json
from typing import Any

import apsw
import pytest

from omoide.model.where import parse
from omoide.store.sqlite.where_sql import compile_where

ROWS: list[dict[str, Any] | None] = [
    None,
    {},
    {"city": "Osaka", "visits": 3, "tags": ["home", "jp"]},
    {"city": "Tokyo", "visits": 12, "tags": [], "address": {"zip": "100-0001"}},
    {"city": ["Osaka"], "flag": True, "address.zip": None},
    {'a"b': 1, "x') OR 1=1 --": 2, "[0]": 3, "$.city": 4, "emoji 🧑‍🚀": 5, "\\": 6, "": 7},
]


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE version(n INTEGER, metadata TEXT)")
    for number, row in enumerate(ROWS):
        text = None if row is None else json.dumps(row)
        connection.execute("INSERT INTO version VALUES(?, ?)", (number, text))
    return connection


def found(connection: apsw.Connection, where: Any) -> list[int]:
    condition, parameters = compile_where(parse(where))
    sql = f"SELECT n FROM version v WHERE n >= ? AND {condition} ORDER BY n"
    return [n for (n,) in connection.execute(sql, [0, *parameters])]


@pytest.mark.parametrize(
    "where, expected",
    [
        (None, [0, 1, 2, 3, 4, 5]),
        ({"city": "Osaka"}, [2, 4]),
        ({"city": ["Osaka"]}, [4]),
        ({"city": {"$ne": "Osaka"}}, [0, 1, 3, 5]),
        ({"visits": {"$gte": 3, "$lt": 12}}, [2]),
        ({"tags": "jp"}, [2]),
        ({"tags": {"$contains": "home"}}, [2]),
        ({"city": {"$contains": "ky"}}, [3]),
        ({"flag": True}, [4]),
        ({"flag": 1}, []),
        ({"address.zip": "100-0001"}, [3]),
        ({"address.zip": {"$exists": True}}, [3, 4]),
        ({"visits": None}, [0, 1, 4, 5]),
        ({"$or": [{"visits": 12}, {"flag": True}]}, [3, 4]),
        ({"$not": {"city": {"$in": ["Osaka", "Tokyo"]}}}, [0, 1, 5]),
        ({"city": {"$in": []}}, []),
        ({"$or": [{"a": 1}, {}]}, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_finds_the_rows_that_match(connection: apsw.Connection, where: Any, expected: list[int]) -> None:
    assert found(connection, where) == expected


@pytest.mark.parametrize("key", [key for key in ROWS[5] or {} if not key.startswith("$")])
def test_any_key_can_be_named(connection: apsw.Connection, key: str) -> None:
    assert found(connection, {key: {"$gt": 0}}) == [5]


def test_no_text_of_the_caller_gets_into_the_sql() -> None:
    where = {"k'\"; DROP": {"$in": ["v'\"; DROP", *map(str, range(20))]}, "x.y": {"$contains": {"q?": "w?"}}}
    sql, parameters = compile_where(parse(where))
    assert "DROP" not in sql
    assert "q" not in sql.replace("json_extract", "").replace("EXISTS", "")
    assert sql.count("?") == len(parameters)


def test_the_column_is_where_the_caller_says() -> None:
    sql, _ = compile_where(parse({"a": 1}), "m.meta")
    assert "m.meta" in sql
    assert "v.metadata" not in sql


LONGEST_KEY = ".".join("abcdefghijklmno")
BIG: dict[str, Any] = {
    "a thousand values": {"a": {"$in": [*range(450), *map(str, range(450))]}},
    "a long list": {"a": list(range(900))},
    "many conditions": {f"k{n}": {"$gt": n} for n in range(330)},
    "many alternatives": {"$or": [{f"k{n}": n} for n in range(320)]},
    "a long key with many values": {LONGEST_KEY: {"$in": [f"v{n}" for n in range(50)]}},
    "a long key with a list": {LONGEST_KEY: [1.5] * 50},
    "the deepest logic": {"$not": {"$and": [{"$not": {"$or": [{"a": {"$not": {"$not": {"$gt": 1}}}}, {"b": 1}]}}]}},
}


@pytest.mark.parametrize("where", BIG.values(), ids=BIG)
def test_the_biggest_filters_stay_within_the_limits_of_sqlite(connection: apsw.Connection, where: Any) -> None:
    found(connection, where)
