from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_the_pin_is_no_metadata(mem: Memory) -> None:
    """A pin is a mark of its own; metadata is what the caller gave."""
    record = mem.get(mem.remember("A", pinned=True, metadata={"a": 1}))
    assert record is not None
    assert record.pinned
    assert record.metadata == {"a": 1}


def test_a_pin_survives_every_change(mem: Memory) -> None:
    """Update, revise, forget with restore, and a repeat leave the pin."""
    memory_id = mem.remember("A", pinned=True)
    mem.update(memory_id, text="B", metadata={"x": 1})
    mem.revise(memory_id, "C")
    mem.forget(memory_id)
    mem.restore(memory_id)
    mem.remember("C", metadata={"x": 1})
    record = mem.get(memory_id)
    assert record is not None
    assert record.pinned


def test_a_pin_lifts_an_answer(mem: Memory) -> None:
    """Of two equal answers the pinned one comes first."""
    mem.remember("tea is at four", subject="one")
    pinned = mem.remember("tea is at four", subject="two", pinned=True)
    mem.remember("tea is at four", subject="three")
    assert mem.recall("tea at four")[0].id == pinned


def test_a_pin_does_not_lift_the_past(mem: Memory, clock: FakeClock) -> None:
    """Under a time argument the pin is ignored."""
    mem.remember("tea is at four", subject="one")
    mem.remember("tea is at four", subject="two", pinned=True)
    clock.advance(1)
    scores = {hit.score for hit in mem.recall("tea at four", as_of=NOON)}
    assert len(scores) == 1


@pytest.mark.parametrize("pinned", ["no", "false", [], 2, {"a": 1}])
def test_a_pin_is_true_or_false(mem: Memory, pinned: Any) -> None:
    """A word in its place is refused, not taken for yes; nothing is stored."""
    first = mem.remember("A")
    with pytest.raises(InvalidInputError, match="pinned"):
        mem.remember("B", pinned=pinned)
    with pytest.raises(InvalidInputError, match="pinned"):
        mem.supersede([first], "B", pinned=pinned)
    assert [record.text for record in mem.list()] == ["A"]
