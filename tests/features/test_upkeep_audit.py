from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.features.conftest import database

from omoide import Memory, Policy
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


def run(path: Path, *statements: str) -> None:
    """Change the file behind the library's back."""
    connection = apsw.Connection(str(database(path)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_every_change_is_an_event(opened: Opener, clock: FakeClock) -> None:
    """Actor, door, operation and targets are told in order, each with its time and hash, without a text."""
    mem = opened(actor="ada", door="cli")
    memory_id = mem.remember("tea at four")
    clock.advance(60)
    mem.revise(memory_id, "tea at five")
    mem.forget(memory_id)
    events = mem.audit()
    assert [(event.op, event.targets) for event in events] == [
        ("remember", (memory_id,)),
        ("revise", (memory_id,)),
        ("forget", (memory_id,)),
    ]
    assert {(event.actor, event.door, event.namespace) for event in events} == {("ada", "cli", "default")}
    assert [event.seq for event in events] == [1, 2, 3]
    assert events[-1].hash == mem.head().split(":")[1]
    assert "tea" not in repr(events)


def test_a_span_of_time(opened: Opener, clock: FakeClock) -> None:
    mem = opened()
    for n in range(4):
        mem.remember(f"note {n}")
        clock.advance(60)
    assert [event.targets for event in mem.audit("2026-06-01T12:01:00Z", "2026-06-01T12:03:00Z")] == [(2,), (3,)]
    assert len(mem.audit(until="2026-06-01T12:01:00Z")) == 1
    with pytest.raises(InvalidInputError):
        mem.audit("2026-06-02", "2026-06-01")


def test_only_namespaces_that_may_be_read(opened: Opener) -> None:
    opened("theirs").remember("tea at four")
    mine = opened("mine")
    mine.remember("milk at noon")
    mine.rebuild()
    assert [(event.namespace, event.op) for event in mine.audit()] == [("mine", "remember"), ("*", "rebuild")]
    wide = opened("mine", policy=Policy().allow("mine", read="theirs"))
    assert {event.namespace for event in wide.audit()} == {"mine", "theirs", "*"}


def test_a_head_kept_elsewhere_lies_on_the_chain(opened: Opener) -> None:
    mem = opened()
    empty = mem.head()
    mem.remember("tea at four")
    kept = mem.head()
    mem.remember("milk at noon")
    assert mem.verify() == []
    assert mem.verify(empty) == []
    assert mem.verify(kept) == []
    assert kept.startswith("1:")


@pytest.mark.parametrize("head", ["", "7", "7:xyz", "-1:" + "0" * 64, "1:00", 5])
def test_what_is_no_head_is_refused(mem: Memory, head: str) -> None:
    with pytest.raises(InvalidInputError):
        mem.verify(head)


FORGERIES = {
    "UPDATE event SET actor = 'eve' WHERE seq = 3": "event 3 is not what was written",
    "UPDATE event SET at = at + 1 WHERE seq = 3": "event 3 is not what was written",
    "UPDATE event SET targets = '[9]' WHERE seq = 3": "event 3 is not what was written",
    "UPDATE event SET targets = 'no list' WHERE seq = 3": "event 3 is not what was written",
    "UPDATE event SET hash = zeroblob(32) WHERE seq = 3": "event 3 is not what was written",
    "DELETE FROM event WHERE seq = 3": "events 3 to 3 are missing",
    "DELETE FROM event WHERE seq <= 3": "events 1 to 3 are missing",
    "DELETE FROM event WHERE seq >= 4": "rows refer to event 5",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_changed_chain_is_noticed(opened: Opener, path: Path, forgery: str) -> None:
    mem = opened()
    for n in range(5):
        mem.remember(f"note {n}")
    run(path, forgery)
    found = mem.verify()
    assert any(FORGERIES[forgery] in line for line in found), found
    assert {line for line in mem.integrity_check() if "chain" in line} <= set(found)


def test_events_cut_off_are_noticed_by_the_head(opened: Opener, path: Path) -> None:
    """Without a row that refers to it, only the head tells that an event is gone."""
    mem = opened()
    mem.remember("tea at four")
    mem.rebuild()
    kept = mem.head()
    run(path, "DELETE FROM event WHERE op = 'rebuild'")
    assert mem.verify() == []
    assert ["later events were removed" in line for line in mem.verify(kept)] == [True]
    mem.remember("milk at noon")
    assert ["was rewritten" in line for line in mem.verify(kept)] == [True]


TAMPERED = {
    "UPDATE content SET text = 'note X' WHERE content_id = 2": "version 2 of memory 2 is not what event 2 wrote",
    "UPDATE version SET source = 'forged' WHERE version_id = 2": "version 2 of memory 2 is not what event 2 wrote",
    "UPDATE version SET trust = 'stated' WHERE version_id = 2": "version 2 of memory 2 is not what event 2 wrote",
    "UPDATE version SET valid_from = 0 WHERE version_id = 2": "version 2 of memory 2 is not what event 2 wrote",
    "UPDATE version SET memory_id = 3 WHERE version_id = 2": "version 2 of memory 3 is not what event 2 wrote",
    "UPDATE version SET known_to = NULL, closed_by = NULL WHERE version_id = 1": "version 1 of memory 1, told of by",
    "UPDATE version SET known_to = known_to + 1 WHERE version_id = 1": "version 1 of memory 1 did not end as event",
    "UPDATE version SET known_to = 1 WHERE version_id = 2": "version 2 is ended and not ended at once",
    "UPDATE version SET known_to = 'x' WHERE version_id = 1": "column known_to of table version holds 1 values",
    "UPDATE version SET closed_by = 'x' WHERE version_id = 1": "column closed_by of table version holds 1 values",
    "UPDATE memory SET ended_by = 'x' WHERE id = 1": "column ended_by of table memory holds 1 values",
    "DELETE FROM version WHERE version_id = 2": "version 2 of memory 2, told of by event 2, is missing",
}


@pytest.mark.parametrize("forgery", TAMPERED)
def test_a_changed_row_is_not_what_its_event_tells(opened: Opener, path: Path, forgery: str) -> None:
    mem = opened()
    for n in range(5):
        mem.remember(f"note {n}")
    mem.forget(1)
    assert mem.verify() == []
    run(path, forgery)
    found = mem.verify(mem.head())
    assert any(TAMPERED[forgery] in line for line in found), found


def test_a_row_slipped_in_is_noticed(opened: Opener, path: Path) -> None:
    mem = opened()
    mem.remember("note 0")
    columns = "memory_id, ns, ord, content_id, valid_from, known_from, kind, importance, confidence, trust, door, cause"
    run(path, f"INSERT INTO version({columns}, opened_by, same) SELECT {columns}, opened_by, same FROM version")
    assert any("version 2 of memory 1 is not what event 1 wrote" in line for line in mem.verify())


def test_what_was_purged_is_not_missed(opened: Opener) -> None:
    mem = opened()
    first = mem.remember("note 0")
    mem.revise(first, "note 0, mended")
    mem.remember("note 1")
    head = mem.head()
    mem.purge(first)
    assert mem.verify(head) == []


def test_an_event_keeps_no_digest_of_an_erased_text(opened: Opener, path: Path) -> None:
    mem = opened()
    mem.purge(mem.remember("born 1980-01-01"))
    mem.remember("born 1980-01-01")
    connection = apsw.Connection(str(database(path)))
    seals = [row[0] for row in connection.execute("SELECT seals FROM event WHERE op = 'remember'")]
    connection.close()
    assert len(seals) == 2
    assert seals[0][16:] != seals[1][16:]
