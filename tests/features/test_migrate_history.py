"""Sources that keep their history: every text that held is a version, known when it was known there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.foreign import MEM0, MEMHARNESS, change, database

from omoide import Memory
from omoide.migrate import import_into
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """Three facts: one corrected backwards, one retracted, one that ends and was never corrected."""
    fact = {"subject": "user", "predicate": "city", "source_ref": "session-1", "source_agent": "bot"}
    return database(
        tmp_path / "memory.db", MEMHARNESS,
        facts=[
            {"id": 1, **fact, "fact": "lives in Osaka", "valid_from": "2026-03-01T00:00:00.000Z", "importance": 8,
             "valid_to": "2026-03-05T00:00:00.000Z", "tx_at": "2026-03-01T09:00:00.000Z", "superseded_by": 2},
            {"id": 2, **fact, "fact": "lives in Kyoto", "valid_from": "2026-03-05T00:00:00.000Z",
             "tx_at": "2026-03-11T00:00:00.000Z", "confidence": 0.6, "source_path": "a.py", "source_commit": "abc1234"},
            {"id": 3, "subject": "user", "fact": "aime le thé", "valid_from": "2026-03-02T00:00:00.000Z",
             "tx_at": "2026-03-02T00:00:00.000Z", "retracted_at": "2026-03-08T00:00:00.000Z", "kind": "episodic"},
            {"id": 4, "subject": "東京", "fact": "首都である", "valid_from": "2026-03-03T00:00:00.000Z",
             "valid_to": "2026-04-03T00:00:00.000Z", "tx_at": "2026-03-03T00:00:00.000Z", "kind": "procedural"},
        ],
    )  # fmt: skip


def texts(mem: Memory, **asked: str) -> set[str]:
    """Return what holds at the asked time."""
    return {record.text for record in mem.list(**asked)}  # type: ignore[arg-type]


def test_a_line_of_revisions_is_one_memory_on_both_axes(mem: Memory, facts: Path) -> None:
    """What was believed on a day is what memharness would have believed then, backdated corrections included."""
    report = import_into(mem, facts)
    assert (report.source, report.read, len(report.added)) == ("memharness", 3, 3)
    assert texts(mem, as_of="2026-03-08T12:00:00Z") == {"lives in Osaka", "首都である"}
    assert texts(mem, as_of="2026-03-03T12:00:00Z") == {"lives in Osaka", "aime le thé", "首都である"}
    assert texts(mem, as_of="2026-03-11T12:00:00Z") == {"lives in Kyoto", "首都である"}
    assert texts(mem, valid_at="2026-03-06T00:00:00Z", known_at="2026-03-10T00:00:00Z") == {
        "lives in Osaka",
        "首都である",
    }
    assert texts(mem, valid_at="2026-03-06T00:00:00Z", known_at="2026-03-12T00:00:00Z") == {
        "lives in Kyoto",
        "首都である",
    }
    assert texts(mem) == {"lives in Kyoto"}


def test_labels_sources_and_citations_are_kept(mem: Memory, facts: Path) -> None:
    """Subject, predicate, kind, importance, confidence, source, agent and pinned commit arrive."""
    import_into(mem, facts)
    (record,) = mem.list(subject="user")
    assert (record.predicate, record.confidence, record.source) == ("city", 0.6, "session-1")
    assert record.cites == ("a.py@abc1234",)
    assert record.provenance is not None
    assert (record.provenance.ref, record.provenance.actor) == ("memharness:fact/2", "bot")
    assert {version.importance for version in mem.why(record.id).versions} == {5, 8}
    assert [version.kind for version in mem.timeline("東京")] == ["procedure"]


def test_importing_twice_adds_nothing_and_growth_adds_the_new(mem: Memory, facts: Path, clock: FakeClock) -> None:
    """A second import changes no row; a correction made there since is one more version here."""
    import_into(mem, facts)
    head = mem.head()
    again = import_into(mem, facts)
    assert (again.added, again.changed, again.known, again.batch) == ((), (), 3, None)
    assert mem.head() == head
    change(facts, "UPDATE facts SET superseded_by = 5, valid_to = '2026-05-01T00:00:00.000Z' WHERE id = 2")
    change(
        facts, "INSERT INTO facts(id, subject, predicate, fact, valid_from, tx_at) VALUES (5, 'user', 'city',"
        " 'lives in Nara', '2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z')"
    )  # fmt: skip
    clock.advance(60)
    grown = import_into(mem, facts)
    assert (len(grown.added), len(grown.changed), grown.known) == (0, 1, 2)
    assert texts(mem) == {"lives in Nara"}
    assert texts(mem, valid_at="2026-04-01") == {"lives in Kyoto", "首都である"}
    assert mem.conflicts() == []
    assert (mem.integrity_check(), mem.verify()) == ([], [])


def test_into_a_namespace_that_was_written_it_is_known_from_now(mem: Memory, facts: Path, clock: FakeClock) -> None:
    """The past stays as it was; valid times and, in the provenance, known times are those of the source."""
    first = mem.remember("was here before")
    before = clock.now()
    clock.advance(60)
    report = import_into(mem, facts)
    assert [record.id for record in mem.list(as_of=before)] == [first]
    versions = [version for id in report.added for version in mem.why(id).versions]
    assert {version.known_from for version in versions} == {clock.now()}
    assert {str(version.provenance.known_elsewhere)[:10] for version in versions} >= {"2026-03-01", "2026-03-11"}
    assert texts(mem) == {"was here before", "lives in Kyoto"}
    assert texts(mem, valid_at="2026-03-02") == {"lives in Osaka"}


def test_an_undone_import_can_be_made_again(mem: Memory, facts: Path, clock: FakeClock) -> None:
    """Undo takes the batch back; a second import brings it again, and what the source retracted stays retracted."""
    batch = import_into(mem, facts).batch
    clock.advance(60)
    assert batch is not None
    assert len(mem.undo(batch).undone) == 2
    assert texts(mem) == set()
    clock.advance(60)
    import_into(mem, facts)
    assert texts(mem) == {"lives in Kyoto"}
    assert mem.conflicts() == []


def test_what_was_changed_here_stays_and_shows(mem: Memory, facts: Path, clock: FakeClock) -> None:
    """An edit made here is no news to the source; an edit there meets it as a divergence."""
    import_into(mem, facts)
    (record,) = mem.list(subject="user")
    clock.advance(60)
    mem.revise(record.id, "lives in Kobe")
    assert import_into(mem, facts).changed == ()
    assert texts(mem) == {"lives in Kobe"}
    change(facts, "UPDATE facts SET superseded_by = 5 WHERE id = 2")
    change(
        facts, "INSERT INTO facts(id, subject, predicate, fact, valid_from, tx_at) VALUES (5, 'user', 'city',"
        " 'lives in Nara', '2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z')"
    )  # fmt: skip
    clock.advance(60)
    report = import_into(mem, facts)
    assert report.conflicts == (record.id,)
    assert texts(mem) == {"lives in Kobe"}


def test_what_was_forgotten_or_purged_here_does_not_come_back(mem: Memory, facts: Path, clock: FakeClock) -> None:
    """A second import brings back neither what was forgotten nor what was purged since the first."""
    report = import_into(mem, facts)
    mem.forget(report.added[0])
    mem.purge(report.added[2])
    clock.advance(60)
    again = import_into(mem, facts)
    assert (again.added, again.changed) == ((), ())
    assert [refusal.reason for refusal in again.refused] == ["purged"]
    assert texts(mem) == set()


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    """A history of mem0: a text that was updated, one that was deleted."""

    def row(number: int, memory: str, old: str | None, new: str | None, event: str, at: str) -> dict[str, object]:
        return {"id": f"h{number}", "memory_id": memory, "old_memory": old, "new_memory": new, "event": event,
                "created_at": "2026-02-01T08:00:00-07:00", "updated_at": at, "is_deleted": int(event == "DELETE"),
                "actor_id": "ann", "role": "user"}  # fmt: skip

    return database(
        tmp_path / "history.db", MEM0,
        history=[
            row(1, "m1", None, "likes tea", "ADD", "2026-02-01T08:00:00-07:00"),
            row(2, "m1", "likes tea", "likes green tea", "UPDATE", "2026-02-03T08:00:00-07:00"),
            row(3, "m2", None, "habite à Lyon", "ADD", "2026-02-01T08:00:00-07:00"),
            row(4, "m2", "habite à Lyon", None, "DELETE", "2026-02-05T08:00:00-07:00"),
        ],
    )  # fmt: skip


def test_the_history_of_mem0_is_kept_with_its_zones(mem: Memory, changes: Path) -> None:
    """Updates are versions and deletions end a belief, at the instants that offsets give."""
    report = import_into(mem, changes)
    assert (report.source, len(report.added)) == ("mem0", 2)
    assert texts(mem, as_of="2026-02-01T15:00:00Z") == {"likes tea", "habite à Lyon"}
    assert texts(mem, as_of="2026-02-01T14:59:59Z") == set()
    assert texts(mem, as_of="2026-02-04") == {"likes green tea", "habite à Lyon"}
    assert texts(mem) == {"likes green tea"}
    (record,) = mem.list()
    assert record.provenance is not None
    assert (record.provenance.ref, record.provenance.actor) == ("mem0:m1", "ann")


def test_a_deletion_made_there_since_is_taken_over(mem: Memory, changes: Path, clock: FakeClock) -> None:
    """What mem0 deleted after the first import is forgotten by the second, once."""
    import_into(mem, changes)
    change(
        changes, "INSERT INTO history VALUES ('h5', 'm1', 'likes green tea', NULL, 'DELETE',"
        " '2026-02-01T08:00:00-07:00', '2026-05-05T08:00:00-07:00', 1, 'ann', 'user')"
    )  # fmt: skip
    clock.advance(60)
    assert len(import_into(mem, changes).changed) == 1
    assert texts(mem) == set()
    assert import_into(mem, changes).changed == ()
    assert (mem.conflicts(), mem.verify()) == ([], [])


def test_an_update_that_was_undone_can_be_imported_again(mem: Memory, facts: Path, clock: FakeClock) -> None:
    """Undo of the second of two imports brings back the text of the first; a third brings the correction again."""
    import_into(mem, facts)
    change(facts, "UPDATE facts SET superseded_by = 5, valid_to = '2026-05-01T00:00:00.000Z' WHERE id = 2")
    change(
        facts, "INSERT INTO facts(id, subject, predicate, fact, valid_from, tx_at) VALUES (5, 'user', 'city',"
        " 'lives in Nara', '2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z')"
    )  # fmt: skip
    clock.advance(60)
    batch = import_into(mem, facts).batch
    clock.advance(60)
    assert batch is not None
    mem.undo(batch)
    assert texts(mem) == {"lives in Kyoto"}
    clock.advance(60)
    assert len(import_into(mem, facts).changed) == 1
    assert texts(mem) == {"lives in Nara"}
    assert texts(mem, valid_at="2026-04-01") == {"lives in Kyoto", "首都である"}
    assert import_into(mem, facts).changed == ()
    assert (mem.conflicts(), mem.integrity_check(), mem.verify()) == ([], [], [])
    assert len(mem.diff("2026-01-01").learned) >= 1
