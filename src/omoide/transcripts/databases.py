"""Reading another program's SQLite file: never written, nothing created beside it, safe next to a live writer."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from omoide.errors import DamagedStoreError, StoreBusyError
from omoide.transcripts.elements import compact
from omoide.transcripts.values import START, Position, digest_of

T = TypeVar("T")
Row = dict[str, Any]

BATCH: Final = 200
PATIENCE_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.05
_WRITE_VERSION_BYTE: Final = 18
_FLAGS: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_TRY_AGAIN = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.IOError,
    apsw.SchemaChangeError,
)


def ask(path: Path, question: Callable[[apsw.Connection], T]) -> T:
    """Return what a question finds in one consistent state of the file.

    Raises:
        StoreBusyError: its owner kept it for longer than ``PATIENCE_SECONDS``.
        DamagedStoreError: not a readable SQLite file.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return _once(path, question)
        except _Moved as error:
            last: Exception = error
        except _TRY_AGAIN as error:
            last = error
        except apsw.Error as error:
            raise DamagedStoreError(f"{path} cannot be read as a database: {error}", value=str(path)) from error
        if time.monotonic() > deadline:
            raise StoreBusyError(
                f"{path} was kept by another program for {PATIENCE_SECONDS:g} s ({last}); read it again later",
                value=str(path),
            ) from last
        time.sleep(_PAUSE_SECONDS)


class _Moved(Exception):  # noqa: N818  (caught two functions up, never seen outside)
    """The file changed while it was read without locks."""


def _once(path: Path, question: Callable[[apsw.Connection], T]) -> T:
    if not _uses_log(path):
        return _answer(path.absolute().as_uri() + "?mode=ro", question)
    if not _beside(path, "-wal").exists():
        return _unlocked(path, question)
    if _beside(path, "-shm").exists():
        return _answer(path.absolute().as_uri() + "?mode=ro&readonly_shm=1", question)
    return _copied(path, question)


def _uses_log(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(_WRITE_VERSION_BYTE)
        return file.read(1) == b"\x02"


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _answer(uri: str, question: Callable[[apsw.Connection], T]) -> T:
    with closing(apsw.Connection(uri, flags=_FLAGS)) as connection:
        connection.set_busy_timeout(1000)
        connection.execute("BEGIN")
        return question(connection)


def _unlocked(path: Path, question: Callable[[apsw.Connection], T]) -> T:
    """Answer from a file that nobody has open: a lock would make SQLite create the files of a writer."""
    before = _state(path)
    answer = _answer(path.absolute().as_uri() + "?mode=ro&immutable=1", question)
    if _state(path) != before:
        raise _Moved("it changed while it was read")
    return answer


def _state(path: Path) -> tuple[int, int, bool]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, _beside(path, "-wal").exists()


def _copied(path: Path, question: Callable[[apsw.Connection], T]) -> T:
    """Answer from a copy: a writer that died left a log, which only a writer may bring back."""
    with tempfile.TemporaryDirectory(prefix="omoide-") as folder:
        copy = Path(folder) / path.name
        before = _state(path)
        shutil.copyfile(path, copy)
        shutil.copyfile(_beside(path, "-wal"), _beside(copy, "-wal"))
        if _state(path) != before:
            raise _Moved("it changed while it was copied")
        return _answer(copy.absolute().as_uri() + "?mode=ro", question)


def columns_of(path: Path, tables: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the columns of these tables; none for a table that is not there."""
    wanted = tuple(tables)
    return ask(path, lambda connection: {name: _columns(connection, name) for name in wanted})


def _columns(connection: apsw.Connection, table: str) -> frozenset[str]:
    return frozenset(str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def rows(connection: apsw.Connection, query: str, bindings: tuple[Any, ...] = ()) -> list[Row]:
    """Return the rows of a query as fields by name."""
    cursor = connection.execute(query, bindings)
    if (first := next(cursor, None)) is None:
        return []
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in (first, *cursor)]


def batches(path: Path, query: str, after: int) -> Iterator[Row]:
    """Yield rows in the order of ``position``, a few hundred a time, so that no writer waits for a reader.

    ``query`` takes the last position and the number of rows.
    """
    while True:
        place = after
        found = ask(path, lambda connection, place=place: rows(connection, query, (place, BATCH)))  # type: ignore[misc]
        yield from found
        if len(found) < BATCH:
            return
        after = int(found[-1]["position"])


def raw_of(row: Row) -> bytes:
    """Return a row as JSON, bytes as hexadecimal digits."""
    return compact({name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()})


def resume_rows(path: Path, since: Position | None, find: Callable[[Path, int], bytes | None]) -> Position:
    """Return where to go on: ``since``; before its last row when that changed; the start when the row is gone."""
    if since is None or not since.offset:
        return START
    raw = find(path, since.last)
    if raw is None:
        return START
    return since if digest_of(raw) == since.digest else Position(since.last - 1, since.last - 1)
