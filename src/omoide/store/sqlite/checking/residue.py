"""What is left of erased texts in the bytes of a store's files."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from omoide.store.sqlite.connection import MEMORY_PATH
from omoide.store.sqlite.transaction import Read

SHORTEST: Final = 6
"""Bytes of the shortest needle: shorter ones turn up by chance in vectors and keys."""
_FEW: Final = 32
_WIDTH: Final = 8
_HEAD: Final = np.uint64((1 << 8 * SHORTEST) - 1)
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads neighbours
_SHIFT: Final = 42
_CHUNK: Final = 1 << 22
_DAMAGED: Final = (gzip.BadGzipFile, EOFError, zlib.error)
_LONGEST: Final = 4096
_TEXTUAL: Final = (
    "SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p"
    " WHERE m.type = 'table' AND p.type IN ('TEXT', 'ANY') AND m.name NOT LIKE 'sqlite%'"
)
_TERM: Final = "SELECT 1 FROM space s CROSS JOIN term t ON t.space = s.space AND t.term = ? LIMIT 1"


def files_of(path: str) -> list[Path]:
    """Return every file of the store, the copies that repairs keep beside it included."""
    if path == MEMORY_PATH:
        return []
    store = Path(path)
    return sorted(file for file in store.parent.glob(f"{_literal(store.name)}*") if file.is_file())


def has_term(tx: Read, terms: Iterable[str]) -> bool:
    """Say whether every one of some keyword terms is still held by something."""
    return all(tx.connection.execute(_TERM, (term,)).fetchone() is not None for term in terms)


def left_in(file: Path, needles: Sequence[bytes]) -> set[bytes]:
    """Return the needles, each of ``SHORTEST`` to 4,096 bytes, that occur in a file."""
    finder = _Finder(needles) if len(needles) > _FEW else None
    found: set[bytes] = set()
    for chunk in _chunks(file):
        found |= {needle for needle in needles if needle in chunk} if finder is None else finder.find(chunk)
    return found


class _Finder:
    """Finds many needles in one pass: a table tells which places can begin one, by a hash of the first bytes."""

    def __init__(self, needles: Sequence[bytes]) -> None:
        self._table = np.zeros(1 << (64 - _SHIFT), np.bool_)
        self._by_head: dict[int, list[bytes]] = defaultdict(list)
        for needle in needles:
            self._by_head[int.from_bytes(needle[:SHORTEST], "little")].append(needle)
        heads = np.array(list(self._by_head), np.uint64)
        self._table[(heads * _FACTOR) >> np.uint64(_SHIFT)] = True

    def find(self, chunk: bytes) -> set[bytes]:
        """Return the needles that occur in some bytes."""
        found: set[bytes] = set()
        padded = chunk + bytes(_WIDTH)
        for shift in range(_WIDTH):
            whole = (len(padded) - shift) // _WIDTH
            heads = np.frombuffer(padded, "<u8", whole, shift) & _HEAD
            for at in np.flatnonzero(self._table[(heads * _FACTOR) >> np.uint64(_SHIFT)]).tolist():
                for needle in self._by_head.get(int(heads[at]), ()):
                    if needle not in found and chunk.startswith(needle, shift + at * _WIDTH):
                        found.add(needle)
        return found


def _chunks(file: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, of a compressed one what is in it, in pieces that overlap by the longest needle."""
    tail = b""
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened, suppress(*_DAMAGED):
        while data := opened.read(_CHUNK):
            chunk = tail + data
            yield chunk
            tail = chunk[-_LONGEST:]


def held(tx: Read, needle: str) -> bool:
    """Say whether a row that is still there holds a text; takes time in proportion to the store."""
    columns: list[Any] = tx.connection.execute(_TEXTUAL).fetchall()
    for table, column in columns:
        sql = f'SELECT 1 FROM "{table}" WHERE instr("{column}", ?) LIMIT 1'
        if tx.connection.execute(sql, (needle,)).fetchone() is not None:
            return True
    schema = "SELECT 1 FROM sqlite_schema WHERE instr(sql, ?) LIMIT 1"
    return tx.connection.execute(schema, (needle,)).fetchone() is not None


_PACKED: Final = (
    "SELECT raw FROM turn WHERE raw IS NOT NULL UNION ALL SELECT packed FROM segment WHERE packed IS NOT NULL"
)


def packed(tx: Read, texts: Sequence[str]) -> list[str]:
    """Return those of some texts that are left in compressed parts of conversations."""
    wanted = [text.encode("utf-8") for text in texts]
    found: set[bytes] = set()
    for (raw,) in tx.connection.execute(_PACKED):
        data = _unpacked(raw)
        found |= {text for text in wanted if text in data or json.dumps(text.decode())[1:-1].encode() in data}
    return [text.decode("utf-8") for text in found]


def _unpacked(raw: Any) -> bytes:
    data = raw if isinstance(raw, bytes) else str(raw).encode("utf-8", "replace")
    try:
        return zlib.decompress(data)
    except zlib.error:
        return data


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
