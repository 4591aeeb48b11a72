"""The vectors of a space in the bytes of the store, in memory as far as a number of slots goes.

A byte a number where the store keeps bytes: a quarter of the room of float32, so that what the codes propose is
compared without a look into the file, and what is not coded yet needs no other form.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Single, singles
from omoide.search.vectors_exact import CHUNK, Bools, dots

HELD: Final = 160 * CHUNK
"""Slots held at most; beyond that those appended last."""
_STEP: Final = 16 * CHUNK
_SPARSE: Final = 4

Records = NDArray[Any]
Places = NDArray[np.int64]


class HeldRows:
    """Records (``ord`` and what ``singles`` reads) of the slots ``first`` up to, not including, ``end``."""

    def __init__(self, dimension: int) -> None:
        self.first = self.end = 0
        self._dimension = dimension
        self._records: Records = np.empty(0, np.dtype([("ord", "<u4"), ("vector", "<f2", (dimension,))]))

    @property
    def plain(self) -> np.dtype[Any]:
        """The records of vectors that did not come out of a store."""
        return np.dtype([("ord", "<u4"), ("vector", "<f2", (self._dimension,))])

    def skip(self, slots: int) -> None:
        """Let the numbering begin later; only before the first record."""
        self.first = self.end = slots

    def room(self, count: int, dtype: np.dtype[Any]) -> Records:
        """Return the places of the next records, for the caller to fill and then to ``take``."""
        if not len(self._records) or self._records.dtype != dtype:
            assert self.first == self.end
            self._records = np.empty(0, dtype)
        held = self.end - self.first
        if held + count > HELD:
            held = self._dropped(held + count - HELD)
        if held + count > len(self._records):
            grown = np.empty(max(held + count, min(2 * held, held + _STEP)), dtype)
            grown[:held] = self._records[:held]
            self._records = grown
        return self._records[held : held + count]

    def reserve(self, slots: int, dtype: np.dtype[Any]) -> None:
        """Make room for slots that will follow, so that nothing is moved as they come."""
        self.room(max(0, min(slots - self.end, HELD - (self.end - self.first))), dtype)

    def take(self, count: int) -> None:
        """Count what ``room`` gave as held."""
        self.end += count

    def holds(self, slots: Places) -> bool:
        """Say whether all of some slots are held."""
        return not len(slots) or (int(slots.min()) >= self.first and int(slots.max()) < self.end)

    def rows(self, slots: Places) -> Single:
        """Return the vectors of slots that are held."""
        return singles(self._records.take(slots - self.first))

    def between(self, start: int, stop: int) -> Single:
        """Return the vectors of consecutive slots that are held."""
        return singles(self._records[start - self.first : stop - self.first])

    def blank(self, slots: Places) -> None:
        """Overwrite vectors with zeros; of slots that are not held nothing is done."""
        own = slots[(slots >= self.first) & (slots < self.end)] - self.first
        self._records[own] = np.zeros(1, self._records.dtype)

    def scan(self, query: Single, start: int, allowed: Bools | None) -> Single:
        """Return the dot products of the allowed slots (all when None) from ``start`` on."""
        records = self._records[start - self.first : self.end - self.first]
        if allowed is not None and _SPARSE * np.count_nonzero(allowed) < len(records):
            return dots(records[allowed], query)
        found = dots(records, query)
        return found if allowed is None else found[allowed]

    def _dropped(self, count: int) -> int:
        """Let go of the oldest, some more than asked for; return how many are left."""
        held = self.end - self.first
        count = min(held, count + _STEP)
        left = held - count
        self._records[:left] = self._records[count:held].copy()
        self.first += count
        return left
