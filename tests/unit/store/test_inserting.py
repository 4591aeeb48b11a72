"""Rows inserted several a statement."""

from __future__ import annotations

import apsw
import pytest

from omoide.store.sqlite.inserting import insert


@pytest.fixture
def conn() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    made.execute("CREATE TABLE thing(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)")
    return made


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 71])
def test_every_row_is_there_in_its_order(conn: apsw.Connection, count: int) -> None:
    rows = [(3 * number + 5, f"name {number}") for number in range(count)]
    insert(conn, "thing(id, name)", rows)
    assert list(conn.execute("SELECT id, name FROM thing ORDER BY id")) == rows


def test_numbers_that_were_given_are_not_given_again(conn: apsw.Connection) -> None:
    insert(conn, "thing(id, name)", [(number, f"name {number}") for number in range(1, 41)])
    conn.execute("DELETE FROM thing")
    conn.execute("INSERT INTO thing(name) VALUES ('next')")
    assert conn.last_insert_rowid() == 41


def test_a_row_that_cannot_be_there_is_an_error(conn: apsw.Connection) -> None:
    rows = [(number, f"name {number % 40}") for number in range(1, 50)]
    with pytest.raises(apsw.ConstraintError):
        insert(conn, "thing(id, name)", rows)
