"""Whether the texts of a file can be read: SQLite itself lets any bytes in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw

from omoide.store.sqlite.checking.findings import some
from omoide.store.sqlite.schema import DERIVED, TABLES

LISTS: Final = frozenset({"tags", "metadata", "cites", "triggers", "entities", "counts"})
"""Columns that hold JSON or nothing, in whatever table."""

_BYTES: Final = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) END"
_BROKEN: Final = "CASE typeof({0}) WHEN 'text' THEN NOT omoide_is_text(CAST({0} AS BLOB)) ELSE 0 END"
_BROKEN_LIST: Final = "{0} IS NOT NULL AND NOT json_valid({0})"


def findings(conn: apsw.Connection) -> list[str]:
    """Return which columns hold texts that are not UTF-8, or not the JSON they should be; none when all are sound."""
    conn.create_scalar_function("omoide_is_text", _is_text, 1, deterministic=True)
    return list(some("column {1} of table {0} holds {2} texts that cannot be read; run repair", _wrong(conn)))


def mend_texts(conn: apsw.Connection) -> list[str]:
    """Replace the bytes that are no text, and empty the lists that are no JSON; return what was done."""
    conn.create_scalar_function("omoide_is_text", _is_text, 1, deterministic=True)
    conn.create_scalar_function("omoide_text", _text, 1, deterministic=True)
    done: list[str] = []
    for table, column, count in list(_wrong(conn)):
        broken, value = _BROKEN.format(column), f"omoide_text(CAST({column} AS BLOB))"
        what = f"{count} texts in column {column} of table {table} had bytes that cannot be read; others stand there"
        if column in LISTS:
            broken, value = _BROKEN_LIST.format(column), "NULL"
            what = f"{count} lists in column {column} of table {table} could not be read and are empty"
        other = "REPLACE" if table in DERIVED else "IGNORE"  # what is derived is made anew from the rows afterwards
        conn.execute(f"UPDATE OR {other} {table} SET {column} = {value} WHERE {broken}")
        done.append(what)
    return done


def _wrong(conn: apsw.Connection) -> Iterator[tuple[str, str, int]]:
    for table in TABLES:
        names = [row[1] for row in conn.execute(f"PRAGMA table_info({table})") if row[2] == "TEXT"]
        if not names:
            continue
        if _is_sound(conn, table, names):
            continue
        tests = [(_BROKEN_LIST if name in LISTS else _BROKEN).format(name) for name in names]
        row: Any = conn.execute(f"SELECT {', '.join(f'ifnull(sum({test}), 0)' for test in tests)} FROM {table}").get
        counts = row if isinstance(row, tuple) else (row,)
        yield from ((table, name, count) for name, count in zip(names, counts, strict=True) if count)


def _is_sound(conn: apsw.Connection, table: str, names: list[str]) -> bool:
    """Say whether all texts of a table are sound: one call a row, where asking by column takes one a text."""
    conn.create_scalar_function("omoide_are_texts", _are_texts, deterministic=True)
    whole = f"omoide_are_texts({', '.join(map(_BYTES.format, names))})"
    broken = [f"NOT {whole}", *(f"({_BROKEN_LIST.format(name)})" for name in names if name in LISTS)]
    return not conn.execute(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {' OR '.join(broken)})").get


def _are_texts(*values: Any) -> bool:
    return _is_text(b"\x00".join(filter(None, values)))  # a sign that lacks its end stays broken between two NULs


def _is_text(*values: Any) -> bool:
    try:
        (values[0] or b"").decode("utf-8")  # an empty one comes as None
    except UnicodeDecodeError:
        return False
    return True


def _text(*values: Any) -> str:
    return str((values[0] or b"").decode("utf-8", "replace"))
