"""A copy of a damaged file made as readable as it gets: its log folded in, its first page replaced if need be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import apsw

from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.mending.pages import HEADER, PAGE
from omoide.store.sqlite.migrate import prepare
from omoide.store.sqlite.schema import TABLES

_PAGE_COUNT: Final = 28  # places in the header: https://www.sqlite.org/fileformat2.html#the_database_header
_FREELIST: Final = 32

_UNREADABLE: Final = (apsw.Error, UnicodeDecodeError)


def folded_copy(copy: Path, work: Path) -> tuple[apsw.Connection | None, bool]:
    """Return a connection to ``copy``, its log folded in, and whether it said by itself that it is a store.

    The copy is changed: where the header or the schema is gone, those of a new store take their place, which
    has its tables at the same pages. There is no connection when no table can be named even so.
    """
    attempts: list[Callable[[], None]] = [
        lambda: None,
        lambda: _put_header(copy, _template(work)),
        lambda: _put_schema(copy, _template(work)),
    ]
    for number, prepare_copy in enumerate(attempts):
        prepare_copy()
        connection = _opened(copy)
        if connection is not None:
            return connection, number == 0
    return None, False


def _opened(copy: Path) -> apsw.Connection | None:
    connection = apsw.Connection(str(copy))
    if 2 * len(_table_names(connection) & set(TABLES)) >= len(TABLES):
        with suppress(*_UNREADABLE):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return connection
    connection.close()
    return None


def _table_names(connection: apsw.Connection) -> set[str]:
    try:
        connection.execute("PRAGMA writable_schema = ON")  # a broken line of the schema is passed over
        rows: Any = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {row[0] for row in rows}
    except _UNREADABLE:
        return set()


def _template(work: Path) -> Path:
    """Return a new, empty store as one file."""
    path = work / "template.db"
    if not path.exists():
        connection = connect(str(path), read_only=False, busy_timeout=1.0, durability="OFF")
        prepare(connection, str(path), read_only=False)
        connection.close()
    return path


def _put_header(copy: Path, template: Path) -> None:
    with template.open("rb") as source:
        header = bytearray(source.read(HEADER))
    count = copy.stat().st_size // PAGE
    header[_PAGE_COUNT : _PAGE_COUNT + 4] = count.to_bytes(4, "big")
    header[_FREELIST : _FREELIST + 8] = bytes(8)
    with copy.open("r+b") as target:
        target.write(header)


def _put_schema(copy: Path, template: Path) -> None:
    connection = apsw.Connection(str(template))
    rows: Any = connection.execute("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")
    numbers = [row[0] for row in rows]
    connection.close()
    with template.open("rb") as source, copy.open("r+b") as target:
        for number in numbers:
            start = HEADER if number == 1 else 0
            source.seek((number - 1) * PAGE + start)
            target.seek((number - 1) * PAGE + start)
            target.write(source.read(PAGE - start))
