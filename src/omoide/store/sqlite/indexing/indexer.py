"""The write side of a space: ordinals, postings, columns and vectors move together."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, repeat
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import EmbedderMismatchError
from omoide.search.columns import ERASED, RECORD
from omoide.search.prepared import Prepared
from omoide.store.sqlite.indexing import blocks, postings
from omoide.store.sqlite.indexing import vectors as stored
from omoide.store.sqlite.inserting import insert
from omoide.store.sqlite.namespaces import HISTORY, Namespaces, Space
from omoide.text.tokens import content_length

COLUMNS: Final = blocks.Layout.fit(0, RECORD)
_pack: Final = struct.Struct("<6q2I").pack
assert struct.calcsize("<6q2I") == RECORD.itemsize
_FEW: Final = 6
NO_VECTOR: Final = -1
FEED_KEPT: Final = 20_000

COLUMN_CHANGED, SLOT_ERASED, SLOTS_RESET = 0, 1, 2


@dataclass(slots=True)
class _Draft:
    space: Space
    holds: bool
    """Whether its terms join the posting lists those of several entries at once."""
    records: list[tuple[Any, ...]] = field(default_factory=list)
    prepared: list[Prepared] = field(default_factory=list)
    first: int = 0
    changed: bool = False


class Indexer:
    """Collects the index changes of one transaction and writes them at ``flush``."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces
        self._drafts: dict[tuple[int, str], _Draft] = {}
        self._dimension: int | None = None
        self.wanted = False

    def begin(self) -> None:
        """Forget what an earlier transaction left."""
        self._drafts.clear()
        self._dimension = None
        self.wanted = False

    def add(self, ns: int, collection: str, record: tuple[Any, ...], prepared: Prepared) -> int:
        """Take a new entry, a tuple in the order of ``RECORD``; return its ordinal."""
        return self.add_many(ns, collection, [record], [prepared])

    def next_ord(self, ns: int, collection: str) -> int:
        """Return the ordinal that the next entry gets."""
        return self._draft(ns, collection).space.entries

    def add_many(
        self, ns: int, collection: str, records: Sequence[tuple[Any, ...]], prepared: Sequence[Prepared]
    ) -> int:  # fmt: skip
        """Take new entries as ``add`` does; return the ordinal of the first, the others follow."""
        assert len(records) == len(prepared)
        draft = self._draft(ns, collection)
        first = draft.space.entries
        if not draft.records:
            draft.first = first
        draft.records += records
        draft.prepared += prepared
        draft.space.entries += len(records)
        return first

    def change(self, ns: int, collection: str, ord: int, name: str, value: int) -> None:
        """Overwrite one column of an entry and tell the other handles."""
        draft = self._draft(ns, collection)
        if draft.records and ord >= draft.first:
            self._write(draft)
        kind, offset = RECORD.fields[name][:2]  # type: ignore[index]
        data = np.asarray(value, dtype=kind).tobytes()
        blocks.patch(self._connection, draft.space.space, COLUMNS, ord, offset, data)
        self._tell(draft, COLUMN_CHANGED, ord)

    def replace(self, ns: int, collection: str, ord: int, record: bytes) -> None:
        """Overwrite all columns of an entry and tell the other handles."""
        draft = self._draft(ns, collection)
        self._write(draft)
        blocks.write(self._connection, draft.space.space, COLUMNS, ord, record)
        self._tell(draft, COLUMN_CHANGED, ord)

    def count_live(self, ns: int, collection: str, change: int) -> int:
        """Change the number of memories that count towards a cap and return it."""
        draft = self._draft(ns, collection)
        draft.space.live += change
        draft.changed = draft.changed or change != 0
        return draft.space.live

    def fill(self, ns: int, collection: str, ord: int, vectors: NDArray[Any]) -> None:
        """Give a pending entry its vectors."""
        draft = self._draft(ns, collection)
        self._write(draft)
        slot = self._append_vectors(draft.space, [(ord, vectors)])
        self._connection.execute(
            "UPDATE entry SET slot = ?, parts = ? WHERE space = ? AND ord = ?",
            (slot, len(vectors), draft.space.space, ord),
        )
        draft.space.pending -= 1
        draft.changed = True

    def erase(self, ns: int, collection: str, ord: int, terms: list[str]) -> None:
        """Remove every trace of an entry from the index; its ordinal stays used."""
        draft = self._draft(ns, collection)
        self._write(draft)
        space = draft.space
        row = self._connection.execute(
            "SELECT length, slot, parts FROM entry WHERE space = ? AND ord = ?", (space.space, ord)
        ).fetchone()
        if row is None:
            return
        postings.remove(self._connection, space.space, ord, terms)
        space.documents -= 1
        space.total_length -= row[0]
        self._erase_slots(draft, row[1], row[2])
        self._connection.execute("DELETE FROM entry WHERE space = ? AND ord = ?", (space.space, ord))
        blank = np.zeros(1, dtype=RECORD)
        blank["flags"] = ERASED
        blocks.write(self._connection, space.space, COLUMNS, ord, blank.tobytes())
        self._tell(draft, COLUMN_CHANGED, ord)

    def reset_vectors(self, ns: int, collection: str) -> None:
        """Drop all vectors of a space and mark its entries as pending."""
        draft = self._draft(ns, collection)
        self._write(draft)
        space = draft.space
        stored.drop(self._connection, space.space)
        self._connection.execute("UPDATE entry SET slot = NULL, parts = 0 WHERE space = ?", (space.space,))
        space.slots = 0
        space.pending = space.documents
        self._tell(draft, SLOTS_RESET, 0)

    def flush(self) -> None:
        """Write everything taken since ``begin`` and the counters."""
        for draft in self._drafts.values():
            self._write(draft)
            if draft.changed:
                self._namespaces.save_space(draft.space)
        self._drafts.clear()

    def _draft(self, ns: int, collection: str) -> _Draft:
        key = (ns, collection)
        if key not in self._drafts:
            self._drafts[key] = _Draft(self._namespaces.ensure_space(ns, collection), collection == HISTORY)
        return self._drafts[key]

    def _write(self, draft: _Draft) -> None:
        if not draft.records:
            return
        space, first = draft.space, draft.first
        packed = b"".join([_pack(*record) for record in draft.records])  # a third of what np.array takes
        blocks.write_many(self._connection, space.space, COLUMNS, first, packed)
        lengths, distinct = self._write_terms(draft, first)
        slots, parts = self._write_vectors(space, first, draft.prepared)
        keys = [prepared.key for prepared in draft.prepared]
        rows = zip(repeat(space.space), count(first), keys, lengths, distinct, slots, parts, strict=False)
        insert(self._connection, "entry(space, ord, key, length, terms, slot, parts)", list(rows))
        space.documents += len(draft.records)
        space.total_length += sum(lengths)
        draft.records, draft.prepared, draft.changed = [], [], True

    def _write_terms(self, draft: _Draft, first: int) -> tuple[list[int], list[int]]:
        """Write the keyword side of entries; return their lengths and how many terms each has."""
        space = draft.space.space
        words = [item.terms for item in draft.prepared]
        items = list(enumerate(words, first))
        if len(items) > _FEW and not draft.holds:
            found = postings.grouped(items, content_length)
            postings.write(self._connection, space, found)
            return found.lengths, found.distinct
        write = postings.hold if draft.holds else postings.append_few
        return write(self._connection, space, items, measure=content_length), [len(set(terms)) for terms in words]

    def _write_vectors(
        self, space: Space, first: int, prepared: list[Prepared]
    ) -> tuple[list[int | None], list[int]]:  # fmt: skip
        """Write the vectors that there are; return of each entry the slot of its first one, and how many it has."""
        given = [(ord, item.vectors) for ord, item in enumerate(prepared, first) if item.vectors is not None]
        given = [(ord, vectors) for ord, vectors in given if len(vectors)]
        slot = self._append_vectors(space, given)
        slots: list[int | None] = [None if self.wanted else NO_VECTOR] * len(prepared)
        parts = [0] * len(prepared)
        for ord, vectors in given:
            slots[ord - first], parts[ord - first] = slot, len(vectors)
            slot += len(vectors)
        space.pending += (len(prepared) - len(given)) * int(self.wanted)
        return slots, parts

    def _append_vectors(self, space: Space, given: list[tuple[int, NDArray[Any]]]) -> int:
        first = space.slots
        if given:
            layout = stored.layout(self.checked_dimension(given[0][1].shape[1]))
            records = stored.records(layout, given)
            blocks.write_many(self._connection, space.space, layout, first, records.tobytes())
            space.slots += len(records)
        return first

    def checked_dimension(self, dimension: int) -> int:
        """Keep one dimension a store; the first vector fixes it.

        Raises:
            EmbedderMismatchError: the store has another.
        """
        if self._dimension is None:
            row = self._connection.execute("SELECT value FROM setting WHERE key = 'dimension'").fetchone()
            if row is None:
                self._connection.execute("INSERT INTO setting(key, value) VALUES ('dimension', ?)", (str(dimension),))
            self._dimension = dimension if row is None else int(row[0])
        if dimension != self._dimension:
            raise EmbedderMismatchError(
                f"the store holds vectors of {self._dimension} numbers, the embedder gave {dimension};"
                " change the model with rebuild(embedder=...)",
                value=dimension,
            )
        return dimension

    def _erase_slots(self, draft: _Draft, slot: int | None, parts: int) -> None:
        if slot is None:
            draft.space.pending -= 1
            return
        if not parts:
            return
        row = self._connection.execute("SELECT value FROM setting WHERE key = 'dimension'").fetchone()
        layout = stored.layout(int(row[0]))  # type: ignore[index]  # a slot exists, so its dimension was recorded
        slots = range(slot, slot + parts)
        stored.erase(self._connection, draft.space.space, layout, slots)
        for erased in slots:
            self._tell(draft, SLOT_ERASED, erased)

    def _tell(self, draft: _Draft, what: int, ord: int) -> None:
        space = draft.space
        space.feed += 1
        draft.changed = True
        self._connection.execute(
            "INSERT INTO feed(space, seq, what, ord) VALUES (?,?,?,?)", (space.space, space.feed, what, ord)
        )
        if space.feed - space.feed_floor > 2 * FEED_KEPT:
            space.feed_floor = space.feed - FEED_KEPT
            self._connection.execute("DELETE FROM feed WHERE space = ? AND seq <= ?", (space.space, space.feed_floor))
