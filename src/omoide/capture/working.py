"""The worker's work: what hooks accepted is taken into the store. Never two at once.

Killed at any point it loses nothing: a record leaves the inbox after it was stored, and a transcript is read on from
what the store has.
"""

from __future__ import annotations

import os
from typing import Any, Final

from omoide.beside import ledger
from omoide.beside.failures import failed
from omoide.beside.places import LOCK, place, ready
from omoide.capture.chosen import Chosen
from omoide.capture.event import stamp
from omoide.capture.locking import FileLock
from omoide.capture.recovering import look
from omoide.capture.taking import take
from omoide.errors import OmoideError
from omoide.history import History
from omoide.memory import Memory
from omoide.serve import spool
from omoide.serve.settings import settle
from omoide.serve.unloaded import without_loading
from omoide.vault.files import HIDDEN

BUSY: Final = 10.0
"""Seconds to wait for a store that another process writes."""
ASLEEP: Final = 120.0
"""Seconds that a consolidation may take; the next worker goes on with it."""
WAIT: Final = 1.0
"""Seconds to wait for the lock: a hook looks at it for an instant."""


def run(store: str) -> int:
    """Work until nothing new waits; return how many records were settled, 0 when another worker is at it.

    Raises:
        OSError: nothing can be written beside the store.
    """
    lock = FileLock(os.path.join(ready(place(store)), LOCK))
    seen: set[str] = set()
    namespaces: set[str] = set()
    settled = 0
    while lock.acquire(WAIT):
        try:
            settled += _round(store, seen, namespaces)
        finally:
            lock.release()
        # A hook that found the lock held relies on this look.
        if all(key in seen for key, _ in ledger.inbox(store)):
            break
    if namespaces and Chosen("").consolidate == "due":
        _consolidate(store, namespaces)
    return settled


def _consolidate(store: str, namespaces: set[str]) -> None:
    """Consolidate where it is due, without the lock: hooks start another worker meanwhile."""
    embedder = without_loading(store, settle({})["embedder"])
    for namespace in sorted(namespaces):
        try:
            with Memory(store, namespace, embedder=embedder, door="hook", busy_timeout=BUSY) as mem:
                mem.sleep(only_when_due=True, seconds=ASLEEP)
        except OmoideError as error:  # the next run goes on
            failed(store, "worker sleep", error, stamp())


def _round(store: str, seen: set[str], namespaces: set[str]) -> int:
    embedder = without_loading(store, settle({})["embedder"])
    _apply_spooled(store, embedder)
    _look_at_notes(store, embedder)
    tries = ledger.tries(store)
    waiting = [(key, record) for key, record in ledger.inbox(store) if key not in seen]
    settled = 0
    due = {_namespace(record) for _, record in waiting}
    namespaces |= due
    for namespace in sorted(due):
        mine = [(key, record) for key, record in waiting if _namespace(record) == namespace]
        with History(store, namespace, embedder=embedder, door="hook", busy_timeout=BUSY) as history:
            for key, record in mine:
                seen.add(key)
                settled += take(store, history, key, record, tries.get(key, 0))
    look(store, Chosen("").recover)  # what it finds is for the next round
    return settled


def _namespace(record: dict[str, Any]) -> str:
    return str(record.get("namespace") or "default")


def _look_at_notes(store: str, embedder: Any) -> None:
    """Take in what was edited in a vault, or make its index again: a hook reads the index alone."""
    if not os.path.isdir(os.path.join(store, HIDDEN)):
        return
    try:
        with History(store, embedder=embedder, door="hook", busy_timeout=BUSY) as history:
            history.list(limit=1)
    except OmoideError as error:  # whoever opens the vault next sees it too
        failed(store, "worker notes", error, stamp())


def _apply_spooled(store: str, embedder: Any) -> None:
    try:
        spool.apply(store, embedder=embedder)
    except OmoideError as error:  # they go on waiting
        failed(store, "worker spool", error, stamp())
