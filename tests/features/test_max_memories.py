from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_the_newest_stay(opened: Callable[..., Memory], clock: FakeClock) -> None:
    """Beyond the limit the oldest are archived: out of answers and counts, not out of the past."""
    mem = opened(max_memories=3)
    for n in range(5):
        mem.remember(f"note {n}")
        clock.advance(60)
    assert sorted(hit.text for hit in mem.recall(None, k=9)) == ["note 2", "note 3", "note 4"]
    assert mem.stats()["default"]["count"] == 3
    assert len(mem.recall(None, k=9, include_archived=True)) == 5
    assert len(mem.recall(None, k=9, as_of=clock.now())) == 5


def test_pinned_ones_do_not_count_and_stay(opened: Callable[..., Memory], clock: FakeClock) -> None:
    """Pinned memories are never archived and take no room."""
    mem = opened(max_memories=2)
    mem.remember("pinned", pinned=True)
    for n in range(4):
        clock.advance(60)
        mem.remember(f"note {n}")
    assert sorted(hit.text for hit in mem.recall(None, k=9)) == ["note 2", "note 3", "pinned"]


def test_each_namespace_has_its_own_limit(opened: Callable[..., Memory]) -> None:
    """One namespace's writes do not archive another's."""
    full, other = opened("full", max_memories=1), opened("other")
    other.remember("theirs")
    full.remember("A")
    full.remember("B")
    assert [hit.text for hit in other.recall(None)] == ["theirs"]


def test_holds_inside_bulk(opened: Callable[..., Memory]) -> None:
    """After a block no more than the limit is current."""
    mem = opened(max_memories=10)
    with mem.bulk():
        for n in range(50):
            mem.remember(f"note {n}")
    assert mem.stats()["default"]["count"] == 10


def test_an_archived_memory_can_be_restored(opened: Callable[..., Memory], clock: FakeClock) -> None:
    """What the limit put away comes back by restore."""
    mem = opened(max_memories=1)
    first = mem.remember("A")
    clock.advance(60)
    mem.remember("B")
    record = mem.get(first)
    assert record is not None
    assert record.archived
    roomy = opened()
    roomy.restore(first)
    assert sorted(hit.text for hit in roomy.recall(None)) == ["A", "B"]


def test_a_repeat_clears_the_archive(opened: Callable[..., Memory], clock: FakeClock) -> None:
    """Said again, an archived memory is current again under its id."""
    mem = opened(max_memories=1)
    first = mem.remember("A")
    clock.advance(60)
    mem.remember("B")
    roomy = opened()
    assert roomy.remember("A") == first
    assert sorted(hit.text for hit in roomy.recall(None)) == ["A", "B"]


def test_a_revise_clears_the_archive(opened: Callable[..., Memory], clock: FakeClock) -> None:
    """Revised, an archived memory is current again."""
    mem = opened(max_memories=1)
    first = mem.remember("A")
    clock.advance(60)
    mem.remember("B")
    opened().revise(first, "A2")
    assert "A2" in [hit.text for hit in opened().recall(None)]


@pytest.mark.parametrize("limit", [-1, 0, "many", 2.5])
def test_a_limit_is_a_positive_whole_number(opened: Callable[..., Memory], limit: Any) -> None:
    """A limit that is not a positive whole number is refused."""
    with pytest.raises(InvalidInputError):
        opened(max_memories=limit)
