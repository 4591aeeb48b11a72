"""Vectors of a space that can be trusted, so that a repair embeds no text again that it need not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.vectors_slots import ERASED
from omoide.store.sqlite.indexing import blocks
from omoide.store.sqlite.indexing.vector_codes import layout as vector_layout
from omoide.store.sqlite.indexing.vector_codes import vectors_of

TOLERANCE: Final = 0.01
"""How far the length of a stored vector may be from 1, whose numbers are rounded."""

_ENTRY: Final = "SELECT slot, parts FROM entry WHERE space = ? AND ord = ? AND key = ? AND slot >= 0"


class KeptVectors:
    """Finds the stored vectors of entries whose records are sound and were made from the same text."""

    def __init__(self, conn: apsw.Connection, space: int, dimension: int, slots: int) -> None:
        self._space, self._layout = space, vector_layout(dimension)
        self._owners = sound_owners(conn, space, dimension, slots)

    def of(self, conn: apsw.Connection, ord: int, key: bytes) -> NDArray[Any] | None:
        """Return the vectors (parts, dimension) of an entry, or None when they have to be made again."""
        found: Any = conn.execute(_ENTRY, (self._space, ord, key)).fetchone()
        slot, parts = found or (0, 0)
        owners = self._owners[slot : slot + parts]
        if not parts or len(owners) < parts or not (owners == ord).all():
            return None
        records = blocks.read_slots(conn, self._space, self._layout, np.arange(slot, slot + parts))
        return vectors_of(records) if (records["ord"] == ord).all() else None


def sound_owners(conn: apsw.Connection, space: int, dimension: int, slots: int) -> NDArray[np.int64]:
    """Return the ordinal that each slot belongs to; -1 where it is erased, unreadable or not of length 1."""
    owners = np.full(slots, -1, np.int64)
    for first, records in read_each(conn, space, dimension, slots):
        ords = records["ord"].astype(np.int64)
        ords[(ords == ERASED) | ~unit(vectors_of(records), zero=False)] = -1
        owners[first : first + len(ords)] = ords
    return owners


def read_each(
    conn: apsw.Connection, space: int, dimension: int, slots: int, findings: list[str] | None = None
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield (first slot, records) of every block that can be read; what cannot goes to ``findings``."""
    layout = vector_layout(dimension)
    for first in range(0, slots, layout.per_block):
        try:
            yield first, blocks.read(conn, space, layout, first, min(first + layout.per_block, slots))
        except DamagedStoreError as error:
            if findings is not None:
                findings.append(str(error))


def unit(vectors: NDArray[Any], *, zero: bool = True) -> NDArray[np.bool_]:
    """Say which vectors have length 1, or 0 if ``zero``: a text that a model knows nothing of is near nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
        sound: NDArray[np.bool_] = (np.abs(lengths - 1) <= TOLERANCE) | (zero & (lengths == 0))
    return sound
