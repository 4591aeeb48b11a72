"""The parts of documents as what an index is made from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.model.documents import KIND, part_claim
from omoide.model.records import Claim
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import LEVELS, RANK
from omoide.search.columns import RECORD, pack_flags, state_bits
from omoide.search.prepared import Prepared

_END: Final = "SELECT ifnull(max(ord), -1) + 1 FROM chunk WHERE ns = ?"
_COUNT: Final = (
    "SELECT count(*) FROM chunk c JOIN content t ON t.content_id = c.content_id"
    " JOIN document d ON d.document_id = c.document_id WHERE c.ns = ?"
)
_CLAIMS: Final = """
SELECT c.ord, t.text, c.heading, c.title FROM chunk c JOIN content t ON t.content_id = c.content_id
JOIN document d ON d.document_id = c.document_id WHERE c.ns = ? AND c.ord >= ? AND c.ord < ? ORDER BY c.ord"""
_RECORDS: Final = """
SELECT c.ord, c.modified_at, c.added_at, c.removed_at, c.document_id, c.chunk_id, d.trust, ifnull(p.project, 0)
FROM chunk c JOIN document d ON d.document_id = c.document_id LEFT JOIN project p ON p.name = d.project
WHERE c.ns = ? AND c.ord >= ? AND c.ord < ? ORDER BY c.ord"""
_STATE: Final = state_bits(pinned=False, archived=False, disputed=False, seen=1)


class Chunks:
    """Parts of documents; the owner of an entry is its document, the item the part."""

    def end(self, conn: apsw.Connection, ns: int) -> int:
        """Return one more than the highest ordinal, 0 when there is none."""
        return int(conn.execute(_END, (ns,)).get)

    def count(self, conn: apsw.Connection, ns: int) -> int:
        """Return how many parts there are; takes time in proportion."""
        return int(conn.execute(_COUNT, (ns,)).get)

    def claims(self, conn: apsw.Connection, ns: int, first: int, last: int) -> list[tuple[int, Claim]]:
        """Return (ordinal, what is searched) of the ordinals ``first`` up to, not including, ``last``."""
        rows: Any = conn.execute(_CLAIMS, (ns, first, last))
        return [(ord, part_claim(text, heading, title)) for ord, text, heading, title in rows]

    def records(self, conn: apsw.Connection, ns: int, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return ordinals and column records of the same rows."""
        rows: list[Any] = conn.execute(_RECORDS, (ns, first, last)).fetchall()
        made = [record(row[4], row[5], row[1], row[2], row[3], chunk_flags(row[6], row[4]), row[7]) for row in rows]
        return np.array([row[0] for row in rows], np.int64), np.array(made, dtype=RECORD)

    def live(self, conn: apsw.Connection, ns: int) -> int:
        """Return 0: documents have no cap."""
        return 0

    def refresh(self, conn: apsw.Connection, ns: int, items: Sequence[tuple[int, Prepared]]) -> None:
        """Do nothing: the rows keep nothing of the analysis of their texts."""


def record(
    document_id: int, chunk_id: int, modified_at: Micros | None, added_at: Micros, removed_at: Micros | None,
    flags: int, project: int,
) -> tuple[int, ...]:  # fmt: skip
    """Return the columns of a part: valid since its file was last changed, known while it was not replaced."""
    since = added_at if modified_at is None else min(modified_at, added_at)
    known_to = FOREVER if removed_at is None else removed_at
    return (since, FOREVER, added_at, known_to, document_id, chunk_id, flags, project)


def chunk_flags(trust: str, document_id: int) -> int:
    """Return the flags of a part; parts of one document lend each other context."""
    return _flags(trust if trust in RANK else LEVELS[0], 1 + document_id % 255)


@cache
def _flags(trust: str, thread: int) -> int:
    return pack_flags(trust, KIND, "medium", thread) | _STATE
