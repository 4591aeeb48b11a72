"""The index of a collection made anew from its rows, beside the old one, and put in its place by one commit.

The new index grows in small transactions under a space of its own that nothing reads, so that other handles
go on reading and writing. The last transaction adds what they wrote meanwhile and swaps the two; a kill
before it leaves the old index as it was. Unfinished and replaced indexes are swept away afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw
from numpy.typing import NDArray

from omoide.errors import StoreBusyError
from omoide.model.records import Claim, Voice
from omoide.search.prepared import Prepared
from omoide.store.sqlite.indexing import blocks, held, postings
from omoide.store.sqlite.indexing import vectors as stored
from omoide.store.sqlite.indexing.indexer import COLUMNS, NO_VECTOR
from omoide.store.sqlite.indexing.sources import SOURCES, Source, columns
from omoide.store.sqlite.mending.kept import KeptVectors
from omoide.store.sqlite.namespaces import Space
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.tokens import content_length

BATCH: Final = 500
"""Ordinals indexed in one transaction."""

UNFINISHED: Final = "/new"
REPLACED: Final = "/old/"

_TAIL: Final = 16  # rows that may be left for the last transaction
_ATTEMPTS: Final = 3
_COLUMNS_AT_ONCE: Final = 65_536
_SWEEP: Final = 2_000
_VOICE: Final = Voice(door="maintenance")

Prepare = Callable[[Sequence[Claim]], Sequence[Prepared]]

_LEFTOVERS: Final = f"SELECT space FROM space WHERE collection LIKE '%{UNFINISHED}' OR collection LIKE '%{REPLACED}%'"
_INSERT: Final = "INSERT INTO entry(space, ord, key, length, terms, slot, parts) VALUES (?,?,?,?,?,?,?)"
_RETIRE: Final = "UPDATE space SET collection = collection || ? || space, pending = 0 WHERE space = ?"
_PROMOTE: Final = "UPDATE space SET collection = ? WHERE space = ?"
_PENDING: Final = "SELECT count(*) FROM entry WHERE space = ? AND slot IS NULL"

_COUNT_PENDING: Final = (
    "UPDATE space SET pending = (SELECT count(*) FROM entry e WHERE e.space = space.space AND e.slot IS NULL)"
    f" WHERE collection NOT LIKE '%{UNFINISHED}' AND collection NOT LIKE '%{REPLACED}%'"
)
_STRAYS: Final = (
    *(f"DELETE FROM {table} WHERE space NOT IN (SELECT space FROM space)" for table in ("entry", "feed", "term")),
    "DELETE FROM held WHERE id >> 32 NOT IN (SELECT space FROM space)",
    "DELETE FROM block WHERE id >> 32 NOT IN (SELECT space FROM space)",
    "DELETE FROM posting WHERE id >> 32 NOT IN (SELECT term_id FROM term)",
)


class _PurgedError(Exception):
    """Rows that the new index already holds are gone."""


def collections(tx: Read) -> list[tuple[int, str]]:
    """Return (namespace number, collection) of everything that has an index or rows that need one."""
    numbers: list[int] = [row[0] for row in tx.connection.execute("SELECT ns FROM namespace ORDER BY ns")]
    return [
        (ns, name)
        for name, source in SOURCES.items()
        for ns in numbers
        if tx.namespaces.space(ns, name) is not None or source.end(tx.connection, ns)
    ]


def rebuild(store: SqliteStore, ns: int, collection: str, prepare: Prepare, *, keep: bool) -> int:
    """Make the index of one collection of a namespace anew; return how many entries it has.

    ``prepare`` returns what the index keeps of texts. ``keep``: sound vectors of the old index are taken over
    where ``prepare`` gives none; what has none after that is pending.

    Raises:
        StoreBusyError: rows were purged each time it was tried, or another rebuild began.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _Build(store, ns, collection, prepare, keep=keep).run()
        except _PurgedError:
            continue
    raise StoreBusyError("memories were purged while the index was rebuilt; run rebuild again")


def change_model(tx: Write, model: str | None) -> None:
    """Record another model, None for keyword search only, and drop every vector."""
    tx.settings.delete("dimension")
    if model is None:
        tx.settings.delete("embedder")
    else:
        tx.settings.set("embedder", model)
    for space in _leftovers(tx):
        while not _sweep_some(tx.connection, space):
            pass
    for ns, collection, _ in tx.namespaces.spaces():
        tx.indexer.reset_vectors(ns, collection)
    tx.indexer.flush()
    if model is None:
        tx.connection.execute("UPDATE entry SET slot = ?", (NO_VECTOR,))
        tx.connection.execute("UPDATE space SET pending = 0")


def want_vectors(tx: Write) -> None:
    """Let entries that were written while the store had no model wait for a vector."""
    conn = tx.connection
    conn.execute("UPDATE entry SET slot = NULL WHERE slot = ?", (NO_VECTOR,))
    if conn.changes():
        conn.execute(_COUNT_PENDING)


def remove_strays(tx: Write) -> None:
    """Erase what belongs to the index of no collection; it would be taken for the next new one's."""
    for sql in _STRAYS:
        tx.connection.execute(sql)


def empty(tx: Write, ns: int, collection: str) -> None:
    """Erase the index of a collection whole; other handles notice at their next read."""
    tx.indexer.flush()
    old = tx.namespaces.space(ns, collection)
    if old is None:
        return
    tx.connection.execute(_RETIRE, (REPLACED, old.space))
    fresh = tx.namespaces.ensure_space(ns, collection)
    fresh.feed = fresh.feed_floor = old.feed + 1
    tx.namespaces.save_space(fresh)
    while not _sweep_some(tx.connection, old.space):
        pass


def sweep(store: SqliteStore) -> None:
    """Erase unfinished and replaced indexes, a little in each transaction."""
    with store.read(None) as tx:
        left = _leftovers(tx)
    for space in left:
        done = False
        while not done:
            with store.write(_VOICE) as write:
                done = _sweep_some(write.connection, space)


@dataclass(slots=True)
class _Build:
    """One attempt at a new index."""

    store: SqliteStore
    ns: int
    collection: str
    prepare: Prepare
    keep: bool
    space: int = -1
    kept: KeptVectors | None = None

    @property
    def source(self) -> Source:
        return SOURCES[self.collection]

    def run(self) -> int:
        sweep(self.store)
        with self.store.write(_VOICE) as write:
            self.space = write.namespaces.ensure_space(self.ns, self.collection + UNFINISHED).space
        if self.keep:
            self._look_at_vectors()
        first, end = 0, self._end()
        while end - first > _TAIL:
            last = min(first + BATCH, end)
            with self.store.read(None) as tx:
                claims = self.source.claims(tx.connection, self.ns, first, last)
            prepared = self.prepare([claim for _, claim in claims])
            with self.store.write(_VOICE) as write:
                self._append(write, [ord for ord, _ in claims], prepared)
            first, end = last, self._end()
        with self.store.write(_VOICE) as write:
            return self._finish(write, first)

    def _look_at_vectors(self) -> None:
        with self.store.read_aside() as tx:
            old = tx.namespaces.space(self.ns, self.collection)
            if old is not None and tx.dimension is not None:
                self.kept = KeptVectors(tx.connection, old.space, tx.dimension, old.slots)

    def _end(self) -> int:
        with self.store.read(None) as tx:
            return self.source.end(tx.connection, self.ns)

    def _unfinished(self, tx: Write) -> Space:
        """Return the counters of the new index, which another rebuild or a purge may have swept away."""
        found = tx.namespaces.space(self.ns, self.collection + UNFINISHED)
        if found is None or found.space != self.space:
            raise StoreBusyError("another rebuild or a purge of this store began; run rebuild again")
        return found

    def _append(self, tx: Write, ords: Sequence[int], prepared: Sequence[Prepared]) -> None:
        """Write the entries of some rows."""
        space, conn = self._unfinished(tx), tx.connection
        items = list(zip(ords, prepared, strict=True))
        if not items:
            return
        postings.append_many(conn, space.space, [(ord, each.terms) for ord, each in items], measure=content_length)
        lengths = [content_length(each.terms) for _, each in items]
        slots = self._write_vectors(tx, space, items)
        missing = (None if tx.settings.get("embedder") is not None else NO_VECTOR, 0)
        conn.executemany(
            _INSERT,
            [
                (space.space, ord, each.key, length, len(set(each.terms)), *slots.get(ord, missing))
                for (ord, each), length in zip(items, lengths, strict=True)
            ],
        )
        self.source.refresh(conn, self.ns, items)
        space.documents += len(items)
        space.total_length += sum(lengths)
        tx.namespaces.save_space(space)

    def _write_vectors(
        self, tx: Write, space: Space, items: Sequence[tuple[int, Prepared]]
    ) -> dict[int, tuple[int, int]]:
        """Write the vectors that there are; return (slot, parts) by ordinal."""
        found = [(ord, self._vectors(tx.connection, ord, each)) for ord, each in items]
        owned = [(ord, vectors) for ord, vectors in found if vectors is not None]
        if not owned:
            return {}
        layout = stored.layout(tx.indexer.checked_dimension(owned[0][1].shape[1]))
        blocks.write_many(tx.connection, space.space, layout, space.slots, stored.records(layout, owned).tobytes())
        places: dict[int, tuple[int, int]] = {}
        for ord, vectors in owned:
            places[ord] = (space.slots, len(vectors))
            space.slots += len(vectors)
        return places

    def _vectors(self, conn: apsw.Connection, ord: int, prepared: Prepared) -> NDArray[Any] | None:
        if prepared.vectors is not None and len(prepared.vectors):
            return prepared.vectors
        return None if self.kept is None else self.kept.of(conn, ord, prepared.key)

    def _finish(self, tx: Write, first: int) -> int:
        """Add what is left, write all columns and put the new index in the place of the old one."""
        conn = tx.connection
        count, end = self.source.count(conn, self.ns), self.source.end(conn, self.ns)
        claims = self.source.claims(conn, self.ns, first, end)
        self._append(tx, [ord for ord, _ in claims], self.prepare([claim for _, claim in claims]))
        space = self._unfinished(tx)
        if space.documents != count:
            raise _PurgedError
        old = tx.namespaces.space(self.ns, self.collection)
        space.entries = end if old is None else max(end, old.entries)
        self._write_columns(conn, space)
        space.pending = int(conn.execute(_PENDING, (space.space,)).get)
        space.live = self.source.live(conn, self.ns)
        if old is not None:
            space.feed = space.feed_floor = old.feed + 1
            conn.execute(_RETIRE, (REPLACED, old.space))
        tx.namespaces.save_space(space)
        conn.execute(_PROMOTE, (self.collection, space.space))
        return count

    def _write_columns(self, conn: apsw.Connection, space: Space) -> None:
        for first in range(0, space.entries, _COLUMNS_AT_ONCE):
            last = min(first + _COLUMNS_AT_ONCE, space.entries)
            found = columns(conn, self.ns, self.collection, first, last)
            blocks.write_many(conn, space.space, COLUMNS, first, found.tobytes())


def _leftovers(tx: Read) -> list[int]:
    return [row[0] for row in tx.connection.execute(_LEFTOVERS)]


def _sweep_some(conn: apsw.Connection, space: int) -> bool:
    """Erase a part of an unused index; entries first, since they point at vectors. Return whether all is gone."""
    conn.execute(
        "DELETE FROM entry WHERE space = ?1 AND ord > (SELECT max(ord) FROM entry WHERE space = ?1) - ?2",
        (space, _SWEEP),
    )
    if conn.changes():
        return False
    conn.execute(
        "DELETE FROM block WHERE id IN (SELECT id FROM block WHERE id BETWEEN ? AND ? LIMIT ?)",
        (space << 32, space << 32 | 0xFFFFFFFF, _SWEEP // 10),
    )
    if conn.changes():
        return False
    terms: list[Any] = conn.execute("SELECT term_id FROM term WHERE space = ? LIMIT ?", (space, _SWEEP)).fetchall()
    if terms:
        ranges = [(term[0] << 32, term[0] << 32 | 0xFFFFFFFF) for term in terms]
        conn.executemany("DELETE FROM posting WHERE id BETWEEN ? AND ?", ranges)
        conn.executemany("DELETE FROM term WHERE term_id = ?", terms)
        return False
    held.drop(conn, space)
    conn.execute("DELETE FROM feed WHERE space = ?", (space,))
    conn.execute("DELETE FROM space WHERE space = ?", (space,))
    return True
