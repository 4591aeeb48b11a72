"""A zeroed float32 array per thread, reused between queries.

A query borrows the array and gives it back zeroed. A nested query finds none and makes its own, and one that
fails does not give it back, so nobody ever sees another query's sums.
"""

from __future__ import annotations

import threading
from typing import Final

import numpy as np
from numpy.typing import NDArray

_KEPT: Final = threading.local()


def borrow(size: int) -> NDArray[np.float32]:
    """Return zeros, at least ``size`` long, that no other query uses."""
    kept: NDArray[np.float32] | None = getattr(_KEPT, "array", None)
    _KEPT.array = None
    if kept is not None and len(kept) >= size:
        return kept
    # A quarter more, so that a growing space does not need a new array for every query.
    return np.zeros(size + size // 4 + 64, np.float32)


def give_back(array: NDArray[np.float32]) -> None:
    """Keep an array, zeroed again by its borrower, for this thread's next query."""
    _KEPT.array = array
