"""MEMORY.md kept in step with the memories: written anew after a write, however fast they come once a second."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from omoide.errors import OmoideError, StoreBusyError
from omoide.model.forks import ForkLock
from omoide.store.sqlite.notes import Notes
from omoide.store.sqlite.store import SqliteStore
from omoide.vault import outbox
from omoide.vault.files import FileWrite
from omoide.vault.outbox import Order
from omoide.vault.replaying import UNLISTED

if TYPE_CHECKING:
    from omoide.vault.store import VaultStore

PAUSE: Final = 1.0
"""Seconds between two lists of one handle: what is written meanwhile is in the second one."""


class Lister:
    """Writes the list of one open store. That it is owed is a mark in the database, so that a crash only delays it."""

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._lock = ForkLock()
        self._timer: threading.Timer | None = None
        self._last = -PAUSE

    def due(self, *, at_once: bool = False) -> None:
        """A write was delivered: list it now, or with those that follow; the caller holds the vault's lock.

        ``at_once``: something was erased, which no list may go on showing.
        """
        if at_once or time.monotonic() - self._last >= PAUSE:
            self.write()
        else:
            self.soon()

    def noticed(self, notes: Notes) -> None:
        """Somebody wrote: where the list is still owed, see to it that it comes, whatever became of them."""
        if notes.get(UNLISTED):
            self.soon()

    def soon(self) -> None:
        """Let the list be written in a moment, from a thread of its own."""
        if self._store.read_only or self._store.hooks.listing is None:
            return
        with self._lock:
            if self._timer is None or not self._timer.is_alive():
                self._timer = threading.Timer(PAUSE, self._late)
                self._timer.daemon = True
                self._timer.start()

    def write(self) -> None:
        """Write the list if it is owed; the caller holds the vault's lock."""
        make = self._store.hooks.listing
        if make is None:
            return
        self._last = time.monotonic()
        with SqliteStore.read(self._store, None) as tx:  # the folder was looked at, or will be by who asks something
            if not Notes(tx.connection).get(UNLISTED):
                return
            write = make(tx, self._store.root)
        if write is not None and not self._placed(write):
            self.soon()
            return
        with self._store.writer.use() as tables:
            Notes(tables.connection).set(UNLISTED, None)

    def _placed(self, write: FileWrite) -> bool:
        """Say whether the list is in its file now; a person's edit under it, or a program that holds it, delays it."""
        edited: list[Order] = []
        left = outbox.carry_out(self._store.root, [Order(write, None)], edited)
        return not left and not edited

    def _late(self) -> None:
        """Nobody waits for this thread, and the mark stays until the list is written."""
        with suppress(OmoideError, OSError):
            try:
                with self._store.mutex.hold(seconds=PAUSE):
                    if not self._store.closed and not self._store.replaced:
                        self.write()
            except StoreBusyError:
                with self._lock:
                    self._timer = None
                self.soon()

    def close(self) -> None:
        """Write what is owed before the store is closed, unless another process is writing: it lists all."""
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is None:
            return
        timer.cancel()
        with suppress(StoreBusyError), self._store.mutex.hold(seconds=PAUSE):
            self.write()
