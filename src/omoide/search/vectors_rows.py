"""Stored vectors that searches have looked at lately, as float32, so that they are read and converted once."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Single, to_single
from omoide.search.vectors_coded import ReadSlots

KEPT: Final = 1 << 12
"""Vectors kept; of two whose slots differ by a multiple of it, the later one stays."""


class RecentRows:
    """Reads vectors by slot. What is kept of a slot holds until ``forget``, since slots are written once."""

    def __init__(self, dimension: int, read: ReadSlots) -> None:
        self._dimension, self._read = dimension, read
        self._slots = np.full(KEPT, -1, np.int64)
        self._rows: Single = np.empty((0, dimension), np.float32)

    def rows(self, slots: NDArray[np.int64]) -> Single:
        """Return the vectors of slots, in their order."""
        if not len(slots):
            return np.empty((0, self._dimension), np.float32)
        if not len(self._rows):
            self._rows = np.empty((KEPT, self._dimension), np.float32)
        places = slots & (KEPT - 1)
        lacking = self._slots.take(places) != slots
        if not lacking.any():
            return self._rows.take(places, axis=0)
        missing, where = slots[lacking], places[lacking]
        read = to_single(self._read(missing))
        found = self._rows.take(places, axis=0)
        found[lacking] = read
        self._slots[where] = missing
        stays = self._slots.take(where) == missing
        self._rows[where[stays]] = read[stays]
        return found

    def forget(self, slots: NDArray[np.int64]) -> None:
        """Drop what is kept of slots."""
        places = slots & (KEPT - 1)
        self._slots[places[self._slots.take(places) == slots]] = -1
