"""Long posting lists that earlier searches have read, kept in memory as far as a number of bytes goes.

All blocks of a list but its last are written once and stay as they are until an entry is erased, which the feed of
the space tells. So a list is known by its last block's key and the number of postings before that; the last block
itself is read at every search.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from omoide.search.postings import Codes, Ords, Postings, Scores
from omoide.store.sqlite.indexing.posting_blocks import BLOCK, Block

BYTES: Final = 32 << 20
"""Bytes of the lists kept by one connection."""
_WIDTH: Final = 6


class KeptList(Postings):
    """A whole list. The arrays have room for a growing last block."""

    __slots__ = ("_all_codes", "_all_ords", "_before", "_distinct", "key", "space")

    def __init__(self, space: int, key: int, ords: Ords, codes: Codes, tail: Block) -> None:
        """Take the postings before the last block, and that block; ``key`` is its key."""
        self.space, self.key = space, key
        self._before = before = len(ords)
        self._all_ords, self._all_codes = np.empty(before + BLOCK, np.uint32), np.empty(before + BLOCK, np.uint16)
        self._all_ords[:before], self._all_codes[:before] = ords, codes
        self._distinct = np.flatnonzero(np.bincount(codes))
        super().__init__(self._all_ords, self._all_codes)
        self.end_with(tail)

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return _WIDTH * len(self._all_ords)

    def end_with(self, tail: Block) -> None:
        """Take the last block as it is now."""
        count = self._before + len(tail.ords)
        self._all_ords[self._before : count], self._all_codes[self._before : count] = tail.ords, tail.codes
        self.ords, self.codes = self._all_ords[:count], self._all_codes[:count]
        self.count = self.read = count

    def peak(self, parts: Scores) -> float:
        """Return the highest part of the list."""
        return float(max(parts.take(self._distinct).max(), parts.take(self.codes[self._before :]).max()))

    def holds(self, key: int, before: int) -> bool:
        """Say whether this is still what comes before the block of this key."""
        return self.key == key and self._before == before


class KeptLists:
    """The lists that one connection keeps, those used last."""

    def __init__(self, room: int = BYTES) -> None:
        self._lists: dict[int, KeptList] = {}
        self._room, self._used = room, 0

    def find(self, key: int, tail: Block) -> KeptList | None:
        """Return the list that ends with a block, None when it is not kept."""
        kept = self._lists.get(key >> 32)
        if kept is None or not kept.holds(key, tail.before):
            return None
        self._lists[key >> 32] = self._lists.pop(key >> 32)
        kept.end_with(tail)
        return kept

    def keep(self, kept: KeptList) -> None:
        """Keep a list unless it is too long; those that were not used for longest make room."""
        self._drop(kept.key >> 32)
        if 4 * kept.nbytes > self._room:
            return
        self._lists[kept.key >> 32] = kept
        self._used += kept.nbytes
        while self._used > self._room:
            self._drop(next(iter(self._lists)))

    def forget(self, space: int) -> None:
        """Drop the lists of a space."""
        for term_id in [term_id for term_id, kept in self._lists.items() if kept.space == space]:
            self._drop(term_id)

    def clear(self) -> None:
        """Drop every list."""
        self._lists.clear()
        self._used = 0

    def _drop(self, term_id: int) -> None:
        kept = self._lists.pop(term_id, None)
        self._used -= 0 if kept is None else kept.nbytes
