"""Looks at segments, counted in memory and written now and then, so that reading stays reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from omoide.errors import AccessDeniedError, ReadOnlyStoreError, StoreBusyError, StoreClosedError
from omoide.model.forks import ForkLock
from omoide.model.retention import decayed
from omoide.verbs.context import Context

HELD: Final = 256
"""Looks at different segments that are held back at most."""


class Looks:
    """What was looked at in the own namespace of a handle since the last ``flush``."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._lock = ForkLock()

    def count(self, ctx: Context, names: Iterable[str]) -> None:
        """Count one look at each of some segments."""
        if ctx.store.read_only:
            return
        with self._lock:
            self._seen.update(names)
            full = len(self._seen) >= HELD
        if full:
            self.flush(ctx)

    def flush(self, ctx: Context) -> None:
        """Write what was counted; looks are lost rather than waited for."""
        with self._lock:
            seen, self._seen = self._seen, Counter()
        if not seen:
            return
        with suppress(AccessDeniedError, ReadOnlyStoreError, StoreBusyError, StoreClosedError):
            _write(ctx, seen)


def _write(ctx: Context, seen: Counter[str]) -> None:
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    with ctx.store.write(ctx.voice(), scope, wait=False) as tx:
        ns = tx.ns_of(ctx.namespace)
        rows = [(tx.segments.find(ns, name), times) for name, times in seen.items()]
        there = [(row, times) for row, times in rows if row is not None]
        for row, times in there:
            tx.segments.use(row.number, decayed(row.uses, row.used_at, tx.now) + times, tx.now)
        if there:
            tx.log("look", ctx.namespace, [row.number for row, _ in there])
