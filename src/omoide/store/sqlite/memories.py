"""Memory rows: identity and the state that is not versioned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import apsw

from omoide.model.records import State
from omoide.model.time import Micros
from omoide.store.sqlite.inserting import insert
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.slices import portions

_FIELDS: Final = "id, uid, ns, created_at, pinned, archived, disputed, seen, ended, ended_by"
STATE: Final = ", ".join(f"m.{name}" for name in _FIELDS.split(", "))
_MARKED: Final = "UPDATE memory SET changed_at = max(?, ifnull(changed_at, -1) + 1) WHERE id = ?"
"""The columns of ``memory m`` that make a state."""


class Memories:
    """Reads and writes the ``memory`` table."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces

    def insert(self, uid: str, ns: int, at: Micros, *, pinned: bool, id: int | None = None) -> int:
        """Make a memory and return its id; a reserved ``id`` is used as given."""
        self._connection.execute(
            "INSERT INTO memory(id, uid, ns, created_at, pinned, last_seen) VALUES (?, ?, ?, ?, ?, ?)",
            (id, uid, ns, at, int(pinned), at),
        )
        return self._connection.last_insert_rowid()

    def insert_many(self, ns: int, at: Micros, rows: Iterable[tuple[int, str, bool]]) -> None:
        """Make memories of (reserved id, uid, pinned)."""
        values = [(id, uid, ns, at, int(pinned), at) for id, uid, pinned in rows]
        insert(self._connection, "memory(id, uid, ns, created_at, pinned, last_seen)", values)

    @property
    def last_id(self) -> int:
        """The highest id that was ever given, 0 before the first."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()
        return 0 if row is None else int(row[0])

    def reserve(self, count: int) -> int:
        """Set aside ``count`` ids that no other writer will get; return the first."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()
        last = 0 if row is None else int(row[0])
        if row is None:
            self._connection.execute("INSERT INTO sqlite_sequence(name, seq) VALUES ('memory', ?)", (count,))
        else:
            self._connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'memory'", (last + count,))
        return last + 1

    def get(self, memory_id: int) -> State | None:
        """Return the state of a memory, or None."""
        row = self._connection.execute(f"SELECT {_FIELDS} FROM memory WHERE id = ?", (memory_id,)).fetchone()
        return None if row is None else state_of(row, self._namespaces)

    def many(self, memory_ids: Sequence[int]) -> dict[int, State]:
        """Return states by id."""
        return {
            row[0]: state_of(row, self._namespaces)
            for marks, ids in portions(memory_ids)
            for row in self._connection.execute(f"SELECT {_FIELDS} FROM memory WHERE id IN ({marks})", ids)
        }

    def oldest_live(self, ns: int, count: int) -> list[int]:
        """Return the oldest memories that count towards a cap."""
        rows = self._connection.execute(
            "SELECT id FROM memory WHERE ns = ? AND pinned = 0 AND archived = 0 AND ended IS NULL ORDER BY id LIMIT ?",
            (ns, count),
        )
        return [row[0] for row in rows]

    def untouched_since(self, ns: int, cutoff: Micros) -> list[int]:
        """Return the memories, not pinned, that were last written or seen before ``cutoff``."""
        rows = self._connection.execute(
            "SELECT id FROM memory m WHERE ns = ? AND pinned = 0 AND archived = 0 AND ended IS NULL AND last_seen < ?"
            " AND NOT EXISTS (SELECT 1 FROM version v WHERE v.memory_id = m.id AND v.known_from >= ?) ORDER BY id",
            (ns, cutoff, cutoff),
        )
        return [row[0] for row in rows]

    def last_seen(self, memory_ids: Sequence[int]) -> dict[int, Micros]:
        """Return when memories were last written or seen, by id."""
        return {
            row[0]: row[1]
            for marks, ids in portions(memory_ids)
            for row in self._connection.execute(f"SELECT id, last_seen FROM memory WHERE id IN ({marks})", ids)
            if row[1] is not None
        }

    def disputed(self, ns: int) -> list[tuple[int, str]]:
        """Return (id, reason) of the memories that are marked as disputed and still believed."""
        rows = self._connection.execute(
            "SELECT id, disputed FROM memory WHERE ns = ? AND disputed IS NOT NULL AND ended IS NULL ORDER BY id", (ns,)
        )
        return [(row[0], row[1]) for row in rows]

    def set(self, memory_id: int, **values: object) -> None:
        """Write state columns by name."""
        names = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(f"UPDATE memory SET {names} WHERE id = ?", (*values.values(), memory_id))

    def mark(self, memory_id: int, now: Micros) -> None:
        """Note when the marks changed: later than they did before, which may be the same instant in another copy."""
        self._connection.execute(_MARKED, (now, memory_id))

    def of_namespace(self, ns: int) -> list[int]:
        """Return every memory of a namespace."""
        return [row[0] for row in self._connection.execute("SELECT id FROM memory WHERE ns = ? ORDER BY id", (ns,))]

    def delete(self, memory_id: int) -> None:
        """Remove the row; its id stays used."""
        self._connection.execute("DELETE FROM memory WHERE id = ?", (memory_id,))


def state_of(row: Sequence[Any], namespaces: Namespaces) -> State:
    """Return a row of ``STATE`` as a value."""
    return State(
        id=row[0], uid=row[1], namespace=namespaces.name(row[2]), created_at=row[3], pinned=bool(row[4]),
        archived=bool(row[5]), disputed=row[6], seen=row[7], ended=row[8], ended_by=row[9],
    )  # fmt: skip
