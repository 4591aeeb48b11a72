"""Small spaces: both scores of every entry at once, which costs less than finding out whose are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.columns import Bools
from omoide.search.maxscore import Query, kth
from omoide.search.postings import PostingsSource

SMALL: Final = 1 << 14
"""Spaces of up to so many entries are scored whole."""

Floats = NDArray[np.float32]


def every_bm25(source: PostingsSource, terms: Sequence[tuple[str, float]]) -> tuple[Floats, float, float]:
    """Return the BM25 of every entry, the coverage of the question and the best possible score."""
    query = Query(source, terms)
    sums = np.zeros(source.size, np.float32)
    if query.legs:
        with query.sound():
            sums = _summed(query, source.size)
    return sums, query.coverage, query.best_possible


def _summed(query: Query, size: int) -> Floats:
    lists = [leg.postings.arrays() for leg in query.legs]
    ords = np.concatenate([ords for ords, _ in lists])
    weights = np.array([leg.weight for leg in query.legs], np.float32)
    gains = query.parts.take(np.concatenate([codes for _, codes in lists]))
    gains *= weights.repeat([len(codes) for _, codes in lists])
    sums = np.bincount(ords, gains, size).astype(np.float32)
    if len(sums) > size:
        raise IndexError(f"an ordinal is beyond the {size} entries of the space")
    return sums


def best_of(scores: Floats, count: int, mask: Bools, floor: float) -> NDArray[np.intp]:
    """Return the permitted entries with the ``count`` highest scores above ``floor``, in no order; nan is below."""
    allowed = scores > floor
    allowed &= mask
    ords: NDArray[np.intp] = allowed.nonzero()[0]
    if len(ords) <= count:
        return ords
    found = scores.take(ords)
    return ords[found >= kth(found, count)]
