"""Which texts of a file cannot be read, told with one call a row."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from omoide.store.sqlite import schema
from omoide.store.sqlite.checking import check_texts


@pytest.fixture
def conn() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    for table in schema.TABLES:
        connection.execute(schema.TABLES[table])
    rows = [("a", "大阪"), ("b", ""), ("c", "x\x00y")]
    connection.executemany("INSERT INTO decision(ns, proposal, state, at) VALUES(1, ?, ?, 0)", rows)
    yield connection
    connection.close()


def test_sound_texts_are_no_finding(conn: apsw.Connection) -> None:
    assert check_texts.findings(conn) == []


@pytest.mark.parametrize("value", [b"\xff", b"\xe5\xa4", b"\x80", b"ok \xc3", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_are_found(conn: apsw.Connection, value: bytes) -> None:
    conn.execute("UPDATE decision SET state = CAST(? AS TEXT) WHERE proposal = 'b'", (value,))
    (found,) = check_texts.findings(conn)
    assert "column state of table decision holds 1 texts" in found


def test_two_halves_in_columns_side_by_side_make_no_whole(conn: apsw.Connection) -> None:
    sql = "UPDATE decision SET proposal = CAST(? AS TEXT), state = CAST(? AS TEXT) WHERE proposal = 'b'"
    conn.execute(sql, (b"\xe5\xa4", b"\xa7"))
    assert len(check_texts.findings(conn)) == 2


def test_sound_rows_cost_one_call_each(conn: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    told = check_texts._are_texts

    def counted(*values: object) -> bool:
        calls.append(len(values))
        return told(*values)

    monkeypatch.setattr(check_texts, "_are_texts", counted)
    assert check_texts.findings(conn) == []
    assert calls == [2, 2, 2]
