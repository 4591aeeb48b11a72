"""Where an entry was first said: a later version of a memory stands where its first one does, beside its neighbours."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FEW: Final = 64
"""New entries up to which each is looked up by itself."""
Ords = NDArray[np.int64]


class Places:
    """For each entry of a space the ordinal of the first entry of its owner; kept in step by looking at what is new.

    As long as every entry is the first of its owner nothing is held.
    """

    __slots__ = ("_first", "_highest", "_size")

    def __init__(self) -> None:
        self._size, self._highest = 0, -1
        self._first: Ords | None = None

    def of(self, owners: NDArray[np.int64], ords: NDArray[Any]) -> NDArray[Any]:
        """Return the places of ``ords``; ``owners`` are those of all entries, in the order of the ordinals."""
        if self._size < len(owners):
            self._extend(owners)
        return ords if self._first is None else self._first.take(ords)

    def _extend(self, owners: NDArray[np.int64]) -> None:
        fresh = owners[self._size :]
        rising = bool(fresh[0] > self._highest and (fresh[1:] > fresh[:-1]).all())
        if not rising or self._first is not None:
            self._first = self._grown(owners) if rising or len(fresh) <= _FEW else _whole(owners)
        self._size, self._highest = len(owners), max(self._highest, int(fresh.max()))

    def _grown(self, owners: NDArray[np.int64]) -> Ords:
        known = np.arange(self._size) if self._first is None else self._first
        first = np.concatenate([known, np.arange(self._size, len(owners))])
        for at in range(self._size, len(owners)):
            if owners[at] <= self._highest or at > self._size:
                first[at] = (owners[: at + 1] == owners[at]).argmax()
        return first


def _whole(owners: NDArray[np.int64]) -> Ords:
    _, first, back = np.unique(owners, return_index=True, return_inverse=True)
    found: Ords = first[back]
    return found
