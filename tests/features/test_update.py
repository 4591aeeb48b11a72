from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_corrects_the_text(mem: Memory) -> None:
    """An update changes the text under the same id, and the old text is not found."""
    memory_id = mem.remember("the deploy runs on Thursday")
    mem.update(memory_id, text="the deploy runs on Friday")
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == "the deploy runs on Friday"
    assert mem.recall("Thursday") == [] or mem.recall("Thursday")[0].text.endswith("Friday")
    assert [hit.text for hit in mem.recall("deploy")] == ["the deploy runs on Friday"]


def test_corrects_the_piece_over_its_own_interval(mem: Memory, clock: FakeClock) -> None:
    """An update says that the piece of today was wrong all along, and leaves its neighbours."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B", valid_from="2026-05-01", valid_to="2026-07-01")
    clock.advance(60)
    mem.update(memory_id, text="B!")
    spans = [(v.text, v.valid_from, v.valid_to) for v in mem.why(memory_id).versions if v.known_to is None]
    day = datetime(2026, 1, 1, tzinfo=UTC)
    may, july = day.replace(month=5), day.replace(month=7)
    assert sorted(spans, key=lambda s: s[1]) == [("A", day, may), ("B!", may, july), ("A", july, None)]


def test_means_the_next_piece_when_none_is_valid_now(mem: Memory) -> None:
    """For a memory that lies in the past and the future, update and get mean the next piece."""
    memory_id = mem.remember("past", valid_from="2026-01-01", valid_to="2026-02-01")
    mem.revise(memory_id, "next", valid_from="2026-08-01", valid_to="2026-09-01")
    mem.revise(memory_id, "later", valid_from="2026-10-01", valid_to="2026-11-01")
    mem.update(memory_id, text="next!")
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == "next!"
    assert [hit.text for hit in mem.recall(None, valid_at="2026-08-15")] == ["next!"]


def test_means_the_last_piece_when_all_is_past(mem: Memory) -> None:
    """For a memory that is over, update and get mean its last piece."""
    memory_id = mem.remember("first", valid_from="2026-01-01", valid_to="2026-02-01")
    mem.revise(memory_id, "last", valid_from="2026-03-01", valid_to="2026-04-01")
    mem.update(memory_id, text="last!")
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == "last!"
    assert [hit.text for hit in mem.recall(None, valid_at="2026-01-15")] == ["first"]


def test_metadata_replaces(mem: Memory) -> None:
    """Given metadata replaces all of it, ``{}`` clears it, None keeps it."""
    memory_id = mem.remember("A", metadata={"a": 1, "b": 2})

    def metadata() -> dict[str, object]:
        record = mem.get(memory_id)
        assert record is not None
        return record.metadata

    mem.update(memory_id, metadata={"c": 3})
    assert metadata() == {"c": 3}
    mem.update(memory_id, text="B")
    assert metadata() == {"c": 3}
    mem.update(memory_id, metadata={})
    assert metadata() == {}


def test_keeps_the_pin(mem: Memory) -> None:
    """An update of the metadata leaves the pin."""
    memory_id = mem.remember("A", pinned=True, metadata={"a": 1})
    mem.update(memory_id, metadata={"b": 2})
    record = mem.get(memory_id)
    assert record is not None
    assert record.pinned


def test_created_at_stays(mem: Memory, clock: FakeClock) -> None:
    """An update of metadata alone leaves ``created_at`` and moves ``updated_at``."""
    memory_id = mem.remember("A")
    clock.advance(60)
    mem.update(memory_id, metadata={"b": 2})
    record = mem.get(memory_id)
    assert record is not None
    assert record.created_at == NOON
    assert record.updated_at == NOON + timedelta(seconds=60)


def test_the_old_belief_stays_in_the_past(mem: Memory, clock: FakeClock) -> None:
    """What was believed before the update is believed as of then."""
    memory_id = mem.remember("A")
    clock.advance(3600)
    mem.update(memory_id, text="B")
    assert [hit.text for hit in mem.recall(None, as_of=NOON)] == ["A"]
    assert [hit.text for hit in mem.recall(None, valid_at=NOON)] == ["B"]


def test_a_missing_memory_is_left_alone(mem: Memory) -> None:
    """An update of an id that does not exist does nothing."""
    mem.update(4711, text="x")
    assert mem.list() == []


def test_a_forgotten_memory_is_left_alone(mem: Memory) -> None:
    """An update of a forgotten memory does nothing."""
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    mem.update(memory_id, text="B")
    assert mem.recall(None) == []
    mem.restore(memory_id)
    assert [hit.text for hit in mem.recall(None)] == ["A"]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_blank_text_is_an_error(mem: Memory, text: str) -> None:
    """A memory cannot be corrected into nothing."""
    memory_id = mem.remember("A")
    with pytest.raises(InvalidInputError):
        mem.update(memory_id, text=text)
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == "A"


def test_is_a_pair_of_the_diff(mem: Memory, clock: FakeClock) -> None:
    """An update is one revised pair."""
    memory_id = mem.remember("A")
    clock.advance(1)
    since = clock.now()
    mem.update(memory_id, text="B")
    assert [(p.old and p.old.text, p.new.text) for p in mem.diff(since).revised] == [("A", "B")]
