"""What the entries of each collection are made from: the rows that own the ordinals of a space."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.model.kinds import KINDS
from omoide.model.records import SESSION, Claim
from omoide.model.time import FOREVER
from omoide.model.trust import LEVELS, RANK
from omoide.search.columns import ERASED, FLAGS_END, RECORD, pack_flags, state_bits, thread_number
from omoide.search.prepared import Prepared
from omoide.store.sqlite.indexing.document_source import Chunks
from omoide.store.sqlite.indexing.history_source import Conversations
from omoide.store.sqlite.namespaces import DOCUMENTS, HISTORY, MEMORIES

Records = NDArray[Any]
Ords = NDArray[np.int64]

_END: Final = "SELECT ifnull(max(ord), -1) + 1 FROM version WHERE ns = ?"
_COUNT: Final = "SELECT count(*) FROM version v JOIN content c ON c.content_id = v.content_id WHERE v.ns = ?"
_CLAIMS: Final = """
SELECT v.ord, c.text, v.subject, v.predicate, v.abstract, v.tags FROM version v
JOIN content c ON c.content_id = v.content_id WHERE v.ns = ? AND v.ord >= ? AND v.ord < ? ORDER BY v.ord"""
_RECORDS: Final = """
SELECT v.ord, v.valid_from, v.valid_to, v.known_from, v.known_to, v.memory_id, v.version_id, v.trust, v.kind,
  v.importance, m.pinned, m.archived, m.disputed IS NOT NULL, m.seen, ifnull(p.project, 0),
  v.source, CASE WHEN v.source IS NULL THEN v.metadata END, v.confidence
FROM version v JOIN memory m ON m.id = v.memory_id LEFT JOIN project p ON p.name = v.project
WHERE v.ns = ? AND v.ord >= ? AND v.ord < ? ORDER BY v.ord"""
_LIVE: Final = "SELECT count(*) FROM memory WHERE ns = ? AND pinned = 0 AND archived = 0 AND ended IS NULL"
_PAST_FLAGS: Final = np.uint32(FLAGS_END)
_GIST: Final = "UPDATE version SET gist = ?3 WHERE ns = ?1 AND ord = ?2 AND gist IS NOT ?3"


class Source(Protocol):
    """The rows behind a collection. Every row has an ordinal, used once in its namespace."""

    def end(self, conn: apsw.Connection, ns: int) -> int:
        """Return one more than the highest ordinal, 0 when there is none."""
        ...

    def count(self, conn: apsw.Connection, ns: int) -> int:
        """Return how many rows there are; takes time in proportion."""
        ...

    def claims(self, conn: apsw.Connection, ns: int, first: int, last: int) -> list[tuple[int, Claim]]:
        """Return (ordinal, what is searched) of the ordinals ``first`` up to, not including, ``last``."""
        ...

    def records(self, conn: apsw.Connection, ns: int, first: int, last: int) -> tuple[Ords, Records]:
        """Return ordinals and column records (dtype ``RECORD``) of the same rows."""
        ...

    def live(self, conn: apsw.Connection, ns: int) -> int:
        """Return how many owners count towards a cap."""
        ...

    def refresh(self, conn: apsw.Connection, ns: int, items: Sequence[tuple[int, Prepared]]) -> None:
        """Write what the rows themselves keep of the analysis of their texts."""
        ...


class _Memories:
    """Versions of memories."""

    def end(self, conn: apsw.Connection, ns: int) -> int:
        return int(conn.execute(_END, (ns,)).get)

    def count(self, conn: apsw.Connection, ns: int) -> int:
        return int(conn.execute(_COUNT, (ns,)).get)

    def claims(self, conn: apsw.Connection, ns: int, first: int, last: int) -> list[tuple[int, Claim]]:
        rows: Any = conn.execute(_CLAIMS, (ns, first, last))
        return [
            (ord, Claim(text, subject=subject, predicate=predicate, abstract=abstract, tags=_tags(tags)))
            for ord, text, subject, predicate, abstract, tags in rows
        ]

    def records(self, conn: apsw.Connection, ns: int, first: int, last: int) -> tuple[Ords, Records]:
        rows: list[Any] = conn.execute(_RECORDS, (ns, first, last)).fetchall()
        records = np.array([_record(row) for row in rows], dtype=RECORD)
        return np.array([row[0] for row in rows], np.int64), records

    def live(self, conn: apsw.Connection, ns: int) -> int:
        return int(conn.execute(_LIVE, (ns,)).get)

    def refresh(self, conn: apsw.Connection, ns: int, items: Sequence[tuple[int, Prepared]]) -> None:
        conn.executemany(_GIST, [(ns, ord, prepared.gist) for ord, prepared in items])


SOURCES: Final[Mapping[str, Source]] = {MEMORIES: _Memories(), DOCUMENTS: Chunks(), HISTORY: Conversations()}
"""The collections of a namespace, by name."""


def columns(conn: apsw.Connection, ns: int, collection: str, first: int, last: int) -> Records:
    """Return the column records of ordinals as the rows have them; erased where there is no row."""
    records = np.zeros(last - first, dtype=RECORD)
    records["flags"] = ERASED
    ords, found = SOURCES[collection].records(conn, ns, first, last)
    records[ords - first] = found
    return records


def columns_of_space(conn: apsw.Connection, space: int, first: int, last: int) -> Records:
    """Return what ``columns`` does for the namespace and collection that a space belongs to."""
    row: Any = conn.execute("SELECT ns, collection FROM space WHERE space = ?", (space,)).fetchone()
    return columns(conn, row[0], row[1], first, last)


def sound(records: Records) -> bool:
    """Say whether column records can be what was written."""
    flags = records["flags"]
    return bool(((flags < _PAST_FLAGS) & ((records["item"] > 0) | (flags == ERASED))).all())


def _record(row: Sequence[Any]) -> tuple[Any, ...]:
    thread = thread_number(row[15], _session(row[16]))
    flags = _flags(row[7], row[8], row[9], thread, row[17]) | state_bits(
        pinned=bool(row[10]), archived=bool(row[11]), disputed=bool(row[12]), seen=row[13]
    )
    valid_to, known_to = (FOREVER if row[at] is None else row[at] for at in (2, 4))
    return (row[1], valid_to, row[3], known_to, row[5], row[6], flags, row[14])


def _flags(trust: str, kind: str, importance: int, thread: int, confidence: float) -> int:
    """A word that this version does not know counts as the least: the row stays searchable."""
    known = trust if trust in RANK else LEVELS[0], kind if kind in KINDS else next(iter(KINDS))
    return pack_flags(*known, min(max(importance, 1), 10), thread, confidence)


def _session(metadata: object) -> object:
    try:
        found = json.loads(metadata) if isinstance(metadata, str) and SESSION in metadata else {}
    except ValueError:
        return None
    return found.get(SESSION) if isinstance(found, dict) else None


def _tags(text: str | None) -> tuple[str, ...]:
    try:
        found = json.loads(text) if text else ()
    except ValueError:
        return ()
    return tuple(tag for tag in found if isinstance(tag, str)) if isinstance(found, list) else ()
