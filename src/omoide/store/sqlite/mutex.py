"""A lock between processes that the system takes back from a dead holder: SQLite's own, on an empty file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from omoide.errors import StoreBusyError
from omoide.store.sqlite.connection import patience, translated
from omoide.store.sqlite.session import pause_at_forks

_INHERITED: Final[list[object]] = []


class Mutex:
    """Held by one thread of one process at a time; the same thread may enter again."""

    rank = 0

    def __init__(self, path: Path, *, timeout: float) -> None:
        self._path, self._timeout = path, timeout
        self._lock = threading.RLock()
        self._connection: apsw.Connection | None = None
        self._pid = os.getpid()
        self._inode = 0
        self._depth = 0
        self._owner: int | None = None
        pause_at_forks(self)

    @property
    def held(self) -> bool:
        """Whether this thread holds it."""
        return self._pid == os.getpid() and self._owner == threading.get_ident()

    @contextmanager
    def hold(self, *, wait: bool = True, seconds: float | None = None) -> Iterator[None]:
        """Hold the lock. ``seconds``: how long to wait for it, the lock's own bound by default.

        Raises:
            StoreBusyError: somebody held it for longer than the bounded wait.
        """
        if self._pid != os.getpid():
            self._after_fork()
        bound = 0.0 if not wait else self._timeout if seconds is None else seconds
        if not self._lock.acquire(timeout=bound):
            raise StoreBusyError("another thread of this process is writing")
        try:
            if self._depth == 0:
                self._take(bound)
            self._depth, self._owner = self._depth + 1, threading.get_ident()
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._owner = None
                    self._let_go()
        finally:
            self._lock.release()

    def pause(self) -> None:
        """Wait until no thread is inside SQLite here, and keep it so."""
        self._lock.acquire()

    def resume(self) -> None:
        """Undo ``pause``."""
        self._lock.release()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def _take(self, seconds: float) -> None:
        with translated(str(self._path)):
            for _ in range(2):
                connection = self._opened()
                connection.set_busy_handler(patience(seconds))
                connection.execute("BEGIN EXCLUSIVE")
                if self._is_there():
                    return
                connection.execute("ROLLBACK")  # somebody threw the file away: those who come later lock another
                connection.close()
                self._connection = None
            raise StoreBusyError(f"{self._path} keeps vanishing", value=str(self._path))

    def _let_go(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _opened(self) -> apsw.Connection:
        if self._connection is not None and not self._is_there():
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = apsw.Connection(str(self._path))
            self._inode = self._path.stat().st_ino
        return self._connection

    def _is_there(self) -> bool:
        try:
            return self._path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def _after_fork(self) -> None:
        _INHERITED.append(self._connection)  # SQLite forbids using or closing it here
        self._connection, self._depth, self._owner = None, 0, None
        self._lock = threading.RLock()
        self._pid = os.getpid()
