"""The indexes brought in step with rows that were written beside them, at the cost of what changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.columns import ERASED
from omoide.store.sqlite.indexing import blocks, rebuild
from omoide.store.sqlite.indexing.indexer import COLUMNS
from omoide.store.sqlite.indexing.rebuild import Prepare
from omoide.store.sqlite.indexing.sources import SOURCES, columns
from omoide.store.sqlite.namespaces import Space
from omoide.store.sqlite.settings import Settings
from omoide.store.sqlite.transaction import Write


def follow(tx: Write, prepare: Prepare) -> bool:
    """Index the rows that are new and rewrite the columns that differ; False where that is not enough.

    It is not where rows went: their words can only be found by making the index anew. Then nothing is changed
    that a rebuild does not put right.
    """
    tx.has_model = Settings(tx.connection).get("embedder") is not None
    return all(_follow(tx, ns, collection, prepare) for ns, collection in rebuild.collections(tx))


def _follow(tx: Write, ns: int, collection: str, prepare: Prepare) -> bool:
    source, conn = SOURCES[collection], tx.connection
    space = tx.namespaces.ensure_space(ns, collection)
    first, end = space.entries, source.end(conn, ns)
    old = columns(conn, ns, collection, 0, first)
    if not _rewrite(tx, ns, collection, space, old):
        return False
    claims = source.claims(conn, ns, first, end)
    if len(claims) != max(end - first, 0):
        return False
    prepared = prepare([claim for _, claim in claims])
    for record, ready in zip(columns(conn, ns, collection, first, end), prepared, strict=True):
        tx.indexer.add(ns, collection, record.item(), ready)
    tx.indexer.count_live(ns, collection, source.live(conn, ns) - tx.indexer.count_live(ns, collection, 0))
    return True


def _rewrite(tx: Write, ns: int, collection: str, space: Space, wanted: NDArray[Any]) -> bool:
    """Write the columns that are not as the rows have them; False when a row is gone."""
    if not len(wanted):
        return True
    try:
        there = blocks.read(tx.connection, space.space, COLUMNS, 0, space.entries)
    except DamagedStoreError:
        return False
    differing = np.flatnonzero(there != wanted)
    if np.any(wanted["flags"][differing] == ERASED):
        return False
    for ord in differing.tolist():
        tx.indexer.replace(ns, collection, ord, wanted[ord : ord + 1].tobytes())
    return True
