"""Making a store, bringing an older one forward, refusing what is newer, foreign or bent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import apsw

from omoide.errors import DamagedStoreError, ForeignStoreError, ReadOnlyStoreError, StoreVersionError
from omoide.store.sqlite.connection import patience
from omoide.store.sqlite.foreign import recognise
from omoide.store.sqlite.schema import APPLICATION_ID, INDEXES, TABLES
from omoide.store.sqlite.settings import ANALYZER
from omoide.text.tokens import ANALYZER_VERSION


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that bring a store from the version before to ``version``."""

    version: int
    statements: tuple[str, ...]


MIGRATIONS: Final = (Migration(1, (*TABLES.values(), *INDEXES.values())),)
LATEST: Final = MIGRATIONS[-1].version
OPENING: Final = 10.0
"""Seconds that a store waits, while it is made, for others that make it too."""
_SHOWN: Final = 10
"""Differences of a schema that an error lists; ``value`` holds all of them."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between the schema of a file and the one this version writes."""

    table: str
    column: str | None
    problem: str

    def __str__(self) -> str:
        where = self.table if self.column is None else f"{self.table}.{self.column}"
        return f"{where}: {self.problem}"


def prepare(connection: apsw.Connection, path: str, *, read_only: bool) -> None:
    """Make the store in an empty file, or check and bring forward the one that is there.

    Raises:
        StoreVersionError: the file was written by a newer omoide.
        ForeignStoreError: the file belongs to another system.
        DamagedStoreError: a table or column is not as this version writes it.
        ReadOnlyStoreError: the file is empty or older and may not be written.
    """
    version = _version(connection)
    if not _is_ours(connection):
        _refuse_foreign(connection, path)
        version = 0
    if version > LATEST:
        raise StoreVersionError(
            f"{path} has schema {version}; this omoide knows up to {LATEST}. Upgrade omoide to open it", value=version
        )
    if version < LATEST:
        if read_only:
            raise ReadOnlyStoreError(f"{path} has to be made or brought forward, but cannot be written", value=path)
        _migrate(connection)
    _refuse_drift(connection, path)


def drifts(connection: apsw.Connection) -> list[Drift]:
    """Return the differences between the file's tables and the expected ones, quick when there are none."""
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    actual = {str(row[0]): str(row[1]) for row in rows}
    found: list[Drift] = []
    for table, sql in TABLES.items():
        if table not in actual:
            found.append(Drift(table, None, "the table is missing"))
        elif actual[table].strip() != sql.strip():
            found.extend(_column_drifts(connection, table, sql))
    return found


def missing_indexes(connection: apsw.Connection) -> list[str]:
    """Return the names of indexes that the file lacks."""
    present = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")}
    return [name for name in INDEXES if name not in present]


def _is_ours(connection: apsw.Connection) -> bool:
    return connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def _version(connection: apsw.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])  # type: ignore[index]


def _migrate(connection: apsw.Connection) -> None:
    _write_ahead(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in MIGRATIONS[_version(connection) :]:  # read again: another process may have been first
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {migration.version}")
        connection.execute("INSERT OR IGNORE INTO setting(key, value) VALUES (?, ?)", (ANALYZER, str(ANALYZER_VERSION)))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled it back already
            connection.execute("ROLLBACK")
        raise


def _write_ahead(connection: apsw.Connection) -> None:
    """Give the file a write-ahead log; SQLite itself does not wait for others that open the file at this moment."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":  # type: ignore[index]
        return
    wait, tries = patience(OPENING), 0
    while not _changed(connection, wait, tries):
        tries += 1


def _changed(connection: apsw.Connection, wait: Callable[[int], bool], tries: int) -> bool:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except apsw.BusyError:
        if not wait(tries):
            raise
        return False
    return True


def _refuse_foreign(connection: apsw.Connection, path: str) -> None:
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    schema = {str(row[0]): str(row[1]) for row in rows}
    if not schema:
        return
    foreign = recognise(schema)
    if foreign is not None:
        raise ForeignStoreError(
            f"{path} was made by {foreign.name}. Import it into a new store:"
            f" omoide import --from {foreign.importer} {path}",
            value=foreign.name,
        )
    raise ForeignStoreError(f"{path} is a database of another program; choose another file", value=path)


def _refuse_drift(connection: apsw.Connection, path: str) -> None:
    found = drifts(connection)
    if found:
        more = [f"and {len(found) - _SHOWN} more of these"] if len(found) > _SHOWN else []
        listed = "; ".join([*(str(drift) for drift in found[:_SHOWN]), *more])
        raise DamagedStoreError(f"{path} is not as omoide wrote it: {listed}. Run repair on it", value=found)


def _column_drifts(connection: apsw.Connection, table: str, sql: str) -> list[Drift]:
    expected = apsw.Connection(":memory:")
    expected.execute(sql)
    wanted, actual = columns(expected, table), columns(connection, table)
    found = [Drift(table, name, "the column is missing") for name in wanted if name not in actual]
    # One more column disturbs no write, unless it demands a value or may be a missing one renamed.
    unknown = [name for name in actual if name not in wanted and (found or _demanding(actual[name]))]
    found += [Drift(table, name, "the column is unknown") for name in unknown]
    found += [
        Drift(table, name, f"the column is declared {actual[name]}, expected {wanted[name]}")
        for name in wanted
        if name in actual and actual[name] != wanted[name]
    ]
    return found


def _demanding(declaration: tuple[object, ...]) -> bool:
    _, not_null, default, _ = declaration
    return bool(not_null) and default is None


def columns(connection: apsw.Connection, table: str) -> dict[str, tuple[object, ...]]:
    """Return the type, NOT NULL, default and place in the primary key of every column of a table, in order."""
    rows = connection.execute(f"SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('{table}')")
    return {row[0]: tuple(row[1:]) for row in rows}
