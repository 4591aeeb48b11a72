"""A connection with its tables and its lock, reopened after a fork."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import apsw

from omoide.errors import StoreBusyError, StoreClosedError
from omoide.store.sqlite.transaction import Tables

# Connections that a forked child inherited. SQLite forbids using or closing them there, so they are kept
# for the life of the child.
_INHERITED: Final[list[object]] = []


class Pausable(Protocol):
    """What must not be inside SQLite while the process forks."""

    rank: int

    def pause(self) -> None:
        """Wait until no thread is inside, and keep it so."""
        ...

    def resume(self) -> None:
        """Undo ``pause``."""
        ...


_SESSIONS: Final[weakref.WeakSet[Pausable]] = weakref.WeakSet()


def pause_at_forks(session: Pausable) -> None:
    """Let something be paused before each fork; what is entered first has the lowest ``rank``."""
    _SESSIONS.add(session)


class Session:
    """One connection, used by one thread at a time. ``rank``: threads enter those of lower rank first."""

    def __init__(self, opener: Callable[[], apsw.Connection], rank: int = 2) -> None:
        self.rank = rank
        self._opener = opener
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._tables: Tables | None = None
        self.closed = False
        self.depth = 0
        pause_at_forks(self)

    @contextmanager
    def use(self, *, wait: bool = True) -> Iterator[Tables]:
        """Hold the connection; the same thread may enter again.

        Raises:
            StoreBusyError: another thread holds it and ``wait`` is False.
        """
        if self._pid != os.getpid():
            self._after_fork()
        if not self._lock.acquire(blocking=wait):
            raise StoreBusyError("another thread of this process is writing")
        self.depth += 1
        try:
            yield self._open()
        finally:
            self.depth -= 1
            self._lock.release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Keep everybody from the connection, closed for as long; the next use opens it again."""
        if self._pid != os.getpid():
            self._after_fork()
        with self._lock:
            if self._tables is not None:
                self._tables.connection.close()
                self._tables = None
            yield

    def close(self) -> None:
        """Close the connection; using the session again raises ``StoreClosedError``."""
        if self._pid != os.getpid():
            self._after_fork()
        with self._lock:
            self.closed = True
            if self._tables is not None:
                self._tables.connection.close()
                self._tables = None

    def _open(self) -> Tables:
        if self.closed:
            raise StoreClosedError("the store was closed; open it again")
        if self._tables is None:
            self._tables = Tables(self._opener())
        return self._tables

    def pause(self) -> None:
        """Wait until no thread is inside SQLite on this connection, and keep it so."""
        self._lock.acquire()

    def resume(self) -> None:
        """Undo ``pause``."""
        self._lock.release()

    def _after_fork(self) -> None:
        _INHERITED.append(self._tables)
        self._tables = None
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self.depth = 0


# A fork while another thread is inside SQLite would leave SQLite's own locks held for ever in the child.
_paused: Final[list[Pausable]] = []


def _before_fork() -> None:
    for session in sorted(_SESSIONS, key=lambda session: session.rank):
        session.pause()
        _paused.append(session)


def _in_parent() -> None:
    while _paused:
        _paused.pop().resume()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_paused.clear)
