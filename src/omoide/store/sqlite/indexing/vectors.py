"""The vectors of a space in the store: one record a slot, and the coded parts that make opening quick.

A part is one row of table ``block``, written when it is full and never changed; it can be dropped at any
time. Whoever erases a vector drops the part that has its code in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.half import Half
from omoide.search.vectors import VectorIndex
from omoide.search.vectors_part import PART
from omoide.search.vectors_slots import ERASED
from omoide.store.sqlite.indexing import blocks, vector_codes
from omoide.store.sqlite.indexing.blocks import Layout
from omoide.store.sqlite.indexing.vector_codes import layout

__all__ = [
    "FINDINGS", "StoredVectors", "check", "drop", "erase", "keep_parts", "layout", "records", "save_parts",
]  # fmt: skip

FINDINGS: Final = 100

_PARTS: Final = Layout(2, np.dtype("u1"), 1)
_SELECT: Final = "SELECT data FROM block WHERE id = ? AND typeof(data) = 'blob'"
_LAST: Final = "SELECT max(id) FROM block WHERE id BETWEEN ? AND ?"
_REPLACE: Final = "INSERT OR REPLACE INTO block(id, data) VALUES (?, ?)"
_DELETE: Final = "DELETE FROM block WHERE id = ?"
_READ: Final = 8192


def records(vectors: Layout, owned: Sequence[tuple[int, NDArray[Any]]]) -> NDArray[Any]:
    """Return the slot records of the vectors (parts, dimension) of entries, one after the other."""
    counts = [len(parts) for _, parts in owned]
    made = np.empty(sum(counts), dtype=vectors.dtype)
    made["ord"] = np.repeat(np.array([ord for ord, _ in owned], np.uint32), counts)
    vector_codes.fill(made, np.concatenate([parts for _, parts in owned]))
    return made


class StoredVectors:
    """Reads a space's vectors for its index; each call sees the transaction it runs in.

    Both reads raise ``DamagedStoreError`` where a block is not sound or a number is not finite.
    """

    def __init__(self, conn: apsw.Connection, space: int, vectors: Layout) -> None:
        self._conn, self._space, self._layout = conn, space, vectors
        self.dtype = vectors.dtype

    def read(self, first: int, last: int, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the records of consecutive slots, in ``out`` when given."""
        found = blocks.read(self._conn, self._space, self._layout, first, last, out)
        self._check(found)
        return found

    def read_slots(self, slots: NDArray[np.int64]) -> Half:
        """Return the float16 vectors of slots."""
        found = blocks.read_slots(self._conn, self._space, self._layout, slots)
        self._check(found)
        return vector_codes.vectors_of(found)

    def _check(self, found: NDArray[Any]) -> None:
        if not vector_codes.sound(found):
            raise DamagedStoreError(
                f"vectors of space {self._space} hold what is no number; run repair", value=self._space
            )

    def parts(self) -> int:
        """Return one more than the number of the last part that was kept."""
        for (last,) in self._conn.execute(_LAST, _PARTS.keys(self._space)):
            return 0 if last is None else int(last) - _PARTS.key(self._space, 0) + 1
        return 0

    def part(self, number: int) -> bytes | None:
        """Return a part that was kept, if it is there."""
        for (data,) in self._conn.execute(_SELECT, (_PARTS.key(self._space, number),)):
            return bytes(data)
        return None


def save_parts(conn: apsw.Connection, space: int, index: VectorIndex) -> list[int]:
    """Keep the full parts of ``index`` that the store lacks; return their numbers, for ``mark_saved``.

    The caller's write transaction must have brought the index to its own state first.
    """
    unsaved = index.unsaved()
    keep_parts(conn, space, unsaved)
    return [number for number, _ in unsaved]


def keep_parts(conn: apsw.Connection, space: int, parts: Iterable[tuple[int, bytes]]) -> None:
    """Keep (number, data) of parts."""
    conn.executemany(_REPLACE, [(_PARTS.key(space, number), data) for number, data in parts])


def erase(conn: apsw.Connection, space: int, vectors: Layout, slots: Iterable[int]) -> None:
    """Overwrite the records of slots and drop the parts that have their codes."""
    blank = np.zeros(1, dtype=vectors.dtype)
    blank["ord"] = ERASED
    record = blank.tobytes()
    coded = set()
    for slot in slots:
        blocks.write(conn, space, vectors, slot, record)
        coded.add(slot // PART)
    conn.executemany(_DELETE, [(_PARTS.key(space, number),) for number in sorted(coded)])


def drop(conn: apsw.Connection, space: int) -> None:
    """Remove all vectors of a space, whatever their dimension, and its parts."""
    blocks.drop(conn, space, layout(1))
    blocks.drop(conn, space, _PARTS)


def check(conn: apsw.Connection, space: int, vectors: Layout, slots: int, entries: int) -> list[str]:
    """Return findings about the ``slots`` vectors of a space that has ``entries`` entries."""
    findings = blocks.check(conn, space, vectors, slots)
    if findings:
        return findings
    for first in range(0, slots, _READ):
        records = blocks.read(conn, space, vectors, first, min(first + _READ, slots))
        ords, erased = records["ord"], records["ord"] == ERASED
        finite = np.isfinite(vector_codes.vectors_of(records)).all(axis=1)
        strays = np.flatnonzero((ords >= entries) & ~erased) + first
        findings += [f"vector slot {slot} belongs to an entry that does not exist" for slot in strays.tolist()]
        broken = np.flatnonzero(~finite) + first
        findings += [f"vector slot {slot} holds no finite numbers" for slot in broken.tolist()]
        left = np.flatnonzero(erased & ~vector_codes.blank(records)) + first
        findings += [f"vector slot {slot} is erased and still holds numbers" for slot in left.tolist()]
    return findings[:FINDINGS]
