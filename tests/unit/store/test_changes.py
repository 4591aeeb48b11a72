"""What a transaction changed, carried as JSON and done again elsewhere."""

from __future__ import annotations

import json

import apsw
import pytest

from omoide.store.sqlite.schema import TABLES
from omoide.store.sqlite.transfer import changes
from omoide.store.sqlite.transfer.changes import JOURNALLED, Recorder, Step


@pytest.fixture
def one() -> apsw.Connection:
    """A database with the tables of a store."""
    return made()


def made() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for sql in TABLES.values():
        connection.execute(sql)
    return connection


def rows(connection: apsw.Connection) -> dict[str, list[str]]:
    """Return every row of the truth."""
    return {table: sorted(map(repr, connection.execute(f"SELECT * FROM {table}"))) for table in JOURNALLED}


def recorded(connection: apsw.Connection, *statements: str) -> Step:
    """Run statements; return what they changed, as JSON would carry it."""
    recorder = Recorder(connection)
    for sql in statements:
        connection.execute(sql)
    step = Step(json.loads(json.dumps(recorder.rows())), recorder.numbers())
    recorder.close()
    return step


STATEMENTS = [
    (
        "INSERT INTO namespace(ns, name, created_at) VALUES (1, 'default', 5)",
        "INSERT INTO content VALUES (1, x'00ff', 'text\n\u2028 日本')",
    ),
    ("INSERT INTO memory(uid, ns, created_at, value) VALUES ('u1', 1, 7, 0.25)",),
    ("UPDATE memory SET disputed = 'why', value = NULL WHERE id = 1", "INSERT INTO setting VALUES ('embedder', 'e5')"),
    ("INSERT INTO memory(uid, ns, created_at) VALUES ('u2', 1, 8)", "DELETE FROM memory WHERE uid = 'u2'"),
    (
        "INSERT INTO purged(key, ns, at, event) VALUES (x'01', 1, 9, 2)",
        "INSERT INTO alias(ns, name, subject, about, at) VALUES (1, 'a', 'b', 'c', 3)",
    ),
    ("DELETE FROM content", "UPDATE alias SET subject = 'z' WHERE name = 'a'"),
]


def test_done_again_it_is_the_same(one: apsw.Connection) -> None:
    """Rows that came, changed and went are the same in a copy, numbers that are never given twice included."""
    other = made()
    for statements in STATEMENTS:
        changes.redo(other, [recorded(one, *statements)], {})
        assert rows(other) == rows(one)
    assert changes.sequences(other) == changes.sequences(one) == {"memory": 2}


def test_a_snapshot_is_the_same(one: apsw.Connection) -> None:
    """The whole state in portions makes a copy out of whatever was there."""
    for statements in STATEMENTS[:5]:
        recorded(one, *statements)
    other = made()
    other.execute("INSERT INTO namespace(ns, name, created_at) VALUES (9, 'gone', 5)")
    parts = [json.loads(json.dumps(part)) for part in changes.snapshot(one, 1)]
    steps = [Step({}, {}, clears=True), *(Step(part, {}) for part in parts)]
    changes.redo(other, steps, {})
    assert rows(other) == rows(one)


def test_what_is_derived_is_no_change(one: apsw.Connection) -> None:
    """Index rows, counters and settings about the index of one copy are left out."""
    step = recorded(
        one,
        "INSERT INTO term VALUES (1, 1, 'x')",
        "INSERT INTO space(ns, collection) VALUES (1, 'memory')",
        "INSERT INTO setting VALUES ('dimension', '384')",
        "INSERT INTO note_stat VALUES ('a.md', x'00', NULL, NULL)",
    )
    assert step.rows == {}


def test_changes_that_cancel_out_are_none(one: apsw.Connection) -> None:
    """What was made and undone in one transaction is not there, nor what was written as it was."""
    recorded(one, "INSERT INTO namespace(ns, name, created_at) VALUES (1, 'default', 5)")
    step = recorded(
        one, "UPDATE namespace SET created_at = 6", "UPDATE namespace SET created_at = 5",
        "INSERT INTO project VALUES (1, 'p')", "DELETE FROM project",
    )  # fmt: skip
    assert step.rows == {}


def test_a_damaged_step_is_left_out_and_told(one: apsw.Connection) -> None:
    """Changes that cannot be done are not done in part, and the others are."""
    good = Step({"namespace": {"+": [{"ns": 1, "name": "a", "created_at": 1}]}}, {})
    bad = Step({"namespace": {"+": [{"ns": 2, "name": "b", "created_at": 1}]}, "memory": {"+": [{"id": 1}]}}, {})
    odd = Step({"content": {"+": ["no row"]}}, {})
    assert changes.redo(one, [bad, good, odd], {}) == [0, 2]
    assert one.execute("SELECT name FROM namespace").fetchall() == [("a",)]
