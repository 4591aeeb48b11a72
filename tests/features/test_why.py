from __future__ import annotations

from datetime import UTC, datetime

import pytest

from omoide import Memory
from omoide.errors import NotFoundError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_shows_every_state_with_its_times(mem: Memory, clock: FakeClock) -> None:
    """``why`` lists the versions, the cut piece included, each with both intervals."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    clock.advance(60)
    then = clock.now()
    mem.revise(memory_id, "B", valid_from="2026-05-01")
    january, may = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
    got = {(v.text, v.valid_from, v.valid_to, v.known_from, v.known_to) for v in mem.why(memory_id).versions}
    assert got == {
        ("A", january, None, NOON, then),
        ("A", january, may, then, None),
        ("B", may, None, then, None),
    }


def test_version_ids_differ(mem: Memory) -> None:
    """Each version has its own id and names its memory."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B", valid_from="2026-05-01")
    versions = mem.why(memory_id).versions
    assert len({v.version_id for v in versions}) == len(versions)
    assert {v.memory_id for v in versions} == {memory_id}


def test_tells_where_it_came_from(mem: Memory) -> None:
    """A version names its source and its provenance: actor, door, time of observation."""
    memory_id = mem.remember("A", source="s-1", observed_at="2026-05-01")
    version = mem.why(memory_id).versions[0]
    assert version.source == "s-1"
    assert version.provenance.observed_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert version.provenance.door


def test_evidence_grows_with_repeats(mem: Memory) -> None:
    """Every source that said it is in the evidence."""
    memory_id = mem.remember("A", source="s-1")
    mem.remember("A", source="s-2")
    assert {e.source for e in mem.why(memory_id).evidence} >= {"s-2"}
    record = mem.get(memory_id)
    assert record is not None
    assert set(record.sources) == {"s-1", "s-2"}


def test_works_for_a_forgotten_memory(mem: Memory) -> None:
    """A forgotten memory still explains itself."""
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    chain = mem.why(memory_id)
    assert [v.text for v in chain.versions] == ["A"]
    assert chain.status != "current"


def test_a_missing_memory_is_an_error(mem: Memory) -> None:
    """An id that does not exist is named in the error."""
    with pytest.raises(NotFoundError, match="4711"):
        mem.why(4711)


def test_actor_is_kept(mem: Memory, opened: object) -> None:
    """A handle opened with an actor signs what it writes."""
    assert callable(opened)
    signed = opened(actor="planner")
    memory_id = signed.remember("A")
    assert mem.why(memory_id).versions[0].provenance.actor == "planner"


def test_causes_are_named(mem: Memory) -> None:
    """Each version says what made it: they differ between remember, revise and update."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    revised = mem.revise(memory_id, "B")
    mem.update(memory_id, text="C")
    causes = {v.text: v.cause for v in mem.why(memory_id).versions if v.text in {"B", "C"}}
    first = next(v for v in mem.why(memory_id).versions if v.text == "A" and v.valid_to is None)
    assert revised.cause == causes["B"]
    assert len({first.cause, causes["B"], causes["C"]}) == 3
