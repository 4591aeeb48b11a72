"""How near an entry lies to the times that a question names, and what that adds to its rank.

nearness = 1 inside, else 1 - gap / reach, at least 0; reach = the length of the named time, at least ``LEAST`` and at
most ``MOST``, twice that for what was written afterwards: people tell of things when they are over. An entry without
an end holds from a moment on, so only that moment is near anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.model.time import ALWAYS, FOREVER, Micros
from omoide.search import weights
from omoide.search.rank import Ranked

Times = NDArray[np.int64]
Floats = NDArray[np.float32]
Asked = tuple[Micros, Micros]
"""``[start, end)``; ``ALWAYS`` and ``FOREVER`` when open."""

_DAY: Final = 86_400_000_000
LEAST: Final = 7 * _DAY
MOST: Final = 30 * _DAY
AFTERWARDS: Final = 2.0


def inside(starts: Times, ends: Times, asked: Iterable[Asked]) -> NDArray[np.bool_]:
    """Return which entries overlap one of the times asked for."""
    last = np.where(ends == FOREVER, starts + 1, ends)
    found = np.zeros(len(starts), np.bool_)
    for start, end in asked:
        found |= (starts < end) & (last > start)
    return found


def nearness(starts: Times, ends: Times, asked: Iterable[Asked]) -> Floats:
    """Return how near each entry lies to the nearest of the times asked for, 0 to 1."""
    last = np.where(ends == FOREVER, starts + 1, ends)
    best = np.zeros(len(starts), np.float32)
    for start, end in asked:
        # As floats: an open end is so far away that a difference of integers would overflow.
        before = np.maximum(np.float64(start) - (last - 1), 0) if start != ALWAYS else np.zeros(len(starts))
        after = np.maximum(starts - np.float64(end - 1), 0) if end != FOREVER else np.zeros(len(starts))
        reach = _reach(start, end)
        gap = np.maximum(before / reach, after / (AFTERWARDS * reach))
        best = np.maximum(best, np.maximum(1 - gap, 0).astype(np.float32))
    return best


def steered(ranked: Ranked, near: Floats) -> Ranked:
    """Return the ranking with what lies near the asked times raised by ``weights.TIME``; equals keep their order."""
    part = (weights.TIME * near).astype(np.float32)
    total = ranked.total + part
    order = ranked.order[np.argsort(-total[ranked.order], kind="stable")]
    return Ranked(order, ranked.scores, {**ranked.parts, "time": part, "total": total}, total)


def _reach(start: Micros, end: Micros) -> float:
    if start == ALWAYS or end == FOREVER:
        return float(MOST)
    return float(min(max(end - start, LEAST), MOST))
