"""``recall`` without a question: the most important first, then the freshest, whatever project it belongs to."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeClock, count_statements

LEVELS = ("low", "medium", "high", "critical")
RANK = {level: number for number, level in enumerate(LEVELS)}


@pytest.fixture
def plain(tmp_path: Any) -> Iterator[tuple[Memory, FakeClock]]:
    """A store without vectors, and its clock."""
    clock = FakeClock()
    with Memory(tmp_path / "agents.db", embedder="none", clock=clock) as mem:
        yield mem, clock


def expected(mem: Memory, **filters: Any) -> list[int]:
    """Return the ids that hold now in the documented order; versions of later memories are later ones here."""
    held = mem.list(**filters)
    held.sort(key=lambda each: (RANK[str(each.importance)], each.known_from, each.version_id), reverse=True)
    return [each.id for each in held]


@pytest.mark.parametrize("projects", [1, 3, 80], ids=["one project", "a few", "more than are asked one by one"])
def test_the_order_is_that_of_importance_then_age(plain: tuple[Memory, FakeClock], projects: int) -> None:
    """Over every project and none, with pieces that ended, were planned, forgotten, archived or came at one instant."""
    mem, clock = plain
    draw = Random(projects)
    ids = []
    for number in range(160):
        project = f"p{number % projects}" if draw.random() < 0.7 else None
        start, end = draw.choice([(None, None), (None, None), ("2024-01-01", "2025-01-01"), ("2031-01-01", None)])
        told = mem.remember(
            f"note {number}", importance=draw.choice(LEVELS), project=project, valid_from=start, valid_to=end
        )
        ids.append(told)
        clock.advance(draw.choice([0, 60]))
    for each in draw.sample(ids, 20):
        mem.forget(each)
    for each in draw.sample(ids[1:], 20):
        if mem.get(each) is not None:
            mem.revise(each, f"another note {int(each)}")
    asked: list[dict[str, Any]] = [{}, {"project": "p0"}, {"kinds": "fact"}]
    for filters in asked:
        whole = expected(mem, **filters)
        for k in (1, 5, 40, 500):
            assert [hit.id for hit in mem.recall(k=k, **filters)] == whole[:k]


def test_listing_a_few_does_not_walk_the_namespace(plain: tuple[Memory, FakeClock]) -> None:
    mem, clock = plain

    def fill(count: int) -> int:
        for number in range(count):
            mem.remember(f"note {number} of {count}", project=("a", "b", None)[number % 3])
            clock.advance(1)
        with count_statements(mem) as work:
            assert len(mem.recall(k=5)) == 5
        return work.steps

    few = fill(40)
    assert fill(800) <= few + 50


@pytest.mark.parametrize(
    "written, asked",
    [
        ("Job Title", "job  title"),
        ("pr\u00e9f\u00e8re", unicodedata.normalize("NFD", "PR\u00c9F\u00c8RE")),
        (unicodedata.normalize("NFD", "d\u00e9m\u00e9nag\u00e9"), "d\u00e9m\u00e9nag\u00e9"),
        ("\uff85\uff8f\uff74", "\u30ca\u30de\u30a8"),
        ("\uff2a\uff2f\uff22", "job"),
    ],
    ids=["English case and blanks", "French composed", "French decomposed", "Japanese halfwidth", "fullwidth letters"],
)
def test_a_predicate_is_one_in_every_form(plain: tuple[Memory, FakeClock], written: str, asked: str) -> None:
    """With a question and without, now and in the past, as in contradictions and exclusive predicates."""
    mem, clock = plain
    own = mem.remember("a baker in Lyon", subject="user", predicate=written)
    mem.remember("a baker in Nice", subject="user", predicate="other")
    then = clock.now()
    clock.advance(60)
    for hits in (
        mem.recall(predicate=asked),
        mem.recall("baker", predicate=asked),
        mem.recall("baker", predicate=asked, as_of=then),
        mem.recall(predicate=asked, subject="user"),
    ):
        assert [hit.id for hit in hits] == [own]
        assert hits[0].predicate == written
    assert mem.recall(predicate=asked + "x") == []
