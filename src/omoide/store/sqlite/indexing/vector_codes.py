"""The bytes of a stored vector: of many numbers one byte each under a common scale, of few float16.

A scale has four significant bits and a code seven, so their product is a float16 exactly: whatever reads a vector
sees the same numbers, and writing what was read gives the same bytes. Of a unit vector of 384 numbers a code moves
a cosine by about 3e-4, a tenth of what the int8 matrices of a small model do; of a few numbers it would be more.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Half, Single, singles, to_single
from omoide.store.sqlite.indexing.blocks import Layout

CODED: Final = 64
"""Vectors of at least so many numbers are kept as codes."""
_LARGEST: Final = 127
_FEW: Final = 16
_PIECE: Final = 256
"""Records read at a time, so that they are still in the cache at the next step."""
_SIGNIFICANT: Final = np.float32(16)
# By 16 times the significant part of a scale, 8 to 16: the least code of the largest number of a vector, with which
# what was read has this scale again and not the next lower one. 8 is 16 of the exponent below.
_LEAST: Final = np.array(
    [0] * 8 + [_LARGEST * 15 // 16 + 1] + [_LARGEST * (part - 1) // part + 1 for part in range(9, 17)]
)
# Takes a float32 to where its bits, moved by 13, are those of the float16; the reverse of ``search.half``.
_SHRUNK: Final = np.float32(2.0**-112)


def layout(dimension: int) -> Layout:
    """Return the layout of vector slots: the ordinal they belong to, and codes with their scale or float16 numbers."""
    if dimension < CODED:
        return Layout.fit(1, np.dtype([("ord", "<u4"), ("vector", "<f2", (dimension,))]))
    return Layout.fit(1, np.dtype([("ord", "<u4"), ("scale", "<f2"), ("codes", "i1", (dimension,))]))


def fill(made: NDArray[Any], vectors: NDArray[Any]) -> None:
    """Write vectors (n, dimension; float16 or float32) into records of ``layout``."""
    if "vector" in (made.dtype.names or ()):
        made["vector"] = vectors
    elif len(made):
        large = vectors.dtype == np.float16 and len(vectors) > _FEW
        made["scale"], made["codes"] = _coded(to_single(vectors) if large else vectors.astype(np.float32))


def vectors_of(records: NDArray[Any]) -> Half:
    """Return the vectors (n, dimension) of records of ``layout`` as float16."""
    if "vector" in (records.dtype.names or ()):
        vectors: Half = records["vector"]
        return vectors
    halves: Half = np.empty(records["codes"].shape, np.float16)
    with np.errstate(invalid="ignore"):  # a damaged scale gives numbers that are not finite
        for start in range(0, len(records), _PIECE):
            piece = records[start : start + _PIECE]
            _to_halves(singles(piece), halves[start : start + _PIECE].view(np.int16))
    return halves


def _to_halves(singles: Single, out: NDArray[np.int16]) -> None:
    """Write numbers that are float16 exactly as their bits; what they were is gone."""
    bits = singles.view(np.int32)
    signs = bits >> 16 & 0x8000
    singles *= _SHRUNK
    bits >>= 13
    bits &= 0x7FFF
    bits |= signs
    np.copyto(out, bits, casting="unsafe")


def sound(records: NDArray[Any]) -> bool:
    """Say whether every number of the records is finite, and every scale one that is written."""
    if "vector" in (records.dtype.names or ()):
        return finite(records["vector"])
    return finite(records["scale"]) and not (records["scale"] < 0).any()


def finite(halves: Half) -> bool:
    """Say whether every number is finite."""
    if not halves.size:
        return True
    # Infinities and NaN have the highest bits of their sign; two passes without a copy beat np.isfinite by far.
    return bool(halves.view(np.int16).max() < 0x7C00 and halves.view(np.uint16).max() < 0xFC00)


def blank(records: NDArray[Any]) -> NDArray[np.bool_]:
    """Say which records hold no bit of a vector."""
    if "vector" in (records.dtype.names or ()):
        held = np.any(records["vector"].view(np.uint16), axis=1)
    else:
        held = np.any(records["codes"], axis=1) | (records["scale"].view(np.uint16) != 0)
    bare: NDArray[np.bool_] = np.logical_not(held)
    return bare


def _coded(vectors: Single) -> tuple[Single, NDArray[np.int8]]:
    """Return scales (n,) and codes (n, dimension)."""
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    parts, exponents = np.frexp(largest / np.float32(_LARGEST))
    steps = np.ceil(parts * _SIGNIFICANT)
    scales = np.ldexp(steps / _SIGNIFICANT, exponents) + np.float32(0)  # no zero with a sign
    divisors = np.where(scales == 0, np.float32(1), scales)
    codes = np.rint(vectors / divisors[:, np.newaxis])
    least = _LEAST[steps.astype(np.intp)]
    low = np.flatnonzero(np.rint(largest / divisors) < least)
    if len(low):
        places = np.abs(vectors[low]).argmax(axis=1)
        codes[low, places] = np.copysign(least[low], vectors[low, places])
    return scales, codes.astype(np.int8)
