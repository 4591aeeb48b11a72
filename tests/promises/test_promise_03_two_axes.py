"""Two axes: what did we believe on K about the world on V."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

Opener = Callable[..., Memory]
DAYS = [f"2026-06-{day:02}" for day in range(1, 13)]


@pytest.fixture
def mem(opened: Opener, clock: FakeClock) -> Memory:
    """Known on the 2nd: A from the 4th. Known on the 6th: B from the 3rd to the 8th. Forgotten on the 10th."""
    mem = opened()
    clock.set("2026-06-02")
    memory_id = mem.remember("A", valid_from="2026-06-04")
    clock.set("2026-06-06")
    mem.revise(memory_id, "B", valid_from="2026-06-03", valid_to="2026-06-08")
    clock.set("2026-06-10")
    mem.forget(memory_id)
    clock.set("2026-06-12")
    return mem


def expected(known: str, valid: str) -> list[str]:
    """Say by hand what was believed."""
    if known < "2026-06-02" or known >= "2026-06-10":
        return []
    if known < "2026-06-06":
        return ["A"] if valid >= "2026-06-04" else []
    if "2026-06-03" <= valid < "2026-06-08":
        return ["B"]
    return ["A"] if valid >= "2026-06-08" else []


def test_every_pair_of_days(mem: Memory) -> None:
    """All hundred and forty-four pairs answer as worked out by hand."""
    for known in DAYS:
        for valid in DAYS:
            got = [hit.text for hit in mem.recall(None, known_at=known, valid_at=valid)]
            assert got == expected(known, valid), f"known {known}, valid {valid}"


def test_the_diagonal(mem: Memory) -> None:
    """``as_of`` is both at one time."""
    for day in DAYS:
        assert [hit.text for hit in mem.recall(None, as_of=day)] == expected(day, day)


def test_the_future_is_known_as_now(mem: Memory) -> None:
    """A ``known_at`` to come means now."""
    assert mem.recall(None, known_at="2030-01-01", valid_at="2026-06-05") == []


def test_as_of_excludes_the_others(mem: Memory) -> None:
    """One time for both axes and one for one of them is a contradiction."""
    with pytest.raises(InvalidInputError):
        mem.recall(None, as_of=DAYS[0], known_at=DAYS[0])
    with pytest.raises(InvalidInputError):
        mem.recall(None, as_of=DAYS[0], valid_at=DAYS[0])


def test_ranking_uses_the_clock_of_the_asked_time(opened: Opener, clock: FakeClock) -> None:
    """The order and the scores of a past answer are the same asked then, and a year later."""
    mem = opened("rank")
    for n in range(6):
        mem.remember(f"tea note {n}", subject=f"s{n}", kind=("fact", "event")[n % 2])
        clock.advance(5 * 86_400)
    then = clock.now()
    clock.advance(1)
    first = [(hit.id, hit.score) for hit in mem.recall("tea note", k=6, as_of=then)]
    clock.advance(365 * 86_400)
    assert [(hit.id, hit.score) for hit in mem.recall("tea note", k=6, as_of=then)] == first
