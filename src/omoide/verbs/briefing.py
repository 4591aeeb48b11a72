"""What an agent should know before it begins: the standing rules and memories of a project, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from omoide.beside import traces
from omoide.store.sqlite.glance import Glance, look
from omoide.text.budget import estimate_tokens
from omoide.verbs.context import Context

MOST: Final = 200
FRAME_TOKENS: Final = 30
"""What the line above a text takes when it is shown."""


def context(ctx: Context, project: str | None, subjects: Sequence[str], budget: int) -> dict[str, Any]:
    """Return the rows that fit, how many tokens they take, proposals that wait, sessions that were left."""
    ctx.flush()
    with ctx.store.read(ctx.scope(None)) as tx:
        ns = tx.namespaces.id(ctx.namespace)
        keys = [key for subject in subjects for key in tx.aliases.names(ns, subject)] if ns is not None else []
        found = Glance([]) if ns is None else look(tx.connection, ns, tx.now, project, MOST, list(dict.fromkeys(keys)))
    rows, tokens = _fitting(found.rows, budget)
    left = traces.left(ctx.store.place, ctx.namespace)
    return {
        "results": rows, "tokens": tokens, "truncated": len(rows) < len(found.rows), "proposals": found.proposals,
        "unsaved": [traces.row_of(trace) for trace in left],
    }  # fmt: skip


def _fitting(rows: Sequence[dict[str, Any]], budget: int) -> tuple[list[dict[str, Any]], int]:
    """Pass over what does not fit, as ``recall`` does."""
    kept, tokens = [], 0
    for row in rows:
        cost = FRAME_TOKENS + estimate_tokens(row["text"])
        if tokens + cost <= budget:
            kept.append(row)
            tokens += cost
    return kept, tokens
