"""What a filter over metadata means, and what it refuses."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from enum import IntEnum, StrEnum
from typing import Any

import pytest

from omoide.errors import InvalidInputError
from omoide.model.filter import Equal, Flag
from omoide.model.where import MAX_DEPTH, MAX_PARTS, OPERATORS, matches, parse

TOKYO = timezone(timedelta(hours=9))


def passes(where: Any, metadata: dict[str, Any]) -> bool:
    return matches(parse(where), metadata)


def refusal(where: Any) -> str:
    with pytest.raises(InvalidInputError) as caught:
        parse(where)
    return str(caught.value)


class TestNoFilter:
    @pytest.mark.parametrize("where", [None, {}])
    def test_none_and_empty_let_everything_through(self, where: Any) -> None:
        assert parse(where) is None
        assert passes(where, {"a": 1})


class TestEquality:
    @pytest.mark.parametrize(
        "where, metadata",
        [
            ({"a": 1}, {"a": 1}),
            ({"a": 1}, {"a": 1.0}),
            ({"a": "x"}, {"a": "x"}),
            ({"a": True}, {"a": True}),
            ({"a": None}, {"a": None}),
            ({"a": None}, {}),
            ({"a": {"b": [1]}}, {"a": {"b": [1]}}),
            ({"a": {}}, {"a": {}}),
            ({"a": {"b": 1, "c": 2}}, {"a": {"c": 2, "b": 1}}),
            ({"a": {"$eq": {"$gt": 1}}}, {"a": {"$gt": 1}}),
            ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}),
        ],
    )
    def test_matches(self, where: Any, metadata: dict[str, Any]) -> None:
        assert passes(where, metadata)

    @pytest.mark.parametrize(
        "where, metadata",
        [
            ({"a": True}, {"a": 1}),
            ({"a": 1}, {"a": True}),
            ({"a": False}, {"a": 0}),
            ({"a": [True]}, {"a": [1]}),
            ({"a": "1"}, {"a": 1}),
            ({"a": 0}, {}),
            ({"a": ""}, {"a": None}),
            ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}),
            ({"a": 1, "b": 2}, {"a": 1}),
            ({"A": 1}, {"a": 1}),
        ],
    )
    def test_does_not_match(self, where: Any, metadata: dict[str, Any]) -> None:
        assert not passes(where, metadata)

    def test_integers_beyond_64_bit_compare_as_doubles(self) -> None:
        assert passes({"a": 2**64}, {"a": 2**64 + 1})
        assert passes({"a": 2**53}, {"a": 2.0**53})
        assert not passes({"a": 2**53 + 1}, {"a": 2.0**53})


class TestLists:
    def test_a_scalar_matches_a_list_that_holds_it(self) -> None:
        assert passes({"tags": "home"}, {"tags": ["work", "home"]})
        assert not passes({"tags": "hom"}, {"tags": ["home"]})

    def test_a_list_matches_only_the_whole_list_in_order(self) -> None:
        assert passes({"tags": ["a", "b"]}, {"tags": ["a", "b"]})
        assert not passes({"tags": ["b", "a"]}, {"tags": ["a", "b"]})
        assert not passes({"tags": ["a"]}, {"tags": ["a", "b"]})
        assert not passes({"tags": ["a"]}, {"tags": [["a"]]})

    def test_an_object_matches_a_list_that_holds_it(self) -> None:
        assert passes({"people": {"name": "Ana"}}, {"people": [{"name": "Ana"}, {"name": "Bo"}]})

    def test_in_matches_a_list_that_holds_one_of_them(self) -> None:
        assert passes({"tags": {"$in": ["x", "home"]}}, {"tags": ["home"]})
        assert not passes({"tags": {"$nin": ["x", "home"]}}, {"tags": ["home"]})

    def test_order_does_not_look_into_lists(self) -> None:
        assert not passes({"a": {"$gt": 1}}, {"a": [2]})


class TestContains:
    def test_finds_an_element_of_a_list(self) -> None:
        assert passes({"a": {"$contains": 1}}, {"a": [0, 1]})
        assert passes({"a": {"$contains": [1]}}, {"a": [[1], 2]})
        assert not passes({"a": {"$contains": True}}, {"a": [1]})

    def test_finds_a_part_of_a_text(self) -> None:
        assert passes({"a": {"$contains": "東京"}}, {"a": "東京タワー"})
        assert not passes({"a": {"$contains": "TOWER"}}, {"a": "tower"})
        assert not passes({"a": {"$contains": 1}}, {"a": "1"})

    def test_finds_nothing_where_the_key_is_missing(self) -> None:
        assert not passes({"a": {"$contains": None}}, {})


class TestOrder:
    @pytest.mark.parametrize(
        "condition, value, expected",
        [
            ({"$gt": 3}, 3, False),
            ({"$gte": 3}, 3.0, True),
            ({"$lt": 3}, 2.9, True),
            ({"$lte": 3}, 4, False),
            ({"$gt": "a"}, "b", True),
            ({"$gt": "z"}, "é", True),
            ({"$gt": False}, True, True),
            ({"$gte": True}, False, False),
            ({"$gt": 3, "$lt": 5}, 4, True),
            ({"$gt": 3, "$lt": 5}, 5, False),
        ],
    )
    def test_compares_within_a_type(self, condition: Any, value: Any, expected: bool) -> None:
        assert passes({"a": condition}, {"a": value}) is expected

    @pytest.mark.parametrize("value", ["4", True, None, [4], {"b": 4}])
    def test_another_type_never_matches(self, value: Any) -> None:
        assert not passes({"a": {"$gt": 0}}, {"a": value})
        assert not passes({"a": {"$lte": 0}}, {"a": value})

    def test_a_missing_key_never_matches(self) -> None:
        assert not passes({"a": {"$lt": 5}}, {})

    def test_an_aware_datetime_stands_for_its_utc_text(self) -> None:
        where = {"due": {"$gte": datetime(2026, 1, 1, 9, tzinfo=TOKYO)}}
        assert passes(where, {"due": datetime(2026, 1, 1, tzinfo=UTC).isoformat()})
        assert passes(where, {"due": datetime(2026, 1, 1, 0, 0, 0, 5, tzinfo=UTC).isoformat()})
        assert not passes(where, {"due": datetime(2025, 12, 31, 23, tzinfo=UTC).isoformat()})

    def test_a_date_stands_for_its_text(self) -> None:
        assert passes({"due": {"$lt": date(2026, 2, 1)}}, {"due": "2026-01-31T23:59:00+00:00"})
        assert not passes({"due": {"$lt": date(2026, 2, 1)}}, {"due": "2026-02-01"})


class TestNegation:
    def test_ne_and_nin_match_a_missing_key(self) -> None:
        assert passes({"a": {"$ne": 1}}, {})
        assert passes({"a": {"$nin": [1, 2]}}, {})

    def test_a_missing_key_counts_as_null(self) -> None:
        assert not passes({"a": {"$ne": None}}, {})
        assert passes({"a": {"$in": [None]}}, {})

    def test_not_works_around_fields_and_after_a_key(self) -> None:
        assert passes({"$not": {"a": 1}}, {"a": 2})
        assert passes({"a": {"$not": {"$gt": 1}}}, {})


class TestExists:
    def test_a_null_exists(self) -> None:
        assert passes({"a": {"$exists": True}}, {"a": None})
        assert not passes({"a": {"$exists": False}}, {"a": None})

    def test_a_missing_key_does_not(self) -> None:
        assert passes({"a": {"$exists": False}}, {})


class TestLogic:
    def test_or_at_the_top(self) -> None:
        where = {"$or": [{"a": 1}, {"b": 2}]}
        assert passes(where, {"b": 2})
        assert not passes(where, {"a": 2})

    def test_logic_beside_keys_is_one_more_condition(self) -> None:
        where = {"c": 3, "$or": [{"a": 1}, {"b": 2}]}
        assert not passes(where, {"a": 1})
        assert passes(where, {"a": 1, "c": 3})

    def test_logic_nests_and_stands_after_a_key(self) -> None:
        where = {"a": {"$or": [{"$lt": 1}, {"$and": [{"$gt": 5}, {"$ne": 7}]}]}}
        assert passes(where, {"a": 6})
        assert not passes(where, {"a": 7})


class TestKeysWithDots:
    def test_reach_into_objects(self) -> None:
        assert passes({"a.b": 1}, {"a": {"b": 1}})
        assert passes({"a.b.c": 1}, {"a": {"b": {"c": 1}}})

    def test_the_key_as_it_stands_comes_first(self) -> None:
        assert passes({"a.b": 1}, {"a.b": 1, "a": {"b": 2}})
        assert not passes({"a.b": 2}, {"a.b": None, "a": {"b": 2}})

    def test_a_literal_dot_may_stand_on_any_level(self) -> None:
        assert passes({"a.b.c": 1}, {"a": {"b.c": 1}})

    def test_do_not_reach_into_lists(self) -> None:
        assert not passes({"a.b": 1}, {"a": [{"b": 1}]})
        assert not passes({"a.0": 1}, {"a": [1]})

    def test_a_missing_step_counts_as_null(self) -> None:
        assert passes({"a.b": None}, {"a": 5})


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class TestValues:
    def test_enumerations_count_as_what_they_stand_for(self) -> None:
        assert parse({"a": Colour.RED, "b": Level.HIGH}) == parse({"a": "red", "b": 3})
        assert type(parse({"a": Colour.RED}).values[0]) is str  # type: ignore[union-attr]

    def test_a_tuple_counts_as_a_list(self) -> None:
        assert passes({"a": (1, 2)}, {"a": [1, 2]})

    def test_equal_filters_are_equal_values_and_true_is_not_one(self) -> None:
        assert parse({"a": 1}) == parse({"a": {"$eq": 1.0}})
        assert hash(parse({"a": {"b": 1, "c": [2]}})) == hash(parse({"a": {"c": [2], "b": 1}}))
        assert parse({"a": True}) != parse({"a": 1})
        assert parse({"a": True}) == Equal("a", (Flag(True),))


class TestRefusals:
    @pytest.mark.parametrize("where", [[], [1], "a", 5, True, {"a"}, b"{}"])
    def test_a_filter_is_a_mapping(self, where: Any) -> None:
        assert "where must be a mapping" in refusal(where)

    @pytest.mark.parametrize(
        "where",
        [
            {"a": {"$like": "x"}},
            {"a": {"$gt": 1, "$regex": "x"}},
            {"$nor": [{"a": 1}]},
            {"$gt": 1},
            {"$or": [{"a": {"$size": 1}}]},
            {"a": {"$not": {"$near": 1}}},
        ],
    )
    def test_an_unknown_operator_is_named_with_the_known_ones(self, where: Any) -> None:
        text = refusal(where)
        assert "unknown operator '$" in text
        assert all(operator in text for operator in OPERATORS)

    @pytest.mark.parametrize("op", ["$in", "$nin"])
    @pytest.mark.parametrize("operand", ["abc", 5, {"a": 1}, None, {1, 2}])
    def test_in_needs_a_list(self, op: str, operand: Any) -> None:
        assert f"where: 'status': {op} needs a list of values" in refusal({"status": {op: operand}})

    @pytest.mark.parametrize(
        "operand",
        [{1}, frozenset(), datetime(2026, 1, 1, tzinfo=UTC), date(2026, 1, 1), b"x", math.nan, object()],
    )
    def test_an_operand_is_json(self, operand: Any) -> None:
        for where in ({"when": operand}, {"when": {"$ne": operand}}, {"when": {"$in": [1, operand]}}):
            assert "'when'" in refusal(where)

    @pytest.mark.parametrize("operand", [None, [1], {"b": 1}, {1}, b"x", math.nan, datetime(2026, 1, 1)])  # noqa: DTZ001
    def test_order_needs_something_that_has_one(self, operand: Any) -> None:
        assert "'when': $gt" in refusal({"when": {"$gt": operand}})

    @pytest.mark.parametrize("operand", [1, "true", None])
    def test_exists_needs_a_boolean(self, operand: Any) -> None:
        assert "$exists needs True or False" in refusal({"a": {"$exists": operand}})

    @pytest.mark.parametrize("where", [{"$or": []}, {"$and": {"a": 1}}, {"$or": "ab"}, {"a": {"$or": []}}])
    def test_and_and_or_need_a_list_of_filters(self, where: Any) -> None:
        assert "needs a list of one or more filters" in refusal(where)

    @pytest.mark.parametrize("where", [{"$or": [1]}, {"$not": [{"a": 1}]}, {"$and": [None]}])
    def test_each_part_of_logic_is_a_mapping(self, where: Any) -> None:
        assert "must be a mapping" in refusal(where)

    def test_after_a_key_each_part_of_logic_holds_operators(self) -> None:
        assert "'a': $or needs operators here" in refusal({"a": {"$or": [5]}})

    def test_operators_and_plain_keys_do_not_mix(self) -> None:
        assert "'a' mixes operators with plain keys" in refusal({"a": {"$gt": 1, "b": 2}})

    def test_an_operator_below_a_plain_key_is_not_taken_for_data(self) -> None:
        assert "write a key with dots" in refusal({"a": {"b": {"$gt": 1}}})

    @pytest.mark.parametrize("where", [{1: 2}, {"a": {1: 2}}, {None: 1}, {"\ud800": 1}, {"a\0": 1}, {"a": "\udfff"}])
    def test_keys_and_texts_are_text(self, where: Any) -> None:
        assert refusal(where)

    def test_a_filter_nests_only_so_deep(self) -> None:
        where: Any = {"a": 1}
        for _ in range(MAX_DEPTH):
            where = {"$not": where}
        assert f"more than {MAX_DEPTH} levels" in refusal(where)
        value: Any = 1
        for _ in range(100_000):
            value = [value]
        assert f"'a': more than {MAX_DEPTH} levels" in refusal({"a": value})
        assert "levels" in refusal({".".join("a" * 20): 1})

    def test_a_filter_has_only_so_many_parts(self) -> None:
        assert "more than 1000 conditions and values" in refusal({"a": {"$in": list(range(MAX_PARTS + 1))}})

    def test_the_error_quotes_only_the_start_of_a_long_operand(self) -> None:
        assert len(refusal({"a": {"$in": "x" * 10_000}})) < 300
