"""Vectors kept as float32 and compared one by one: exact, without threads, without copying to grow.

One dot product a row: BLAS would split a matrix product over threads, which is many times slower as soon as
another process wants the processor, and a row's result must not depend on the rows around it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Single, singles
from omoide.search.sets import unique

CHUNK: Final = 1024
"""Rows of a chunk; chunks are never moved or resized."""

_SPARSE: Final = 4
_PIECE: Final = 256
"""Rows converted at a time, so that they are still in the cache when they are used."""

Bools = NDArray[np.bool_]


def dots(rows: NDArray[Any], query: Single) -> Single:
    """Return the dot product of every row, float32 or what ``singles`` reads, with ``query``."""
    if rows.dtype == np.float32:
        result: Single = np.vecdot(rows, query)
        return result
    out = np.empty(len(rows), np.float32)
    single = np.empty((min(len(rows), _PIECE), len(query)), np.float32)
    for start in range(0, len(rows), _PIECE):
        piece = rows[start : start + _PIECE]
        np.vecdot(singles(piece, single[: len(piece)]), query, out=out[start : start + len(piece)])
    return out


class ExactRows:
    """Rows numbered from ``first`` and appended at the end."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.first = self.end = 0
        self._chunks: list[Single] = []

    def restart(self, first: int) -> None:
        """Let go of all rows; the next one has this number."""
        self._chunks = []
        self.first = self.end = first

    def append(self, rows: Single) -> None:
        """Add rows at the end."""
        done = 0
        while done < len(rows):
            used = (self.end - self.first) % CHUNK
            if not used:
                self._chunks.append(np.empty((CHUNK, self.dimension), np.float32))
            count = min(CHUNK - used, len(rows) - done)
            self._chunks[-1][used : used + count] = rows[done : done + count]
            done += count
            self.end += count

    def blank(self, numbers: NDArray[np.int64]) -> None:
        """Overwrite rows with zeros; of numbers that are not here nothing is done."""
        which, places = np.divmod(numbers[(numbers >= self.first) & (numbers < self.end)] - self.first, CHUNK)
        for index in unique(which).tolist():
            self._chunks[index][places[which == index]] = 0

    def scan(self, query: Single, allowed: Bools | None) -> Single:
        """Return the dot products of the allowed rows (all when None) with ``query``."""
        if allowed is None:
            return self.compare(query)
        if _SPARSE * np.count_nonzero(allowed) < len(allowed):
            found = [
                np.vecdot(chunk[: self._used(index)][allowed[index * CHUNK : (index + 1) * CHUNK]], query)
                for index, chunk in enumerate(self._chunks)
            ]
            return np.concatenate(found) if found else np.empty(0, np.float32)
        return self.compare(query)[allowed]

    def compare(self, query: Single) -> Single:
        """Return the dot product of every row with ``query``."""
        out = np.empty(self.end - self.first, np.float32)
        for index, chunk in enumerate(self._chunks):
            used = self._used(index)
            np.vecdot(chunk[:used], query, out=out[index * CHUNK : index * CHUNK + used])
        return out

    def _used(self, index: int) -> int:
        return min(CHUNK, self.end - self.first - index * CHUNK)
