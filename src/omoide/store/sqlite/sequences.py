"""The numbers that a table has given out, which are never given again."""

from __future__ import annotations

import apsw


def go_on_after(connection: apsw.Connection, table: str, number: int) -> None:
    """Let the next row of a table get a number above ``number``; lower ones are never given out again."""
    connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, table))
    if not connection.changes():
        connection.execute("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", (table, number))
