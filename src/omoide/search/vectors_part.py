"""Vectors kept as short codes, for collections too large to be compared number by number.

A part holds up to ``PART`` vectors and proposes candidates; whoever asks compares those exactly. ``turbovec``
codes 4 bits a number (with 2, five times as many candidates are needed for the same answers); where it is not
installed, or for a dimension that is no multiple of 8, the same interface holds one byte a number.
"""

from __future__ import annotations

import os
from threading import Thread
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Single
from omoide.search.maxscore import kth
from omoide.search.vectors_exact import CHUNK, Bools

PART: Final = 31 * CHUNK
"""Vectors of a full part: just below the 32,768 from which turbovec hands a query to a thread pool, which
costs more than it gains as soon as the processor is shared."""

BYTES_CODEC: Final = 1
TURBO_CODEC: Final = 2

_TURBO_MULTIPLE: Final = 8
_TURBO_BITS: Final = 4
_PREPARING: Final[dict[int, Thread]] = {}
_PIECE: Final = 256
_TINY: Final = np.finfo(np.float32).tiny

Found = tuple[Single, NDArray[np.int64]]


class Part(Protocol):
    """Codes of consecutive vectors, numbered from zero within the part."""

    codec: int
    size: int

    def append(self, rows: Single) -> None:
        """Code float32 rows (contiguous) at the end."""
        ...

    def search(self, query: Single, count: int, allowed: Bools | None) -> Found:
        """Return estimated dot products and numbers of the best ``count`` allowed rows, best first."""
        ...

    def dump(self) -> bytes | None:
        """Return the part for ``restore_part``, or None when coding anew is as cheap."""
        ...


def new_part(dimension: int, sample: Single) -> Part:
    """Return an empty part; ``sample`` is drawn at random from the vectors of the collection."""
    turbo = _turbo(dimension)
    if turbo is None:
        return BytePart(dimension)
    index = turbo(dimension, _TURBO_BITS)
    if len(sample):
        try:
            index.calibrate(np.ascontiguousarray(sample))
        except ValueError:
            # A sample without spread (copies of one vector) has nothing to calibrate on.
            return TurboPart(index)
    return TurboPart(index)


def restore_part(dimension: int, codec: int, data: bytes) -> Part | None:
    """Return the part that ``dump`` made, or None when it cannot be used here."""
    turbo = _turbo(dimension)
    if codec != TURBO_CODEC or turbo is None:
        return None
    try:
        index = turbo.from_bytes(data)
    except ValueError:
        return None
    if index.dim != dimension or index.bit_width != _TURBO_BITS:
        return None
    return TurboPart(index)


def quick(dimension: int) -> bool:
    """Say whether coded vectors of this dimension are searched with turbovec."""
    return _turbo(dimension) is not None


def ready(dimension: int) -> bool:
    """Say whether coding can start at once; the first call prepares it in the background.

    turbovec solves for its code book once a process and dimension, in about 0.2 s.
    """
    turbo = _turbo(dimension)
    if turbo is None:
        return True
    thread = _PREPARING.get(dimension)
    if thread is None:
        thread = Thread(target=_prepare, args=(turbo, dimension), name="omoide-codes", daemon=True)
        _PREPARING[dimension] = thread
        thread.start()
    return not thread.is_alive()


def _prepare(turbo: Any, dimension: int) -> None:
    turbo(dimension, _TURBO_BITS).add(np.eye(1, dimension, dtype=np.float32))


def _prepared() -> None:
    for thread in _PREPARING.values():
        thread.join()


# A child would wait for ever for what a thread of its parent had begun.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_prepared)


def top(scores: Single, numbers: NDArray[np.int64], count: int) -> Found:
    """Return the best ``count`` scores and their numbers, best first, equal ones in the order given."""
    if len(scores) > count:
        near = scores >= kth(scores, count)
        scores, numbers = scores[near], numbers[near]
    order = np.argsort(-scores, kind="stable")[:count]
    return scores[order], numbers[order]


def _turbo(dimension: int) -> Any:
    if dimension % _TURBO_MULTIPLE:
        return None
    try:
        from turbovec import TurboQuantIndex
    except ImportError:
        return None
    return TurboQuantIndex


class TurboPart:
    """A part coded by turbovec."""

    codec = TURBO_CODEC

    def __init__(self, index: Any) -> None:
        self._index = index
        self.size = len(index)

    def append(self, rows: Single) -> None:
        """Code rows at the end."""
        self._index.add(rows, chunk_size=0)
        self.size = len(self._index)

    def search(self, query: Single, count: int, allowed: Bools | None) -> Found:
        """Return estimates and numbers of the best ``count`` allowed rows."""
        mask = None if allowed is None else np.ascontiguousarray(allowed)
        # One query cannot be cut in pieces; 0 spares the wrapper the question.
        scores, numbers = self._index.search(query[np.newaxis], count, mask=mask, chunk_size=0)
        return scores[0], numbers[0]

    def dump(self) -> bytes | None:
        """Return turbovec's own form of the index."""
        data: bytes = self._index.to_bytes()
        return data


class BytePart:
    """A part coded as one signed byte a number, with one scale a vector."""

    codec = BYTES_CODEC

    def __init__(self, dimension: int) -> None:
        self.size = 0
        self._codes = np.empty((0, dimension), np.int8)
        self._scales = np.empty(0, np.float32)

    def append(self, rows: Single) -> None:
        """Code rows at the end."""
        self._reserve(self.size + len(rows))
        scales = np.abs(rows).max(axis=1) / np.float32(127)
        end = self.size + len(rows)
        self._codes[self.size : end] = np.rint(rows / np.maximum(scales, _TINY)[:, np.newaxis])
        self._scales[self.size : end] = scales
        self.size = end

    def search(self, query: Single, count: int, allowed: Bools | None) -> Found:
        """Return estimates and numbers of the best ``count`` allowed rows."""
        numbers = np.arange(self.size) if allowed is None else np.flatnonzero(allowed)
        scores = self._scan(query) if allowed is None else self._scan_some(query, numbers)
        return top(scores, numbers, count)

    def dump(self) -> bytes | None:
        """Return None: coding bytes is as fast as reading them."""
        return None

    def _reserve(self, rows: int) -> None:
        if rows > len(self._codes):
            room = min(max(rows, 2 * len(self._codes)), max(rows, PART))
            codes, scales = np.empty((room, self._codes.shape[1]), np.int8), np.empty(room, np.float32)
            codes[: self.size], scales[: self.size] = self._codes[: self.size], self._scales[: self.size]
            self._codes, self._scales = codes, scales

    def _scan(self, query: Single) -> Single:
        return self._dots(self._codes[: self.size], query) * self._scales[: self.size]

    def _scan_some(self, query: Single, numbers: NDArray[np.int64]) -> Single:
        if 4 * len(numbers) > self.size:
            return self._scan(query)[numbers]
        return self._dots(self._codes[numbers], query) * self._scales[numbers]

    @staticmethod
    def _dots(codes: NDArray[np.int8], query: Single) -> Single:
        out = np.empty(len(codes), np.float32)
        single = np.empty((_PIECE, codes.shape[1]), np.float32)
        for start in range(0, len(codes), _PIECE):
            piece = codes[start : start + _PIECE]
            np.copyto(single[: len(piece)], piece)
            np.vecdot(single[: len(piece)], query, out=out[start : start + len(piece)])
        return out
