"""A copy of a store that is in use, as one closed file that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import Final

import apsw

from omoide.errors import DamagedStoreError, InvalidInputError, StoreBusyError, StoreError
from omoide.model.paths import check_path
from omoide.store.sqlite.connection import BUSY_TIMEOUT, MEMORY_PATH, connect, translated
from omoide.store.sqlite.store import SqliteStore

BESIDE: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file that is open."""


def backup(store: SqliteStore, path: str | os.PathLike[str], *, overwrite: bool = False) -> str:
    """Copy the store as it is now to a file; return its path. Other processes go on reading and writing.

    Raises:
        InvalidInputError: the file is there and ``overwrite`` is False, or it is the store itself.
        StoreBusyError: the file is open as a store.
        DamagedStoreError: the store is damaged; no file was touched.
        StoreFullError: no room left.
    """
    target = Path(check_path(path))
    _check_target(store.path, target, overwrite=overwrite)
    unfinished = target.with_name(f"{target.name}.{secrets.token_hex(4)}.unfinished")
    try:
        _copy(store, unfinished)
        publish(unfinished, target, overwrite=overwrite)
    finally:
        remove(unfinished)
    return str(target)


def publish(finished: Path, target: Path, *, overwrite: bool) -> None:
    """Give a finished file its name in one step, durably.

    Raises:
        InvalidInputError: the name is taken and ``overwrite`` is False.
    """
    try:
        flush(finished)
        if overwrite:
            os.replace(finished, target)  # noqa: PTH105  (Path.replace is the same; both names matter here)
        else:
            _rename_to_new(finished, target)
        flush_folder(target.parent)
    except FileExistsError as error:
        raise _taken(target) from error
    except PermissionError as error:
        message = f"{target} is open elsewhere and cannot be replaced: {error}"
        raise StoreBusyError(message, value=str(target)) from error


def remove(path: Path) -> None:
    """Delete a file and what SQLite keeps beside it, as far as they exist."""
    for suffix in ("", *BESIDE):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Press a file's bytes to the disk."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Press a folder's names to the disk where the system has a way to do that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_target(source: str, target: Path, *, overwrite: bool) -> None:
    if not target.name:
        raise InvalidInputError("a backup needs the path of a file", value=str(target))
    if target.is_dir():
        raise InvalidInputError(f"{target} is a folder; a backup needs the path of a file", value=str(target))
    if source != MEMORY_PATH and target.exists() and target.samefile(source):
        raise InvalidInputError("a store cannot be backed up onto itself", value=str(target))
    if target.exists() and not overwrite:
        raise _taken(target)
    wal = target.with_name(target.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        message = f"{target} is open as a store (there is {wal.name}); choose another path"
        raise StoreBusyError(message, value=str(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of {target} cannot be made: {error}", value=str(target)) from error


def _taken(target: Path) -> InvalidInputError:
    return InvalidInputError(f"{target} exists; choose another path, or say overwrite=True", value=str(target))


def _copy(store: SqliteStore, unfinished: Path) -> None:
    if store.path == MEMORY_PATH:
        with store.reader.use() as tables:
            _copy_from(tables.connection, unfinished)
        return
    source = connect(store.path, read_only=store.read_only, busy_timeout=BUSY_TIMEOUT)
    try:
        with translated(store.path):
            _copy_from(source, unfinished)
    finally:
        source.close()


def _copy_from(source: apsw.Connection, unfinished: Path) -> None:
    with translated(str(unfinished)):
        target = apsw.Connection(str(unfinished))
        try:
            # All pages in one step: one read transaction, which no writer can make start again.
            with target.backup("main", source, "main") as copying:
                copying.step(-1)
            problems = [row[0] for row in target.execute("PRAGMA quick_check(1)") if row[0] != "ok"]
        finally:
            target.close()
    if problems:
        message = f"the store is damaged ({problems[0]}); nothing was written. Run repair"
        raise DamagedStoreError(message, value=problems)


def _rename_to_new(finished: Path, target: Path) -> None:
    """Rename without ever replacing a file that somebody else made meanwhile."""
    if os.name == "nt":
        finished.rename(target)
        return
    try:
        os.link(finished, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with target.open("xb") as file, finished.open("rb") as made:
            shutil.copyfileobj(made, file)
            file.flush()
            os.fsync(file.fileno())
        return
    finished.unlink()
