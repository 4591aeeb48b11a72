"""Sets as sorted arrays. numpy's own versions import its masked arrays at the first call, which takes 25 ms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def unique(values: NDArray[Any]) -> NDArray[Any]:
    """Return the different values, ascending."""
    ordered = np.sort(values)
    if len(ordered) < 2:
        return ordered
    first = np.empty(len(ordered), np.bool_)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def union(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the values of either, ascending."""
    return unique(np.concatenate([one, other]))


def among(values: NDArray[Any], codes: Iterable[int]) -> NDArray[np.bool_]:
    """Return which of ``values``, small whole numbers below 256, are among ``codes``."""
    wanted = np.zeros(256, np.bool_)
    wanted[list(codes)] = True
    found: NDArray[np.bool_] = wanted[values]
    return found
