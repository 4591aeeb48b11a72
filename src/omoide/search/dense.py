"""Small spaces: both scores of every entry at once, which costs less than finding out whose are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.columns import Bools
from omoide.search.maxscore import Query
from omoide.search.postings import PostingsSource

SMALL: Final = 1 << 14
"""Spaces of up to so many entries are scored whole."""

Floats = NDArray[np.float32]


def every_bm25(source: PostingsSource, terms: Sequence[tuple[str, float]]) -> tuple[Floats, float, float]:
    """Return the BM25 of every entry, the coverage of the question and the best possible score."""
    query = Query(source, terms)
    sums = np.zeros(source.size, np.float32)
    with query.sound():
        for leg in query.legs:
            ords, codes = leg.postings.arrays()
            sums[ords] += leg.weight * query.parts.take(codes)
    return sums, query.coverage, query.best_possible


def best_of(scores: Floats, count: int, mask: Bools, floor: float) -> NDArray[np.intp]:
    """Return the permitted entries with the ``count`` highest scores above ``floor``, in no order; nan is below."""
    ords = np.flatnonzero(mask & (scores > floor))
    if len(ords) > count:
        found = scores[ords]
        cut = np.partition(found, len(found) - count)[len(found) - count]
        ords = ords[found >= cut]
    return ords
