from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def current(mem: Memory) -> list[str]:
    """Return the texts believed now of now."""
    return sorted(hit.text for hit in mem.recall(None, k=99))


def test_forgets(mem: Memory) -> None:
    """A forgotten memory is no answer, is not listed, not counted and not got."""
    memory_id = mem.remember("lives in Osaka")
    mem.forget(memory_id)
    assert mem.recall("Osaka") == []
    assert mem.list() == []
    assert mem.stats()["default"]["count"] == 0
    assert mem.get(memory_id) is None


def test_the_past_still_knows(mem: Memory, clock: FakeClock) -> None:
    """Before the forget it was believed, at it and after it is not, for any valid time."""
    memory_id = mem.remember("lives in Osaka")
    clock.set("2026-06-02")
    mem.forget(memory_id)
    clock.set("2026-06-03")
    assert [h.text for h in mem.recall(None, as_of="2026-06-01T23:59:59.999999Z")] == ["lives in Osaka"]
    assert mem.recall(None, as_of="2026-06-02") == []
    assert mem.recall(None, valid_at=NOON) == []
    assert [h.text for h in mem.recall(None, valid_at="2027-01-01", known_at=NOON)] == ["lives in Osaka"]


def test_ends_planned_and_past_pieces_too(mem: Memory) -> None:
    """Every open piece ends, whenever it was valid."""
    memory_id = mem.remember("A", valid_from="2026-01-01", valid_to="2026-02-01")
    mem.revise(memory_id, "B", valid_from="2026-08-01")
    mem.forget(memory_id)
    assert mem.recall(None, valid_at="2026-01-15") == []
    assert mem.recall(None, valid_at="2026-09-01") == []


def test_is_idempotent(mem: Memory, clock: FakeClock) -> None:
    """A second forget changes nothing, and neither does the forget of what never was."""
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    before = mem.why(memory_id)
    clock.advance(60)
    since = clock.now()
    mem.forget(memory_id)
    mem.forget(4711)
    assert mem.why(memory_id) == before
    assert mem.diff(since).retracted == ()


def test_by_source_follows_revisions(mem: Memory) -> None:
    """What was revised without naming a new source still stands on the old one."""
    memory_id = mem.remember("A", source="s-1")
    mem.revise(memory_id, "B")
    other = mem.remember("C", source="s-2")
    forgotten = mem.forget(source="s-1")
    assert list(forgotten) == [memory_id]
    assert [hit.id for hit in mem.recall(None)] == [other]


@pytest.mark.parametrize("stored, asked", [(" s-1 ", "s-1"), ("s-1", " s-1\n")])
def test_sources_are_compared_trimmed(mem: Memory, stored: str, asked: str) -> None:
    """Blanks around a source do not matter."""
    mem.remember("A", source=stored)
    mem.forget(source=asked)
    assert current(mem) == []


def test_by_source_is_exact_otherwise(mem: Memory) -> None:
    """A source is not a prefix and not folded."""
    mem.remember("A", source="s-10")
    mem.remember("B", source="S-1")
    mem.forget(source="s-1")
    assert current(mem) == ["A", "B"]


def test_a_memory_with_another_source_only_loses_the_one(mem: Memory) -> None:
    """What two sources said outlives the withdrawal of one, not of both."""
    memory_id = mem.remember("A", source="s-1")
    assert mem.remember("A", source="s-2") == memory_id
    forgotten = mem.forget(source="s-1")
    assert list(forgotten) == []
    assert forgotten.kept == (memory_id,)
    record = mem.get(memory_id)
    assert record is not None
    assert record.sources == ("s-2",)
    assert list(mem.forget(source="s-1")) == []
    assert current(mem) == ["A"]
    mem.forget(source="s-2")
    assert current(mem) == []


def test_a_source_withdrawn_and_heard_again_counts_again(mem: Memory) -> None:
    """A source that says the same again after its withdrawal supports the memory once more."""
    memory_id = mem.remember("A", source="s-1")
    mem.remember("A", source="s-2")
    mem.forget(source="s-2")
    assert mem.remember("A", source="s-2") == memory_id
    record = mem.get(memory_id)
    assert record is not None
    assert set(record.sources) == {"s-1", "s-2"}
    mem.forget(source="s-1")
    assert current(mem) == ["A"]


def test_a_memory_revised_from_another_source_keeps_it(mem: Memory) -> None:
    """A memory with pieces from two sources stays when one is withdrawn."""
    memory_id = mem.remember("A", source="s-1")
    mem.revise(memory_id, "B", source="s-2")
    mem.forget(source="s-1")
    assert current(mem) == ["B"]


def test_by_subject(mem: Memory) -> None:
    """All of a subject is forgotten, and nothing else."""
    for text, subject in [("A", "ann"), ("B", "ann"), ("C", "bob"), ("D", None)]:
        mem.remember(text, subject=subject)
    assert len(mem.forget(subject="ann")) == 2
    assert current(mem) == ["C", "D"]


def test_by_where(mem: Memory) -> None:
    """What the metadata filter matches is forgotten."""
    for n in range(4):
        mem.remember(f"note {n}", metadata={"n": n})
    mem.forget(where={"n": {"$gte": 2}})
    assert current(mem) == ["note 0", "note 1"]


def test_a_selector_matches_any_open_piece(mem: Memory) -> None:
    """A planned piece that matches is enough to be meant."""
    memory_id = mem.remember("A", source="s-1", valid_from="2026-09-01")
    assert list(mem.forget(source="s-1")) == [memory_id]
    assert mem.recall(None, valid_at="2026-09-02") == []


def test_a_closed_piece_does_not_match(mem: Memory) -> None:
    """A source whose every piece was replaced by another source's is not matched any more."""
    memory_id = mem.remember("A", source="s-1", valid_from="2026-01-01")
    mem.revise(memory_id, "B", source="s-2", valid_from="2026-01-01")
    mem.forget(source="s-1")
    assert current(mem) == ["B"]


def test_dry_run_shows_and_changes_nothing(mem: Memory) -> None:
    """With ``dry_run`` the answer is what would be forgotten, and nothing is."""
    wanted = [mem.remember(f"note {n}", metadata={"n": n}) for n in range(3)]
    would = mem.forget(where={"n": {"$lt": 2}}, dry_run=True)
    assert list(would) == wanted[:2]
    assert would.dry_run
    assert len(current(mem)) == 3


def test_an_id_with_a_selector_is_an_error(mem: Memory) -> None:
    """Both at once would mean two things; nothing is forgotten."""
    memory_id = mem.remember("A", source="s-1")
    for selector in ({"source": "s-1"}, {"subject": "x"}, {"where": {"a": 1}}):
        with pytest.raises(InvalidInputError):
            mem.forget(memory_id, **selector)
    assert current(mem) == ["A"]


@pytest.mark.parametrize("selector", [{}, {"source": ""}, {"source": " \t"}, {"subject": " "}, {"where": {}}])
def test_an_empty_selector_is_an_error(mem: Memory, selector: dict[str, Any]) -> None:
    """Forgetting everything by leaving something out is refused."""
    mem.remember("A")
    with pytest.raises(InvalidInputError):
        mem.forget(**selector)
    assert current(mem) == ["A"]


def test_restore_brings_it_back_known_from_now(mem: Memory, clock: FakeClock) -> None:
    """After a restore it is believed again, of the whole interval, and the gap in knowing stays."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    clock.set("2026-06-02")
    mem.forget(memory_id)
    clock.set("2026-06-04")
    mem.restore(memory_id)
    assert current(mem) == ["A"]
    assert [h.text for h in mem.recall(None, valid_at="2026-02-01")] == ["A"]
    assert mem.recall(None, as_of="2026-06-03") == []
    record = mem.get(memory_id)
    assert record is not None
    assert record.known_from == datetime(2026, 6, 4, tzinfo=UTC)


def test_restore_brings_back_every_piece(mem: Memory) -> None:
    """All pieces that the forget ended come back, past and planned."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B", valid_from="2026-05-01")
    mem.revise(memory_id, "C", valid_from="2026-08-01")
    mem.forget(memory_id)
    mem.restore(memory_id)
    got = [[h.text for h in mem.recall(None, valid_at=day)] for day in ("2026-02-01", "2026-06-01", "2026-09-01")]
    assert got == [["A"], ["B"], ["C"]]


def test_restore_a_second_time_does_nothing(mem: Memory, clock: FakeClock) -> None:
    """A restore of what is not forgotten leaves the chain as it is."""
    memory_id = mem.remember("A")
    mem.restore(memory_id)
    mem.forget(memory_id)
    clock.advance(1)
    mem.restore(memory_id)
    before = mem.why(memory_id)
    clock.advance(1)
    mem.restore(memory_id)
    assert mem.why(memory_id) == before


def test_restore_after_forgetting_a_source(mem: Memory) -> None:
    """What a source's withdrawal ended can be restored one by one."""
    memory_id = mem.remember("A", source="s-1")
    mem.remember("B", source="s-1")
    mem.forget(source="s-1")
    mem.restore(memory_id)
    assert current(mem) == ["A"]


def test_restore_reopens_what_a_forgotten_successor_had_cut(mem: Memory, clock: FakeClock) -> None:
    """When the successor is forgotten, restoring the old memory gives it back its own interval."""
    old = mem.remember("old", valid_from="2026-01-01")
    new = mem.supersede([old], "new", valid_from="2026-03-01")
    clock.advance(1)
    mem.forget(new)
    assert current(mem) == []
    mem.restore(old)
    assert current(mem) == ["old"]
    assert [h.text for h in mem.recall(None, valid_at="2026-03-01")] == ["old"]


def test_restore_leaves_the_cut_of_a_live_successor(mem: Memory, clock: FakeClock) -> None:
    """While the successor is believed, the restored memory ends where it was cut."""
    old = mem.remember("old", valid_from="2026-01-01")
    mem.supersede([old], "new", valid_from="2026-03-01")
    clock.advance(1)
    mem.forget(old)
    assert mem.recall(None, valid_at="2026-02-01") == []
    mem.restore(old)
    assert [h.text for h in mem.recall(None, valid_at="2026-02-01")] == ["old"]
    assert [h.text for h in mem.recall(None, valid_at="2026-04-01")] == ["new"]


def test_a_successor_that_was_superseded_is_not_forgotten(mem: Memory) -> None:
    """Restoring a memory whose successor was itself replaced as a whole does nothing."""
    old = mem.remember("old", valid_from="2026-01-01")
    middle = mem.supersede([old], "middle", valid_from="2026-03-01")
    mem.supersede([middle], "new", valid_from="2026-03-01")
    mem.restore(old)
    assert current(mem) == ["new"]


def test_a_missing_memory_cannot_be_restored(mem: Memory) -> None:
    """An id that does not exist is named in the error."""
    with pytest.raises(NotFoundError, match="4711"):
        mem.restore(4711)


def test_a_restored_memory_is_found_by_its_words(mem: Memory) -> None:
    """The keyword entries come back with the memory."""
    memory_id = mem.remember("the heron stands in the pond")
    mem.forget(memory_id)
    mem.restore(memory_id)
    assert [hit.id for hit in mem.recall("heron")] == [memory_id]


def test_include_retracted_shows_the_forgotten(mem: Memory) -> None:
    """Asked for the retracted too, recall gives a forgotten memory with a status that says so."""
    memory_id = mem.remember("the heron stands in the pond")
    mem.forget(memory_id)
    hits = mem.recall("heron", include_retracted=True)
    assert [hit.id for hit in hits] == [memory_id]
    assert hits[0].status != "current"


def test_forgotten_and_said_again_is_a_new_memory(mem: Memory) -> None:
    """A forgotten text that is said again gets a new id."""
    first = mem.remember("A")
    mem.forget(first)
    assert mem.remember("A") != first
    assert current(mem) == ["A"]


def test_forget_older_than_archives_and_spares_the_pinned(mem: Memory, clock: FakeClock) -> None:
    """``forget_older_than`` answers how many it archived; pinned ones stay, the past still knows all."""
    old = mem.remember("old")
    mem.remember("old but pinned", pinned=True)
    clock.advance(10 * 86_400)
    mem.remember("fresh")
    assert mem.forget_older_than(86_400) == 1
    assert current(mem) == ["fresh", "old but pinned"]
    assert sorted(h.text for h in mem.recall(None, as_of=NOON)) == ["old", "old but pinned"]
    assert mem.recall("old", k=5, include_archived=True)
    mem.restore(old)
    assert "old" in current(mem)


def test_forget_older_than_a_negative_age_spares_the_pinned(mem: Memory) -> None:
    """Even when everything is older, a pinned memory stays."""
    mem.remember("plain")
    mem.remember("pinned", pinned=True)
    mem.forget_older_than(-1)
    assert current(mem) == ["pinned"]
