"""The slots of a space that are kept as codes: proposals for a query, and the parts that the store keeps.

Part ``number`` holds the slots from ``number * PART`` on. Only the last one grows; a full one never changes,
so that the store can keep it and nothing is ever written twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.search import vectors_saved as saved
from omoide.search.half import Half, Single, to_single
from omoide.search.vectors_exact import CHUNK, Bools
from omoide.search.vectors_part import PART, Part, new_part, ready, restore_part, top
from omoide.search.vectors_slots import Ords, Places

_KEPT_FROM: Final = 5  # full parts; fewer are coded again by and by, and searches go on meanwhile
_SAMPLE: Final = 1024  # vectors that a part's codes are fitted to
_MARKS: Final = 8  # vectors that stand for a part's
_MARGIN: Final = 2.6  # standard deviations of an estimate's error
_THREADED: Final = 8  # from so many parts on, threads gain more than they cost
_THREADS: Final = 4

ReadSlots = Callable[[Places], Half]
ReadRows = Callable[[Places], Single]


class Reader(Protocol):
    """Where the vectors of a space are kept."""

    dtype: np.dtype[Any]
    """The records of slots: ``ord``, and what ``omoide.search.half.singles`` reads."""

    def read(self, first: int, last: int, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the records of consecutive slots, in ``out`` when given."""
        ...

    def part(self, number: int) -> bytes | None:
        """Return what ``unsaved`` gave to be kept for a part, if it is there."""
        ...

    def parts(self) -> int:
        """Return one more than the highest number that ``part`` may know."""
        ...


@dataclass(frozen=True, slots=True)
class Proposal:
    """Slots worth comparing, the most promising first.

    ``complete`` when no allowed slot is left out; they are in no order then and not estimated.
    """

    slots: Places
    estimates: Single
    complete: bool

    def worth(self, similarities: Single, reach: float) -> int:
        """Return how many of the first slots may be ``reach`` or more similar.

        ``similarities`` are those of the first slots; they show how far estimates are off.
        """
        errors = self.estimates[: len(similarities)] - similarities
        least = reach + float(errors.mean()) - _MARGIN * float(errors.std())
        return int(np.count_nonzero(self.estimates >= least))


class CodedRows:
    """Coded vectors numbered by slot; ``read_slots`` gives the stored vectors of slots, ``rows`` known ones sooner."""

    def __init__(self, dimension: int, read_slots: ReadSlots, rows: ReadRows) -> None:
        self.dimension = dimension
        self.size = 0
        self._read_slots, self._rows = read_slots, rows
        self._parts: list[Part] = []
        self._kept: set[int] = set()  # parts that the store holds
        self._erased: set[int] = set()  # parts whose codes hold a vector that was erased since

    def append(self, rows: Single) -> None:
        """Code the next chunk of rows."""
        if not self._parts or self._parts[-1].size == PART:
            self._parts.append(new_part(self.dimension, self._sample(self.size + len(rows))))
        self._parts[-1].append(rows)
        self.size += len(rows)

    def erase(self, slots: Places) -> None:
        """Note that the codes of these slots must not be kept."""
        parts = set((slots // PART).tolist())
        self._erased |= parts
        self._kept -= parts

    def propose(self, query: Single, count: int, allowed: Bools | None) -> Proposal:
        """Return the most promising ``count`` allowed slots (all are allowed when None)."""
        permitted = self.size if allowed is None else np.count_nonzero(allowed)
        if permitted <= count:
            slots = np.arange(self.size) if allowed is None else np.flatnonzero(allowed)
            return Proposal(slots, np.empty(0, np.float32), complete=True)
        found = self._search_parts(query, count, None if permitted == self.size else allowed)
        if len(found) == 1:
            estimates, slots = found[0]
        else:
            estimates, slots = top(
                np.concatenate([scores for scores, _ in found]), np.concatenate([slots for _, slots in found]), count
            )
        return Proposal(slots, estimates, complete=False)

    def restore(self, reader: Reader, slots: int) -> Ords:
        """Take the parts that the store keeps for its ``slots`` slots; return the ordinals of those taken.

        A part that is missing before another is coded from its vectors.
        """
        count = min(reader.parts(), slots // PART)
        if count < _KEPT_FROM:
            return np.empty(0, np.uint32)
        ready(self.dimension)
        held = [self._restored(number, reader.part(number)) for number in range(count)]
        while held and held[-1] is None:
            held.pop()
        self.size = len(held) * PART
        ords = [np.empty(0, np.uint32)]
        for number, found in enumerate(held):
            if found is None:
                ords.append(reader.read(number * PART, (number + 1) * PART)["ord"])
                self._parts.append(self._coded_anew(number))
            else:
                ords.append(found[1])
                self._parts.append(found[0])
                self._kept.add(number)
        return np.concatenate(ords)

    def unsaved(self, ords: Ords) -> list[tuple[int, bytes]]:
        """Return (number, data) of the full parts that the store does not keep yet."""
        full = [number for number, part in enumerate(self._parts) if part.size == PART]
        if len(full) < _KEPT_FROM:
            return []
        dumped = [(number, self._dumped(number, ords)) for number in full if number not in self._kept]
        return [(number, data) for number, data in dumped if data is not None]

    def mark_saved(self, numbers: Iterable[int]) -> None:
        """Note that the store keeps these parts."""
        self._kept.update(numbers)

    def _search_parts(self, query: Single, count: int, allowed: Bools | None) -> list[tuple[Single, Places]]:
        def search(number: int) -> tuple[Single, Places]:
            first, part = number * PART, self._parts[number]
            within = None if allowed is None else allowed[first : first + part.size]
            if within is not None and not within.any():
                return np.empty(0, np.float32), np.empty(0, np.int64)
            scores, places = part.search(query, count, within)
            return scores, places + first

        numbers = range(len(self._parts))
        if len(self._parts) < _THREADED:
            return [search(number) for number in numbers]
        # The pool lives no longer than the search: a fork in between would leave its child without threads.
        with ThreadPoolExecutor(min(os.cpu_count() or 1, _THREADS)) as pool:
            return list(pool.map(search, numbers))

    def _sample(self, end: int) -> Single:
        """Draw stored vectors from all before ``end``: neighbours in time are too much alike."""
        drawn = np.random.default_rng(end).choice(end, _SAMPLE)
        rows = self._rows(np.sort(drawn))
        return rows[rows.any(axis=1)]

    def _coded_anew(self, number: int) -> Part:
        part = new_part(self.dimension, self._sample(self.size))
        for start in range(number * PART, (number + 1) * PART, CHUNK):
            part.append(to_single(self._read_slots(np.arange(start, start + CHUNK))))
        self._erased.discard(number)
        return part

    def _dumped(self, number: int, ords: Ords) -> bytes | None:
        if number in self._erased:
            self._parts[number] = self._coded_anew(number)
        part = self._parts[number]
        codes = part.dump()
        if codes is None:
            return None
        own = ords[number * PART : (number + 1) * PART]
        return saved.pack(saved.Saved(part.codec, self.dimension, self._mark(number), own, codes))

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
