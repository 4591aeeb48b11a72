from __future__ import annotations

from datetime import UTC, datetime

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_a_person_confirms(mem: Memory, person: Memory) -> None:
    """Confirmed by a person, a memory has a version with trust stated, and the same text and interval."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    before = mem.get(memory_id)
    person.confirm(memory_id)
    after = mem.get(memory_id)
    assert before is not None
    assert after is not None
    assert (before.trust, after.trust) == ("observed", "stated")
    assert after.version_id != before.version_id
    assert (after.text, after.valid_from, after.valid_to) == ("A", before.valid_from, None)


def test_a_confirmation_is_outside_diff(mem: Memory, person: Memory, clock: FakeClock) -> None:
    """Confirming changes trust, not belief: the diff is empty."""
    memory_id = mem.remember("A")
    clock.advance(1)
    since = clock.now()
    person.confirm(memory_id)
    diff = mem.diff(since)
    assert (diff.learned, diff.revised, diff.retracted) == ((), (), ())


def test_an_agent_adds_evidence(mem: Memory) -> None:
    """Confirmed by an agent, a memory gains evidence and no version."""
    memory_id = mem.remember("A")
    before = mem.why(memory_id)
    mem.confirm(memory_id)
    after = mem.why(memory_id)
    assert len(after.versions) == len(before.versions)
    assert len(after.evidence) == len(before.evidence) + 1
    record = mem.get(memory_id)
    assert record is not None
    assert record.trust == "observed"


def test_said_again_by_a_person_is_confirmed(mem: Memory, person: Memory) -> None:
    """The same text from a more trusted door raises the trust."""
    memory_id = mem.remember("A")
    assert person.remember("A") == memory_id
    record = mem.get(memory_id)
    assert record is not None
    assert record.trust == "stated"


def test_the_past_trust_stays(mem: Memory, person: Memory, clock: FakeClock) -> None:
    """As of before the confirmation the trust is what it was."""
    memory_id = mem.remember("A")
    clock.advance(3600)
    person.confirm(memory_id)
    past = mem.get(memory_id, as_of=NOON)
    assert past is not None
    assert past.trust == "observed"


def test_dispute_sets_a_mark(mem: Memory) -> None:
    """A disputed memory still answers, with the mark."""
    memory_id = mem.remember("A heron")
    mem.dispute(memory_id, reason="looked like a crane")
    record = mem.get(memory_id)
    assert record is not None
    assert record.disputed
    assert [(h.id, h.status) for h in mem.recall("heron")] == [(memory_id, "disputed")]


def test_dispute_is_listed_among_the_conflicts(mem: Memory) -> None:
    """A dispute shows in ``conflicts`` with its reason."""
    memory_id = mem.remember("A heron")
    mem.dispute(memory_id, reason="looked like a crane")
    assert any(memory_id in conflict.ids and "crane" in conflict.reason for conflict in mem.conflicts())


def test_dispute_does_not_touch_the_past(mem: Memory, clock: FakeClock) -> None:
    """As of any time a disputed memory answers as before."""
    memory_id = mem.remember("A heron")
    clock.advance(1)
    mem.dispute(memory_id, reason="?")
    assert [(h.id, h.status) for h in mem.recall("heron", as_of=NOON)] == [(memory_id, "current")]


@pytest.mark.parametrize("verb", ["confirm", "dispute"])
def test_missing_and_forgotten_memories(mem: Memory, verb: str) -> None:
    """Neither a missing nor a forgotten memory can be confirmed or disputed."""
    arguments = {"reason": "x"} if verb == "dispute" else {}
    with pytest.raises(NotFoundError, match="4711"):
        getattr(mem, verb)(4711, **arguments)
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    with pytest.raises(InvalidInputError, match="restore"):
        getattr(mem, verb)(memory_id, **arguments)
