"""Vectors kept as they are and compared one by one: exact, without threads, without copying to grow.

One dot product a row: BLAS would split a matrix product over threads, which is many times slower as soon as
another process wants the processor, and a row's result must not depend on the rows around it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Half, Single, to_single
from omoide.search.sets import unique

CHUNK: Final = 1024
"""Rows of a chunk; chunks are never moved or resized."""

_SPARSE: Final = 0.25
_PIECE: Final = 256
"""Rows converted at a time, so that they are still in the cache when they are used."""

Bools = NDArray[np.bool_]


def dots(rows: NDArray[Any], query: Single) -> Single:
    """Return the dot product of every row (float32, or float16 with finite numbers) with ``query``."""
    if rows.dtype == np.float32:
        result: Single = np.vecdot(rows, query)
        return result
    out = np.empty(len(rows), np.float32)
    single = np.empty((min(len(rows), _PIECE), rows.shape[1]), np.float32)
    for start in range(0, len(rows), _PIECE):
        piece = rows[start : start + _PIECE]
        np.vecdot(to_single(piece, single[: len(piece)]), query, out=out[start : start + len(piece)])
    return out


def _single(rows: NDArray[Any]) -> Single:
    return rows if rows.dtype == np.float32 else to_single(rows)


class ExactRows:
    """Rows numbered from ``first``, appended at the end and given away, whole chunks, at the start."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.first = 0
        self.size = 0
        self._chunks: list[NDArray[Any]] = []

    @property
    def end(self) -> int:
        """The number of the next row."""
        return self.first + self.size

    @property
    def full_chunks(self) -> int:
        """How many chunks can be taken."""
        return self.size // CHUNK

    def skip(self, rows: int) -> None:
        """Let the numbering begin ``rows`` later; only for an empty collection."""
        self.first += rows

    def append(self, halves: Half) -> None:
        """Add rows at the end; whole chunks are kept as given until they are widened or taken."""
        done = 0
        while done < len(halves):
            used = self.size % CHUNK
            if not used and len(halves) - done >= CHUNK:
                self._chunks.append(halves[done : done + CHUNK])
                count = CHUNK
            else:
                count = min(CHUNK - used, len(halves) - done)
                if not used:
                    self._chunks.append(np.empty((CHUNK, self.dimension), np.float32))
                to_single(halves[done : done + count], self._chunks[-1][used : used + count])
            done += count
            self.size += count

    def widen(self) -> None:
        """Hold every chunk as float32: twice the memory, a fifth of the time."""
        for index, chunk in enumerate(self._chunks):
            self._chunks[index] = _single(chunk)

    def take(self) -> Single:
        """Remove the first chunk, which must be full, and return it as float32."""
        chunk = self._chunks.pop(0)
        self.first += CHUNK
        self.size -= CHUNK
        return _single(chunk)

    def blank(self, numbers: NDArray[np.int64]) -> None:
        """Overwrite rows with zeros."""
        for index, places in self._grouped(numbers):
            if not self._chunks[index].flags.writeable or self._chunks[index].base is not None:
                self._chunks[index] = self._chunks[index].copy()
            self._chunks[index][places] = 0

    def rows(self, numbers: NDArray[np.int64]) -> Single:
        """Return the rows of these numbers as float32."""
        out = np.empty((len(numbers), self.dimension), np.float32)
        which, places = np.divmod(numbers - self.first, CHUNK)
        for index in unique(which).tolist():
            here = which == index
            out[here] = _single(self._chunks[index][places[here]])
        return out

    def scan(self, query: Single, allowed: Bools | None) -> tuple[NDArray[np.int64], Single]:
        """Return the numbers of the allowed rows (all when None) and their dot products with ``query``."""
        if allowed is None:
            return np.arange(self.first, self.end), self.compare(query)
        numbers = np.flatnonzero(allowed)
        sims = [
            self._scan_some(index, query, allowed[index * CHUNK : index * CHUNK + self._used(index)])
            for index in range(len(self._chunks))
        ]
        numbers += self.first
        return numbers, np.concatenate(sims) if sims else np.empty(0, np.float32)

    def compare(self, query: Single) -> Single:
        """Return the dot product of every row with ``query``."""
        out = np.empty(self.size, np.float32)
        for index, chunk in enumerate(self._chunks):
            rows = chunk[: self._used(index)]
            out[index * CHUNK : index * CHUNK + len(rows)] = dots(rows, query)
        return out

    def _scan_some(self, index: int, query: Single, allowed: Bools) -> Single:
        count = int(np.count_nonzero(allowed))
        if not count:
            return np.empty(0, np.float32)
        chunk = self._chunks[index][: len(allowed)]
        if count < _SPARSE * len(allowed):
            return dots(chunk[allowed], query)
        return dots(chunk, query)[allowed]

    def _used(self, index: int) -> int:
        return min(CHUNK, self.size - index * CHUNK)

    def _grouped(self, numbers: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
        which, places = np.divmod(numbers - self.first, CHUNK)
        return [(index, places[which == index]) for index in unique(which).tolist()]
