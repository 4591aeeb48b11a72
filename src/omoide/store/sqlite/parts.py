"""The vectors of a space as the vector index reads them, and the codes it left behind for the next process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import apsw
from numpy.typing import NDArray

from omoide.store.sqlite import blocks
from omoide.store.sqlite.indexer import vector_layout

_KIND: Final = 2


class VectorParts:
    """Reads slots and saved codes in the caller's transaction."""

    def __init__(self, connection: apsw.Connection, space: int, dimension: int) -> None:
        self._connection, self._space = connection, space
        self._layout = vector_layout(dimension)

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Return the records of consecutive slots."""
        return blocks.read(self._connection, self._space, self._layout, first, last)

    def part(self, number: int) -> bytes | None:
        """Return the saved codes of a part, or None."""
        row = self._connection.execute("SELECT data FROM block WHERE id = ?", (_key(self._space, number),)).fetchone()
        return None if row is None else bytes(row[0])

    def parts(self) -> int:
        """Return one more than the highest saved part."""
        row = self._connection.execute(
            "SELECT max(id) FROM block WHERE id BETWEEN ? AND ?", (_key(self._space, 0), _key(self._space, 2**28 - 1))
        ).fetchone()
        return 0 if row is None or row[0] is None else int(row[0]) - _key(self._space, 0) + 1


def save_parts(connection: apsw.Connection, space: int, parts: Iterable[tuple[int, bytes]]) -> None:
    """Keep codes of parts; they are derived and may be dropped at any time."""
    for number, data in parts:
        connection.execute(
            "INSERT OR REPLACE INTO block(id, data) VALUES (?, ?)", (_key(space, number), data)
        )


def drop_parts(connection: apsw.Connection, space: int) -> None:
    """Drop the saved codes of a space."""
    connection.execute(
        "DELETE FROM block WHERE id BETWEEN ? AND ?", (_key(space, 0), _key(space, 2**28 - 1))
    )


def _key(space: int, number: int) -> int:
    return space << 32 | _KIND << 28 | number
