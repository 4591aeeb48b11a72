"""Conversations read as they travel to another store."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from omoide.model.carried_history import CarriedSegment, CarriedSession, CarriedTurn
from omoide.model.history import SessionRow
from omoide.store.sqlite.transaction import Read

_TURNS: Final = (
    "SELECT t.position, t.number, t.kind, t.key, t.role, c.text, t.raw, t.metadata, t.trust, t.at, t.added_at, t.batch"
    " FROM turn t LEFT JOIN content c ON c.content_id = t.content_id WHERE t.session_id = ? ORDER BY t.position"
)
_TOGETHER: Final = 100


def sessions_of(tx: Read, numbers: Sequence[int]) -> Iterator[CarriedSession]:
    """Yield the sessions of namespaces in the order in which they were first known."""
    for session_id in _ids(tx, "SELECT session_id FROM session WHERE ns = ?", numbers):
        row = tx.sessions.get(session_id)
        if row is not None:
            yield carried_session(row)


def turns_of(tx: Read, numbers: Sequence[int]) -> Iterator[CarriedTurn]:
    """Yield the records of the sessions of namespaces, session after session, in their order."""
    for session_id in _ids(tx, "SELECT session_id FROM session WHERE ns = ?", numbers):
        row = tx.sessions.get(session_id)
        if row is not None:
            yield from turns_of_session(tx, row)


def turns_of_session(tx: Read, session: SessionRow) -> Iterator[CarriedTurn]:
    """Yield the records of a session in their order."""
    row: Any
    for row in tx.connection.execute(_TURNS, (session.session_id,)):
        raw = None if row[6] is None else zlib.decompress(row[6])
        whole = (session.uid, *row[:6], raw, dict(json.loads(row[7] or "{}")), *row[8:])
        yield CarriedTurn._make(whole)


def segments_of(tx: Read, numbers: Sequence[int]) -> Iterator[CarriedSegment]:
    """Yield the segments of namespaces in the order in which they were saved."""
    ids = _ids(tx, "SELECT number FROM segment WHERE ns = ?", numbers)
    for first in range(0, len(ids), _TOGETHER):
        some = ids[first : first + _TOGETHER]
        for _, (row, text) in sorted(tx.segments.many(some).items()):
            session = None if row.session_id is None else tx.sessions.get(row.session_id)
            yield CarriedSegment(row, None if session is None else session.uid, text)


def carried_session(row: SessionRow) -> CarriedSession:
    """Return a stored session as it travels."""
    return CarriedSession(
        row.session_id, row.uid, row.namespace, row.host, row.name, row.status, dict(row.counts), row.added_at,
        row.path, row.project, row.domain, row.branch, row.title, row.parent, row.error, row.started_at, row.ended_at,
        row.batch,
    )  # fmt: skip


def _ids(tx: Read, sql: str, numbers: Sequence[int]) -> list[int]:
    return sorted(int(row[0]) for ns in numbers for row in tx.connection.execute(sql, (ns,)))
