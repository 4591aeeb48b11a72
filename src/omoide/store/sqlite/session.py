"""A connection with its tables and its lock, reopened after a fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from omoide.errors import StoreClosedError
from omoide.store.sqlite.transaction import Tables

# Connections that a forked child inherited. SQLite forbids using or closing them there, so they are kept
# for the life of the child.
_INHERITED: Final[list[object]] = []


class Session:
    """One connection, used by one thread at a time."""

    def __init__(self, opener: Callable[[], apsw.Connection]) -> None:
        self._opener = opener
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._tables: Tables | None = None
        self._closed = False
        self.depth = 0

    @contextmanager
    def use(self) -> Iterator[Tables]:
        """Hold the connection; the same thread may enter again."""
        if self._pid != os.getpid():
            self._after_fork()
        with self._lock:
            self.depth += 1
            try:
                yield self._open()
            finally:
                self.depth -= 1

    def close(self) -> None:
        """Close the connection; using the session again raises ``StoreClosedError``."""
        if self._pid != os.getpid():
            self._after_fork()
        with self._lock:
            self._closed = True
            if self._tables is not None:
                self._tables.connection.close()
                self._tables = None

    def _open(self) -> Tables:
        if self._closed:
            raise StoreClosedError("the store was closed; open it again")
        if self._tables is None:
            self._tables = Tables(self._opener())
        return self._tables

    def _after_fork(self) -> None:
        _INHERITED.append(self._tables)
        self._tables = None
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self.depth = 0
