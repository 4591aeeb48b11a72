"""Small spaces: scores of every entry at once, which costs less than finding out whose are needed.

Of the words of a question those that nearly every text holds are read last and weigh next to nothing: they are
looked up for the few entries that they could still lift among the best (as in ``omoide.search.maxscore``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.columns import Bools
from omoide.search.maxscore import SLACK, Query, kth
from omoide.search.postings import PostingsSource

SMALL: Final = 1 << 14
"""Spaces of up to so many entries are scored whole."""
_LONG: Final = 2048
"""Lists up to which adding one costs less than finding out whether that is needed."""

Floats = NDArray[np.float32]
Index = NDArray[np.intp]


class Lexical:
    """The BM25 of the entries of a space, of which the best ``count`` are wanted.

    An entry's parts are added up rarest first, whichever way they are read.
    """

    def __init__(self, source: PostingsSource, terms: Sequence[tuple[str, float]], count: int) -> None:
        self._query = query = Query(source, terms)
        self._size, self._count = source.size, count
        self.coverage, self.best_possible = query.coverage, query.best_possible
        with query.sound():
            self._added = self._telling()
            self._sums = self._summed()

    def best(self, mask: Bools) -> Index:
        """Return the permitted entries with the highest scores above 0 and those equal to the last of them."""
        if self._added < len(self._query.legs):
            found = self._hopeful(mask)
            if found is not None:
                scores = self.of(found)
                return found[scores >= kth(scores, self._count)]
            self._added = len(self._query.legs)
            with self._query.sound():
                self._sums = self._summed()
        return best_of(self._sums.astype(np.float32), self._count, mask, 0.0)

    def of(self, ords: Index) -> Floats:
        """Return the BM25 of some entries, which ascend."""
        sums = self._sums.take(ords)
        if self._added == len(self._query.legs):
            return sums.astype(np.float32)
        narrow = ords.astype(np.uint32)
        with self._query.sound():
            for leg in self._query.legs[self._added :]:
                sums += np.float32(leg.weight) * self._query.parts.take(leg.postings.at(narrow))
        return sums.astype(np.float32)

    def _telling(self) -> int:
        """Return how many legs are added: all but long ones that gain less than those before them."""
        query, found = self._query, 0
        for number, leg in enumerate(query.legs):
            count = leg.postings.count
            if count > _LONG and found >= self._count and 2 * query.rest(number) < query.rest(0):
                return number
            found += count
        return len(query.legs)

    def _hopeful(self, mask: Bools) -> Index | None:
        """Return the permitted entries that may be among the best; None unless an entry needs a rare word for it."""
        allowed = self._sums > 0
        allowed &= mask
        ords = allowed.nonzero()[0]
        if len(ords) < self._count:
            return None
        sums = self._sums.take(ords)
        least = kth(sums, self._count) * (1 - SLACK) - self._query.rest(self._added)
        return ords[sums >= least] if least > 0 else None

    def _summed(self) -> NDArray[np.float64]:
        """Return the sums of the legs that are added."""
        query, size = self._query, self._size
        legs = query.legs[: self._added]
        if not legs:
            return np.zeros(size)
        lists = [leg.postings.arrays() for leg in legs]
        gains = query.parts.take(np.concatenate([codes for _, codes in lists]))
        gains *= np.array([leg.weight for leg in legs], np.float32).repeat([len(codes) for _, codes in lists])
        sums = np.bincount(np.concatenate([ords for ords, _ in lists]), gains, size)
        if len(sums) > size:
            raise IndexError(f"an ordinal is beyond the {size} entries of the space")
        return sums.astype(np.float64, copy=False)


def best_of(scores: Floats, count: int, mask: Bools, floor: float) -> Index:
    """Return the permitted entries with the ``count`` highest scores above ``floor``, in no order; nan is below."""
    allowed = scores > floor
    allowed &= mask
    if np.count_nonzero(allowed) <= count:
        return allowed.nonzero()[0]
    ranked = np.where(allowed, scores, np.float32(-np.inf))
    return (ranked >= kth(ranked, count)).nonzero()[0]
