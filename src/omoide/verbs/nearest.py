"""The memory that a new text nearly repeats, by vector, where a threshold asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from omoide.search.prepared import Prepared
from omoide.verbs.context import Context

if TYPE_CHECKING:
    from omoide.verbs.remember import Request


def nearest_memory(ctx: Context, request: Request, prepared: Prepared) -> int | None:
    """Return the id of the nearest current memory of the namespace at or above the threshold, or None."""
    if request.threshold is None or prepared.vectors is None or not request.scope.readable:
        return None
    ctx.flush()
    with ctx.store.read(None) as tx:
        view = tx.view(request.scope.namespace)
        dimension = tx.dimension
        if view is None or dimension is None:
            return None
        query = prepared.vectors[0].astype(np.float32)
        ords, similarities = view.load_vectors(dimension).search(query, 1, view.current(tx.now))
        # An exact repeat must reach a threshold of 1.0: a stored vector is rounded, to float16 or to steps of a 127th
        # of its largest number, which moves its product with itself by a third of a step, rarely more than one.
        moved = 1e-3 + 0.01 * float(np.abs(query).max())
        if len(ords) == 0 or similarities[0] < request.threshold - moved:
            return None
        return int(view.columns["owner"][ords[0]])
