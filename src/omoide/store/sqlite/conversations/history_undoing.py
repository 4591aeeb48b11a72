"""What a batch added to conversations taken out again; it may be taken in or saved anew."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from omoide.model.history import turn_claim, used_segment
from omoide.store.sqlite.conversations.history_writing import Terms, drop_segment
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Write

_TURNS: Final = (
    "SELECT t.turn_id, t.session_id, t.ord, c.text, t.content_id FROM turn t"
    " LEFT JOIN content c ON c.content_id = t.content_id WHERE t.ns = ? AND t.batch = ? ORDER BY t.turn_id"
)
_TYPES: Final = "SELECT json_extract(metadata, '$.type') FROM turn WHERE session_id = ?"
_SPAN: Final = "SELECT min(at), max(at), count(*) FROM turn WHERE session_id = ?"
_FORGET: Final = "UPDATE session SET mark = NULL, position = 0 WHERE ns = ?1 AND path = ?2"


def take_out(tx: Write, namespace: str, batch: str, terms: Terms) -> list[str]:
    """Remove the turns and segments that a batch wrote; return the names of their sessions and of the segments.

    A session of which nothing is left goes as well. Files are read again from their beginning by the next ingest.
    """
    ns = tx.ns_of(namespace)
    found = [_segments(tx, ns, batch, terms), _turns(tx, ns, batch, terms)]
    return sorted({name for names in found for name in names})


def _segments(tx: Write, ns: int, batch: str, terms: Terms) -> list[str]:
    rows = tx.segments.select("s.ns = ? AND s.batch = ?", [ns, batch], None, "s.number")
    for row in rows:
        drop_segment(tx, row, terms)
        tx.connection.execute(
            "UPDATE segment SET replaced_by = NULL WHERE ns = ? AND replaced_by = ?", (ns, row.segment_id)
        )
    marks = [used_segment(row.namespace, row.segment_id) for row in rows]
    tx.relations.mark_purged(ns, marks, tx.now, tx.seq)
    for session_id in {row.session_id for row in rows if row.session_id is not None}:
        _settle(tx, session_id)
    return [row.segment_id for row in rows]


def _turns(tx: Write, ns: int, batch: str, terms: Terms) -> list[str]:
    rows: list[Any] = tx.connection.execute(_TURNS, (ns, batch)).fetchall()
    for _, _, ord, text, _ in rows:
        if ord is not None:
            tx.indexer.erase(ns, HISTORY, ord, terms(turn_claim(text or "")))
    tx.connection.executemany("DELETE FROM turn WHERE turn_id = ?", [(row[0],) for row in rows])
    for content_id in {row[4] for row in rows if row[4] is not None}:
        tx.contents.delete_unused(content_id)
    names: list[str] = []
    for session_id in dict.fromkeys(row[1] for row in rows):
        session = tx.sessions.get(session_id)
        if session is not None:
            names.append(session.name)
            if session.path is not None:
                tx.connection.execute(_FORGET, (ns, session.path))
        _settle(tx, session_id)
    return names


def _settle(tx: Write, session_id: int) -> None:
    """Let a session tell of what it still has; one that has nothing goes."""
    _, records, segments = tx.sessions.counts(session_id)
    session = tx.sessions.get(session_id)
    if session is None:
        return
    if not records and not segments:
        tx.sessions.delete(session_id)
        return
    first, last, _ = tx.connection.execute(_SPAN, (session_id,)).fetchone() or (None, None, 0)
    types: Any = tx.connection.execute(_TYPES, (session_id,))
    counts = Counter(str(row[0]) for row in types if row[0] is not None)
    tx.sessions.set(
        session_id, counts=json.dumps(counts, ensure_ascii=False, sort_keys=True), started_at=first, ended_at=last
    )
