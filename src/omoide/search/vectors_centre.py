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
from omoide.search.vectors_slots import Ords, Places

LEAST: Final = 64
"""Entries from which on a mean says something."""
SETTLED: Final = 100.0
"""Entries at which the mean counts for a half."""
_SAMPLE: Final = 512

ReadRows = Callable[[Places], Single]
Compare = Callable[[Single, Ords], Single]


class Centre:
    """The mean of a space, and the closeness to it of every entry that was asked for."""

    def __init__(self) -> None:
        self._basis = 0
        self._mean: Single | None = None
        self._closeness: Single = np.empty(0, np.float32)

    def reset(self) -> None:
        """Let the mean be computed anew."""
        self._basis, self._mean = 0, None

    def closeness(self, ords: Ords, entries: int, read: ReadRows, compare: Compare) -> Single:
        """Return how near each of ``ords`` lies to the mean of a space of ``entries``; 0 without a vector.

        ``compare`` returns the dot products of some ordinals with a vector, NaN where there is none.
        """
        mean = self.mean(entries, read)
        if mean is None:
            return np.zeros(len(ords), np.float32)
        if int(ords.max(initial=0)) >= entries:
            return np.nan_to_num(compare(mean, ords))
        if len(self._closeness) < entries:
            grown = np.full(max(entries, 2 * len(self._closeness)), np.nan, np.float32)
            grown[: len(self._closeness)] = self._closeness
            self._closeness = grown
        known: Single = self._closeness.take(ords)
        lacking = np.isnan(known)
        if lacking.any():
            known[lacking] = np.nan_to_num(compare(mean, ords[lacking]))
            self._closeness[ords[lacking]] = known[lacking]
        return known

    def mean(self, entries: int, read: ReadRows) -> Single | None:
        """Return the mean of a space, scaled by how settled it is; None for a small space.

        ``read`` returns the vectors that some ordinals have.
        """
        basis = 1 << (entries.bit_length() - 1) if entries >= LEAST else 0
        if basis != self._basis:
            self._basis, self._mean = basis, self._computed(basis, read)
            self._closeness = np.empty(0, np.float32)
        return self._mean

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
