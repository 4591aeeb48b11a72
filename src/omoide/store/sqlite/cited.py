"""Documents and conversations that only retracted memories cite."""

from __future__ import annotations

import json
from typing import Any, Final

import apsw

from omoide.model.cites import cited_place
from omoide.model.time import Micros
from omoide.store.sqlite.slices import PORTION, portions

_RETRACTED: Final = (
    "SELECT DISTINCT cites FROM version WHERE ns = ?1 AND cites IS NOT NULL AND known_to <= ?2"
    " AND closed_cause IN ('forget', 'reject')"
)
_BELIEVED: Final = (
    "SELECT DISTINCT cites FROM version WHERE ns = ?1 AND cites IS NOT NULL AND known_from <= ?2"
    " AND (known_to IS NULL OR known_to > ?2)"
)
_SOURCES: Final = (
    "SELECT document_id FROM document WHERE ns = ? AND source IS NOT NULL AND (replace(source, '\\', '/') IN ({0})"
    " OR root IS NOT NULL AND replace(substr(source, length(root) + 2), '\\', '/') IN ({0}))"
)

_RETRACTED_SOURCES: Final = (
    "SELECT DISTINCT source FROM version WHERE ns = ?1 AND source IS NOT NULL AND known_to <= ?2"
    " AND closed_cause IN ('forget', 'reject')"
)
_BELIEVED_SOURCES: Final = (
    "SELECT DISTINCT source FROM version WHERE source IN ({0}) AND ns = ? AND known_from <= ?"
    " AND (known_to IS NULL OR known_to > ?)"
)
_CONVERSATIONS: Final = (
    "SELECT 2 * session_id + 1 FROM session WHERE ns = ? AND (name IN ({0}) OR uid IN ({0}))"
    " UNION SELECT 2 * number FROM segment WHERE ns = ? AND segment_id IN ({0})"
)


def retracted_documents(conn: apsw.Connection, ns: int, known_at: Micros) -> list[int]:
    """Return the documents that memories cite, all of them retracted or rejected at a known time.

    A citation names a source, or a file by its path below the folder it was added with.
    """
    places = _places(conn, _RETRACTED, ns, known_at)
    places -= _places(conn, _BELIEVED, ns, known_at) if places else set()
    found: list[int] = []
    listed = sorted(places)
    for first in range(0, len(listed), PORTION):
        some = listed[first : first + PORTION]
        marks = ",".join("?" * len(some))
        rows: Any = conn.execute(_SOURCES.format(marks), (ns, *some, *some))
        found += [row[0] for row in rows]
    return found


def retracted_history(conn: apsw.Connection, ns: int, known_at: Micros) -> list[int]:
    """Return the sessions and segments that memories cite or come from, all of these retracted at a known time.

    Each as the owner that the index knows: twice the number of a segment, twice that of a session and 1.
    """
    cited, sources = (
        _texts(conn, _RETRACTED, ns, known_at),
        {row[0] for row in conn.execute(_RETRACTED_SOURCES, (ns, known_at))},
    )
    places = (cited | sources) - (_texts(conn, _BELIEVED, ns, known_at) if cited or sources else set())
    for marks, some in portions(sorted(places)):
        rows: Any = conn.execute(_BELIEVED_SOURCES.format(marks), (*some, ns, known_at, known_at)).fetchall()
        places -= {row[0] for row in rows}
    found: list[int] = []
    for marks, some in portions(sorted(places)):
        rows = conn.execute(_CONVERSATIONS.format(marks), (ns, *some, *some, ns, *some))
        found += [row[0] for row in rows]
    return found


def _texts(conn: apsw.Connection, sql: str, ns: int, known_at: Micros) -> set[str]:
    return {cite for (cites,) in conn.execute(sql, (ns, known_at)) for cite in json.loads(cites)}


def _places(conn: apsw.Connection, sql: str, ns: int, known_at: Micros) -> set[str]:
    rows: Any = conn.execute(sql, (ns, known_at))
    return {cited_place(cite) for (cites,) in rows for cite in json.loads(cites)}
