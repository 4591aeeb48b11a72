"""Whatever a plain SQLite client changes in the rows of a store, ``verify`` names the table."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from omoide import Memory
from omoide.testing import FakeClock

EDITS = {
    "memory made another": "UPDATE memory SET uid = 'other' WHERE id = 1",
    "memory made earlier": "UPDATE memory SET created_at = created_at - 1 WHERE id = 1",
    "memory pinned": "UPDATE memory SET pinned = 1 WHERE id = 1",
    "memory unpinned": "UPDATE memory SET pinned = 0 WHERE pinned = 1",
    "memory archived": "UPDATE memory SET archived = 1 WHERE id = 1",
    "memory disputed": "UPDATE memory SET disputed = 'no' WHERE id = 1",
    "memory dispute worded anew": "UPDATE memory SET disputed = 'other' WHERE disputed IS NOT NULL",
    "memory ended": "UPDATE memory SET ended = 'forget' WHERE id = 1",
    "evidence of another source": "UPDATE evidence SET source = 'elsewhere' WHERE source = 'second'",
    "evidence withdrawn": "UPDATE evidence SET withdrawn_at = 1",
    "evidence removed": "DELETE FROM evidence",
    "evidence added": "INSERT INTO evidence(memory_id, at, door, cause, event) VALUES (1, 1, 'python', 'repeat', 1)",
    "link turned": "UPDATE link SET to_id = from_id, from_id = to_id WHERE kind = 'supersedes'",
    "link ended": "UPDATE link SET ended_at = 1 WHERE kind = 'supersedes'",
    "link removed": "DELETE FROM link WHERE kind = 'supersedes'",
    "rejection lifted": "UPDATE rejection SET lifted_at = 1",
    "rejection of another value": "UPDATE rejection SET key = zeroblob(16)",
    "rejection removed": "DELETE FROM rejection",
    "alias of another": "UPDATE alias SET subject = 'Bob', about = 'bob'",
    "alias removed": "DELETE FROM alias",
    "alias added": "INSERT INTO alias(ns, name, subject, about, at) VALUES (1, 'eve', 'Ann', 'ann', 1)",
    "exclusive removed": "DELETE FROM exclusive",
    "exclusive added": "INSERT INTO exclusive(ns, predicate, at) VALUES (1, 'other', 1)",
    "idempotency of another result": "UPDATE idempotency SET result = '{\"id\":2,\"notices\":[]}'",
    "idempotency removed": "DELETE FROM idempotency",
    "purged mark removed": "DELETE FROM purged",
    "purged mark moved": "UPDATE purged SET at = at - 1",
    "batch of another source": "UPDATE batch SET source = 'elsewhere'",
    "batch undone": "UPDATE batch SET undone_at = 1",
    "batch removed": "DELETE FROM batch",
    "namespace renamed": "UPDATE namespace SET name = 'other'",
}  # fmt: skip
"""What is changed, its first word the table."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A closed store in which every table has a row."""
    path = tmp_path / "agents.db"
    clock = FakeClock("2026-06-01T12:00:00Z")
    with Memory(path, clock=clock, embedder="none", door_trust="stated") as mem:
        first = mem.remember("works at Acme", subject="Ann", source="first", idempotency_key="k")
        mem.remember("works at Acme", subject="Ann", source="second", valid_from=mem.get(first).valid_from)  # type: ignore[union-attr]
        mem.supersede([mem.remember("lives in Kyoto")], "lives in Osaka")
        mem.reject(mem.remember("likes natto"), reason="never said")
        mem.dispute(mem.remember("東京に住む"), reason="unsure")
        mem.remember("kept", pinned=True)
        mem.alias_subject("Annie", of="Ann")
        mem.exclusive("employer")
        mem.purge(mem.remember("a secret"))
        with mem.batch("session", source="s-1"):
            mem.remember("said in a session")
    return path


def verified(path: Path) -> list[str]:
    """Open the store and verify it."""
    with Memory(path, embedder="none") as mem:
        return mem.verify()


def changed(path: Path, sql: str) -> None:
    """Run one statement on the closed file, as any SQLite client can."""
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    assert connection.changes(), "the edit changed nothing"
    connection.close()


def test_an_untouched_store_verifies(file: Path) -> None:
    """Nothing is reported of a store that only omoide wrote."""
    assert verified(file) == []


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_of_the_file_is_reported(file: Path, what: str) -> None:
    """A row that was changed, added or removed is reported with its table."""
    changed(file, EDITS[what])
    found = verified(file)
    table = what.split(maxsplit=1)[0]
    assert any(table in line for line in found), found


def test_the_finding_names_the_row(file: Path) -> None:
    """Of a row with a number the finding says which it is."""
    changed(file, EDITS["rejection lifted"])
    assert any(line.startswith("rejection 1 is not what event") for line in verified(file))


def test_a_row_put_back_as_it_was_is_no_finding(file: Path) -> None:
    """What counts is what the rows say."""
    changed(file, EDITS["memory pinned"])
    changed(file, "UPDATE memory SET pinned = 0 WHERE id = 1")
    assert verified(file) == []


def test_a_later_write_covers_nothing_up(file: Path) -> None:
    """What was changed outside stays reported whatever omoide writes afterwards."""
    changed(file, EDITS["evidence removed"])
    with Memory(file, embedder="none") as mem:
        mem.remember("something else", source="later")
        mem.remember("something else", source="again")
        assert any("evidence" in line for line in mem.verify())


def test_uses_are_no_edit(file: Path) -> None:
    """Counting how often a memory is seen is state that nothing vouches for."""
    with Memory(file, embedder="none") as mem:
        for _ in range(3):
            mem.recall("Osaka")
    assert verified(file) == []


def test_seals_tell_nothing_of_a_purged_row(file: Path) -> None:
    """After a purge no salt is left by which a guess at an erased source could be tested."""
    with Memory(file, embedder="none", door_trust="stated") as mem:
        mem.purge(source="second")
        assert mem.verify() == []
    connection = apsw.Connection(str(file))
    left = connection.execute("SELECT count(*) FROM evidence").get
    connection.close()
    assert left == 0


def test_integrity_check_names_it_until_a_repair_keeps_it(file: Path) -> None:
    """``integrity_check`` tells of the row; ``repair`` leaves it as it is, and ``verify`` goes on saying so."""
    changed(file, EDITS["link ended"])
    with Memory(file, embedder="none") as mem:
        assert any(line.startswith("link 1 ") for line in mem.integrity_check())
        assert any("kept as they are" in action for action in mem.repair().actions)
        assert mem.integrity_check() == []
        assert any(line.startswith("link 1 ") for line in mem.verify())
