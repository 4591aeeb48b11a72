"""What others do in a store while consolidation runs over it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from tests.features.conftest import Opener

from omoide import Memory
from omoide.testing import FakeClock


class AskedClock(FakeClock):
    """A clock that does something whenever it is asked."""

    then: Callable[[], object] = staticmethod(lambda: None)

    def now(self) -> datetime:
        self.then()
        return super().now()


def said(mem: Memory) -> set[str]:
    return {record.text for record in mem.list()}


def test_readers_are_answered_while_a_pass_is_writing(opened: Opener, clock: FakeClock) -> None:
    """The clock is asked inside of the run's write transactions: who waited for them would wait for ever."""
    asked = AskedClock(clock.now())
    mem, reader = opened(clock=asked), opened()
    mem.remember("lives in Osaka", subject="user")
    mem.remember("Deploy billing on Friday evening from the staging host")
    asked.advance(30 * 86_400)
    mem.remember("lives in Tokyo", subject="user")
    mem.remember("Deploy billing on Friday evening from the staging host", valid_from="2025-12-01")
    found: list[set[str]] = []
    asked.then = lambda: found.append(said(reader))
    report = mem.sleep()
    asked.then = lambda: None
    assert report.proposed
    assert sum(each.changed for each in report.passes)
    assert len(found) > 5
    assert all(said(mem) <= seen for seen in found)
