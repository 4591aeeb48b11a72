"""What recalls returned and what was opened, counted in memory and written now and then, so that reading stays reading.

It is state beside the truth: no audit event tells of it, and what cannot be written at once is lost.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from omoide.errors import AccessDeniedError, ReadOnlyStoreError, StoreBusyError, StoreClosedError
from omoide.model.forks import ForkLock
from omoide.store.sqlite.usage import Usage

if TYPE_CHECKING:
    from omoide.types import Hit
    from omoide.verbs.context import Context

HELD: Final = 256
"""Recalls that are held back at most."""
BEST: Final = 5
"""Hits of a recall that count."""
SHOWN: Final = 10
OPENED: Final = 100
"""What being returned by a recall counts, and being opened by id; in hundredths of a use."""


class Uses:
    """What was used of the own namespace of a handle since the last ``flush``."""

    def __init__(self) -> None:
        self._together: list[tuple[int, ...]] = []
        self._counts: Counter[int] = Counter()
        self._lock = ForkLock()
        self._pid = os.getpid()

    def recalled(self, ctx: Context, hits: Sequence[Hit]) -> None:
        """Count a recall: its best memories were returned, and returned together."""
        if ctx.store.read_only:
            return
        ids = [hit.id for hit in hits[:BEST] if hit.origin == "memory" and hit.namespace == ctx.namespace]
        if not ids:
            return
        with self._lock:
            self._start_anew_after_fork()
            for memory_id in set(ids):
                self._counts[memory_id] += SHOWN
            if len(ids) > 1:
                self._together.append(tuple(ids))
            full = len(self._together) >= HELD or len(self._counts) >= 4 * HELD
        if full:
            self.flush(ctx)

    def opened(self, ctx: Context, memory_id: int) -> None:
        """Count that a memory was opened by its id."""
        if ctx.store.read_only:
            return
        with self._lock:
            self._start_anew_after_fork()
            self._counts[memory_id] += OPENED

    def flush(self, ctx: Context) -> None:
        """Write what was counted; it is lost rather than waited for."""
        with self._lock:
            together, self._together = self._together, []
            counts, self._counts = self._counts, Counter()
        if not counts or self._pid != os.getpid():
            return
        with suppress(AccessDeniedError, ReadOnlyStoreError, StoreBusyError, StoreClosedError):
            scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
            with ctx.store.write(ctx.voice(), scope, wait=False) as tx:
                ns = tx.namespaces.id(ctx.namespace)
                if ns is not None:
                    usage = Usage(tx.connection)
                    usage.log(ns, tx.now, together)
                    usage.count({memory_id: count / 100 for memory_id, count in counts.items()}, tx.now)

    def _start_anew_after_fork(self) -> None:
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._together, self._counts = [], Counter()
