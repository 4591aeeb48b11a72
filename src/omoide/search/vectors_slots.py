"""Which entry each vector slot belongs to; a long text has several slots."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.sets import unique as unique_values
from omoide.search.vectors_exact import Bools

ERASED: Final = 0xFFFFFFFF
"""The ordinal of a slot whose vector was erased."""

_TAIL: Final = 1024

Ords = NDArray[np.uint32]
Places = NDArray[np.int64]


class Slots:
    """Ordinals by slot, growing at the end."""

    def __init__(self) -> None:
        self.size = 0
        self.entries = 0
        """One more than the highest ordinal there ever was."""
        self.erased = 0
        self.repeated = False
        """Whether some entry may have several slots: some ordinal came again, or below one that came before."""
        self.plain = True
        """Whether every slot belongs to the entry of its own number."""
        self._ords: Ords = np.empty(0, np.uint32)
        self._order: Places = np.empty(0, np.int64)  # the slots of the sorted part, by ordinal
        self._sorted: Ords = np.empty(0, np.uint32)

    @property
    def ords(self) -> Ords:
        """The ordinal of every slot; not to be changed."""
        return self._ords[: self.size]

    def append(self, ords: Ords) -> None:
        """Give the next slots to these ordinals."""
        size = self.size + len(ords)
        if size > len(self._ords):
            grown = np.empty(max(size, 2 * len(self._ords), 256), np.uint32)
            grown[: self.size] = self.ords
            self._ords = grown
        self._ords[self.size : size] = ords
        if self.plain:
            self.plain = bool((ords == np.arange(self.size, size, dtype=np.uint32)).all())
        kept = ords[ords != ERASED]
        if not (self.plain or self.repeated) and len(kept):
            self.repeated = bool(kept[0] < self.entries or (kept[1:] <= kept[:-1]).any())
        self.entries = max(self.entries, int(kept.max()) + 1) if len(kept) else self.entries
        self.erased += len(ords) - len(kept)
        self.size = size

    def erase(self, slots: Places) -> None:
        """Take these slots from their entries."""
        unique = unique_values(slots)
        self.erased += int(np.count_nonzero(self._ords[unique] != ERASED))
        self._ords[unique] = ERASED
        self.plain = self.plain and not len(unique)

    def allowed(self, mask: Bools | None) -> Bools | None:
        """Return which slots belong to entries that ``mask`` lets in; None when all do.

        An entry beyond the end of the mask is not let in.
        """
        ords = self.ords
        if mask is None:
            return ords != ERASED if self.erased else None
        if self.plain and mask.size >= self.size:
            return mask[: self.size]
        if not mask.size:
            return np.zeros(self.size, np.bool_)
        allowed: Bools = np.take(mask, ords, mode="clip")
        allowed &= ords < mask.size
        return allowed

    def find(self, ords: Ords) -> tuple[Places, Places]:
        """Return pairs of (index into ``ords``, slot) for every slot of every ordinal asked for."""
        if self.plain:
            which = (ords < self.size).nonzero()[0]
            return which, ords[which].astype(np.int64)
        if self.size - len(self._order) > _TAIL:
            self._order = np.argsort(self.ords, kind="stable")
            self._sorted = self.ords[self._order]
        first = np.searchsorted(self._sorted, ords, "left")
        count = np.searchsorted(self._sorted, ords, "right") - first
        which = np.repeat(np.arange(len(ords)), count)
        within = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        slots = self._order[np.repeat(first, count) + within]
        tail = len(self._order)
        late_which, late = np.nonzero(ords[:, np.newaxis] == self.ords[tail:])
        which, slots = np.concatenate([which, late_which]), np.concatenate([slots, late + tail])
        # The sorted part may remember slots that were erased since.
        held = self.ords[slots] == ords[which]
        return which[held], slots[held]
