from __future__ import annotations

from datetime import UTC, datetime

from omoide import Memory
from omoide.testing import FakeClock


def test_what_held_when_in_order(mem: Memory, clock: FakeClock) -> None:
    """A subject's timeline is its pieces as now believed, by when they hold."""
    memory_id = mem.remember("lives in Osaka", subject="user", valid_from="2026-01-10")
    mem.remember("visits Nara", subject="user", valid_from="2026-03-01", valid_to="2026-03-02")
    mem.remember("not hers", subject="other")
    clock.advance(60)
    mem.revise(memory_id, "lives in Tokyo", valid_from="2026-05-01")
    line = [v for v in mem.timeline("user") if v.known_to is None]
    assert [v.text for v in line] == ["lives in Osaka", "visits Nara", "lives in Tokyo"]
    assert line[0].valid_to == line[2].valid_from == datetime(2026, 5, 1, tzinfo=UTC)


def test_the_forgotten_is_not_on_it(mem: Memory) -> None:
    """A forgotten memory is not part of what is believed to have held."""
    mem.forget(mem.remember("A", subject="user"))
    assert [v for v in mem.timeline("user") if v.known_to is None] == []


def test_an_unknown_subject_has_none(mem: Memory) -> None:
    """Nothing known of a subject is an empty timeline."""
    assert mem.timeline("nobody") == []
