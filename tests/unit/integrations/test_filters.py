"""What adapters hand to the store never hides what their own filters accept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.errors import InvalidInputError
from omoide.integrations import langgraph_filter, llamaindex_filter, mem0_filter
from omoide.model.where import matches, parse

KEYS = st.sampled_from(["a", "b", "a.b", "x-1", "", "寿司", "user_id", "role"])
TEXTS = st.sampled_from(["", "a", "b", "A", "1", "寿司", "o'Neil", "\0", "10"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.5, 1.0, 1e300, 2**70]), TEXTS)
VALUES: Any = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=2)),
    max_leaves=6,
)
ROWS: Any = st.dictionaries(KEYS, VALUES, max_size=4)


def lets_through(where: Any, row: dict[str, Any]) -> bool:
    found = parse(where)
    return found is None or matches(found, row)


LANGGRAPH_OPS = st.dictionaries(st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), VALUES, min_size=1)
LANGGRAPH: Any = st.dictionaries(KEYS, st.one_of(VALUES, LANGGRAPH_OPS), max_size=3)


@settings(max_examples=200, deadline=None)
@given(ROWS, LANGGRAPH)
def test_langgraph(row: dict[str, Any], wanted: dict[str, Any]) -> None:
    if langgraph_filter.accepts(row, wanted):
        assert lets_through(langgraph_filter.pushed("value", wanted), {"value": row})


def test_langgraph_leaves_equality_and_order_of_plain_values_to_the_store() -> None:
    wanted = {"n": {"$gte": 2}, "who": {"name": "o'Neil"}, "a.b": 1, "tags": {"$ne": 1}}
    assert langgraph_filter.pushed("value", wanted) == {
        "$and": [{"value.n": {"$gte": 2}}, {"value.who.name": {"$eq": "o'Neil"}}]
    }


class Part:
    """One of LlamaIndex's filters, by its fields."""

    def __init__(self, key: str, value: Any, operator: str) -> None:
        self.key, self.value, self.operator = key, value, operator


class Parts:
    """LlamaIndex's filters, by their fields."""

    def __init__(self, filters: list[Any], condition: str) -> None:
        self.filters, self.condition = filters, condition


OPERATORS = ["==", ">", "<", "!=", ">=", "<=", "in", "nin", "any", "all", "text_match", "contains", "is_empty"]
LISTED = st.one_of(st.integers(-2, 2), st.just(0.5), TEXTS, st.lists(TEXTS, max_size=2), st.lists(st.integers(-1, 1)))
PART = st.builds(Part, KEYS, LISTED, st.sampled_from([*OPERATORS, "text_match_insensitive"]))
CONDITIONS = st.sampled_from(["and", "or", "not"])
GROUP: Any = st.recursive(
    st.builds(Parts, st.lists(PART, max_size=3), CONDITIONS),
    lambda inner: st.builds(Parts, st.lists(st.one_of(PART, inner), max_size=3), CONDITIONS),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(ROWS, GROUP)
def test_llamaindex(row: dict[str, Any], wanted: Parts) -> None:
    if llamaindex_filter.accepts(row, wanted):
        assert lets_through(llamaindex_filter.pushed("fields", wanted), {"fields": row})


@pytest.mark.parametrize("wanted", [Parts([Part("a", 1, "near")], "and"), Parts([Part("a", 1, "==")], "xor")])
def test_llamaindex_refuses_what_it_does_not_know(wanted: Parts) -> None:
    with pytest.raises(InvalidInputError, match="unknown"):
        llamaindex_filter.accepts({"a": 1}, wanted)


MEM0_OPS = ["eq", "ne", "gt", "gte", "lt", "lte", "contains", "icontains"]
MEM0_ONE = st.one_of(
    SCALARS, st.just("*"), st.lists(SCALARS, max_size=3),
    st.dictionaries(st.sampled_from(MEM0_OPS), SCALARS, min_size=1),
    st.builds(lambda values: {"in": values}, st.lists(SCALARS, max_size=2)),
)  # fmt: skip
MEM0: Any = st.recursive(
    st.dictionaries(KEYS, MEM0_ONE, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from(["AND", "OR", "NOT"]), st.lists(inner, min_size=1, max_size=2)),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(ROWS, MEM0)
def test_mem0(row: dict[str, Any], wanted: dict[str, Any]) -> None:
    ids = {name: row[name] for name in mem0_filter.SCOPE if isinstance(row.get(name), str)}
    marks = {"adapter": "mem0", **ids, "data": {name: value for name, value in row.items() if name not in ids}}
    if mem0_filter.accepts({**marks["data"], **marks}, wanted):
        assert lets_through(mem0_filter.pushed(wanted), marks)
