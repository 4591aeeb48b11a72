"""Rows of another system's database, a few hundred at a time: never written, nothing made beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from omoide.errors import InvalidInputError
from omoide.transcripts.databases import ask, batches, columns_of, rows

Row = dict[str, Any]


def file_in(path: Path, name: str) -> Path:
    """Return the file called ``name`` of a folder, or the file itself."""
    return path / name if path.is_dir() else path


class Database:
    """A SQLite file of another program.

    Raises:
        DamagedStoreError: it is none, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._columns: dict[str, frozenset[str]] = {}
        self.tables = frozenset(
            str(row["name"]) for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        )

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of a table's columns, none when it is not there."""
        if table not in self._columns:
            self._columns[table] = columns_of(self.path, (table,))[table]
        return self._columns[table]

    def rows(self, query: str, bindings: tuple[Any, ...] = ()) -> list[Row]:
        """Return the rows of a query as fields by name."""
        return ask(self.path, lambda connection: rows(connection, query, bindings))

    def stream(self, table: str, wanted: Iterable[str], condition: str = "1") -> Iterator[Row]:
        """Yield the rows of a table in the order of their row ids; a column that it lacks is None."""
        return batches(self.path, self._query(table, wanted, f"rowid > ? AND {condition}", "LIMIT ?"), -1)

    def paged(self, query: str) -> Iterator[Row]:
        """Yield the rows of a query that takes the last ``position`` and a number of rows."""
        return batches(self.path, query, -1)

    def some(self, table: str, wanted: Iterable[str], condition: str, *values: Any) -> list[Row]:
        """Return the rows under a condition in the order of their row ids; a column that is lacking is None."""
        return self.rows(self._query(table, wanted, condition), values)

    def _query(self, table: str, wanted: Iterable[str], condition: str, tail: str = "") -> str:
        """Return a query made of names and conditions that are constants of the readers."""
        here = self.columns(table)
        shown = ", ".join(name if name in here else f"NULL AS {name}" for name in wanted)
        return f"SELECT rowid AS position, {shown} FROM {table} WHERE {condition} ORDER BY rowid {tail}"  # noqa: S608

    def need(self, system: str, *tables: str) -> None:
        """Refuse a database of another make.

        Raises:
            InvalidInputError: it lacks a table.
        """
        lacking = [table for table in tables if table not in self.tables]
        if lacking:
            raise InvalidInputError(
                f"{self.path} is no database of {system}: it has no table {', '.join(lacking)}", value=str(self.path)
            )
