"""Pending vectors filled in, in small transactions, by whoever finds them."""

from __future__ import annotations

import os
import threading
import time
from typing import Final

from omoide.errors import OmoideError
from omoide.model.forks import ForkLock
from omoide.model.records import Voice
from omoide.store.sqlite.indexing import codes
from omoide.store.sqlite.store import SqliteStore
from omoide.verbs.drafts import embedded_text
from omoide.verbs.embedding import Embedding

BATCH: Final = 64
RETRY_AFTER: Final = 30.0
"""Seconds before an embedder that failed is asked again."""
_VOICE: Final = Voice(actor=None, door="filler")


def fill(store: SqliteStore, embedding: Embedding, limit: int = BATCH, *, wait: bool = True) -> int:
    """Embed up to ``limit`` pending entries and store their vectors; return how many there were.

    ``wait``: whether to wait for another writer.

    Raises:
        EmbedderError: the model failed; the entries stay pending.
    """
    with store.read(None) as tx:
        pending = tx.pending(limit)
    if not pending:
        return 0
    vectors = embedding.embed([embedded_text(entry.claim) for entry in pending])
    with store.write(_VOICE, wait=wait) as write:
        embedding.record(write)
        for entry, found in zip(pending, vectors, strict=True):
            if write.is_pending(entry):
                write.indexer.fill(entry.ns, entry.collection, entry.ord, found)
    return len(pending)


class Filler:
    """A short-lived background thread that fills until nothing is pending."""

    def __init__(self, store: SqliteStore, embedding: Embedding) -> None:
        self._store, self._embedding = store, embedding
        self._lock = ForkLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._not_before = 0.0
        self.problem: str | None = None

    def nudge(self) -> None:
        """Start filling unless it is going on, cannot be done, or failed a moment ago."""
        if self._store.read_only or self._embedding.model_name is None or self._stop.is_set():
            return
        if self._pid != os.getpid():
            self._pid, self._thread = os.getpid(), None
        with self._lock:
            idle = self._thread is None or not self._thread.is_alive()
            if idle and time.monotonic() >= self._not_before:
                self._thread = threading.Thread(target=self._run, name="omoide-filler", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop after the batch in hand."""
        self._stop.set()
        if self._thread is not None and self._pid == os.getpid():
            self._thread.join(timeout=10.0)

    def _run(self) -> None:
        self._embedding.owes = False
        try:
            if self._embedding.wait(self._stop):
                while not self._stop.is_set() and fill(self._store, self._embedding):
                    self.problem = None
                codes.save(self._store)
        except OmoideError as error:
            self.problem = str(error)
            self._not_before = time.monotonic() + RETRY_AFTER
