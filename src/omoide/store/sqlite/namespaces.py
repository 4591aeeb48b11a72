"""Names of namespaces and the spaces of their collections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import apsw

MEMORIES: Final = "memory"
DOCUMENTS: Final = "document"
HISTORY: Final = "history"

_SPACE: Final = (
    "space, entries, documents, total_length, slots, pending, feed, feed_floor, live,"
    " (SELECT max(seq) FROM event WHERE event.ns = space.ns AND op = 'undo')"
)


@dataclass(slots=True)
class Space:
    """The counters of one collection of one namespace."""

    space: int
    entries: int
    documents: int
    total_length: int
    slots: int
    pending: int
    feed: int
    feed_floor: int
    live: int
    undone: int | None
    """The last event that undid a batch in the namespace."""


class Namespaces:
    """Finds and makes namespaces and spaces; names once seen are remembered."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def id(self, name: str) -> int | None:
        """Return the number of a namespace, or None when nothing was ever written to it."""
        if name not in self._ids:
            row = self._connection.execute("SELECT ns FROM namespace WHERE name = ?", (name,)).fetchone()
            if row is None:
                return None
            self._remember(row[0], name)
        return self._ids[name]

    def name(self, ns: int) -> str:
        """Return the name of a namespace by its number."""
        if ns not in self._names:
            row = self._connection.execute("SELECT name FROM namespace WHERE ns = ?", (ns,)).fetchone()
            assert row is not None
            self._remember(ns, row[0])
        return self._names[ns]

    def all(self) -> list[str]:
        """Return every name, in the order of first use."""
        return [row[0] for row in self._connection.execute("SELECT name FROM namespace ORDER BY ns")]

    def ensure(self, name: str, at: int) -> int:
        """Return the number of a namespace, making it when it is new."""
        known = self.id(name)
        if known is None:
            self._connection.execute("INSERT INTO namespace(name, created_at) VALUES (?, ?)", (name, at))
            known = self._connection.last_insert_rowid()
            self._remember(known, name)
        return known

    def space(self, ns: int, collection: str) -> Space | None:
        """Return the space of a collection, or None when it has no entry yet."""
        row = self._connection.execute(
            f"SELECT {_SPACE} FROM space WHERE ns = ? AND collection = ?", (ns, collection)
        ).fetchone()
        return None if row is None else Space(*row)

    def by_id(self, space: int) -> Space | None:
        """Return a space by its number, or None when it was replaced."""
        row = self._connection.execute(f"SELECT {_SPACE} FROM space WHERE space = ?", (space,)).fetchone()
        return None if row is None else Space(*row)

    def ensure_space(self, ns: int, collection: str) -> Space:
        """Return the space of a collection, making it when it is new."""
        found = self.space(ns, collection)
        if found is None:
            self._connection.execute("INSERT INTO space(ns, collection) VALUES (?, ?)", (ns, collection))
            found = self.space(ns, collection)
            assert found is not None
        return found

    def save_space(self, space: Space) -> None:
        """Write the counters back."""
        self._connection.execute(
            "UPDATE space SET entries = ?, documents = ?, total_length = ?, slots = ?, pending = ?, feed = ?,"
            " feed_floor = ?, live = ? WHERE space = ?",
            (
                space.entries, space.documents, space.total_length, space.slots, space.pending, space.feed,
                space.feed_floor, space.live, space.space,
            ),
        )  # fmt: skip

    def spaces(self) -> list[tuple[int, str, Space]]:
        """Return (namespace number, collection, space) of every space."""
        rows = self._connection.execute(f"SELECT ns, collection, {_SPACE} FROM space ORDER BY space")
        return [(row[0], row[1], Space(*row[2:])) for row in rows]

    def forget_names(self) -> None:
        """Drop what was remembered, after a rollback may have undone a new name."""
        self._ids.clear()
        self._names.clear()

    def _remember(self, ns: int, name: str) -> None:
        self._ids[name] = ns
        self._names[ns] = name
