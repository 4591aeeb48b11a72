from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, count_statements

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_list_is_newest_first(mem: Memory, clock: FakeClock) -> None:
    """The newest memory is listed first, and of one instant the last written."""
    for text in ("a", "b", "c"):
        mem.remember(text)
        clock.advance(1)
    mem.remember("d")
    mem.remember("e")
    assert [record.text for record in mem.list()] == ["e", "d", "c", "b", "a"]
    assert [record.text for record in mem.list(limit=2)] == ["e", "d"]


def test_list_filters_before_it_cuts(mem: Memory) -> None:
    """The limit counts what the filter leaves."""
    for n in range(10):
        mem.remember(f"note {n}", metadata={"even": n % 2 == 0})
    assert [r.text for r in mem.list(limit=2, where={"even": True})] == ["note 8", "note 6"]


@pytest.mark.parametrize("limit", [-1, "3", 2.5])
def test_a_limit_is_a_whole_number(mem: Memory, limit: Any) -> None:
    """A limit that cannot be meant is refused."""
    with pytest.raises(InvalidInputError):
        mem.list(limit=limit)


def test_a_limit_of_none_is_everything_and_of_zero_nothing(mem: Memory) -> None:
    """No limit gives all, zero gives none."""
    for n in range(60):
        mem.remember(f"note {n}")
    assert len(mem.list()) == 60
    assert mem.list(limit=0) == []


def test_list_and_stats_show_what_holds_now(mem: Memory) -> None:
    """Planned and past memories are neither listed nor counted, and are got."""
    mem.remember("now")
    planned = mem.remember("planned", valid_from="2026-09-01")
    past = mem.remember("past", valid_from="2026-01-01", valid_to="2026-02-01")
    assert [record.text for record in mem.list()] == ["now"]
    assert mem.stats()["default"]["count"] == 1
    for memory_id, text in ((planned, "planned"), (past, "past")):
        record = mem.get(memory_id)
        assert record is not None
        assert record.text == text


def test_stats_of_a_namespace(mem: Memory, clock: FakeClock) -> None:
    """Stats name the namespace, count what is current, and know the oldest and the newest."""
    mem.remember("a")
    clock.advance(3600)
    mem.remember("b")
    stats = mem.stats()["default"]
    assert (stats["namespace"], stats["count"]) == ("default", 2)
    assert stats["oldest"] < stats["newest"]


def test_stats_of_an_empty_store(mem: Memory) -> None:
    """An empty namespace counts nothing and has no oldest."""
    stats = mem.stats()["default"]
    assert (stats["count"], stats["oldest"], stats["newest"]) == (0, None, None)


def test_stats_follow_every_verb(mem: Memory, clock: FakeClock) -> None:
    """The count agrees with a full listing after every kind of change and as time passes."""

    def agree() -> int:
        count = int(mem.stats()["default"]["count"])
        assert count == len(mem.list()) == len(mem.recall(None, k=999))
        return count

    a = mem.remember("a")
    b = mem.remember("b", valid_from="2026-06-10")
    c = mem.remember("c", valid_to="2026-06-20")
    assert agree() == 2
    clock.set("2026-06-15")
    assert agree() == 3
    clock.set("2026-06-25")
    assert agree() == 2
    mem.revise(c, "c again")
    assert agree() == 3
    mem.forget(a)
    assert agree() == 2
    mem.restore(a)
    mem.supersede([a, b], "ab")
    assert agree() == 2
    clock.advance(10)
    mem.forget_older_than(5)
    assert agree() == 0


def test_stats_cost_the_same_at_any_size(mem: Memory) -> None:
    """Counting takes as many statements with a thousand memories as with ten."""

    def cost() -> int:
        with count_statements(mem) as work:
            mem.stats()
        return work.statements

    for n in range(10):
        mem.remember(f"few {n}")
    small = cost()
    with mem.bulk():
        for n in range(1000):
            mem.remember(f"many {n}")
    # A vault writes down at first how the new files look, and looks again at those that are younger than a tick.
    assert min(cost() for _ in range(8)) <= small + 2


def test_a_short_list_costs_the_same_at_any_size(mem: Memory) -> None:
    """The newest twenty take the same steps of the database with fifty memories as with two thousand."""

    def cost() -> int:
        with count_statements(mem) as work:
            assert len(mem.list(limit=20)) == 20
        return work.steps

    def filled(count: int) -> int:
        with mem.bulk():
            for n in range(count):
                mem.remember(f"note {n} of {count}")
        return min(cost() for _ in range(3))

    assert filled(50) >= filled(2000) - 100


@pytest.mark.parametrize("missing", [4711, 0, -1, 2**62])
def test_get_of_a_missing_id_is_none(mem: Memory, missing: int) -> None:
    """What does not exist is None."""
    assert mem.get(missing) is None


@pytest.mark.parametrize("wrong", ["1", 1.5, None, True, 2**70])
def test_an_id_is_a_whole_number(mem: Memory, wrong: Any) -> None:
    """What cannot be an id is refused, or at least finds nothing; it never raises something untyped."""
    mem.remember("A")
    with contextlib.suppress(InvalidInputError):
        assert mem.get(wrong) is None


def test_created_at_is_aware_utc(mem: Memory) -> None:
    """Times come out as aware UTC datetimes."""
    record = mem.get(mem.remember("A"))
    assert record is not None
    assert record.created_at == NOON
    assert record.created_at.tzinfo is not None


def test_close_is_final_and_idempotent(opened: Callable[..., Memory]) -> None:
    """A closed handle refuses work with a typed error, and can be closed again."""
    from omoide.errors import StoreClosedError

    mem = opened()
    mem.remember("A")
    mem.close()
    mem.close()
    with pytest.raises(StoreClosedError):
        mem.remember("B")
    with pytest.raises(StoreClosedError):
        mem.recall("A")


def test_a_handle_is_a_context(opened: Callable[..., Memory]) -> None:
    """Leaving the context closes the handle; what was written is there."""
    with opened() as mem:
        mem.remember("A")
    assert [hit.text for hit in opened().recall(None)] == ["A"]
