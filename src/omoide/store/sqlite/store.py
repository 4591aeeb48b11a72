"""A store in one SQLite file: a session that reads, a session that writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import apsw
from numpy.typing import NDArray

from omoide.errors import ReadOnlyStoreError
from omoide.model.policy import Scope, WriteScope
from omoide.model.records import Claim, Voice
from omoide.ports import Clock
from omoide.store.sqlite.connection import BUSY_TIMEOUT, MEMORY_PATH, connect, patience, translated, writable
from omoide.store.sqlite.migrate import prepare
from omoide.store.sqlite.notes import Notes
from omoide.store.sqlite.session import Session
from omoide.store.sqlite.transaction import Peek, Read, Tables, Write

Twin = Callable[[Read, str, Claim, int], int | None]
"""Returns the memory that one with the same key revises: of a namespace, a claim and its start."""
_NOTHING_BESIDE: Final = nullcontext()


class SqliteStore:
    """Opens transactions on one file.

    ``busy_timeout``: seconds a write waits for another writer. ``read_only``: None finds out.
    ``durability``: SQLite's ``synchronous`` for commits, FULL or NORMAL.
    """

    def __init__(
        self, path: str | Path, *, clock: Clock | None = None, busy_timeout: float = BUSY_TIMEOUT,
        read_only: bool | None = None, durability: str = "FULL",
    ) -> None:  # fmt: skip
        self.path = str(path)
        self.behind: list[str] = []
        """Why what lies beside the database may be newer than what is read."""
        self.twin: Twin | None = None
        self.clock = clock
        self.read_only = not writable(self.path) if read_only is None else read_only
        self._busy_timeout, self._durability = busy_timeout, durability
        self._prepared = False
        self.reader = Session(self._connect)
        self.writer = self.reader if self.path == MEMORY_PATH else Session(self._connect, rank=1)
        with self._translated(), self.reader.use():
            pass

    @property
    def place(self) -> str:
        """Where the store is, as users name it."""
        return self.path

    @contextmanager
    def read(self, scope: Scope | None) -> Iterator[Read]:
        """Yield one consistent view of the store; never waits for a writer.

        ``scope``: the namespaces that may be searched; None for single memories, whose namespace the caller
        checks, and for maintenance.
        """
        with self._translated(), self.reader.use() as tables:
            if self.reader.depth > 1:
                yield Read(tables, self.clock, scope)
                return
            tables.connection.execute("BEGIN")
            try:
                yield Read(tables, self.clock, scope, alone=True)
            finally:
                _end(tables.connection, "COMMIT")

    def settled(self) -> AbstractContextManager[None]:
        """Look at what lies beside the database once; what this thread does inside does not look again."""
        return _NOTHING_BESIDE

    @contextmanager
    def read_aside(self) -> Iterator[Read]:
        """Yield a view through a connection of its own, for long looks that must not hold up other threads."""
        if self.path == MEMORY_PATH:
            with self.read(None) as tx:
                yield tx
            return
        with self._translated():
            connection = self._connect()
            try:
                connection.execute("BEGIN")
                yield Read(Tables(connection), self.clock, None)
            finally:
                connection.close()

    @contextmanager
    def write(self, voice: Voice, *scopes: WriteScope, wait: bool = True) -> Iterator[Write]:
        """Yield the one writer; everything is committed at the end or nothing is.

        ``scopes``: the namespaces whose memories may be written. ``wait``: whether to wait for another writer.

        Raises:
            StoreBusyError: another writer held the store for longer than ``busy_timeout``.
            StoreFullError: no room left.
            ReadOnlyStoreError: the store may not be written.
        """
        if self.read_only:
            raise ReadOnlyStoreError(f"{self.path} is open for reading only", value=self.path)
        with self._translated(), self.writer.use(wait=wait) as tables:
            tables.sealing.arm()
            self._begin(tables.connection, wait=wait)
            try:
                transaction = Write(tables, self.clock, voice, scopes)
                yield transaction
                transaction.finish()
                tables.connection.execute("COMMIT")
                transaction.committed = True
            except BaseException:
                self._roll_back(tables)
                raise

    def scrub(self) -> tuple[str, ...]:
        """Fold the log into the file and cut it, so that erased bytes are gone; return what stood in the way."""
        with self._translated(), self.writer.use() as tables:
            busy = tables.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy is not None and busy[0]:
            return ("the write-ahead log, which another process is reading; it goes at the next checkpoint",)
        return ()

    def forget_folder(self) -> None:
        """Erase what the database knows about a folder that it was the index of."""
        with self._translated(), self.writer.use() as tables:
            Notes(tables.connection).reset()

    def remake(self) -> bool:
        """Make the database from what it was made of; a file is made of nothing else."""
        return False

    def findings(self) -> list[str]:
        """Return what is wrong beside the database, one line each."""
        return []

    def reach(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return where else a purge erases, and what it cannot reach."""
        return (), ()

    def more_files(self) -> list[Path]:
        """Return the files beside the database that hold what the store says."""
        return []

    @contextmanager
    def released(self) -> Iterator[None]:
        """Let go of the file, so that it can be replaced; other threads wait meanwhile."""
        with self.writer.released(), self.reader.released():  # who writes may read meanwhile, not the reverse
            try:
                yield
            finally:
                self._prepared = False

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector of this store has, None before the first."""
        with self._translated(), self.reader.use() as tables:
            return Peek(tables).dimension

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the vectors (parts, dimension) that some entry has for an embedded text, or None."""
        with self._translated(), self.reader.use() as tables:
            return Peek(tables).vectors_of(key)

    def vectors_of_many(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[Any]]:
        """Return the vectors of those embedded texts that some entry has them for."""
        with self._translated(), self.reader.use() as tables:
            return Peek(tables).vectors_of_many(keys)

    def known(self, namespace: str, key: bytes, subject: str | None) -> tuple[bool, bool]:
        """Say at once whether a value may be known or rejected, by its key, and whether its subject has other names."""
        try:
            with self.reader.use() as tables:
                ns = tables.namespaces.id(namespace)
                if ns is None:
                    return False, False
                named = subject is not None and len(tables.aliases.names(ns, subject)) > 1
                return tables.versions.may_know(key, ns), named
        except apsw.Error:
            with self._translated():
                raise

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self.writer.closed

    def close(self) -> None:
        """Close both connections; the last one to close folds the log into the file."""
        self.reader.close()
        self.writer.close()

    def _connect(self) -> apsw.Connection:
        connection = connect(
            self.path, read_only=self.read_only, busy_timeout=self._busy_timeout, durability=self._durability
        )
        if not self._prepared:
            prepare(connection, self.path, read_only=self.read_only)
            self._prepared = True
        return connection

    def _begin(self, connection: apsw.Connection, *, wait: bool) -> None:
        if not wait:
            connection.set_busy_handler(None)
        try:
            connection.execute("BEGIN IMMEDIATE")
        finally:
            if not wait:
                connection.set_busy_handler(patience(self._busy_timeout))

    def _roll_back(self, tables: Tables) -> None:
        _end(tables.connection, "ROLLBACK")
        tables.namespaces.forget_names()
        if self.writer is self.reader:
            tables.views.drop()

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self.path)


def _end(connection: apsw.Connection, how: str) -> None:
    if connection.in_transaction:
        connection.execute(how)
