"""Get, list, stats: what is there, without a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from omoide.model import bitemporal
from omoide.model.policy import Scope
from omoide.model.records import Row
from omoide.model.selection import Selection
from omoide.model.time import optional_datetime
from omoide.search.columns import ARCHIVED, ERASED
from omoide.store.sqlite.transaction import Read
from omoide.types import MemoryRecord
from omoide.verbs.asking.moments import moment_of
from omoide.verbs.asking.present import present
from omoide.verbs.context import Context
from omoide.verbs.convert import record_of
from omoide.verbs.drafts import Moment as Given
from omoide.verbs.whose import meant


def get(
    ctx: Context, memory_id: int, as_of: Given | None, valid_at: Given | None, known_at: Given | None
) -> MemoryRecord | None:
    """Return a memory at the piece that is meant, or None when it is not believed or may not be read.

    An id that no memory has here, and that another copy of the vault gave to one, finds that one.

    Raises:
        InvalidInputError: other copies gave the id to several.
    """
    ctx.flush()
    with ctx.store.read(None) as tx:
        state = meant(ctx, tx, memory_id)
        if state is None:
            return None
        memory_id = state.id
        moment = moment_of(tx.now, as_of, valid_at, known_at)
        rows = tx.versions.of_memory(memory_id, only_open=not moment.past)
        row = _visible(rows, moment.valid_at, moment.known_at) if moment.past else _meant(rows, tx.now)
        if row is None:
            return None
        record = record_of(row, state, tx.now, tx.relations.evidence(memory_id))
        if state.namespace == ctx.namespace and not moment.past:
            ctx.uses.opened(ctx, memory_id)
        return present(tx, [record], past=moment.past)[0]


def piece_of(ctx: Context, tx: Read, memory_id: int, as_of: Given | None) -> tuple[Row, str] | None:
    """Return the piece that is meant and the uid of its memory; of one that is believed no more, its last.

    None when there is no such memory, it may not be read, or ``as_of`` lies before it.
    """
    state = meant(ctx, tx, memory_id)
    if state is None:
        return None
    moment = moment_of(tx.now, as_of, None, None)
    rows = tx.versions.of_memory(state.id)
    if moment.past:
        row = _visible(rows, moment.valid_at, moment.known_at)
    else:
        row = _meant([row for row in rows if row.open] or rows[-1:], tx.now)
    return None if row is None else (row, state.uid)


def _visible(rows: list[Row], valid_at: int, known_at: int) -> Row | None:
    return next((row for row in rows if bitemporal.visible(row, valid_at, known_at)), None)


def _meant(rows: list[Row], now: int) -> Row | None:
    return bitemporal.meant(rows, now) if rows else None


def list_memories(
    ctx: Context, selection: Selection, *, limit: int | None, as_of: Given | None, valid_at: Given | None,
    known_at: Given | None,
) -> list[MemoryRecord]:  # fmt: skip
    """Return the selected memories, newest first."""
    scope = ctx.scope(None if selection.namespace == ctx.namespace else selection.namespace)
    ctx.flush()
    with ctx.store.read(scope) as tx:
        moment = moment_of(tx.now, as_of, valid_at, known_at)
        selected = replace(selection, moment=moment, archived=selection.archived or moment.past)
        rows = tx.selecting.rows(selected, order="newest", limit=limit)
        return present(tx, [record_of(row, *_sides(tx, row)) for row in rows], past=moment.past)


def _sides(tx: Read, row: Row) -> tuple[Any, int, Any]:
    return tx.memories.get(row.memory_id), tx.now, tx.relations.evidence(row.memory_id)


def stats(
    ctx: Context, scope: Scope, *, as_of: Given | None, valid_at: Given | None, known_at: Given | None
) -> dict[str, dict[str, Any]]:
    """Return per namespace how many memories hold, since when, and what is still pending."""
    ctx.flush()
    with ctx.store.read(scope) as tx:
        moment = moment_of(tx.now, as_of, valid_at, known_at)
        return {name: _namespace_stats(tx, name, moment) for name in scope.readable}


def _namespace_stats(tx: Read, namespace: str, moment: Any) -> dict[str, Any]:
    view = tx.view(namespace)
    empty: dict[str, Any] = {"namespace": namespace, "count": 0, "oldest": None, "newest": None, "pending_vectors": 0}
    if view is None:
        return empty | {"archived": 0, "versions": 0, "embedder": tx.settings.get("embedder")}
    columns = view.columns
    there = columns["flags"] & np.uint32(ERASED) == 0
    mask = columns.at_time(moment.valid_at, moment.known_at) & there if moment.past else view.current(tx.now)
    owners = columns["owner"][mask]
    archived = view.current(tx.now, hidden=ERASED) & (columns["flags"] & np.uint32(ARCHIVED) != 0)
    known = there & (columns["known_from"] <= moment.known_at) if moment.past else there
    found: dict[str, Any] = {
        "count": len(owners),
        "versions": int(known.sum()),
        "archived": 0 if moment.past else int(archived.sum()),
    }
    if len(owners):
        ends = tx.memories.many([int(owners.min()), int(owners.max())])
        found |= {
            "oldest": optional_datetime(ends[int(owners.min())].created_at),
            "newest": optional_datetime(ends[int(owners.max())].created_at),
        }
    return empty | found | {"pending_vectors": view.space.pending, "embedder": tx.settings.get("embedder")}
