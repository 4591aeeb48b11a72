"""Conversations erased for good: a session, a segment, or all of a namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omoide.model.history import purged_segment, purged_text
from omoide.store.sqlite.conversations.history_writing import Terms, erase_segment, erase_session, marks_of
from omoide.store.sqlite.indexing import rebuild
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Write


def erase_named(
    tx: Write, namespace: str, names: Sequence[str], terms: Terms, *, sessions: bool
) -> tuple[int, list[str]]:
    """Erase the sessions and segments of some names; return how many there were and the texts that they held."""
    ns, count, texts = tx.ns_of(namespace), 0, list[str]()
    for name in names:
        for session in tx.sessions.named(ns, name) if sessions else ():
            texts += erase_session(tx, namespace, session.session_id, terms)
            count += 1
        segment = tx.segments.find(ns, name)
        if segment is not None:
            texts += [erase_segment(tx, segment, terms), segment.summary]
            count += 1
    return count, texts


def erase_all(tx: Write, namespace: str) -> tuple[int, list[str]]:
    """Erase every conversation of a namespace and its index at once; return how many and the texts they held."""
    ns = tx.ns_of(namespace)
    segments = tx.segments.of_namespace(ns)
    sessions = tx.sessions.select("e.ns = ?", [ns], None)
    if not segments and not sessions:
        return 0, []
    numbers = [row.number for row in segments]
    texts = [text for _, text in tx.segments.many(numbers).values()]
    marks = [purged_text(namespace, each) for each in tx.segments.digests(numbers)]
    rows: Any = tx.connection.execute(
        "SELECT c.content_id, c.text FROM content c WHERE c.content_id IN"
        " (SELECT content_id FROM turn WHERE ns = ?1 UNION SELECT content_id FROM segment WHERE ns = ?1)",
        (ns,),
    ).fetchall()
    marks += [mark for row in sessions for mark in marks_of(tx, row)]
    rebuild.empty(tx, ns, HISTORY)
    for table in ("turn", "segment", "session", "answer"):
        tx.connection.execute(f"DELETE FROM {table} WHERE ns = ?", (ns,))
    for content_id, text in rows:
        tx.contents.delete_unused(content_id)
        texts.append(text)
    marks += [purged_segment(namespace, row.segment_id) for row in segments]
    tx.relations.mark_purged(ns, marks, tx.now, tx.seq)
    texts += [text for row in sessions for text in (row.name, row.title, row.path) if text]
    return len(sessions) + len(segments), texts
