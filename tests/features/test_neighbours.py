"""What was told in one breath lends each other context, whatever becomes of the words of one part of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory

QUESTION = "gearbox of the blue press"


@pytest.fixture
def part(mem: Memory) -> int:
    """A memory that answers a question only beside the one told before it."""
    mem.remember("The gearbox of the blue press was opened", source="talk-1")
    part = mem.remember("Two rings of it were worn, so the press stood still", source="talk-1")
    for number in range(3):
        mem.remember(f"The green press number {number} was painted", source=f"talk-{number + 2}")
    return part


def lent(mem: Memory, part: int) -> float:
    (hit,) = [hit for hit in mem.recall(QUESTION, k=10) if hit.id == part]
    return float(hit.explain()["context"])


@pytest.mark.parametrize(
    "change",
    [
        lambda mem, part: mem.update(part, text="Three rings of it were worn, so the press stood still"),
        lambda mem, part: (mem.forget(part), mem.restore(part)),
    ],
    ids=["update", "forget and restore"],
)
def test_a_changed_memory_keeps_its_neighbours(mem: Memory, part: int, change: Callable[[Memory, int], object]) -> None:
    before = lent(mem, part)
    assert before > 0
    change(mem, part)
    assert lent(mem, part) == pytest.approx(before, rel=0.05)


def test_a_changed_memory_goes_on_to_lend(mem: Memory, part: int) -> None:
    before = lent(mem, part)
    first = mem.recall(QUESTION, k=1)[0].id
    mem.forget(first)
    mem.restore(first)
    assert lent(mem, part) == pytest.approx(before, rel=0.05)
