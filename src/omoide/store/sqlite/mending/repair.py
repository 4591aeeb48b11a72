"""A file that cannot be opened, or not trusted, made one that can; never needs the damaged part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import apsw

from omoide.errors import ForeignStoreError, ReadOnlyStoreError, StoreError, StoreVersionError
from omoide.store.sqlite.checking import check_texts
from omoide.store.sqlite.checking.check import file_findings, schema_findings
from omoide.store.sqlite.connection import BUSY_TIMEOUT, MEMORY_PATH, connect, translated, writable
from omoide.store.sqlite.foreign import recognise
from omoide.store.sqlite.mending import mend_schema
from omoide.store.sqlite.mending.salvage import salvage
from omoide.store.sqlite.migrate import LATEST, missing_indexes
from omoide.store.sqlite.schema import APPLICATION_ID, TABLES

_UNREADABLE: Final = (apsw.CorruptError, apsw.NotADBError)


@dataclass(slots=True)
class FileReport:
    """What was wrong with a file, what was done, rows lost by table, where the damaged file is kept."""

    findings: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    kept: str | None = None


def repair_file(path: str) -> FileReport:
    """Make a file open again, with every row that can be read.

    Raises:
        StoreError: there is no file, or it is in use; see the subclasses.
        StoreVersionError: the file was written by a newer omoide.
        ForeignStoreError: the file belongs to another system.
        DamagedStoreError: nothing can be done; the file was left as it is.
    """
    report = FileReport()
    if path == MEMORY_PATH:
        return report
    file = Path(path)
    if not file.is_file():
        raise StoreError(f"there is no store at {path}", value=path)
    if not file.stat().st_size:
        return report
    if not writable(path):
        raise ReadOnlyStoreError(f"{path} and its folder have to be writable for a repair", value=path)
    with translated(path):
        report.findings += _damage(path)
        if report.findings:
            done = salvage(file.resolve())
            report.actions += done.actions
            report.lost.update(done.lost)
            report.kept = done.kept
        with _connection(path) as conn:
            _mark(conn, report)
            if _version(conn) == LATEST:
                report.findings += [str(finding) for finding in schema_findings(conn)]
                report.findings += [f"index {name} is missing" for name in missing_indexes(conn)]
                report.actions += mend_schema.mend(conn)
                broken = check_texts.findings(conn)
                report.findings += broken
                report.actions += check_texts.mend_texts(conn) if broken else []
    return report


def recorded_model(path: str) -> str | None:
    """Return the model that the vectors of a store are made with."""
    with translated(path), _connection(path) as conn:
        if "setting" not in _schema(conn):
            return None
        row: Any = conn.execute("SELECT value FROM setting WHERE key = 'embedder'").fetchone()
    return None if row is None else str(row[0])


def _damage(path: str) -> list[str]:
    """Return what SQLite cannot read in a file; refuse one that is not ours to repair."""
    try:
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as conn:
            conn.set_busy_timeout(round(BUSY_TIMEOUT * 1000))
            _refuse(conn, path)
            return [str(finding) for finding in file_findings(conn)]
    except _UNREADABLE as error:
        return [f"SQLite: {error}"]
    except apsw.SQLError as error:
        if "malformed" not in str(error):
            raise
        return [f"SQLite: {error}"]


def _refuse(conn: apsw.Connection, path: str) -> None:
    version, schema = _version(conn), _schema(conn)
    if not schema:
        return
    foreign = recognise(schema)
    if foreign is not None:
        raise ForeignStoreError(
            f"{path} was made by {foreign.name}, not by omoide; it was left alone", value=foreign.name
        )
    if _application(conn) != APPLICATION_ID and len(schema.keys() & set(TABLES)) < len(TABLES) // 2:
        raise ForeignStoreError(f"{path} is a database of another program; it was left alone", value=path)
    if version > LATEST:
        raise StoreVersionError(
            f"{path} has schema {version}; this omoide knows up to {LATEST}. Upgrade omoide to repair it", value=version
        )


def _mark(conn: apsw.Connection, report: FileReport) -> None:
    """Write again what says that the file is a store, and of which version, where that was lost."""
    if _schema(conn).keys() >= set(mend_schema.REQUIRED):
        if _version(conn) == 0:
            conn.execute(f"PRAGMA user_version = {LATEST}")
            report.findings.append("the version of the schema is not recorded")
            report.actions.append("the version of the schema was recorded again")
        if _application(conn) != APPLICATION_ID:
            conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            report.findings.append("the file does not say that it is a store of omoide")
            report.actions.append("the file was marked as a store of omoide again")


@contextmanager
def _connection(path: str) -> Iterator[apsw.Connection]:
    with closing(connect(path, read_only=False, busy_timeout=BUSY_TIMEOUT)) as conn:
        yield conn


def _version(conn: apsw.Connection) -> int:
    return int(conn.execute("PRAGMA user_version").get)


def _application(conn: apsw.Connection) -> int:
    return int(conn.execute("PRAGMA application_id").get)


def _schema(conn: apsw.Connection) -> dict[str, str]:
    rows: Any = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    return {name: str(sql) for name, sql in rows}
