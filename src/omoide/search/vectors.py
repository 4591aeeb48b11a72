"""The vector index of a space: exact while it is small, coded with exact comparison of the best beyond that.

Slots are numbered from zero and appended; each belongs to an entry (an ordinal), and an entry counts with
its most similar slot. A similarity is the dot product of the float32 query with the float16 vector that the
store holds, whatever path found it. The index is a cache of the store's vectors: it can be dropped at any
time, and every method must be called by one thread at a time. Distinct indexes share nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.search import vectors_saved as saved
from omoide.search.half import Half, Single, to_single
from omoide.search.vectors_coded import PART, Part, new_part, restore_part, top
from omoide.search.vectors_exact import CHUNK, Bools, ExactRows, dots
from omoide.search.vectors_slots import Ords, Places, Slots

EXACT: Final = 8 * CHUNK
"""Up to so many slots every vector is compared."""

SHORTLIST: Final = 128
"""At least so many candidates of the codes are compared exactly: 0.998 or more of the true first ten."""

_COLD: Final = 2 * PART  # slots that may wait to be coded, so that a first search need not
_DRAIN: Final = 2 * CHUNK  # slots coded by a search while some wait
_SAMPLE: Final = 1024  # vectors that fit a part's codes
_READ: Final = 8 * CHUNK  # slots read from the store at a time
_MARKS: Final = 8  # vectors that stand for a part's


class Reader(Protocol):
    """Where the vectors of a space are kept."""

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Return the records (fields ``ord`` and ``vector``) of consecutive slots."""
        ...

    def part(self, number: int) -> bytes | None:
        """Return what ``unsaved`` gave to be kept for the slots ``number * PART`` and on, if anything."""
        ...

    def parts(self) -> int:
        """Return one more than the highest number that ``part`` may know."""
        ...


class VectorIndex:
    """Finds the entries whose vectors are most similar to a query.

    ``read_slots`` returns the stored float16 vectors (n, dimension) of an int64 array of slots; it is called
    by ``search`` and ``similarities`` once there are more than ``exact`` slots.
    """

    def __init__(
        self, dimension: int, *, read_slots: Callable[[Places], Half], exact: int = EXACT, cold: int = _COLD
    ) -> None:
        self.dimension = dimension
        self._read_slots = read_slots
        self._exact, self._cold = exact, cold
        self._slots = Slots()
        self._parts: list[Part] = []
        self._kept: set[int] = set()  # parts that the store holds
        self._erased: set[int] = set()  # parts whose codes hold a vector erased since
        self._tail = ExactRows(dimension)
        self._patient = False

    @property
    def size(self) -> int:
        """How many slots the index has seen, erased ones included."""
        return self._slots.size

    def add(self, first_slot: int, ords: NDArray[Any], vectors: NDArray[Any]) -> None:
        """Append the slots from ``first_slot`` on, which must be the next one; vectors (n, dimension).

        Raises:
            InvalidInputError: a gap, a repeat, or arrays of other shapes.
        """
        if first_slot != self.size:
            raise InvalidInputError(f"slot {self.size} comes next, not {first_slot}", value=first_slot)
        if vectors.shape != (len(ords), self.dimension):
            raise InvalidInputError(f"{len(ords)} vectors of {self.dimension} expected", value=vectors.shape)
        self._slots.append(ords.astype(np.uint32, copy=False))
        self._tail.append(vectors.astype(np.float16, copy=False))
        # After a load the first search answers from the uncoded vectors at once.
        self._patient = self._patient or len(ords) > CHUNK
        while self._tail.size >= self._cold + CHUNK:
            self._code(self._tail.take())

    def sync(self, reader: Reader, slots: int) -> None:
        """Bring the index to ``slots`` slots: what it lacks is read from the store."""
        if not self.size:
            self._restore(reader, slots)
        for first in range(self.size, slots, _READ):
            records = reader.read(first, min(first + _READ, slots))
            self.add(first, records["ord"], records["vector"])

    def erase(self, slots: NDArray[Any]) -> None:
        """Forget the vectors of these slots; they are never returned again."""
        places = np.asarray(slots, np.int64)
        self._slots.erase(places)
        self._tail.blank(places[places >= self._tail.first])
        coded = set((places[places < self._tail.first] // PART).tolist())
        self._erased |= coded
        self._kept -= coded

    def search(self, query: NDArray[Any], m: int, mask: Bools | None = None) -> tuple[Ords, Single]:
        """Return up to ``m`` ordinals that ``mask`` (by ordinal) lets in and their similarities, best first.

        ``m`` come back whenever that many have a vector; equal similarities are ordered by ordinal.
        """
        vector = self._checked(query)
        self._settle()
        allowed = self._slots.allowed(mask)
        if m < 1 or not self.size:
            return np.empty(0, np.uint32), np.empty(0, np.float32)
        near, near_sims = self._tail.scan(vector, None if allowed is None else allowed[self._tail.first :])
        count = max(SHORTLIST, m + m // 2)
        while True:
            far, complete = self._candidates(vector, count, allowed)
            slots = np.concatenate([near, far])
            sims = np.concatenate([near_sims, self._compare(vector, far)])
            ords, best = _best(self._slots.ords[slots], sims, m)
            if len(ords) == m or complete:
                return ords, best
            count *= 4

    def similarities(self, query: NDArray[Any], ords: NDArray[Any]) -> Single:
        """Return the similarity of each of ``ords``, NaN where it has no vector."""
        vector = self._checked(query)
        which, slots = self._slots.find(np.asarray(ords).astype(np.uint32))
        result = np.full(len(ords), -np.inf, np.float32)
        far = slots < self._tail.first
        np.maximum.at(result, which[far], self._compare(vector, slots[far]))
        np.maximum.at(result, which[~far], dots(self._tail.rows(slots[~far]), vector))
        result[result == -np.inf] = np.nan
        return result

    def unsaved(self) -> list[tuple[int, bytes]]:
        """Return (number, data) of full parts that the store does not hold yet, for ``Reader.part``.

        Coding a part anew that held a vector erased since takes about 0.1 s.
        """
        full = [number for number, part in enumerate(self._parts) if part.size == PART]
        dumped = [(number, self._dumped(number)) for number in full if number not in self._kept]
        return [(number, data) for number, data in dumped if data is not None]

    def mark_saved(self, numbers: Iterable[int]) -> None:
        """Note that the store holds these parts of ``unsaved``; for after the commit."""
        self._kept.update(numbers)

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
        else:
            for _ in range(min(_DRAIN // CHUNK, self._tail.full_chunks)):
                self._code(self._tail.take())

    def _candidates(self, vector: Single, count: int, allowed: Bools | None) -> tuple[Places, bool]:
        """Return the most promising ``count`` allowed slots of the parts, and whether these are all."""
        end = self._tail.first
        if allowed is not None:
            places = np.flatnonzero(allowed[:end])
            if len(places) <= count:
                return places, True
        elif end <= count:
            return np.arange(end), True
        scores, slots = [], []
        for number, part in enumerate(self._parts):
            first = number * PART
            within = None if allowed is None else allowed[first : first + part.size]
            if within is None or within.any():
                estimates, places = part.search(vector, count, within)
                scores.append(estimates)
                slots.append(places + first)
        return top(np.concatenate(scores), np.concatenate(slots), count)[1], False

    def _compare(self, vector: Single, slots: Places) -> Single:
        return dots(self._read_slots(slots), vector) if len(slots) else np.empty(0, np.float32)

    def _code(self, rows: Single) -> None:
        if not self._parts or self._parts[-1].size == PART:
            self._parts.append(new_part(self.dimension, self._sample(self._tail.first)))
        self._parts[-1].append(rows)

    def _sample(self, end: int) -> Single:
        """Draw stored vectors from all before ``end``: neighbours in time are too much alike."""
        generator = np.random.default_rng(end)
        return _nonzero(to_single(self._read_slots(np.sort(generator.choice(end, _SAMPLE)))))

    def _recoded(self, number: int) -> Part:
        first = number * PART
        part = new_part(self.dimension, self._sample(self._tail.first))
        for start in range(first, first + PART, CHUNK):
            part.append(to_single(self._read_slots(np.arange(start, start + CHUNK))))
        self._erased.discard(number)
        return part

    def _dumped(self, number: int) -> bytes | None:
        if number in self._erased:
            self._parts[number] = self._recoded(number)
        part = self._parts[number]
        codes = part.dump()
        if codes is None:
            return None
        ords = self._slots.ords[number * PART : (number + 1) * PART]
        return saved.pack(saved.Saved(part.codec, self.dimension, self._mark(number), ords, codes))

    def _restore(self, reader: Reader, slots: int) -> None:
        """Take the parts that the store holds; one that is missing between others is coded."""
        count = min(reader.parts(), slots // PART)
        held = [self._restored(number, reader.part(number)) for number in range(count)]
        while held and held[-1] is None:
            held.pop()
        self._tail.skip(len(held) * PART)
        for number, found in enumerate(held):
            if found is None:
                records = reader.read(number * PART, (number + 1) * PART)
                self._slots.append(records["ord"])
                self._parts.append(self._recoded(number))
            else:
                part, ords = found
                self._slots.append(ords)
                self._parts.append(part)
                self._kept.add(number)

    def _restored(self, number: int, data: bytes | None) -> tuple[Part, Ords] | None:
        found = saved.unpack(data) if data is not None else None
        if found is None or found.dimension != self.dimension or len(found.ords) != PART:
            return None
        part = restore_part(self.dimension, found.codec, found.codes)
        if part is None or part.size != PART or found.mark != self._mark(number):
            return None
        return part, found.ords

    def _mark(self, number: int) -> int:
        places = np.linspace(0, PART - 1, _MARKS).astype(np.int64) + number * PART
        return saved.mark(self._read_slots(places))


def _nonzero(rows: Single) -> Single:
    return rows[rows.any(axis=1)]


def _best(ords: Ords, sims: Single, m: int) -> tuple[Ords, Single]:
    """Return up to ``m`` distinct ordinals with their best similarity, best first, equal ones by ordinal."""
    count = m
    while count < len(sims):
        # Everything at or above the cut is looked at, so that ties at the cut are settled by ordinal.
        near = sims >= np.partition(sims, len(sims) - count)[len(sims) - count]
        found = _distinct(ords[near], sims[near])
        if len(found[0]) >= m:
            return found[0][:m], found[1][:m]
        count *= 2
    found = _distinct(ords, sims)
    return found[0][:m], found[1][:m]


def _distinct(ords: Ords, sims: Single) -> tuple[Ords, Single]:
    order = np.lexsort((ords, -sims))
    _, first = np.unique(ords[order], return_index=True)
    kept = order[np.sort(first)]
    return ords[kept], sims[kept]
