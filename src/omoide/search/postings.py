"""Posting lists as keyword search sees them, whoever stores them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.bm25 import CODES

Ords = NDArray[np.uint32]
Codes = NDArray[np.uint16]
Scores = NDArray[np.float32]
Allowed = Callable[[Ords], NDArray[np.bool_]]
Mask = NDArray[np.bool_] | Allowed


class PostingList(Protocol):
    """One term's entries."""

    count: int
    """Postings in the list (df)."""

    @property
    def read(self) -> int:
        """Postings decoded so far."""
        ...

    def peak(self, parts: Scores) -> float:
        """Return an upper bound of ``parts[code]`` over the list."""
        ...

    def arrays(self) -> tuple[Ords, Codes]:
        """Return all ordinals, ascending, and their codes (``omoide.search.bm25``)."""
        ...

    def at(self, ords: Ords) -> Codes:
        """Return the codes of ascending ordinals, 0 where the list does not hold one."""
        ...

    def verify(self) -> None:
        """Raise ``DamagedStoreError`` when the list holds what cannot be; asked when a search ran into it."""
        ...


class PostingsSource(Protocol):
    """The posting lists and statistics of one space, as of one moment."""

    documents: int
    """Entries that hold postings (N)."""
    mean_length: float
    """Mean length of those entries in tokens, 0.0 when there are none."""
    size: int
    """Every ordinal is below it."""

    def postings(self, term: str) -> PostingList | None:
        """Return the list of a term, None when no entry holds it."""
        ...


class Postings:
    """A posting list in memory: ascending uint32 ordinals and their uint16 codes."""

    __slots__ = ("codes", "count", "ords", "read")

    def __init__(self, ords: Ords, codes: Codes) -> None:
        self.ords = ords
        self.codes = codes
        self.count = self.read = len(ords)

    def peak(self, parts: Scores) -> float:
        """Return the highest part of the list."""
        return float(parts.take(self.codes).max())

    def arrays(self) -> tuple[Ords, Codes]:
        """Return the ordinals and codes."""
        return self.ords, self.codes

    def at(self, ords: Ords) -> Codes:
        """Return the codes of ascending ordinals, 0 where there is none."""
        places = self.ords.searchsorted(ords)
        np.minimum(places, self.count - 1, out=places)
        codes: Codes = self.codes.take(places) * (self.ords.take(places) == ords)
        return codes

    def verify(self) -> None:
        """Raise ``DamagedStoreError`` unless the ordinals ascend and the codes exist."""
        if not (self.ords[1:] > self.ords[:-1]).all() or int(self.codes.max()) >= CODES:
            raise DamagedStoreError("a posting list is out of order; rebuild() makes the index anew")
