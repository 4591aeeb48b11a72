"""Filters over metadata, through the public door: applied before the cut, checked before anything else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeEmbedder


@pytest.fixture
def trips(mem: Memory) -> Memory:
    """Three memories of trips."""
    mem.remember("trip to Osaka", metadata={"tags": ["food", "rain"], "cost": 300, "hotel": {"stars": 3}})
    mem.remember("trip to Kyoto", metadata={"tags": ["temples"], "cost": 500, "paid": True, "s": "abcdef"})
    mem.remember("trip to Nara", metadata={"cost": 80.5, "a.b": 1})
    return mem


def places(hits: Any) -> set[str]:
    return {hit.text.removeprefix("trip to ") for hit in hits}


CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({"tags": "food"}, {"Osaka"}),
    ({"hotel.stars": 3}, {"Osaka"}),
    ({"a.b": 1}, {"Nara"}),
    ({"$or": [{"tags": "temples"}, {"cost": {"$lt": 100}}]}, {"Kyoto", "Nara"}),
    ({"$not": {"tags": "food"}}, {"Kyoto", "Nara"}),
    ({"$and": [{"cost": {"$gt": 100}}, {"tags": {"$ne": "food"}}]}, {"Kyoto"}),
    ({"paid": True}, {"Kyoto"}),
    ({"paid": 1}, set()),
    ({"paid": None}, {"Osaka", "Nara"}),
    ({"tags": {"$exists": False}}, {"Nara"}),
    ({"tags": {"$contains": "rain"}}, {"Osaka"}),
    ({"cost": {"$in": [300, 500]}}, {"Osaka", "Kyoto"}),
    ({"cost": {"$nin": [300, 500]}}, {"Nara"}),
]


@pytest.mark.parametrize("where, expected", CASES)
class TestAnswers:
    def test_of_recall(self, trips: Memory, where: Any, expected: set[str]) -> None:
        assert places(trips.recall("trip", where=where)) == expected

    def test_of_recall_without_a_question(self, trips: Memory, where: Any, expected: set[str]) -> None:
        assert places(trips.recall(None, where=where)) == expected

    def test_of_list(self, trips: Memory, where: Any, expected: set[str]) -> None:
        assert places(trips.list(where=where)) == expected


@pytest.mark.parametrize(
    "where",
    [
        {"s": {"$in": "abc"}},
        {"s": {1, 2}},
        {"s": datetime(2026, 1, 1, tzinfo=UTC)},
        {"s": b"x"},
        {"s": float("nan")},
        {"s": {"$like": "x"}},
        {"$nor": []},
        [1],
        "s = 1",
        5,
    ],
)
class TestRefusals:
    """A filter is refused whatever the store holds, nothing included."""

    def test_of_recall(self, mem: Memory, where: Any) -> None:
        with pytest.raises(InvalidInputError, match="where"):
            mem.recall("trip", where=where)

    def test_of_list(self, mem: Memory, where: Any) -> None:
        with pytest.raises(ValueError, match="where"):
            mem.list(where=where)

    def test_of_forget(self, trips: Memory, where: Any) -> None:
        with pytest.raises(InvalidInputError):
            trips.forget(where=where)
        assert len(trips.list()) == 3


@pytest.mark.parametrize("signals", [{"use_vectors": False}, {"use_bm25": False}, {}])
def test_a_rare_match_is_found_among_hundreds_of_better_ones(opened: Any, signals: dict[str, bool]) -> None:
    """A filter restricts the candidates before the best are cut off."""
    mem = opened("crowd", embedder=FakeEmbedder())
    with mem.bulk():
        for number in range(300):
            mem.remember(f"release checklist for build {number}")
        mem.remember("notes on the freeze of the release", metadata={"flag": True})
    (hit,) = mem.recall("release checklist", k=5, where={"flag": True}, **signals)
    assert hit.metadata == {"flag": True}
