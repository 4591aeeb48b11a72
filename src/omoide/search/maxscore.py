"""The sums of BM25 over the lists of a question, rarest first.

MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995): once the terms still to
come cannot lift a new record into the top k, they are only looked up for the records found so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from omoide.search.bm25 import idf, tf_parts
from omoide.search.postings import Mask, Ords, PostingList, PostingsSource, Scores
from omoide.search.scratch import borrow, give_back

Index = NDArray[np.intp]

SLACK: Final = 1e-5
"""The share by which sums of float32 may at most differ from their bounds."""
# Weights below it could vanish in float32 and make a match look like none.
_LEAST_WEIGHT: Final = 1e-6
# Adding a list of up to this many postings costs less than finding out whether that is needed.
_SHORT: Final = 4096
# From so many times as many entries as are wanted on, the whole scores of the best say which others to look up.
_MANY: Final = 4
# From so many times k scores on, the k-th of every eighth leaves out most of them.
_SAMPLED: Final = 24
_SAMPLE: Final = 8


class Leg(NamedTuple):
    """A known term, its weight times its idf, and its list."""

    term: str
    weight: float
    postings: PostingList


class Query:
    """The lists of a question's known terms, rarest first.

    Every way adds an entry's parts up in this order, so that equal entries have equal scores.
    """

    __slots__ = ("_rests", "best_possible", "coverage", "legs", "parts", "total")

    def __init__(self, source: PostingsSource, terms: Sequence[tuple[str, float]]) -> None:
        weights: dict[str, float] = {}
        for term, weight in terms:
            if weight >= _LEAST_WEIGHT:
                weights[term] = weights.get(term, 0.0) + weight
        self.legs: list[Leg] = []
        unknown = known = 0.0
        for term, weight in weights.items():
            postings = source.postings(term)
            if postings is None:
                unknown += weight * idf(source.documents, 0)
                continue
            value = weight * idf(source.documents, postings.count)
            known += value
            self.legs.append(Leg(term, value, postings))
        self.legs.sort(key=_count)
        self.parts: Scores = tf_parts(source.mean_length or 1.0) if self.legs else _NONE
        self.total = sum(map(_count, self.legs))
        self.coverage = known / (known + unknown) if known else 0.0
        self.best_possible = known
        self._rests: list[float] = []

    def gather(self, size: int, k: int, mask: Mask | None) -> tuple[Ords, Scores, int]:
        """Return the entries that may be in the top ``k``, their sums so far and the first leg not added."""
        kept = borrow(size)
        sums = kept[:size]
        found: list[Index] = []
        spare = 0.0
        number = 0
        for number, leg in enumerate(self.legs):
            spare = self._spare(found, sums, number, k)
            if spare > 0:
                break
            found.append(_add(leg, self.parts, sums, mask, first=not number))
        else:
            number += 1
        index = np.concatenate(found)
        scores = sums.take(index)
        sums[index] = 0
        give_back(kept)
        if spare > 0:
            keep = scores >= spare
            index, scores = index[keep], scores[keep]
        return index.astype(np.uint32), scores, number

    def look_up(self, ords: Ords, scores: Scores, leg: int, k: int | None) -> tuple[Ords, Scores]:
        """Add the parts of the legs from ``leg`` on, dropping entries that cannot be in the top ``k``."""
        if leg == len(self.legs):
            return ords, scores
        if k is not None and len(ords) > _MANY * k:
            ords, scores = self._promising(ords, scores, leg, k)
        order = ords.argsort()
        ords, scores = ords[order], scores[order]
        for number in range(leg, len(self.legs)):
            if k is not None and number > leg and len(ords) > k:
                keep = scores >= kth(scores, k) * (1 - SLACK) - self.rest(number)
                ords, scores = ords[keep], scores[keep]
            each = self.legs[number]
            scores += each.weight * self.parts.take(each.postings.at(ords))
        return ords, scores

    def _promising(self, ords: Ords, scores: Scores, leg: int, k: int) -> tuple[Ords, Scores]:
        """Drop entries that the legs from ``leg`` on cannot lift above the whole scores of the ``k`` best so far."""
        heads = scores >= kth(scores, k)
        if np.count_nonzero(heads) > _MANY * k:
            return ords, scores
        whole = self.look_up(ords[heads], scores[heads], leg, None)[1]
        keep = scores >= kth(whole, k) * (1 - SLACK) - self.rest(leg)
        return ords[keep], scores[keep]

    @contextmanager
    def sound(self) -> Iterator[None]:
        """Turn an index error into the ``DamagedStoreError`` of the list that led to it."""
        try:
            yield
        except IndexError:
            for leg in self.legs:
                leg.postings.verify()
            raise

    def rest(self, leg: int) -> float:
        """Return the most that an entry can gain from this leg and those after it."""
        if not self._rests:
            peaks = [leg.weight * leg.postings.peak(self.parts) for leg in reversed(self.legs)]
            self._rests = list(accumulate(peaks))[::-1]
        return self._rests[leg]

    def _spare(self, found: list[Index], sums: Scores, leg: int, k: int) -> float:
        """Return the sum that an entry needs before ``leg`` to win; above 0, none unseen so far can.

        The question is not worth its cost before a short list, or while the rest outweighs what was added.
        """
        if self.legs[leg].postings.count <= _SHORT or 2 * self.rest(leg) >= self.rest(0):
            return 0.0
        if sum(map(len, found)) < k:
            return 0.0
        return kth(sums.take(np.concatenate(found)), k) * (1 - SLACK) - self.rest(leg)


def kth(scores: NDArray[np.floating], k: int) -> float:
    """Return the ``k``-th highest score; there must be as many."""
    if len(scores) > _SAMPLED * k:
        # The k-th of some is not above the k-th of all, so that what is below it need not be ordered.
        scores = scores[scores >= kth(scores[::_SAMPLE], k)]
    ordered = scores.copy()
    ordered.partition(len(ordered) - k)
    return float(ordered[-k])


def _count(leg: Leg) -> int:
    return leg.postings.count


def _add(leg: Leg, parts: Scores, sums: Scores, mask: Mask | None, *, first: bool) -> Index:
    """Add a leg to the sums; return the permitted entries that had none."""
    ords, codes = leg.postings.arrays()
    index = ords.astype(np.intp)
    if mask is not None:
        keep = mask[index] if isinstance(mask, np.ndarray) else mask(ords)
        index, codes = index[keep], codes[keep]
    gains = leg.weight * parts.take(codes)
    if first:
        sums[index] = gains
        return index
    before = sums.take(index)
    gains += before
    sums[index] = gains
    fresh: Index = index[before == 0]
    return fresh


_NONE: Final[Scores] = np.zeros(0, np.float32)
