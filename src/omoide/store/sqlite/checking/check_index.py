"""Whether the index of a collection is what its rows make it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.model.time import FOREVER
from omoide.search.columns import ERASED, RECORD, STATE_BITS
from omoide.search.vectors_slots import ERASED as NOBODY
from omoide.store.sqlite.checking import posting_check
from omoide.store.sqlite.checking.findings import Finding, some
from omoide.store.sqlite.indexing import blocks
from omoide.store.sqlite.indexing.indexer import COLUMNS
from omoide.store.sqlite.indexing.sources import SOURCES, columns
from omoide.store.sqlite.indexing.vector_codes import blank, layout, vectors_of
from omoide.store.sqlite.mending.kept import read_each, unit
from omoide.store.sqlite.namespaces import Space
from omoide.store.sqlite.transaction import Read

_AT_ONCE: Final = 65_536
_ENTRIES: Final = "SELECT ord, length, ifnull(slot, -2), parts FROM entry WHERE space = ? ORDER BY ord"
_PENDING: Final = -2
_STRAY: Final = (
    ("entry", "SELECT DISTINCT space FROM entry WHERE space NOT IN (SELECT space FROM space)"),
    ("term", "SELECT DISTINCT space FROM term WHERE space NOT IN (SELECT space FROM space)"),
    ("held", "SELECT DISTINCT id >> 32 FROM held WHERE id >> 32 NOT IN (SELECT space FROM space)"),
    ("block", "SELECT DISTINCT id >> 32 FROM block WHERE id >> 32 NOT IN (SELECT space FROM space)"),
)

Ints = NDArray[np.int64]


def findings(tx: Read, ns: int, collection: str) -> Iterator[Finding]:
    """Yield what is wrong with the index of one collection of a namespace."""
    space = tx.namespaces.space(ns, collection)
    where = f"namespace {tx.namespaces.name(ns)!r}, {collection} index"
    if space is None:
        yield Finding("index", f"{where}: there is none; run repair", (ns, collection))
        return
    check = _Check(tx, ns, collection, space)
    for text in check.all():
        yield Finding("index", f"{where}: {text}; run repair", (ns, collection))


def orphans(conn: apsw.Connection) -> Iterator[Finding]:
    """Yield what belongs to the index of no collection."""
    for table, sql in _STRAY:
        rows: Any = conn.execute(sql)
        template = f"table {table} has rows of space {{0}}, which does not exist; run repair"
        yield from (Finding("index", text) for text in some(template, rows))
    for text in posting_check.orphans(conn):
        yield Finding("index", f"{text}; run repair")


class _Check:
    def __init__(self, tx: Read, ns: int, collection: str, space: Space) -> None:
        self._tx, self._conn = tx, tx.connection
        self._ns, self._collection, self._space = ns, collection, space
        rows: Any = self._conn.execute(_ENTRIES, (space.space,)).fetchall()
        table = np.array(rows, np.int64).reshape(-1, 4)
        self._ords, self._lengths, self._slots, self._parts = table.T

    def all(self) -> Iterator[str]:
        yield from self._counters()
        yield from self._rows()
        yield from posting_check.check(self._conn, self._space.space)
        yield from self._vectors()

    def _counters(self) -> Iterator[str]:
        counted = {
            "documents": len(self._ords),
            "total_length": int(self._lengths.sum()),
            "pending": int((self._slots == _PENDING).sum()),
            "live": SOURCES[self._collection].live(self._conn, self._ns),
        }
        for name, count in counted.items():
            said = getattr(self._space, name)
            if said != count:
                yield f"{name} is said to be {said} and is {count}"

    def _rows(self) -> Iterator[str]:
        """Compare ordinals and columns with the rows, a window of ordinals at a time."""
        end = SOURCES[self._collection].end(self._conn, self._ns)
        if end > self._space.entries:
            yield f"ordinals go up to {end - 1}, beyond the {self._space.entries} that are counted"
        unsound = blocks.check(self._conn, self._space.space, COLUMNS, self._space.entries)
        yield from unsound
        for first in range(0, self._space.entries, _AT_ONCE):
            last = min(first + _AT_ONCE, self._space.entries)
            expected = columns(self._conn, self._ns, self._collection, first, last)
            yield from self._entries(expected, first, last)
            if not unsound:
                yield from self._columns(expected, first, last)

    def _entries(self, expected: NDArray[Any], first: int, last: int) -> Iterator[str]:
        indexed = np.zeros(last - first, np.bool_)
        inside = self._ords[(self._ords >= first) & (self._ords < last)]
        indexed[inside - first] = True
        present = expected["flags"] != ERASED
        lacking = expected["item"][present & ~indexed].tolist()
        yield from some("{0} {1} has no entry", ((self._noun, item) for item in lacking))
        yield from some("entry {0} belongs to nothing", (np.flatnonzero(indexed & ~present) + first).tolist())

    def _columns(self, expected: NDArray[Any], first: int, last: int) -> Iterator[str]:
        try:
            actual = blocks.read(self._conn, self._space.space, COLUMNS, first, last)
        except DamagedStoreError as error:
            yield str(error)
            return
        unlike = {name: _unlike(name, actual, expected) for name in RECORD.names or ()}
        for at in np.flatnonzero(np.logical_or.reduce(list(unlike.values())))[:_SHOWN].tolist():
            names = ", ".join(name for name, where in unlike.items() if where[at])
            yield f"the columns of {self._noun} {int(expected['item'][at])} (ordinal {first + at}) differ in {names}"

    @property
    def _noun(self) -> str:
        return {"memory": "version", "document": "chunk"}.get(self._collection, self._collection)

    def _vectors(self) -> Iterator[str]:
        slots, dimension = self._space.slots, self._tx.dimension
        placed = self._slots >= 0
        beyond = self._ords[placed & (self._slots + self._parts > slots)]
        yield from some("entry {0} has a vector beyond the last slot", beyond.tolist())
        if not slots or len(beyond):
            return
        if dimension is None:
            yield "there are vectors and no record of their dimension"
            return
        yield from blocks.check(self._conn, self._space.space, layout(dimension), slots)
        expected = np.full(slots, NOBODY, np.int64)
        for ord, slot, parts in zip(self._ords[placed], self._slots[placed], self._parts[placed], strict=True):
            expected[slot : slot + parts] = ord
        for first, records in read_each(self._conn, self._space.space, dimension, slots):
            yield from _slot_findings(records, expected[first : first + len(records)], first)


_SHOWN: Final = 10


def _unlike(name: str, actual: NDArray[Any], expected: NDArray[Any]) -> NDArray[np.bool_]:
    if name != "flags":
        unlike: NDArray[np.bool_] = actual[name] != expected[name]
        return unlike
    # What the state of a memory adds to the flags is kept in step for open versions only.
    kept = np.where(expected["known_to"] == FOREVER, 0xFFFFFFFF, 0xFFFFFFFF & ~STATE_BITS | ERASED).astype(np.uint32)
    changed: NDArray[np.bool_] = (actual["flags"] ^ expected["flags"]) & kept != 0
    return changed


def _slot_findings(records: NDArray[Any], expected: Ints, first: int) -> Iterator[str]:
    owners = records["ord"].astype(np.int64)
    astray = np.flatnonzero(owners != expected)
    yield from some("vector slot {0} belongs to another entry than it says", (astray + first).tolist())
    erased = owners == NOBODY
    broken = ~unit(vectors_of(records)) & ~erased
    yield from some("vector slot {0} holds no vector of length 1", (np.flatnonzero(broken) + first).tolist())
    left = erased & ~blank(records)
    yield from some("vector slot {0} is erased and still holds numbers", (np.flatnonzero(left) + first).tolist())
