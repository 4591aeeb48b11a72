"""One SQLite connection: how it is opened, how long it waits, what its errors mean."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from typing import Final

import apsw

from omoide.errors import (
    DamagedStoreError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from omoide.store.sqlite.holder import lock_holder

BUSY_TIMEOUT: Final = 10.0
"""Seconds a write waits for another writer before ``StoreBusyError``."""

MEMORY_PATH: Final = ":memory:"

_STATEMENT_CACHE: Final = 256
_PRAGMAS: Final = (
    "PRAGMA foreign_keys = OFF",  # the write path keeps references; a purge removes rows in its own order
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16384",
    "PRAGMA wal_autocheckpoint = 2000",
    "PRAGMA journal_size_limit = 67108864",
)


def connect(path: str, *, read_only: bool, busy_timeout: float, durability: str = "FULL") -> apsw.Connection:
    """Open a connection with the settings every omoide connection has.

    Raises:
        StoreError: the file cannot be opened.
    """
    with translated(path):
        connection = _open(path, read_only)
        # Without it SQLite compiles a statement anew whenever its bound values change.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.set_busy_handler(patience(busy_timeout))
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        connection.execute(f"PRAGMA synchronous = {durability}")
    return connection


def _open(path: str, read_only: bool) -> apsw.Connection:
    if path == MEMORY_PATH or not read_only:
        _give_rights(path)
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        return apsw.Connection(path, flags=flags, statementcachesize=_STATEMENT_CACHE)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    uri = Path(path).resolve().as_uri()
    connection = apsw.Connection(uri, flags=flags, statementcachesize=_STATEMENT_CACHE)
    if _readable(connection):
        return connection
    # A write-ahead log needs a writable folder for its index; without pending log frames the file
    # alone is complete and may be read as one that nobody changes.
    connection.close()
    return apsw.Connection(f"{uri}?immutable=1", flags=flags, statementcachesize=_STATEMENT_CACHE)


def _give_rights(path: str) -> None:
    """Whoever read a file that could not be written left side files that cannot be; they get the rights it has now."""
    try:
        rights = os.stat(path).st_mode  # noqa: PTH116  (a name that no path may have is for SQLite to refuse)
        for side in (f"{path}-wal", f"{path}-shm"):
            if rights & stat.S_IWUSR and not os.stat(side).st_mode & stat.S_IWUSR:  # noqa: PTH116
                os.chmod(side, stat.S_IMODE(rights))  # noqa: PTH101
    except (OSError, ValueError):  # there is none, or it is somebody else's: SQLite says what follows
        return


def _readable(connection: apsw.Connection) -> bool:
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return False
    return True


def patience(seconds: float) -> Callable[[int], bool]:
    """Return a busy handler that waits in short random steps, so that many writers share fairly."""
    state = {"until": 0.0}

    def wait(tries: int) -> bool:
        import random  # only who waits needs it: hooks hardly ever do, and start without it

        now = time.monotonic()
        if tries == 0:
            state["until"] = now + seconds
        if now >= state["until"]:
            return False
        time.sleep(random.uniform(0.0002, min(0.001 * (tries + 1), 0.01)))  # noqa: S311  (not a secret)
        return True

    return wait


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's errors into omoide's.

    Raises:
        StoreBusyError: the bounded wait ended; names the holder where the system tells.
        StoreFullError: no room left.
        ReadOnlyStoreError: the file may not be written.
        DamagedStoreError: the file is not a sound SQLite database, or a text in it is not UTF-8 or not JSON.
        StoreError: any other failure of the database.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        holder = lock_holder(path)
        by = f" by {holder}" if holder else ""
        raise StoreBusyError(
            f"{path} is held{by}; nothing was saved. Try again, or end the process that holds it", value=holder
        ) from error
    except apsw.FullError as error:
        raise _full(path) from error
    except apsw.ReadOnlyError as error:
        raise ReadOnlyStoreError(f"{path} cannot be written: {error}", value=path) from error
    except apsw.CantOpenError as error:
        raise StoreError(_unopened(path, error), value=path) from error
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError, JSONDecodeError) as error:
        raise DamagedStoreError(
            f"{path} is damaged or not a SQLite database: {error}; run repair, or restore a backup", value=path
        ) from error
    except apsw.IOError as error:
        code = getattr(error, "extendedresult", 0)
        if code in (apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_FSYNC):
            raise _full(path) from error
        raise StoreError(f"{path}: the disk answered with an error: {error}", value=path) from error
    except apsw.Error as error:
        raise StoreError(f"{path}: {error}", value=path) from error


def _unopened(path: str, error: apsw.Error) -> str:
    try:
        os.stat(path)  # noqa: PTH116
        denied = not os.access(path, os.R_OK)
    except PermissionError:
        denied = True
    except OSError:
        denied = False
    if denied:
        return f"{path} cannot be opened: this user may not read it; change its rights, or those of its folder"
    return f"{path}: {error}"


def _full(path: str) -> StoreFullError:
    return StoreFullError(f"{path}: no room left to write; nothing was saved. Free space and try again", value=path)


def writable(path: str) -> bool:
    """Say whether the store file, or the folder it would be made in, can be written."""
    file = Path(path)
    if path == MEMORY_PATH:
        return True
    if os.path.exists(path):  # noqa: PTH110  (where a folder may not be looked into, the other one raises)
        return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    return os.access(file.parent, os.W_OK)
