"""The codes that searches have made of vectors, kept in the store so that the next process need not make them."""

from __future__ import annotations

from typing import Final

from omoide.errors import DamagedStoreError, StoreBusyError
from omoide.model.records import Voice
from omoide.search.vectors import VectorIndex
from omoide.store.sqlite.connection import MEMORY_PATH
from omoide.store.sqlite.indexing import vectors
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transaction import Read

_VOICE: Final = Voice(door="maintenance")

Parts = list[tuple[int, bytes]]


def save(store: SqliteStore) -> int:
    """Keep the coded parts of this handle's vector indexes that the store lacks; return how many.

    Nobody waits for it: while another writer has the store, it is left for the next time.
    """
    if store.read_only or store.path == MEMORY_PATH:
        return 0
    with store.reader.use(), store.read(None) as tx:
        found = [(view, parts) for view in tx.loaded_views() if (parts := _unsaved(tx, view))]
        return sum(_keep(store, view, parts) for view, parts in found)


def _unsaved(tx: Read, view: SpaceView) -> Parts:
    """Return the parts of a view without vectors that this transaction sees erased."""
    space = tx.namespaces.by_id(view.space.space)
    if space is None or view.vectors is None or tx.dimension != view.vectors.dimension:
        return []
    try:
        view.refresh(space)
        vectors: VectorIndex | None = view.vectors  # a refresh may have dropped them
        return [] if vectors is None else vectors.unsaved()
    except DamagedStoreError:
        return []  # searches say so; there is nothing to keep


def _keep(store: SqliteStore, view: SpaceView, parts: Parts) -> int:
    """Write parts unless a vector was erased since they were made."""
    try:
        with store.write(_VOICE, wait=False) as write:
            now = write.namespaces.by_id(view.space.space)
            if now is None or now.feed != view.space.feed:
                return 0
            vectors.keep_parts(write.connection, now.space, parts)
    except StoreBusyError:
        return 0
    if view.vectors is not None:
        view.vectors.mark_saved(number for number, _ in parts)
    return len(parts)
