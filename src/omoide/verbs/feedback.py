"""Feedback: somebody says that a memory was of use, or was not; its value follows at once and fades like any use."""

from __future__ import annotations

from typing import Final

from omoide.errors import InvalidInputError
from omoide.model import bitemporal
from omoide.model.consolidate import settled_value
from omoide.model.kinds import KINDS, importance_value
from omoide.store.sqlite.usage import Usage
from omoide.verbs.context import Context
from omoide.verbs.writing import open_rows, writable, writing

DIRECTIONS: Final = {"boost": 3.0, "penalize": -3.0}
"""How many uses one word of feedback counts."""


def feedback(ctx: Context, memory_id: int, direction: object) -> float:
    """Count feedback about a memory and return what it is worth now, 0 to 1.

    The value orders what is shown unasked and what a pass puts away; what a question finds is left alone.

    Raises:
        NotFoundError: there is no such memory here.
        InvalidInputError: it was forgotten, or the direction is neither ``boost`` nor ``penalize``.
    """
    if not isinstance(direction, str) or direction not in DIRECTIONS:
        raise InvalidInputError(f"direction must be boost or penalize, not {direction!r}", value=direction)
    state, scope = writable(ctx, memory_id)
    with writing(ctx, scope) as tx:
        row = bitemporal.meant(open_rows(tx, memory_id), tx.now)
        usage = Usage(tx.connection)
        usage.count({memory_id: DIRECTIONS[direction]}, tx.now)
        claim = row.claim
        uses = usage.of(memory_id, tx.now) + (state.seen - 1) / 2
        value = settled_value(importance_value(claim.importance), uses, 0, KINDS[claim.kind].half_life)
        usage.settle([(value, memory_id)])
        tx.log("feedback", state.namespace, [memory_id])
        return value
