"""The vector index of a space: exact while it is small, coded with exact comparison of the best beyond that.

Slots are numbered from zero and appended; each belongs to an entry (an ordinal), and an entry counts with
its most similar slot. A similarity is the dot product of the float32 query with the float16 vector that the
store holds, whatever path found it. The index is a cache of the store's vectors: it can be dropped at any
time, and every method must be called by one thread at a time. Distinct indexes share nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.search.half import Single
from omoide.search.vectors_centre import Centre
from omoide.search.vectors_coded import CodedRows, Proposal, Reader, ReadSlots
from omoide.search.vectors_exact import CHUNK, Bools, ExactRows, dots
from omoide.search.vectors_part import PART, ready
from omoide.search.vectors_rows import RecentRows
from omoide.search.vectors_slots import Ords, Places, Slots

EXACT: Final = 16 * CHUNK
"""Up to so many slots every vector is compared."""

_COLD: Final = 2 * PART  # slots that may wait to be coded, so that a first search need not
_DRAIN: Final = 2 * CHUNK  # slots coded by a search while some wait
_READ: Final = 8 * CHUNK  # slots read from the store at a time
_SHORTLIST: Final = 64  # slots that the codes propose
_FIRST: Final = 24  # proposed slots compared at first
_MORE: Final = 12  # and at least so many at a time after that
_FEW: Final = 64

Found = tuple[Ords, Single]


class VectorIndex:
    """Finds the entries whose vectors are most similar to a query.

    ``read_slots`` returns the stored float16 vectors (n, dimension) of an int64 array of slots; it is called
    by ``search`` and ``similarities`` once there are more than ``exact`` slots.
    """

    def __init__(self, dimension: int, *, read_slots: ReadSlots, exact: int = EXACT, cold: int = _COLD) -> None:
        self.dimension = dimension
        self._exact, self._cold = exact, cold
        self._recent = RecentRows(dimension, read_slots)
        self._slots = Slots()
        self._coded = CodedRows(dimension, read_slots)
        self._tail = ExactRows(dimension)
        self._centre = Centre()
        self._patient = False

    @property
    def size(self) -> int:
        """How many slots the index has seen, erased ones included."""
        return self._slots.size

    @property
    def waiting(self) -> int:
        """How many slots further searches will code, so that later ones are faster."""
        return 0 if self.size <= self._exact else CHUNK * self._tail.full_chunks

    def add(self, first_slot: int, ords: NDArray[Any], vectors: NDArray[Any]) -> None:
        """Append the slots from ``first_slot`` on, which must be the next one; vectors (n, dimension).

        Raises:
            InvalidInputError: a gap, a repeat, or arrays of other shapes.
        """
        if first_slot != self.size:
            raise InvalidInputError(f"slot {self.size} comes next, not {first_slot}", value=first_slot)
        if vectors.shape != (len(ords), self.dimension):
            raise InvalidInputError(f"{len(ords)} vectors of {self.dimension} expected", value=vectors.shape)
        if len(ords) and int(ords.min()) < self._slots.entries:
            self._centre.reset()
        self._slots.append(ords.astype(np.uint32, copy=False))
        self._tail.append(vectors.astype(np.float16, copy=False))
        # After a load the first search answers from the uncoded vectors at once.
        self._patient = self._patient or len(ords) > CHUNK
        while self._tail.size >= self._cold + CHUNK:
            self._coded.append(self._tail.take())

    def sync(self, reader: Reader, slots: int) -> None:
        """Bring the index to ``slots`` slots: what it lacks is read from the store."""
        if not self.size:
            self._slots.append(self._coded.restore(reader, slots))
            self._tail.skip(self._coded.size)
        for first in range(self.size, slots, _READ):
            records = reader.read(first, min(first + _READ, slots))
            self.add(first, records["ord"], records["vector"])

    def erase(self, slots: NDArray[Any]) -> None:
        """Forget the vectors of these slots; they are never returned again."""
        places = np.asarray(slots, np.int64)
        self._centre.reset()
        self._slots.erase(places)
        self._recent.forget(places)
        self._tail.blank(places[places >= self._tail.first])
        self._coded.erase(places[places < self._tail.first])

    def search(self, query: NDArray[Any], m: int, mask: Bools | None = None) -> Found:
        """Return up to ``m`` ordinals that ``mask`` (by ordinal) lets in and their similarities, best first.

        ``m`` come back whenever that many have a vector; equal similarities are ordered by ordinal.

        Raises:
            InvalidInputError: the query is not ``dimension`` finite numbers.
        """
        vector = self._checked(query)
        self._settle()
        allowed = self._slots.allowed(mask)
        if m < 1 or not self.size:
            return np.empty(0, np.uint32), np.empty(0, np.float32)
        coded, waiting = (None, None) if allowed is None else np.split(allowed, [self._tail.first])
        slots, sims = self._tail.scan(vector, waiting)
        near = self._best(self._slots.ords[slots], sims, m)
        count = max(_SHORTLIST, 2 * m)
        while True:
            proposal = self._coded.propose(vector, count, coded)
            found = self._ranked(vector, m, near, proposal)
            if len(found[0]) == m or proposal.complete:
                return found
            count *= 4

    def similarities(self, query: NDArray[Any], ords: NDArray[Any]) -> Single:
        """Return the similarity of each of ``ords``, NaN where it has no vector.

        Raises:
            InvalidInputError: the query is not ``dimension`` finite numbers.
        """
        vector = self._checked(query)
        which, slots = self._slots.find(np.asarray(ords).astype(np.uint32))
        result = np.full(len(ords), -np.inf, np.float32)
        far = slots < self._tail.first
        np.maximum.at(result, which[far], self._compare(vector, slots[far]))
        np.maximum.at(result, which[~far], dots(self._tail.rows(slots[~far]), vector))
        result[result == -np.inf] = np.nan
        return result

    def every(self, query: NDArray[Any], size: int) -> Single | None:
        """Return the similarity of every ordinal below ``size``, NaN without a vector; None once some are coded.

        Raises:
            InvalidInputError: the query is not ``dimension`` finite numbers.
        """
        if self._tail.first:
            return None
        vector = self._checked(query)
        self._tail.widen()
        sims = self._tail.compare(vector)
        if self._slots.plain and len(sims) == size:
            return sims
        ords = self._slots.ords
        kept = ords < size
        result = np.full(size, np.nan, np.float32)
        if self._slots.repeated:
            np.fmax.at(result, ords[kept], sims[kept])
        else:
            result[ords[kept]] = sims[kept]
        return result

    def closeness(self, ords: NDArray[Any]) -> Single:
        """Return how near each of ``ords`` lies to the mean of the space; 0 in a small one or without a vector."""
        mean = self._centre.mean(self._slots.entries, self._rows_of)
        if mean is None:
            return _zeros(ords)
        if self.size > self._exact:
            return np.nan_to_num(self.similarities(mean, ords))
        known = self._centre.of_every(mean, self._slots.ords, self._tail.rows)
        return np.where(ords < len(known), known.take(ords, mode="clip"), 0) if len(known) else _zeros(ords)

    def parts(self, ords: NDArray[Any]) -> Single:
        """Return of how many vectors each of ``ords`` has the nearest one compared; 1 without a vector."""
        if not self._slots.repeated:
            return np.ones(len(ords), np.float32)
        which, _ = self._slots.find(np.asarray(ords).astype(np.uint32))
        return np.maximum(np.bincount(which, minlength=len(ords)), 1).astype(np.float32)

    def alike(self, ords: NDArray[Any]) -> Single:
        """Return the similarity of every two of some entries, their nearest parts compared, NaN without a vector."""
        which, slots = self._slots.find(np.asarray(ords).astype(np.uint32))
        rows = self._rows(slots)
        result = np.full((len(ords), len(ords)), -np.inf, np.float32)
        np.maximum.at(result, (which[:, np.newaxis], which), np.vecdot(rows[:, np.newaxis], rows))
        result[result == -np.inf] = np.nan
        return result

    def _rows_of(self, ords: NDArray[Any]) -> Single:
        return self._rows(self._slots.find(ords.astype(np.uint32))[1])

    def _rows(self, slots: NDArray[np.int64]) -> Single:
        rows = np.empty((len(slots), self.dimension), np.float32)
        far = slots < self._tail.first
        if far.any():
            rows[far] = self._recent.rows(slots[far])
        rows[~far] = self._tail.rows(slots[~far])
        return rows

    def unsaved(self) -> list[tuple[int, bytes]]:
        """Return (number, data) of full parts that the store does not keep yet, for ``Reader.part``.

        A part that held a vector erased since is coded anew first, in about 0.1 s.
        """
        return self._coded.unsaved(self._slots.ords)

    def mark_saved(self, numbers: Iterable[int]) -> None:
        """Note that the store keeps these parts of ``unsaved``; for after the commit."""
        self._coded.mark_saved(numbers)

    def _checked(self, query: NDArray[Any]) -> Single:
        vector = np.ascontiguousarray(query, np.float32)
        if vector.shape != (self.dimension,) or not np.isfinite(vector).all():
            raise InvalidInputError(f"a query is {self.dimension} finite numbers", value=vector.shape)
        return vector

    def _settle(self) -> None:
        """Code some of the vectors that wait, or hold the few there are in their fastest form."""
        if self._patient:
            self._patient = False
        elif self.size <= self._exact:
            self._tail.widen()
        elif self.waiting and ready(self.dimension):
            for _ in range(min(_DRAIN // CHUNK, self._tail.full_chunks)):
                self._coded.append(self._tail.take())

    def _ranked(self, vector: Single, m: int, near: Found, proposal: Proposal) -> Found:
        """Return the best ``m`` of ``near`` and of as many proposed slots as can matter."""
        ords, sims = self._slots.ords[proposal.slots], np.empty(0, np.float32)
        take = len(proposal.slots) if proposal.complete else max(_FIRST, m + m // 2)
        while True:
            sims = np.append(sims, self._compare(vector, proposal.slots[len(sims) : take]))
            done = len(sims)
            found = self._best(np.append(near[0], ords[:done]), np.append(near[1], sims), m)
            if done == len(proposal.slots):
                return found
            worth = proposal.worth(sims, float(found[1][-1])) if len(found[0]) == m else 2 * done
            if worth <= done:
                return found
            take = max(worth, done + _MORE)

    def _best(self, ords: Ords, sims: Single, m: int) -> Found:
        return _best(ords, sims, m) if self._slots.repeated else _first(ords, sims, m)

    def _compare(self, vector: Single, slots: Places) -> Single:
        return dots(self._recent.rows(slots), vector)


def _zeros(ords: NDArray[Any]) -> Single:
    return np.zeros(len(ords), np.float32)


def _first(ords: Ords, sims: Single, m: int) -> Found:
    """Return the ``m`` best of distinct ordinals as ``_best`` does."""
    if m < len(sims):
        near = sims >= np.partition(sims, len(sims) - m)[len(sims) - m]
        ords, sims = ords[near], sims[near]
    order = np.lexsort((ords, -sims))[:m]
    return ords[order], sims[order]


def _best(ords: Ords, sims: Single, m: int) -> Found:
    """Return up to ``m`` distinct ordinals with their best similarity, best first, equal ones by ordinal."""
    count = max(m, _FEW)
    while count < len(sims):
        # Everything at or above the cut is looked at, so that ties at the cut are settled by ordinal.
        near = sims >= np.partition(sims, len(sims) - count)[len(sims) - count]
        found = _distinct(ords[near], sims[near], m)
        if len(found[0]) == m:
            return found
        count *= 2
    return _distinct(ords, sims, m)


def _distinct(ords: Ords, sims: Single, m: int) -> Found:
    order = np.lexsort((ords, -sims))
    kept: dict[int, int] = {}
    for place, entry in zip(order.tolist(), ords[order].tolist(), strict=True):
        if entry not in kept:
            kept[entry] = place
            if len(kept) == m:
                break
    places = np.fromiter(kept.values(), np.int64, len(kept))
    return ords[places], sims[places]
