"""Records of fixed size, numbered from zero, packed into BLOB rows that are written in place.

A row of table ``block`` is one block; its id is ``space << 32 | kind << 28 | number``. A write touches the
pages of its record and no others, so its cost does not depend on how many there are. The first block of a
space starts small and doubles, because most spaces stay small; every other block is allocated whole. Slots
are appended without gaps. All functions work inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError, InvalidInputError

FINDINGS: Final = 100
"""So many findings of one layout are told."""

_KIND_SHIFT: Final = 28
_LAST_NUMBER: Final = (1 << _KIND_SHIFT) - 1
_FIRST_BYTES: Final = 1024
_SMALLEST_BLOCK: Final = 6_144
_LARGEST_BLOCK: Final = 65_536
_FULL: Final = 0.93

# https://www.sqlite.org/fileformat2.html#b_tree_pages, for pages of 4096 bytes without reserved space
_PAGE: Final = 4096
_OVERFLOW: Final = _PAGE - 4
_LARGEST_LOCAL: Final = _PAGE - 35
_SMALLEST_LOCAL: Final = (_PAGE - 12) * 32 // 255 - 23

_INSERT: Final = "INSERT INTO block(id, data) VALUES (?, ?)"
_UPDATE: Final = "UPDATE block SET data = ? WHERE id = ?"
_LAST: Final = "SELECT max(id) FROM block WHERE id BETWEEN ? AND ?"
_DELETE: Final = "DELETE FROM block WHERE id BETWEEN ? AND ?"
_SIZES: Final = "SELECT id, typeof(data), length(data) FROM block WHERE id BETWEEN ? AND ? ORDER BY id"


@dataclass(frozen=True, slots=True)
class Layout:
    """What one kind of record looks like: ``kind`` 0 to 15, its dtype, how many share a block."""

    kind: int
    dtype: np.dtype[Any]
    per_block: int

    @classmethod
    def fit(cls, kind: int, dtype: np.dtype[Any]) -> Self:
        """Return the layout with the smallest blocks, of a page and a half or more, that fill their pages.

        Small blocks make reading single records quick, large ones reading them all.
        """
        count = max(1, -(-_SMALLEST_BLOCK // dtype.itemsize))
        while _filled(count * dtype.itemsize) < _FULL and count * dtype.itemsize < _LARGEST_BLOCK:
            count += 1
        return cls(kind, dtype, count)

    @property
    def size(self) -> int:
        """Bytes of one record."""
        return self.dtype.itemsize

    def keys(self, space: int) -> tuple[int, int]:
        """Return the ids of the first and the last block that ``space`` may have."""
        first = space << 32 | self.kind << _KIND_SHIFT
        return first, first | _LAST_NUMBER

    def key(self, space: int, number: int) -> int:
        """Return the id of a block."""
        return space << 32 | self.kind << _KIND_SHIFT | number

    def spans(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """Yield (block number, first record in it, end) for the slots ``first`` to ``last``, end excluded."""
        while first < last:
            number, start = divmod(first, self.per_block)
            stop = min(self.per_block, start + last - first)
            yield number, start, stop
            first += stop - start

    def room(self, number: int, stop: int) -> int:
        """Return how many records a block is made for when it has to hold ``stop``."""
        if number:
            return self.per_block
        room = max(1, _FIRST_BYTES // self.size)
        while room < stop:
            room *= 2
        return min(room, self.per_block)


def _filled(payload: int) -> float:
    """Return which part of the pages that a row of ``payload`` bytes takes is payload."""
    local, overflow = payload, 0
    if payload > _LARGEST_LOCAL:
        local = _SMALLEST_LOCAL + (payload - _SMALLEST_LOCAL) % _OVERFLOW
        local = local if local <= _LARGEST_LOCAL else _SMALLEST_LOCAL
        overflow = -(-(payload - local) // _OVERFLOW)
    return payload / _PAGE / (overflow + 1 / max(1, (_PAGE - 8) // (local + 16)))


class _Blocks:
    """An open handle that moves from block to block of one space."""

    def __init__(self, conn: apsw.Connection, space: int, layout: Layout, *, writable: bool = False) -> None:
        self._conn, self._space, self._layout, self._writable = conn, space, layout, writable
        self._number, self._length = -1, 0
        self._blob: apsw.Blob | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blob is not None:
            # A handle that SQLite has given up on says so again when it is closed.
            self._blob.close(force=kind is not None)

    def at(self, number: int, stop: int) -> apsw.Blob:
        """Return the handle on a block that holds at least ``stop`` records.

        Raises:
            DamagedStoreError: the block is missing or has a size that is never written.
        """
        if number != self._number:
            self._length = self._move(number).length()
        if not _fits(self._layout, number, self._length, stop):
            raise _damaged(self._layout, self._space, number, f"has {self._length} bytes")
        return self._blob  # type: ignore[return-value]  # it is there once it has moved

    def _move(self, number: int) -> apsw.Blob:
        key = self._layout.key(self._space, number)
        try:
            if self._blob is None:
                self._blob = self._conn.blob_open("main", "block", "data", key, self._writable)
            else:
                self._blob.reopen(key)
        except apsw.SQLError as error:
            raise _damaged(self._layout, self._space, number, "is missing or holds no bytes") from error
        self._number = number
        return self._blob


def _fits(layout: Layout, number: int, length: int, stop: int) -> bool:
    """Say whether a block of ``length`` bytes is one that is written and holds ``stop`` records."""
    size, whole = layout.size, layout.per_block * layout.size
    return length == whole or (number == 0 and stop * size <= length < whole and length % size == 0)


def _damaged(layout: Layout, space: int, number: int, what: str) -> DamagedStoreError:
    key = layout.key(space, number)
    return DamagedStoreError(
        f"row {key} of table block (space {space}, kind {layout.kind}, number {number}) {what}; run rebuild",
        value=key,
    )


def write(conn: apsw.Connection, space: int, layout: Layout, slot: int, record: bytes) -> None:
    """Write one record in place; its block is allocated when it is new."""
    if len(record) != layout.size:
        raise InvalidInputError(f"a record has {layout.size} bytes, not {len(record)}", value=len(record))
    number, start = divmod(slot, layout.per_block)
    _put(conn, space, layout, number, start, record)


def write_many(conn: apsw.Connection, space: int, layout: Layout, first_slot: int, records: bytes | memoryview) -> None:
    """Write records to consecutive slots from ``first_slot``, whole blocks at once."""
    data = memoryview(records).cast("B")
    count, rest = divmod(len(data), layout.size)
    if rest:
        raise InvalidInputError(f"{len(data)} bytes are no whole number of {layout.size}", value=len(data))
    held = _last_number(conn, space, layout)
    fresh: list[tuple[int, bytes]] = []
    done = 0
    for number, start, stop in layout.spans(first_slot, first_slot + count):
        part = data[done : (done := done + (stop - start) * layout.size)]
        if number > held:
            fresh.append((layout.key(space, number), _block(layout, number, start, part)))
        else:
            _put(conn, space, layout, number, start, part)
    conn.executemany(_INSERT, fresh)


def patch(conn: apsw.Connection, space: int, layout: Layout, slot: int, offset: int, data: bytes) -> None:
    """Overwrite some bytes of a record that exists.

    Raises:
        DamagedStoreError: its block is missing or of a wrong size.
    """
    if not 0 <= offset <= offset + len(data) <= layout.size:
        raise InvalidInputError(f"bytes {offset} to {offset + len(data)} lie outside the record", value=offset)
    number, start = divmod(slot, layout.per_block)
    with _Blocks(conn, space, layout, writable=True) as blocks:
        blob = blocks.at(number, start + 1)
        blob.seek(start * layout.size + offset)
        blob.write(data)


def read(
    conn: apsw.Connection, space: int, layout: Layout, first: int, last: int, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the records of the slots ``first`` up to, not including, ``last``, as an array of the dtype.

    ``out``: where they go, as many places as records.

    Raises:
        DamagedStoreError: a block is missing or of a wrong size.
    """
    out = np.empty(max(0, last - first), dtype=layout.dtype) if out is None else out
    raw, done, size = out.view(np.uint8).data, 0, layout.size
    # Straight into the array: a statement would make every block a value of its own first.
    with _Blocks(conn, space, layout) as blocks:
        for number, start, stop in layout.spans(first, last):
            blob, count = blocks.at(number, stop), (stop - start) * size
            if start:
                blob.seek(start * size)
            blob.read_into(raw, done, count)
            done += count
    return out


def read_slots(conn: apsw.Connection, space: int, layout: Layout, slots: NDArray[Any]) -> NDArray[Any]:
    """Return the records of ``slots``, in their order, as an array of the dtype.

    Raises:
        DamagedStoreError: a block is missing or of a wrong size.
    """
    size, per_block = layout.size, layout.per_block
    out = np.empty(len(slots), dtype=layout.dtype)
    raw = out.view(np.uint8).data
    with _Blocks(conn, space, layout) as blocks:
        for place, slot in enumerate(slots.tolist()):
            number, start = divmod(slot, per_block)
            blob = blocks.at(number, start + 1)
            blob.seek(start * size)
            blob.read_into(raw, place * size, size)
    return out


def drop(conn: apsw.Connection, space: int, layout: Layout) -> None:
    """Remove all records of one kind of a space; only the kind of ``layout`` matters."""
    conn.execute(_DELETE, layout.keys(space))


def check(conn: apsw.Connection, space: int, layout: Layout, count: int) -> list[str]:
    """Return findings about the blocks that should hold ``count`` records; none when they are sound."""
    findings = []
    wanted = {number: stop for number, _, stop in layout.spans(0, count)}
    whole = layout.per_block * layout.size
    for key, kind, length in conn.execute(_SIZES, layout.keys(space)):
        number = key & _LAST_NUMBER
        sound = _fits(layout, number, length, wanted.pop(number, 0))
        if kind != "blob":
            findings.append(f"row {key} of table block is {kind}, not bytes")
        elif not sound:
            findings.append(f"row {key} of table block has {length} bytes, {whole} expected")
    findings += [f"row {layout.key(space, number)} of table block is missing" for number in sorted(wanted)]
    return findings[:FINDINGS]


def _last_number(conn: apsw.Connection, space: int, layout: Layout) -> int:
    """Return the number of the last block, -1 when there is none."""
    for (last,) in conn.execute(_LAST, layout.keys(space)):
        return -1 if last is None else int(last) & _LAST_NUMBER
    return -1


def _put(conn: apsw.Connection, space: int, layout: Layout, number: int, start: int, data: bytes | memoryview) -> None:
    key, begin = layout.key(space, number), start * layout.size
    try:
        blob = conn.blob_open("main", "block", "data", key, True)
    except apsw.SQLError:
        _insert(conn, space, layout, number, _block(layout, number, start, data))
        return
    with blob:
        length = blob.length()
        if begin + len(data) <= length <= layout.per_block * layout.size:
            blob.seek(begin)
            blob.write(bytes(data))
            return
        old = blob.read()
    if number or length % layout.size or length > layout.per_block * layout.size:
        raise _damaged(layout, space, number, f"has {length} bytes")
    grown = bytearray(_block(layout, 0, start, data))
    grown[:length] = old
    grown[begin : begin + len(data)] = data
    conn.execute(_UPDATE, (bytes(grown), key))


def _insert(conn: apsw.Connection, space: int, layout: Layout, number: int, data: bytes) -> None:
    try:
        conn.execute(_INSERT, (layout.key(space, number), data))
    except apsw.ConstraintError as error:
        raise _damaged(layout, space, number, "holds no bytes") from error


def _block(layout: Layout, number: int, start: int, data: bytes | memoryview) -> bytes:
    """Return a new block that holds ``data`` from record ``start`` on and zeros elsewhere."""
    room = layout.room(number, start + len(data) // layout.size) * layout.size
    return (bytes(start * layout.size) + bytes(data)).ljust(room, b"\0")
