"""Findings about posting lists; terms are named by id, never by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.bm25 import length_code
from omoide.store.sqlite.indexing import held
from omoide.store.sqlite.indexing import posting_blocks as blocks
from omoide.store.sqlite.indexing.posting_blocks import Block

FINDINGS: Final = 100
"""So many findings of one space are told; more say no more."""

_ROWS: Final = """
SELECT t.term_id, p.id, p.data FROM term t LEFT JOIN posting p
ON p.id BETWEEN t.term_id << 32 AND t.term_id << 32 | 4294967295
WHERE t.space = ? ORDER BY t.term_id, p.id"""
_ORPHANS: Final = """
SELECT DISTINCT id >> 32 FROM posting WHERE id >> 32 NOT IN (SELECT term_id FROM term) LIMIT ?"""

Row = tuple[int, int | None, bytes]


def check(conn: apsw.Connection, space: int) -> list[str]:
    """Compare the lists of a space with their own rules and with the rows of ``entry``."""
    row = conn.execute("SELECT entries FROM space WHERE space = ?", (space,)).fetchone()
    if row is None:
        return [f"space {space}: no such row in table space"]
    audit = _Audit(conn, space, row[0])
    rows = conn.execute(_ROWS, (space,))
    lists = (finding for _, each in groupby(rows, lambda row: row[0]) for finding in audit.term(each))
    findings = list(islice(lists, FINDINGS))
    findings += islice(audit.waiting(conn, space), FINDINGS)
    if not findings:
        findings += islice(audit.entries(), FINDINGS)
    return [f"space {space}: {finding}" for finding in findings]


def orphans(conn: apsw.Connection) -> list[str]:
    """Return findings about blocks that belong to no term of any space."""
    return [f"table posting: term {row[0]} does not exist" for row in conn.execute(_ORPHANS, (FINDINGS,))]


class _Audit:
    """What the rows of ``entry`` make one expect of a space's postings."""

    def __init__(self, conn: apsw.Connection, space: int, size: int) -> None:
        self._size = size
        self._length = np.full(size, -1, np.int64)
        self._code = np.full(size, -1, np.int64)
        self._terms = np.zeros(size, np.int64)
        self._found = np.zeros(size, np.int64)
        self._beyond: list[int] = []
        for entry, length, terms in conn.execute("SELECT ord, length, terms FROM entry WHERE space = ?", (space,)):
            if 0 <= entry < size:
                self._length[entry], self._code[entry], self._terms[entry] = length, length_code(length), terms
            else:
                self._beyond.append(entry)

    def term(self, rows: Iterable[Row]) -> Iterator[str]:
        """Yield the findings of one list, given its rows in order."""
        seen, last, stated = 0, -1, 0
        for term_id, key, data in rows:
            if key is None:
                yield f"term {term_id} has no postings"
                return
            try:
                blocks.require(key, data)
                block = blocks.decode(key, data, self._size)
                blocks.verify(key, block.ords, block.codes, self._size)
            except DamagedStoreError as error:
                yield str(error)
                return
            if int(block.ords[0]) <= last:
                yield f"row {key} of table posting overlaps the one before it"
            last, stated = int(block.ords[-1]), block.before + len(block.ords)
            seen += len(block.ords)
            yield from self._block(key, block)
        if stated != seen:
            yield f"row {key} of table posting says its list has {stated} postings, not {seen}"

    def _block(self, key: int, block: Block) -> Iterator[str]:
        self._found[block.ords] += 1
        expected = self._code[block.ords]
        for entry in block.ords[expected < 0].tolist():
            yield f"row {key} of table posting holds entry {entry}, which does not exist"
        for entry in block.ords[(expected >= 0) & (expected != block.codes & 0xFF)].tolist():
            yield f"row {key} of table posting gives entry {entry} another length than table entry"

    def waiting(self, conn: apsw.Connection, space: int) -> Iterator[str]:
        """Yield the findings of what waits to join the lists."""
        try:
            rows = held.whole(conn, space)
        except DamagedStoreError as error:
            yield str(error)
            return
        for entry, codes, _ in rows:
            if entry >= self._size or self._code[entry] < 0:
                yield f"a row of table held belongs to entry {entry}, which does not exist"
                continue
            if self._found[entry]:
                yield f"entry {entry} waits in table held and is in the lists already"
            self._found[entry] += len(codes)
            if (codes & 0xFF != self._code[entry]).any():
                yield f"a row of table held gives entry {entry} another length than table entry"

    def entries(self) -> Iterator[str]:
        """Yield the findings of entries, once all lists were seen."""
        for entry in self._beyond:
            yield f"entry {entry} is beyond the {self._size} that table space counts"
        lost: NDArray[np.bool_] = (self._length >= 0) & (self._found != self._terms)
        for entry in np.flatnonzero(lost).tolist():
            yield f"entry {entry} has {self._found[entry]} of {self._terms[entry]} terms in the keyword index"
