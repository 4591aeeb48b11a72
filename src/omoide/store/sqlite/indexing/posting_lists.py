"""The reader of posting lists: the source that keyword search asks, over SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import apsw
import numpy as np

from omoide.search.postings import Codes, Ords, PostingList, Postings, Scores
from omoide.store.sqlite.indexing import posting_blocks as blocks
from omoide.store.sqlite.indexing.held import Held, Joined
from omoide.store.sqlite.indexing.posting_blocks import BLOCK, FULL, FULL_BLOCK, LOW, Block
from omoide.store.sqlite.indexing.posting_kept import KeptList, KeptLists

_FIND_TERM: Final = "SELECT term_id FROM term WHERE space = ? AND term = ?"
_AT: Final = "SELECT id, data FROM posting WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
_TAILS: Final = """
SELECT t.term, t.term_id, p.id, p.data FROM json_each(?2) j
CROSS JOIN term t ON t.space = ?1 AND t.term = j.value
LEFT JOIN posting p ON p.id = (
  SELECT max(id) FROM posting WHERE id BETWEEN t.term_id << 32 AND t.term_id << 32 | 4294967295)
"""
_BODY: Final = "SELECT data FROM posting WHERE id >= ? AND id < ? ORDER BY id"

# So many lists stay open while nothing is written.
_OPEN: Final = 2048
# One seek for a block costs about as much as reading this many in a row.
_SEEK: Final = 6


def find_term(conn: apsw.Connection, space: int, term: str) -> int | None:
    """Return the id of a term, None when the space does not know it."""
    row: Any = conn.execute(_FIND_TERM, (space, term)).fetchone()
    return row[0] if row else None


def block_at(conn: apsw.Connection, term_id: int, entry: int = LOW) -> tuple[int, bytes] | None:
    """Return key and bytes of a term's last block that starts at an entry or before it, None without one.

    Raises:
        DamagedStoreError: the bytes are no block.
    """
    row: Any = conn.execute(_AT, (term_id << 32, term_id << 32 | entry)).fetchone()
    if row is None:
        return None
    key, data = row
    blocks.require(key, data)
    return key, data


def tails(conn: apsw.Connection, space: int, terms: Iterable[str]) -> dict[str, tuple[int, tuple[int, bytes] | None]]:
    """Return, for each term that the space knows, its id and its last block (key, bytes), in one statement.

    Raises:
        DamagedStoreError: the bytes are no block.
    """
    rows: Any = conn.execute(_TAILS, (space, json.dumps(list(terms), ensure_ascii=False)))
    found: dict[str, tuple[int, tuple[int, bytes] | None]] = {}
    for term, term_id, key, data in rows:
        if key is not None:
            blocks.require(key, data)
        found[term] = term_id, None if key is None else (key, data)
    return found


class SpacePostings:
    """The lists of one space as of the caller's read transaction, which must outlive it.

    Every list is read from the file when it is first asked for. ``kept``: where long lists stay for later ones;
    ``holds``: whether entries may wait to join the lists.
    """

    __slots__ = ("_conn", "_held", "_kept", "_lists", "_space", "documents", "mean_length", "size")

    def __init__(
        self, conn: apsw.Connection, space: int, *, documents: int, total_length: int, size: int,
        kept: KeptLists | None = None, holds: bool = True,
    ) -> None:  # fmt: skip
        self._conn = conn
        self._space = space
        self._kept = kept
        self._held = Held(conn, space) if holds else None
        self._lists: dict[str, PostingList | None] = {}
        self.documents = documents
        self.mean_length = total_length / documents if documents else 0.0
        self.size = size

    def postings(self, term: str) -> PostingList | None:
        """Return the list of a term, None when no entry holds it.

        Raises:
            DamagedStoreError: the list's last block is not what this version writes.
        """
        if term not in self._lists:
            self._lists[term] = self._whole(term, self._open(term))
        return self._lists[term]

    def prefetch(self, terms: Iterable[str]) -> None:
        """Read the last block of every list in one go.

        Raises:
            DamagedStoreError: one of them is not what this version writes.
        """
        if len(self._lists) > _OPEN:
            self._lists.clear()
        wanted = [term for term in terms if term not in self._lists]
        if not wanted:
            return
        found: dict[str, PostingList | None] = dict.fromkeys(wanted)
        for term, (term_id, tail) in tails(self._conn, self._space, wanted).items():
            if tail is None:
                raise blocks.damaged(term_id << 32, "is missing")
            found[term] = self._decoded(*tail)
        if self._held is not None:
            for term in wanted:
                found[term] = self._whole(term, found[term])
        self._lists.update(found)

    def _whole(self, term: str, stored: PostingList | None) -> PostingList | None:
        """Return a list with what waits to join it."""
        more = None if self._held is None else self._held.of(term)
        return stored if more is None else more if stored is None else Joined(stored, more)

    def _decoded(self, key: int, data: bytes) -> PostingList:
        block = blocks.decode(key, data, self.size)
        if block.before:
            return _BlockList(self._conn, self._space, key, block, self.size, self._kept)
        return _BlockPostings(key, block, self.size)

    def _open(self, term: str) -> PostingList | None:
        term_id = find_term(self._conn, self._space, term)
        if term_id is None:
            return None
        tail = block_at(self._conn, term_id)
        if tail is None:
            raise blocks.damaged(term_id << 32, "is missing")
        return self._decoded(*tail)


class _BlockPostings(Postings):
    """A list of one block."""

    __slots__ = ("_ceiling", "_key")

    def __init__(self, key: int, block: Block, ceiling: int) -> None:
        super().__init__(block.ords, block.codes)
        self._key = key
        self._ceiling = ceiling

    def verify(self) -> None:
        """Raise ``DamagedStoreError`` unless the ordinals ascend within the space and the codes exist."""
        blocks.verify(self._key, self.ords, self.codes, self._ceiling)


class _BlockList:
    """A list of more than one block: the last is known, the others are read when they are needed."""

    __slots__ = ("_ceiling", "_conn", "_kept", "_key", "_space", "_tail", "_whole", "count", "read")

    def __init__(
        self, conn: apsw.Connection, space: int, key: int, tail: Block, ceiling: int, kept: KeptLists | None
    ) -> None:
        self._conn = conn
        self._space = space
        self._key = key
        self._tail = tail
        self._ceiling = ceiling
        self._kept = kept
        self._whole: Postings | None = None if kept is None else kept.find(key, tail)
        self.read = len(tail.ords) if self._whole is None else self._whole.count
        self.count = tail.before + len(tail.ords)

    def peak(self, parts: Scores) -> float:
        """Return the highest part that a code can have."""
        return self._whole.peak(parts) if self._whole else float(parts.max())

    def arrays(self) -> tuple[Ords, Codes]:
        """Read all blocks."""
        if self._whole is None:
            before = self._tail.before
            ords, codes = self._read_all()
            self._whole = KeptList(self._space, self._key, ords[:before], codes[:before], self._tail)
            self.read = self.count
            if self._kept is not None:
                self._kept.keep(self._whole)
        return self._whole.arrays()

    def at(self, ords: Ords) -> Codes:
        """Look ascending ordinals up, reading only the blocks that may hold them."""
        if self._whole is None and len(ords) * _SEEK > self.count // BLOCK:
            self.arrays()
        if self._whole is not None:
            return self._whole.at(ords)
        codes = np.zeros(len(ords), np.uint16)
        start = 0
        while start < len(ords):
            block = self._covering(int(ords[start]))
            if block is None:
                start += 1
                continue
            end = max(int(ords.searchsorted(block.ords[-1], "right")), start + 1)
            codes[start:end] = Postings(block.ords, block.codes).at(ords[start:end])
            start = end
        return codes

    def verify(self) -> None:
        """Raise ``DamagedStoreError`` unless the ordinals ascend within the space and the codes exist."""
        blocks.verify(self._key, *self.arrays(), self._ceiling)

    def _covering(self, entry: int) -> Block | None:
        """Return the only block that can hold an entry."""
        if entry >= self._key & LOW:
            return self._tail
        row = block_at(self._conn, self._key >> 32, entry)
        if row is None:
            return None
        block = blocks.decode(*row, self._ceiling)
        self.read += len(block.ords)
        return block

    def _read_all(self) -> tuple[Ords, Codes]:
        low = self._key >> 32 << 32
        body: list[Any] = [row[0] for row in self._conn.execute(_BODY, (low, self._key))]
        before = self._tail.before
        ords, codes = np.empty(self.count, np.uint32), np.empty(self.count, np.uint16)
        ords[before:], codes[before:] = self._tail.ords, self._tail.codes
        if len(body) * BLOCK == before and all(type(data) is bytes and len(data) == FULL for data in body):
            full = np.frombuffer(b"".join(body), FULL_BLOCK)
            ords[:before].reshape(-1, BLOCK)[:] = full["ords"]
            codes[:before].reshape(-1, BLOCK)[:] = full["codes"]
        else:
            self._read_uneven(body, ords[:before], codes[:before])
        if not (ords[1:] > ords[:-1]).all():
            raise blocks.damaged(self._key, "is not where its ordinals belong")
        return ords, codes

    def _read_uneven(self, body: list[Any], ords: Ords, codes: Codes) -> None:
        """Fill arrays from blocks that purges and late entries have left partly filled."""
        start = 0
        for data in body:
            blocks.require(self._key, data)
            size = blocks.size(data)
            if start + size > len(ords):
                break
            ords[start : start + size] = np.frombuffer(data, "<u4", size, blocks.HEAD)
            codes[start : start + size] = np.frombuffer(data, "<u2", size, blocks.HEAD + 4 * size)
            start += size
        if start != len(ords) or start != sum(map(blocks.size, body)):
            raise blocks.damaged(self._key, f"does not follow {len(ords)} postings as it says")
