"""The vector index of a space: exact while it is small, coded with exact comparison of the best beyond that.

Slots are numbered from zero and appended; each belongs to an entry (an ordinal), and an entry counts with
its most similar slot. A similarity is the dot product of the float32 query with the vector that the store
holds, whatever path found it. The index is a cache of the store's vectors: it can be dropped at any
time, and every method must be called by one thread at a time. Distinct indexes share nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.search.half import Single
from omoide.search.maxscore import kth
from omoide.search.vectors_centre import Centre
from omoide.search.vectors_coded import CodedRows, Proposal, Reader, ReadSlots
from omoide.search.vectors_exact import CHUNK, Bools, ExactRows, dots
from omoide.search.vectors_held import HeldRows
from omoide.search.vectors_part import PART, quick, ready
from omoide.search.vectors_rows import RecentRows
from omoide.search.vectors_slots import Ords, Places, Slots

EXACT: Final = 6 * CHUNK
"""Up to so many slots every vector is compared."""
EXACT_ALONE: Final = 16 * CHUNK
"""The same where coding does without turbovec, whose codes alone are quicker than a comparison of so few."""

_COLD: Final = 4 * PART  # slots that may wait to be coded, so that a first search need not; all of them are held
_DRAIN: Final = 4 * CHUNK  # slots coded by a search while some wait
_STEP: Final = CHUNK // 4  # so many are coded together at least; fewer are compared one by one
_READ: Final = 8 * CHUNK  # slots read from the store at a time
_SHORTLIST: Final = 64  # slots that the codes propose
_FIRST: Final = 24  # proposed slots compared at first
_MORE: Final = 12  # and at least so many at a time after that
_FEW: Final = 64

Found = tuple[Ords, Single]


class VectorIndex:
    """Finds the entries whose vectors are most similar to a query.

    ``read_slots`` returns the stored float16 vectors (n, dimension) of an int64 array of slots; it is called
    by ``search`` and ``similarities`` for slots that are not held in memory. ``exact``: up to how many slots
    every vector is compared; None finds what is quicker.
    """

    def __init__(self, dimension: int, *, read_slots: ReadSlots, exact: int | None = None, cold: int = _COLD) -> None:
        self.dimension = dimension
        self._exact, self._cold = exact, cold
        self._recent = RecentRows(dimension, read_slots)
        self._slots = Slots()
        self._held = HeldRows(dimension)
        self._coded = CodedRows(dimension, read_slots, self._rows)
        self._wide = ExactRows(dimension)
        self._centre = Centre()
        self._patient = False

    @property
    def size(self) -> int:
        """How many slots the index has seen, erased ones included."""
        return self._slots.size

    @property
    def uncoded(self) -> int:
        """How many of the last slots have no code."""
        return self.size - self._coded.size

    @property
    def waiting(self) -> int:
        """How many slots further searches will code, so that later ones are faster."""
        if (self._exact is None and self.size <= EXACT) or self.size <= self._limit:
            return 0
        return self.uncoded // _STEP * _STEP

    @property
    def _limit(self) -> int:
        if self._exact is None:
            self._exact = EXACT if quick(self.dimension) else EXACT_ALONE
        return self._exact

    def add(self, first_slot: int, ords: NDArray[Any], vectors: NDArray[Any]) -> None:
        """Append the slots from ``first_slot`` on, which must be the next one; vectors (n, dimension).

        Raises:
            InvalidInputError: a gap, a repeat, or arrays of other shapes.
        """
        if first_slot != self.size:
            raise InvalidInputError(f"slot {self.size} comes next, not {first_slot}", value=first_slot)
        if vectors.shape != (len(ords), self.dimension):
            raise InvalidInputError(f"{len(ords)} vectors of {self.dimension} expected", value=vectors.shape)
        records = self._held.room(len(ords), self._held.plain)
        records["ord"], records["vector"] = ords, vectors
        self._take(records)

    def sync(self, reader: Reader, slots: int) -> None:
        """Bring the index to ``slots`` slots: what it lacks is read from the store."""
        if not self.size:
            self._slots.append(self._coded.restore(reader, slots))
            self._held.skip(self._coded.size)
            self._held.reserve(slots, reader.dtype)
        for first in range(self.size, slots, _READ):
            last = min(first + _READ, slots)
            records = self._held.room(last - first, reader.dtype)
            reader.read(first, last, records)
            self._take(records)

    def erase(self, slots: NDArray[Any]) -> None:
        """Forget the vectors of these slots; they are never returned again."""
        places = np.asarray(slots, np.int64)
        self._centre.reset()
        self._slots.erase(places)
        self._recent.forget(places)
        self._held.blank(places)
        self._wide.blank(places)
        self._coded.erase(places[places < self._coded.size])

    def _take(self, records: NDArray[Any]) -> None:
        """Count what lies in the room for the next slots as added."""
        ords: Ords = records["ord"].astype(np.uint32)
        if len(ords) and int(ords.min()) < self._slots.entries:
            self._centre.reset()
        self._held.take(len(ords))
        self._slots.append(ords)
        # After a load the first search answers from the uncoded vectors at once.
        self._patient = self._patient or len(ords) > CHUNK
        while self.uncoded >= self._cold + CHUNK:
            self._code_next(CHUNK)

    def _code_next(self, most: int) -> int:
        """Code up to ``most`` slots, none beyond a chunk, so that a part ends with one; return how many."""
        first = self._coded.size
        count = min(most, CHUNK - first % CHUNK)
        self._coded.append(self._held.between(first, first + count))
        return count

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
        first = self._coded.size
        coded, late = (None, None) if allowed is None else (allowed[:first], allowed[first:])
        ords = self._slots.ords[first:] if late is None else self._slots.ords[first:][late]
        near = self._best(ords, self._scan(vector, late), m)
        count = max(_SHORTLIST, m + m // 2)
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
        result = np.full(len(ords), np.nan, np.float32)
        if self._slots.repeated:
            np.fmax.at(result, which, self._compare(vector, slots))
        else:
            result[which] = self._compare(vector, slots)
        return result

    def every(self, query: NDArray[Any], size: int) -> Single | None:
        """Return the similarity of every ordinal below ``size``, NaN without a vector; None in a large space.

        Raises:
            InvalidInputError: the query is not ``dimension`` finite numbers.
        """
        if self._coded.size or self.waiting:
            return None
        vector = self._checked(query)
        sims = self._scan(vector, None)
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
        """Return how near the last vector of each of ``ords`` lies to the mean of the space; 0 in a small one."""
        return self._centre.closeness(ords, self._slots.entries, self._rows_of, self._of_last_parts)

    @property
    def several(self) -> bool:
        """Whether some entry may have more than one vector."""
        return self._slots.repeated

    def parts(self, ords: NDArray[Any]) -> Single:
        """Return of how many vectors each of ``ords`` has the nearest one compared; 1 without a vector."""
        if not self.several:
            return np.ones(len(ords), np.float32)
        which, _ = self._slots.find(np.asarray(ords).astype(np.uint32))
        return np.maximum(np.bincount(which, minlength=len(ords)), 1).astype(np.float32)

    def alike(self, ords: NDArray[Any]) -> Single:
        """Return the similarity of every two of some entries, their nearest parts compared, NaN without a vector."""
        which, slots = self._slots.find(np.asarray(ords).astype(np.uint32))
        rows = self._rows(slots)
        near, pairs = np.vecdot(rows[:, np.newaxis], rows), (which[:, np.newaxis], which)
        result = np.full((len(ords), len(ords)), np.nan, np.float32)
        if self._slots.repeated:
            np.fmax.at(result, pairs, near)
        else:
            result[pairs] = near
        return result

    def _of_last_parts(self, vector: Single, ords: Ords) -> Single:
        which, slots = self._slots.find(ords.astype(np.uint32))
        result: Single = np.full(len(ords), np.nan, np.float32)
        result[which] = self._compare(vector, slots)
        return result

    def _rows_of(self, ords: NDArray[Any]) -> Single:
        return self._rows(self._slots.find(ords.astype(np.uint32))[1])

    def _rows(self, slots: Places) -> Single:
        return self._held.rows(slots) if self._held.holds(slots) else self._recent.rows(slots)

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
        """Code some of the vectors that wait."""
        if self._patient:
            self._patient = False
        elif self.waiting and ready(self.dimension):
            left = min(_DRAIN, self.waiting)
            while left:
                left -= self._code_next(left)

    def _scan(self, vector: Single, allowed: Bools | None) -> Single:
        """Return the similarities of the allowed slots that have no code; those of few are kept as float32."""
        first = self._coded.size
        if self.waiting:
            self._wide.restart(self.size)
            return self._held.scan(vector, first, allowed)
        if self._wide.first != first:
            self._wide.restart(first)
        if self._wide.end < self.size:
            self._wide.append(self._held.between(self._wide.end, self.size))
        return self._wide.scan(vector, allowed)

    def _ranked(self, vector: Single, m: int, near: Found, proposal: Proposal) -> Found:
        """Return the best ``m`` of ``near`` and of as many proposed slots as can matter."""
        ords, sims = self._slots.ords[proposal.slots], np.empty(0, np.float32)
        take = len(proposal.slots) if proposal.complete else max(_FIRST, m + m // 2)
        while True:
            sims = np.concatenate([sims, self._compare(vector, proposal.slots[len(sims) : take])])
            done = len(sims)
            found = self._best(np.concatenate([near[0], ords[:done]]), np.concatenate([near[1], sims]), m)
            if done == len(proposal.slots):
                return found
            worth = proposal.worth(sims, float(found[1][-1])) if len(found[0]) == m else 2 * done
            if worth <= done:
                return found
            take = max(worth, done + _MORE)

    def _best(self, ords: Ords, sims: Single, m: int) -> Found:
        return _best(ords, sims, m) if self._slots.repeated else _first(ords, sims, m)

    def _compare(self, vector: Single, slots: Places) -> Single:
        return dots(self._rows(slots), vector)


def _first(ords: Ords, sims: Single, m: int) -> Found:
    """Return the ``m`` best of distinct ordinals as ``_best`` does."""
    if m < len(sims):
        near = sims >= kth(sims, m)
        ords, sims = ords[near], sims[near]
    order = np.lexsort((ords, -sims))[:m]
    return ords[order], sims[order]


def _best(ords: Ords, sims: Single, m: int) -> Found:
    """Return up to ``m`` distinct ordinals with their best similarity, best first, equal ones by ordinal."""
    count = max(m, _FEW)
    while count < len(sims):
        # Everything at or above the cut is looked at, so that ties at the cut are settled by ordinal.
        near = sims >= kth(sims, count)
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
