from __future__ import annotations

from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock


def at(mem: Memory, moment: str) -> list[str]:
    """Return the texts believed now to hold at ``moment``."""
    return sorted(hit.text for hit in mem.recall(None, k=99, valid_at=moment))


def test_many_become_one(mem: Memory) -> None:
    """A new memory takes the place of the named ones from its start on."""
    a = mem.remember("has a cat", valid_from="2026-01-01")
    b = mem.remember("has a dog", valid_from="2026-02-01")
    new = mem.supersede([a, b], "has a cat and a dog", valid_from="2026-03-01", subject="user")
    assert new not in {a, b}
    assert at(mem, "2026-02-15") == ["has a cat", "has a dog"]
    assert at(mem, "2026-03-01") == ["has a cat and a dog"]
    record = mem.get(new)
    assert record is not None
    assert record.subject == "user"


def test_links_both_ways(mem: Memory) -> None:
    """``why`` leads from the new memory to the old ones and back."""
    a, b = mem.remember("A"), mem.remember("B")
    new = mem.supersede([a, b], "AB")
    assert sorted(mem.why(new).supersedes) == [a, b]
    assert mem.why(a).superseded_by == (new,)
    assert mem.why(b).superseded_by == (new,)


def test_starts_now_by_default(mem: Memory, clock: FakeClock) -> None:
    """Without a start, the successor begins at its known time."""
    old = mem.remember("old", valid_from="2026-01-01")
    clock.set("2026-06-10")
    mem.supersede([old], "new")
    assert at(mem, "2026-06-09") == ["old"]
    assert at(mem, "2026-06-10") == ["new"]


def test_one_that_lies_after_the_start_ends(mem: Memory) -> None:
    """A memory wholly after the successor's start is ended, with the cause on record."""
    old = mem.remember("planned", valid_from="2026-09-01")
    mem.supersede([old], "new", valid_from="2026-08-01")
    assert at(mem, "2026-09-15") == ["new"]
    closed = [v for v in mem.why(old).versions if v.text == "planned"]
    assert all(v.known_to is not None for v in closed if v.known_from != v.known_to)
    assert mem.why(old).superseded_by


def test_never_collapses(mem: Memory) -> None:
    """A successor with a text that exists is a new memory all the same."""
    a = mem.remember("A")
    same = mem.remember("B")
    assert mem.supersede([a], "B") != same


def test_the_past_still_knows_the_old(mem: Memory, clock: FakeClock) -> None:
    """As of before, the old memory is believed of every time."""
    old = mem.remember("old")
    clock.set("2026-06-10")
    mem.supersede([old], "new", valid_from="2026-01-01")
    assert [h.text for h in mem.recall(None, as_of="2026-06-05")] == ["old"]
    assert [h.text for h in mem.recall(None, known_at="2026-06-05", valid_at="2027-01-01")] == ["old"]


def test_is_learned_and_a_pair_each(mem: Memory, clock: FakeClock) -> None:
    """In ``diff`` the successor is learned, and each superseded memory is one pair."""
    a, b = mem.remember("A"), mem.remember("B")
    clock.advance(1)
    since = clock.now()
    new = mem.supersede([a, b], "AB")
    diff = mem.diff(since)
    assert [v.memory_id for v in diff.learned] == [new]
    assert sorted((p.old.text, p.new.text) for p in diff.revised if p.old) == [("A", "AB"), ("B", "AB")]
    assert diff.retracted == ()


def test_a_missing_memory_is_an_error_and_nothing_happens(mem: Memory) -> None:
    """One unknown id among known ones stops all of it."""
    a = mem.remember("A")
    with pytest.raises(NotFoundError, match="4711"):
        mem.supersede([a, 4711], "new")
    assert [h.text for h in mem.recall(None)] == ["A"]


def test_a_forgotten_memory_must_be_restored_first(mem: Memory) -> None:
    """A forgotten memory cannot be superseded; the error says to restore it."""
    a = mem.remember("A")
    mem.forget(a)
    with pytest.raises(InvalidInputError, match="restore"):
        mem.supersede([a], "new")


@pytest.mark.parametrize("ids, text", [([], "new"), (None, "new"), ([1], " ")])
def test_nothing_to_supersede_with_is_an_error(mem: Memory, ids: Any, text: str) -> None:
    """No ids or no text is refused, and nothing changes."""
    mem.remember("A")
    with pytest.raises(InvalidInputError):
        mem.supersede(ids, text)
    assert [h.text for h in mem.recall(None)] == ["A"]


def test_takes_all_that_remember_takes(mem: Memory) -> None:
    """The successor has its own source, kind, tags and metadata."""
    a = mem.remember("A", source="s-1")
    new = mem.supersede([a], "B", source="s-2", kind="decision", tags=["x"], metadata={"n": 1})
    record = mem.get(new)
    assert record is not None
    assert (record.source, record.kind, record.tags, record.metadata) == ("s-2", "decision", ("x",), {"n": 1})


def test_a_link_does_not_turn_in_a_circle(mem: Memory) -> None:
    """A memory is superseded by the next, and that by the next: no memory follows itself."""
    first = mem.remember("1", valid_from="2026-01-01")
    chain = [first]
    for n in range(2, 5):
        chain.append(mem.supersede([chain[-1]], str(n), valid_from=f"2026-0{n}-01"))
    followed = [mem.why(i).superseded_by for i in chain]
    assert followed == [(chain[1],), (chain[2],), (chain[3],), ()]
