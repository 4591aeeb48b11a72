from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


def test_every_change_is_an_event(opened: Opener) -> None:
    """Each verb that changes something appends an event that names it and its targets, in order."""
    mem = opened(door_trust="stated", actor="ann")
    a = mem.remember("A")
    mem.revise(a, "B")
    mem.update(a, text="C")
    b = mem.supersede([a], "D")
    mem.forget(b)
    mem.restore(b)
    mem.confirm(b)
    mem.dispute(b, reason="?")
    mem.reject(b, reason="no")
    mem.unreject("D")
    mem.purge(a)
    events = mem.audit()
    assert [event.seq for event in events] == sorted({event.seq for event in events})
    named = [event.op for event in events]
    verbs = [
        "remember",
        "revise",
        "update",
        "supersede",
        "forget",
        "restore",
        "confirm",
        "dispute",
        "reject",
        "unreject",
        "purge",
    ]
    assert [op for op in named if op in verbs] == verbs
    assert {event.actor for event in events} == {"ann"}
    assert all(event.door for event in events)
    assert a in events[0].targets


def test_reading_and_failing_are_none(mem: Memory) -> None:
    """Reads, refused calls and calls that change nothing append no event."""
    memory_id = mem.remember("A")
    before = mem.audit()
    mem.recall("A")
    mem.get(memory_id)
    mem.list()
    mem.forget(4711)
    with pytest.raises(ValueError):
        mem.remember(" ")
    assert mem.audit() == before


def test_since(mem: Memory, clock: FakeClock) -> None:
    """``since`` leaves out the events before it."""
    mem.remember("A")
    clock.advance(60)
    mem.remember("B")
    assert len(mem.audit(since=clock.now())) == 1


def test_no_text_is_in_it(mem: Memory, path: Path) -> None:
    """The event table holds no text, subject or metadata of any memory."""
    mem.remember("xylophone", subject="zanzibar", metadata={"k": "quetzal"}, source="zeppelin")
    mem.close()
    connection = apsw.Connection(str(database(path)), flags=apsw.SQLITE_OPEN_READONLY)
    rows = repr(connection.execute("SELECT * FROM event").fetchall())
    connection.close()
    assert not [word for word in ("xylophone", "zanzibar", "quetzal", "zeppelin") if word in rows]


def test_the_chain_holds(mem: Memory) -> None:
    """An untouched chain verifies, against its own end and against an end kept from before."""
    mem.remember("A")
    kept = mem.head()
    mem.remember("B")
    assert mem.verify() == []
    assert mem.verify(kept) == []
    assert mem.head() != kept


TAMPERING = {
    "an event changed": "UPDATE event SET op = 'forget' WHERE seq = (SELECT min(seq) FROM event)",
    "an event's actor changed": "UPDATE event SET actor = 'mallory' WHERE seq = (SELECT min(seq) + 1 FROM event)",
    "an event's time changed": "UPDATE event SET at = at + 1 WHERE seq = (SELECT min(seq) + 1 FROM event)",
    "an event removed": "DELETE FROM event WHERE seq = (SELECT min(seq) + 1 FROM event)",
    "the end cut off": "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)",
}


@pytest.mark.parametrize("how", list(TAMPERING))
def test_tampering_is_found(opened: Opener, path: Path, how: str) -> None:
    """A changed, removed or cut-off event is found with the end kept elsewhere."""
    mem = opened()
    for n in range(4):
        mem.remember(f"note {n}")
    kept = mem.head()
    mem.close()
    connection = apsw.Connection(str(database(path)))
    connection.execute(TAMPERING[how])
    connection.close()
    assert opened().verify(kept) != []
