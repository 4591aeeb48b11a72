"""Statements about one matter in the order of their time, as far as the question asks for it.

For a question about the present, a later statement among the best few takes its place just before an earlier
one that is about the same, if it answers nearly as well: at most ``LIFT[tense]`` behind. For a question about
how things were before, an earlier one takes its place before a later one in the same way. Later means valid
from a later moment; in the same moment, written at least ``APART`` entries later, so not the direct reply.
About the same means vectors that are ``SAME`` of the way from unrelated to equal where both were dated by who
told them, ``SURE`` where the store dated one of them itself: the order in which texts arrive says less. Without
vectors the nearness of dated scores decides alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.rank import Ranked
from omoide.search.weights import Calibration

Floats = NDArray[np.float32]
Alike = Callable[[NDArray[Any]], Floats]
"""Returns the similarity of every two of some rows, nan where it is unknown."""

Barred = Callable[[NDArray[Any]], NDArray[np.bool_]]
"""Returns for every two of some rows whether the first may not overtake the second."""

LIFT: Final = {"now": 0.4, "present": 0.3, "unsaid": 0.1, "past": 0.0, "earlier": 0.4}
BEST: Final = 5
"""Hits that change places: which five are the best stays as it was."""
SAME: Final = 0.62
SURE: Final = 1.1
APART: Final = 2
_STEP: Final = 1e-4


def in_time(
    ranked: Ranked, starts: NDArray[np.int64], dated: NDArray[np.bool_], ords: NDArray[Any], tense: str,
    calibration: Calibration, alike: Alike, barred: Barred,
) -> Ranked:  # fmt: skip
    """Return the ranking with statements about one matter in the order that ``tense`` asks for.

    ``starts`` tell when every candidate is valid from, ``dated`` whether it was told so, ``ords`` its place among
    what was written; ``barred`` is asked where their vectors would let one overtake another.
    """
    reach = LIFT[tense]
    best = ranked.order[:BEST]
    if not reach or len(best) < 2:
        return ranked
    places = ords[best].astype(np.int64)
    when = np.empty(len(best), np.int64)
    when[np.lexsort((places, starts[best]))] = np.arange(len(best))
    total = ranked.parts["total"]
    gap = total[best] - total[best][:, np.newaxis]  # row: who may be lifted; column: above whom
    wanted = _wanted(starts[best], places, earlier=tense == "earlier") & (gap >= 0) & (gap <= reach)
    if not wanted.any():
        return ranked
    near = (alike(best) - calibration.low) / (calibration.high - calibration.low)
    told = dated[best] & dated[best][:, np.newaxis]
    wanted &= np.where(told, np.isnan(near) | (near >= SAME), near >= SURE)
    if wanted.any():
        wanted &= ~barred(best)
    target = np.where(wanted, total[best], -np.inf).max(axis=1)
    turn = len(best) - 1 - when if tense == "earlier" else when
    lifted = np.isfinite(target)
    part = np.zeros_like(total)
    part[best[lifted]] = (target - total[best] + _STEP * (1 + turn))[lifted]
    order = ranked.order.copy()
    order[: len(best)] = best[np.argsort(-(total + part)[best], kind="stable")]
    return replace(ranked, order=order, parts={**ranked.parts, "update": part, "total": total + part})


def _wanted(starts: NDArray[np.int64], places: NDArray[np.int64], *, earlier: bool) -> NDArray[np.bool_]:
    """Return which of two, the row or the column, should come first: True for the row."""
    same = starts[:, np.newaxis] == starts
    later: NDArray[np.bool_] = (starts[:, np.newaxis] > starts) | (same & (places[:, np.newaxis] >= places + APART))
    return later.T if earlier else later
