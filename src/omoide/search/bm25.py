"""BM25 arithmetic and the 16-bit code that a posting carries.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that
never turns negative: ``ln(1 + (N - df + 0.5) / (df + 0.5))``.

A code is ``tf << 8 | length code``: term frequency 1..15 (15 means 15 or more), so a code is below 4096 and
0 never occurs. The length code is one byte: 0..127 are exact; 128..255 stand for lengths that grow by
``2 ** (13 / 127)`` (7.4 %) a step from 128 to 1,048,576, rounded to the nearest step (at most 3.7 % off).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

K1: Final = 0.9
B: Final = 0.5
MAX_TF: Final = 15
CODES: Final = (MAX_TF + 1) << 8
EXACT: Final = 128

LENGTHS: Final[tuple[int, ...]] = (
    *range(EXACT),
    *(round(EXACT * 2 ** (step * 13 / 127)) for step in range(256 - EXACT)),
)
# The first length that each code stands for: halfway, in ratio, from the code below.
_FIRST: Final[tuple[int, ...]] = (
    *range(EXACT + 1),
    *(math.ceil(math.sqrt(LENGTHS[code - 1] * LENGTHS[code])) for code in range(EXACT + 1, 256)),
)
_LENGTH_COLUMN: Final = np.array(LENGTHS, np.float64)
_TF_ROWS: Final = np.arange(MAX_TF + 1, dtype=np.float64)[:, None]


def length_code(length: int) -> int:
    """Return the byte that stands for a length in tokens (0 or more)."""
    return length if length < EXACT else bisect_right(_FIRST, length) - 1


def posting_code(tf: int, length: int) -> int:
    """Return the code of a term that occurs ``tf`` times in a text of ``length`` tokens."""
    return min(tf, MAX_TF) << 8 | length_code(length)


@lru_cache(maxsize=64)
def tf_parts(mean_length: float) -> NDArray[np.float32]:
    """Return the tf part of BM25 for each of the 4096 codes; read-only float32, 0 for tf 0."""
    norm = K1 * (1 - B + B * _LENGTH_COLUMN / mean_length)
    parts = (_TF_ROWS * (K1 + 1) / (_TF_ROWS + norm)).astype(np.float32).ravel()
    parts.flags.writeable = False
    return parts


def idf(documents: int, df: int) -> float:
    """Return the weight of a term that ``df`` of ``documents`` texts hold; positive for any input."""
    return math.log1p((max(documents - df, 0) + 0.5) / (df + 0.5))
