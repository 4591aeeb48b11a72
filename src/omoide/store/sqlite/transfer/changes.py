"""What a transaction changed in the rows of the truth, as values that JSON can carry, and the way back.

A change is ``{table: {"+": [row, ...], "~": [[key, values], ...], "-": [key, ...]}}``: rows that came, columns
that changed, rows that went. A row is a dict of its columns without those that are NULL, a key the list of its
primary key; bytes are ``{"b": base64}``.
"""

from __future__ import annotations

import base64
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from omoide.store.sqlite.migrate import columns
from omoide.store.sqlite.notes import Notes
from omoide.store.sqlite.schema import DERIVED, TABLES
from omoide.store.sqlite.schema_vault import LOCAL
from omoide.store.sqlite.settings import ANALYZER

Rows = dict[str, dict[str, list[Any]]]

JOURNALLED: Final = tuple(table for table in TABLES if table not in (*DERIVED, *LOCAL, "space"))
"""The tables of the truth."""
_FILES: Final = "note"
"""The table that changes last, once it is known which files have to be written."""

_DAMAGED: Final = (KeyError, TypeError, ValueError, AttributeError)
_OWN_SETTINGS: Final = ("dimension", ANALYZER)
"""Settings that describe the index of this copy."""


class Recorder:
    """Sees what changes on a connection from now until ``close``; apart, what changes in the rows about files."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._session, self._files = apsw.Session(connection, "main"), apsw.Session(connection, "main")
        for table in JOURNALLED:
            (self._files if table == _FILES else self._session).attach(table)
        self._numbers = sequences(connection)

    def rows(self) -> Rows:
        """Return the net changes so far."""
        found: Rows = {}
        for change in apsw.Changeset.iter(self._session.changeset()):
            _note(found, change)
        return self.again(found)

    def again(self, rows: Rows) -> Rows:
        """Return changes that were seen with those of the rows about files as they are now."""
        found = {table: parts for table, parts in rows.items() if table != _FILES}
        for change in apsw.Changeset.iter(self._files.changeset()):
            _note(found, change)
        return found

    def numbers(self) -> dict[str, int]:
        """Return the highest number ever given out by each table where that changed."""
        now = sequences(self._connection)
        return {table: number for table, number in now.items() if self._numbers.get(table) != number}

    def close(self) -> None:
        """Stop looking."""
        self._session.close()
        self._files.close()


def sequences(connection: apsw.Connection) -> dict[str, int]:
    """Return the highest number ever given out by each table that never gives one out twice."""
    rows: Any = connection.execute("SELECT name, seq FROM sqlite_sequence")
    return {row[0]: row[1] for row in rows}


def pass_over(connection: apsw.Connection, table: str, number: int) -> None:
    """Let a table give out no number up to the one named."""
    connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, table))


def apply(connection: apsw.Connection, rows: Rows, numbers: Mapping[str, int]) -> None:
    """Do changes again, exactly."""
    for table, parts in rows.items():
        if table not in JOURNALLED:
            continue
        shape = shape_of(table)
        if parts.get("-"):
            connection.executemany(shape.delete, [_values(key) for key in parts["-"]])
        if parts.get("+"):
            connection.executemany(shape.insert, [_row(shape, row) for row in parts["+"]])
        for key, values in parts.get("~", ()):
            named = [name for name in values if name in shape.names]
            sets = ", ".join(f'"{name}" = ?' for name in named)
            if named:
                bound = [*_values([values[name] for name in named]), *_values(key)]
                connection.execute(f"UPDATE {table} SET {sets} WHERE {shape.key}", bound)
    for table, number in numbers.items():
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        connection.execute("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", (table, number))


def clear(connection: apsw.Connection) -> None:
    """Erase every row of the truth."""
    for table in JOURNALLED:
        condition = _setting_condition() if table == "setting" else "1"
        connection.execute(f"DELETE FROM {table} WHERE {condition}")


def snapshot(connection: apsw.Connection, portion: int) -> Iterator[Rows]:
    """Yield every row of the truth as changes, at most ``portion`` rows at a time."""
    for table in JOURNALLED:
        names = shape_of(table).names
        condition = _setting_condition() if table == "setting" else "1"
        some: list[Any] = []
        for row in connection.execute(f"SELECT {shape_of(table).columns} FROM {table} WHERE {condition}"):
            some.append({name: _out(value) for name, value in zip(names, row, strict=True) if value is not None})
            if len(some) >= portion:
                yield {table: {"+": some}}
                some = []
        if some:
            yield {table: {"+": some}}


@dataclass(frozen=True, slots=True)
class Step:
    """Changes to be done again; ``clears``: after every row of the truth was erased."""

    rows: Rows
    numbers: Mapping[str, int]
    clears: bool = False


def redo(connection: apsw.Connection, steps: Iterable[Step], marks: Mapping[str, str | int | None]) -> list[int]:
    """Do changes again in one transaction, and keep ``marks`` in the table about this copy.

    Returns the places of the steps that cannot be done: what they say is damaged, and nothing of them is done.
    """
    failed: list[int] = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        for place, step in enumerate(steps):
            if not _redone(connection, step):
                failed.append(place)
        notes = Notes(connection)
        notes.set_many(marks.items())
        notes.expect()
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled it back already
            connection.execute("ROLLBACK")
        raise
    return failed


def _redone(connection: apsw.Connection, step: Step) -> bool:
    connection.execute("SAVEPOINT step")
    try:
        if step.clears:
            clear(connection)
        apply(connection, step.rows, step.numbers)
    except (*_DAMAGED, apsw.ConstraintError, apsw.MismatchError):
        connection.execute("ROLLBACK TO step")
        return False
    finally:
        connection.execute("RELEASE step")
    return True


class Shape:
    """The columns of a table as this version has them; what another program added behind them is its own."""

    def __init__(self, table: str) -> None:
        model = apsw.Connection(":memory:")
        model.execute(TABLES[table])
        found = columns(model, table)
        self.names = tuple(found)
        self.defaults = {
            name: model.execute(f"SELECT {spec[2]}").get
            for name, spec in found.items()
            if spec[1] and spec[2] is not None
        }
        keys = sorted((spec[3], name) for name, spec in found.items() if spec[3])
        self.keys = tuple(name for _, name in keys)
        self.places = tuple(self.names.index(name) for name in self.keys)
        marks = ",".join("?" * len(self.names))
        self.key = " AND ".join(f'"{name}" = ?' for name in self.keys)
        self.columns = ", ".join(f'"{name}"' for name in self.names)
        self.insert = f"INSERT OR REPLACE INTO {table}({self.columns}) VALUES ({marks})"
        self.delete = f"DELETE FROM {table} WHERE {self.key}"


@functools.cache
def shape_of(table: str) -> Shape:
    """Return the columns of a table."""
    return Shape(table)


def _note(found: Rows, change: apsw.TableChange) -> None:
    table, shape = change.name, shape_of(change.name)
    if change.op == "INSERT":
        assert change.new is not None
        if not _own(table, change.new[0]):
            row = {n: _out(v) for n, v in zip(shape.names, change.new, strict=False) if v is not None}
            _part(found, table, "+").append(row)
        return
    assert change.old is not None
    if _own(table, change.old[0]):
        return
    key = [_out(change.old[place]) for place in shape.places]
    if change.op == "DELETE":
        _part(found, table, "-").append(key)
        return
    assert change.new is not None
    pairs = zip(shape.names, change.new, strict=False)
    _part(found, table, "~").append([key, {n: _out(v) for n, v in pairs if v is not apsw.no_change}])


def _own(table: str, key: object) -> bool:
    return table == "setting" and key in _OWN_SETTINGS


def _setting_condition() -> str:
    return f"key NOT IN ({', '.join(repr(key) for key in _OWN_SETTINGS)})"


def _part(found: Rows, table: str, what: str) -> list[Any]:
    return found.setdefault(table, {}).setdefault(what, [])


def _out(value: Any) -> Any:
    return {"b": base64.b64encode(value).decode("ascii")} if isinstance(value, bytes) else value


def _in(value: Any) -> Any:
    return base64.b64decode(value["b"]) if isinstance(value, dict) else value


def _values(values: Sequence[Any]) -> list[Any]:
    return [_in(value) for value in values]


def _row(shape: Shape, row: Mapping[str, Any]) -> list[Any]:
    """Columns that may not be NULL and that the row does not have take their default."""
    return [_in(row[name]) if name in row else shape.defaults.get(name) for name in shape.names]
