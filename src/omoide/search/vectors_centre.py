"""How near every vector of a space lies to what all of them have in common.

Models place all texts into a narrow cone, and a text near its axis is somewhat similar to every question. What
it is nearer to the mean than others says nothing about the question, so ranking takes a share of it away. The
mean is that of a sample of the first ``2 ** n`` entries: the same in every process and after a rebuild, and known
anew only when their number has doubled or one of them got or lost its vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Single
from omoide.search.vectors_exact import dots
from omoide.search.vectors_slots import ERASED, Ords, Places

LEAST: Final = 64
"""Entries from which on a mean says something."""
SETTLED: Final = 100.0
"""Entries at which the mean counts for a half."""
_SAMPLE: Final = 512
_READ: Final = 4096

ReadRows = Callable[[Places], Single]


class Centre:
    """The mean of a space and, for spaces compared whole, the closeness of every entry to it."""

    def __init__(self) -> None:
        self._basis = 0
        self._mean: Single | None = None
        self._done = 0
        self._closeness: Single = np.empty(0, np.float32)

    def reset(self) -> None:
        """Let the mean be computed anew."""
        self._basis, self._mean, self._done = 0, None, 0

    def mean(self, entries: int, read: ReadRows) -> Single | None:
        """Return the mean of a space, scaled by how settled it is; None for a small space.

        ``read`` returns the vectors that some ordinals have.
        """
        basis = 1 << (entries.bit_length() - 1) if entries >= LEAST else 0
        if basis != self._basis:
            self._basis, self._mean, self._done = basis, self._computed(basis, read), 0
        return self._mean

    def of_every(self, mean: Single, ords: Ords, read: ReadRows) -> Single:
        """Return the closeness to ``mean`` by ordinal; ``ords`` of all slots, which ``read`` gives the vectors of."""
        for first in range(self._done, len(ords), _READ):
            slots = np.arange(first, min(first + _READ, len(ords)))
            self._note(ords[slots], dots(read(slots), mean))
        self._done = len(ords)
        return self._closeness

    def _note(self, ords: Ords, closeness: Single) -> None:
        kept = ords != ERASED
        ords, closeness = ords[kept], closeness[kept]
        room = int(ords.max(initial=0)) + 1
        if room > len(self._closeness):
            grown = np.zeros(max(room, 2 * len(self._closeness)), np.float32)
            grown[: len(self._closeness)] = self._closeness
            self._closeness = grown
        self._closeness[ords] = closeness

    @staticmethod
    def _computed(basis: int, read: ReadRows) -> Single | None:
        if not basis:
            return None
        sample: NDArray[np.int64] = np.linspace(0, basis - 1, min(basis, _SAMPLE)).astype(np.int64)
        rows = read(sample)
        rows = rows[rows.any(axis=1)]
        if len(rows) < LEAST:
            return None
        return np.asarray(rows.mean(axis=0) * (basis / (basis + SETTLED)), np.float32)
