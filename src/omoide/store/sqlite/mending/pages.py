"""The rows on the pages of a SQLite file, read without SQLite, for files whose trees are broken.

A row of a rowid table lies on a leaf page that need not be reachable from its table any more. Which table it
belonged to is told by the number and the types of its columns. Format: https://www.sqlite.org/fileformat2.html,
sections 1.5 (cell overflow included) to 2.1 (records); UTF-8, no reserved bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PAGE: Final = 4096
HEADER: Final = 100


_LEAF: Final = 0x0D
_MOST_LOCAL: Final = PAGE - 35
_LEAST_LOCAL: Final = (PAGE - 12) * 32 // 255 - 23
_CONSTANTS: Final = {0: None, 8: 0, 9: 1}
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_AFFINITIES: Final = {"INTEGER": int, "REAL": (int, float), "TEXT": str, "BLOB": bytes}


class _UnreadableError(Exception):
    """Bytes that are no record."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the columns of a table may hold; the first one is the rowid if ``keyed``."""

    keyed: bool
    columns: tuple[tuple[str, bool], ...]  # (declared type, whether NULL may stand)

    @classmethod
    def of(cls, columns: Mapping[str, tuple[Any, ...]]) -> Shape:
        """Return the shape of a table's columns: type, NOT NULL, default and place in the primary key of each."""
        first = next(iter(columns.values()))
        keyed = first[0] == "INTEGER" and first[3] == 1
        return cls(keyed, tuple((kind, not not_null) for kind, not_null, _, _ in columns.values()))

    def fits(self, rowid: int, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Return the row with its rowid in place if it can belong to the table, else None."""
        if len(values) != len(self.columns):
            return None
        if self.keyed:
            if values[0] is not None:
                return None
            values = (rowid, *values[1:])
        return values if self.holds(values) else None

    def holds(self, values: tuple[Any, ...]) -> bool:
        """Say whether a row, its rowid in place, can belong to the table."""
        types: Mapping[str, Any] = _AFFINITIES
        return all(
            nullable if value is None else isinstance(value, types.get(kind, object))
            for value, (kind, nullable) in zip(values, self.columns, strict=True)
        )


def rows(path: Path) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield (rowid, values) of every row on a leaf page of a rowid table that can be read."""
    with path.open("rb") as file:
        count = path.stat().st_size // PAGE
        for number in range(1, count + 1):
            file.seek((number - 1) * PAGE)
            page = file.read(PAGE)
            start = HEADER if number == 1 else 0
            if page[start] == _LEAF:
                yield from _cells(_Pages(file, count), page, start)


@dataclass(frozen=True, slots=True)
class _Pages:
    file: Any
    count: int

    def overflow(self, number: int, size: int) -> bytes:
        """Return ``size`` bytes of a chain of overflow pages."""
        found: list[bytes] = []
        while size > 0:
            if not 1 < number <= self.count:
                raise _UnreadableError
            self.file.seek((number - 1) * PAGE)
            page = self.file.read(PAGE)
            number = int.from_bytes(page[:4], "big")
            found.append(page[4 : 4 + min(size, PAGE - 4)])
            size -= PAGE - 4
        if number:
            raise _UnreadableError
        return b"".join(found)


def _cells(pages: _Pages, page: bytes, start: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
    (count,) = struct.unpack_from(">H", page, start + 3)
    if 8 + start + 2 * count > PAGE:
        return
    for place in struct.unpack_from(f">{count}H", page, start + 8):
        try:
            yield _cell(pages, page, place)
        except (_UnreadableError, IndexError, struct.error, UnicodeDecodeError):
            continue


def _cell(pages: _Pages, page: bytes, place: int) -> tuple[int, tuple[Any, ...]]:
    size, place = _varint(page, place)
    rowid, place = _varint(page, place)
    if size > PAGE * (pages.count + 1):
        raise _UnreadableError
    local = size
    if size > _MOST_LOCAL:
        local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % (PAGE - 4)
        local = local if local <= _MOST_LOCAL else _LEAST_LOCAL
    payload = page[place : place + local]
    if len(payload) < local:
        raise _UnreadableError
    if size > local:
        payload += pages.overflow(int.from_bytes(page[place + local : place + local + 4], "big"), size - local)
    return _signed(rowid), _record(payload)


def _record(payload: bytes) -> tuple[Any, ...]:
    end, place = _varint(payload, 0)
    if not 0 < end <= len(payload):
        raise _UnreadableError
    types: list[int] = []
    while place < end:
        kind, place = _varint(payload, place)
        types.append(kind)
    values: list[Any] = []
    at = end
    for kind in types:
        value, at = _value(payload, kind, at)
        values.append(value)
    if place != end or at != len(payload):
        raise _UnreadableError
    return tuple(values)


def _value(payload: bytes, kind: int, at: int) -> tuple[Any, int]:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind], at
    if kind == 7:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    if kind in _INTEGERS:
        end = at + _INTEGERS[kind]
        return int.from_bytes(payload[at:end], "big", signed=True), end
    if kind < 12:
        raise _UnreadableError
    end = at + (kind - 12) // 2
    data = payload[at:end]
    return (data.decode("utf-8") if kind % 2 else data), end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for step in range(9):
        byte = data[place + step]
        if step == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    raise _UnreadableError


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
