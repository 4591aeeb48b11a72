"""A file that SQLite cannot read in whole: every readable row moved to a new one, the old one kept beside it.

Rows are read by SQLite from both ends of each table, then from every page that can be read at all, whether
anything still points at it or not.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import apsw

from omoide.errors import DamagedStoreError, StoreBusyError, StoreError, StoreFullError
from omoide.store.sqlite.checking.check_rows import bytes_hash
from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.mending import pages
from omoide.store.sqlite.mending.damaged import folded_copy
from omoide.store.sqlite.mending.mend_schema import REMADE
from omoide.store.sqlite.mending.rescue import rescue_memories, rescue_names
from omoide.store.sqlite.migrate import columns, prepare
from omoide.store.sqlite.schema import TABLES
from omoide.store.sqlite.transfer import backup

_SKIPPED: Final = ("feed", "term", "posting", "held")  # made anew from the rows
_VECTORS: Final = "(id >> 28) & 15 = 1"  # the blocks that hold vectors: making those anew takes a model
_AT_ONCE: Final = 1000
_PATIENCE: Final = 2000  # milliseconds to wait for others to let go of the file
_UNREADABLE: Final = (apsw.Error, UnicodeDecodeError)

Values = tuple[Any, ...]


@dataclass(slots=True)
class Salvaged:
    """``kept``: where the damaged file is now. ``lost``: rows by table, as far as it is known how many there were."""

    kept: str
    actions: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)


def salvage(path: Path) -> Salvaged:
    """Put a sound file in the place of a damaged one.

    Raises:
        StoreBusyError: another process, or another handle of this one, has the file open.
        DamagedStoreError: nothing of a store can be read; the file was left as it is.
        StoreFullError: no room for the new file.
    """
    with _told(path), tempfile.TemporaryDirectory(prefix=f"{path.name}.repair-", dir=path.parent) as folder:
        work = Path(folder)
        copy, fresh = work / "damaged.db", work / "fresh.db"
        with _alone(path) as locked:
            _copy(path, copy, locked=locked)
            done = _Salvage(copy, fresh, work).run()
        done.kept = str(_exchange(path, fresh))
        done.actions.insert(0, f"the damaged file is kept as {done.kept}")
        return done


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what an error of the system means for the repair."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        message = f"{path} could not be repaired, and was left as it is: {error}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFullError(message, value=str(path)) from error
        raise StoreError(message, value=str(path)) from error


@contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Hold the file so that nobody else has it open; yield whether SQLite could lock it at all.

    A file whose header is gone cannot be locked, and nobody else can work with it either.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(_PATIENCE)
        locked = True
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
        except apsw.BusyError as error:
            raise StoreBusyError(
                f"{path} is open elsewhere; close every other handle and process, then repair it", value=str(path)
            ) from error
        except apsw.Error:
            locked = False
        yield locked
    finally:
        connection.close()


def _copy(path: Path, copy: Path, *, locked: bool) -> None:
    """Copy the file and its log; a locked file through SQLite, since closing it otherwise would drop the lock."""
    if locked:
        source = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
        try:
            size = source.xFileSize()
            with copy.open("wb") as target:
                for at in range(0, size, 1 << 20):
                    target.write(source.xRead(min(1 << 20, size - at), at))
        finally:
            source.xClose()
    else:
        shutil.copyfile(path, copy)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        shutil.copyfile(log, copy.with_name(copy.name + "-wal"))


def _exchange(path: Path, fresh: Path) -> Path:
    """Set the damaged file aside under a new name and give its name to the new one."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    kept = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    shutil.copymode(path, fresh)
    try:
        kept.hardlink_to(path)
    except OSError:  # a file system without hard links
        shutil.copy2(path, kept)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        log.replace(kept.with_name(kept.name + "-wal"))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    backup.publish(fresh, path, overwrite=True)
    return kept


class _Salvage:
    """Moves what can be read from a copy of the damaged file to a fresh store."""

    def __init__(self, copy: Path, fresh: Path, work: Path) -> None:
        self._copy, self._fresh_path, self._work = copy, fresh, work
        self._done = Salvaged("")
        self._torn: list[str] = []
        self._fresh = connect(str(fresh), read_only=False, busy_timeout=1.0, durability="OFF")
        prepare(self._fresh, str(fresh), read_only=False)
        self._shapes = {table: pages.Shape.of(columns(self._fresh, table)) for table in TABLES}

    def run(self) -> Salvaged:
        source, genuine = folded_copy(self._copy, self._work)
        try:
            self._fresh.execute("BEGIN")
            self._move_tables(source)
            if self._torn:
                self._scan()
            if source is not None:
                rescue_names(source, self._fresh, self._torn)
            self._account(source)
            if source is not None:
                self._done.actions += rescue_memories(source, self._fresh, self._torn)
            self._fresh.execute("COMMIT")
            if not genuine and not self._anything():
                raise DamagedStoreError("nothing of a store can be read in this file; it was left as it is")
        finally:
            self._fresh.close()
            if source is not None:
                source.close()
        return self._done

    def _move_tables(self, source: apsw.Connection | None) -> None:
        for table in TABLES:
            if table not in _SKIPPED and (source is None or not self._move(source, table)):
                self._torn.append(table)
        if source is not None:
            with suppress(*_UNREADABLE):
                rows = source.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
                self._fresh.execute("DELETE FROM sqlite_sequence")
                self._fresh.executemany("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", rows)

    def _move(self, source: apsw.Connection, table: str) -> bool:
        """Copy a table as SQLite reads it; return whether all of it could be read."""
        names = list(columns(self._fresh, table))
        with suppress(*_UNREADABLE):
            names_there = columns(source, table)
            if set(names) <= set(names_there):
                return self._read(source, table, names, "ASC") or (self._read(source, table, names, "DESC") and False)
        return False

    def _read(self, source: apsw.Connection, table: str, names: list[str], direction: str) -> bool:
        keys = [name for name, (_, _, _, place) in columns(self._fresh, table).items() if place] or ["rowid"]
        order = ", ".join(f"{key} {direction}" for key in keys)
        where = f" WHERE {_VECTORS}" if table == "block" else ""
        batch: list[Values] = []
        complete = True
        try:
            for row in source.execute(f"SELECT {', '.join(names)} FROM {table}{where} ORDER BY {order}"):
                batch.append(row)
                if len(batch) >= _AT_ONCE:
                    self._insert(table, batch)
                    batch = []
        except _UNREADABLE:
            complete = False
        self._insert(table, batch)
        return complete

    def _insert(self, table: str, rows: Sequence[Values]) -> None:
        """Write rows that can belong to the table and are not there yet."""
        shape = self._shapes[table]
        fitting = [row for row in rows if shape.holds(row)]
        marks = ",".join("?" * len(shape.columns))
        self._fresh.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", fitting)

    def _scan(self) -> None:
        """Take from the pages what no tree leads to any more."""
        rowid_tables = [table for table, sql in TABLES.items() if "WITHOUT ROWID" not in sql]
        for rowid, values in pages.rows(self._copy):
            fitting = [(table, row) for table in rowid_tables if (row := self._shapes[table].fits(rowid, values))]
            if len(fitting) == 1 and fitting[0][0] in self._torn and _whole(*fitting[0]):
                self._insert(fitting[0][0], [fitting[0][1]])

    def _account(self, source: apsw.Connection | None) -> None:
        for table in self._torn:
            if table in REMADE:
                continue
            kept = int(self._fresh.execute(f"SELECT count(*) FROM {table}").get)
            held = None if source is None else _count(source, table)
            if held is None:
                self._done.actions.append(f"table {table}: {kept} rows were found; how many it had is not known")
            elif held > kept:
                self._done.lost[table] = held - kept
                self._done.actions.append(f"table {table}: {held - kept} of {held} rows are lost")

    def _anything(self) -> bool:
        return any(self._fresh.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in ("event", "content"))


def _whole(table: str, row: Values) -> bool:
    """Say whether a text is the one that was written, by its hash."""
    return table != "content" or bytes_hash(row[2].encode("utf-8")) == row[1]


def _count(source: apsw.Connection, table: str) -> int | None:
    """Return how many rows a table had, from whichever of its trees can be read in whole."""
    plain = f"SELECT count(*) FROM {table}"
    with suppress(*_UNREADABLE):
        return int(source.execute(plain).get)
    with suppress(*_UNREADABLE):
        rows: list[Any] = source.execute(f"SELECT name FROM pragma_index_list('{table}') WHERE partial = 0").fetchall()
        for (index,) in rows:
            with suppress(*_UNREADABLE):
                return int(source.execute(f"{plain} INDEXED BY {index}").get)
    return None
