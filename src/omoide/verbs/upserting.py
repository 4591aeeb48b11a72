"""A second memory with the key of a first one, where its type says that this is a revision of the first."""

from __future__ import annotations

from omoide.model import bitemporal
from omoide.model.trust import may_replace
from omoide.store.sqlite.transaction import Write
from omoide.types import MemoryId, Notice
from omoide.verbs.context import Context
from omoide.verbs.remember import Request
from omoide.verbs.revise import contest, replace_pieces
from omoide.verbs.writing import open_rows


def revise_instead(ctx: Context, tx: Write, request: Request, memory_id: int) -> MemoryId:
    """Let a memory say from the start of the new one on what that says; return the id of the memory.

    A memory that the new one may not replace stays, and the new one is kept beside it, in conflict.
    """
    rows, state = open_rows(tx, memory_id), tx.memories.get(memory_id)
    assert state is not None
    start, end = request.interval(tx.now)
    cut = bitemporal.cut(rows, start, end)
    old = bitemporal.before(rows, start)
    if not all(may_replace(request.claim.trust, row.claim.trust) for row in (*cut.closed, old)):
        row = contest(ctx, tx, [memory_id], request.claim, start, end, request.observed_at)
        told = f"kept beside memory {memory_id}, which has the same key and which it may not replace"
        return MemoryId(row.memory_id, [Notice("conflict", told, (memory_id,))])
    replace_pieces(ctx, tx, state, cut, request.claim, start, end, request.observed_at, "revise")
    tx.set_state(state, archived=0, pinned=int(state.pinned or request.pinned))
    tx.log("revise", state.namespace, [memory_id])
    return MemoryId(memory_id, [Notice("updated", f"revised memory {memory_id}, which has the same key", (memory_id,))])
