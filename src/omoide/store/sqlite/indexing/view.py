"""The read side of a space: its columns and vectors in memory, in step with the file."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.columns import ARCHIVED, ERASED, RECORD, Bools, Columns, CurrentMask
from omoide.search.vectors import VectorIndex
from omoide.store.sqlite.indexing import blocks, postings, sources
from omoide.store.sqlite.indexing.indexer import COLUMN_CHANGED, COLUMNS, SLOT_ERASED
from omoide.store.sqlite.indexing.posting_kept import KeptLists
from omoide.store.sqlite.indexing.posting_lists import SpacePostings
from omoide.store.sqlite.indexing.undone import Counted, Undone, find
from omoide.store.sqlite.indexing.vectors import StoredVectors, layout
from omoide.store.sqlite.namespaces import Space

_MASKS_KEPT: Final = 4


class SpaceView:
    """What a search of one space reads. Refreshed inside the read transaction that uses it."""

    def __init__(
        self, connection: apsw.Connection, space: Space, lists: KeptLists | None = None, *, holds: bool = True
    ) -> None:
        self._connection = connection
        self._kept, self._holds = lists or KeptLists(), holds
        self._dimension: int | None = None
        self._masks: dict[tuple[int, int], CurrentMask] = {}
        self.space = space
        self.columns = Columns()
        self.vectors: VectorIndex | None = None
        self._slots = 0
        self._feed = space.feed
        self.damage: str | None = None
        self.undone: Undone | None = None
        """What is left out of the statistics."""
        self._undone_at: int | None = None
        self._whole = self._lists()
        self.postings: SpacePostings | Counted = self._whole
        """The keyword lists as of the last ``refresh``, for questions about today."""

    def vocabulary(
        self, prefix: str, shortest: int | None = None, longest: int | None = None, *, limit: int
    ) -> list[str]:
        """Return terms of the space that begin with ``prefix``, lengths in characters, at most ``limit``.

        Among them are those that only history holds.
        """
        found = postings.vocabulary(
            self._connection, self.space.space, prefix=prefix, min_length=shortest, max_length=longest, limit=limit
        )
        return list(found)

    def refresh(self, space: Space) -> None:
        """Bring the columns to the state of ``space``, which this transaction has just read."""
        self.space = space
        if space.feed_floor > self._feed:
            self._reset()
        if space.feed > self._feed:
            self._catch_up()
        if space.entries > self.columns.size:
            self.columns.extend(self._read_columns(self.columns.size, space.entries))
        self._feed = space.feed
        if space.undone != self._undone_at:
            self.undone, self._undone_at = find(self._connection, space.space), space.undone
        self._whole = self._lists()
        self.postings = self._whole if self.undone is None else self._counted(self.undone, past=False)

    def lists(self, mask: Bools) -> SpacePostings | Counted:
        """Return the keyword lists for a search of the entries that ``mask`` permits."""
        undone = self.undone
        past = undone is not None and bool(mask.take(undone.withdrawn).any())
        return self._counted(undone, past=True) if undone is not None and past else self.postings

    def _counted(self, undone: Undone, *, past: bool) -> Counted:
        return Counted(self._whole, undone, self.space.total_length, past=past)

    def current(self, now: int, *, hidden: int = ARCHIVED | ERASED, least_trust: int = 0) -> Bools:
        """Return which entries hold now; not to be changed by the caller."""
        key = (hidden, least_trust)
        if key not in self._masks:
            if len(self._masks) >= _MASKS_KEPT:
                self._masks.clear()
            self._masks[key] = CurrentMask(self.columns, hidden, least_trust)
        return self._masks[key].get(now)

    def load_vectors(self, dimension: int) -> VectorIndex:
        """Return the vector index, brought to the state of this transaction."""
        space = self.space
        if self.vectors is None or self._dimension != dimension or space.slots < self._slots:
            self.vectors = VectorIndex(dimension, read_slots=self._stored(dimension).read_slots)
            self._dimension = dimension
        if space.slots > self.vectors.size:
            self.vectors.sync(self._stored(dimension), space.slots)
        self._slots = space.slots
        return self.vectors

    def _lists(self) -> SpacePostings:
        space = self.space
        return SpacePostings(
            self._connection, space.space, documents=space.documents, total_length=space.total_length,
            size=space.entries, kept=self._kept, holds=self._holds,
        )  # fmt: skip

    def _read_columns(self, first: int, last: int) -> NDArray[Any]:
        """Read columns; where they are damaged, from the rows they were made of."""
        with suppress(DamagedStoreError):
            records = blocks.read(self._connection, self.space.space, COLUMNS, first, last)
            if sources.sound(records):
                return records
        self.damage = "the columns of the index are damaged and were read from the rows; run repair"
        return sources.columns_of_space(self._connection, self.space.space, first, last)

    def _stored(self, dimension: int) -> StoredVectors:
        return StoredVectors(self._connection, self.space.space, layout(dimension))

    def _reset(self) -> None:
        self.columns = Columns()
        self.damage = None
        self._masks.clear()
        self._kept.forget(self.space.space)
        self.vectors = None
        self._slots = 0
        self._undone_at = None
        self._feed = self.space.feed

    def _catch_up(self) -> None:
        changes: list[tuple[int, int]] = self._connection.execute(  # type: ignore[assignment]
            "SELECT what, ord FROM feed WHERE space = ? AND seq > ?", (self.space.space, self._feed)
        ).fetchall()
        changed = {ord for what, ord in changes if what == COLUMN_CHANGED and ord < self.columns.size}
        erased = [slot for what, slot in changes if what == SLOT_ERASED and slot < self._slots]
        if any(what not in (COLUMN_CHANGED, SLOT_ERASED) for what, _ in changes):
            self.vectors, self._slots = None, 0
        elif erased and self.vectors is not None:
            self.vectors.erase(np.array(erased, dtype=np.int64))
        if changed:
            self._reread(np.array(sorted(changed), dtype=np.int64))

    def _reread(self, ords: NDArray[np.int64]) -> None:
        if self.damage is None:
            records = blocks.read_slots(self._connection, self.space.space, COLUMNS, ords)
        else:
            first = int(ords[0])
            records = self._read_columns(first, int(ords[-1]) + 1)[ords - first]
        self.columns.replace(ords, records.astype(RECORD, copy=False))
        if (records["flags"] & np.uint32(ERASED)).any():
            self._kept.forget(self.space.space)
            self._undone_at = None
        for mask in self._masks.values():
            mask.refresh(ords)
