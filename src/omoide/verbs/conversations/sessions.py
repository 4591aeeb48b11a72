"""Sessions and domains listed, and how much of what there is was taken in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omoide.beside import ledger
from omoide.model.history import SessionRow
from omoide.model.policy import Scope
from omoide.model.time import Micros, optional_datetime, to_datetime
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Read
from omoide.types.history import Session
from omoide.verbs.context import Context
from omoide.verbs.conversations import failures

_SEGMENTS = (
    "SELECT count(*), ifnull(sum(archived), 0), min(at), max(at), count(DISTINCT project), ifnull(sum(lines), 0)"
    " FROM segment WHERE ns = ?"
)
_TURNS = (
    "SELECT count(*), count(number), ifnull(sum(kind = 'broken'), 0), ifnull(sum(kind = 'raw'), 0) FROM turn"
    " WHERE ns = ?"
)

_SESSIONS = (
    "SELECT status, count(*), sum(EXISTS (SELECT 1 FROM turn t WHERE t.session_id = e.session_id)) FROM session e"
    " WHERE ns = ? GROUP BY status"
)


def list_sessions(
    ctx: Context, scope: Scope, *, project: str | None, domain: str | None, host: str | None, since: Micros | None,
    until: Micros | None, limit: int | None,
) -> list[Session]:  # fmt: skip
    """Return sessions, the latest first."""
    ctx.flush()
    told = "ifnull(e.ended_at, ifnull(e.started_at, e.added_at))"
    wanted = {
        "e.project = ?": project, "e.host = ?": host, f"{told} >= ?": since, f"{told} < ?": until,
        "(e.domain = ?1 OR EXISTS (SELECT 1 FROM segment s WHERE s.session_id = e.session_id AND s.domain = ?1))":
            domain,
    }  # fmt: skip
    given = {sql.replace("?1", "?"): value for sql, value in wanted.items() if value is not None}
    found: list[Session] = []
    with ctx.store.read(scope) as tx:
        for namespace in scope.readable:
            ns = tx.namespaces.id(namespace)
            condition = " AND ".join(["e.ns = ?", *given])
            values = [ns, *(value for sql, value in given.items() for _ in range(sql.count("?")))]
            found += [session_of(tx, row) for row in tx.sessions.select(condition, values, limit)]
    found.sort(key=lambda session: session.ended_at or session.started_at or session.added_at, reverse=True)
    return found if limit is None else found[:limit]


def session_of(tx: Read, row: SessionRow) -> Session:
    """Return a stored session as users see it."""
    turns, records, segments = tx.sessions.counts(row.session_id)
    return Session(
        id=row.name, namespace=row.namespace, host=row.host, turns=turns, records=records, segments=segments,
        status=row.status, added_at=to_datetime(row.added_at), title=row.title, project=row.project,
        domain=row.domain, branch=row.branch, path=row.path, parent=row.parent,
        started_at=optional_datetime(row.started_at), ended_at=optional_datetime(row.ended_at), error=row.error,
        counts=dict(row.counts),
    )  # fmt: skip


def status(ctx: Context, scope: Scope) -> dict[str, dict[str, Any]]:
    """Return per namespace what is known of conversations: taken in, failed and why, embedded or not yet.

    ``ingested``: sessions that have records, ``pending``: captures that wait in the inbox of the hooks.
    """
    ctx.flush()
    with ctx.store.read(scope) as tx:
        return {name: _status(ctx, tx, name) for name in scope.readable}


def _status(ctx: Context, tx: Read, namespace: str) -> dict[str, Any]:
    ns = tx.namespaces.id(namespace)
    segments: Any = tx.connection.execute(_SEGMENTS, (ns,)).fetchone()
    turns: Any = tx.connection.execute(_TURNS, (ns,)).fetchone()
    counted: Any = tx.connection.execute(_SESSIONS, (ns,)).fetchall()
    space = None if ns is None else tx.namespaces.space(ns, HISTORY)
    pending, entries = (0, 0) if space is None else (space.pending, space.documents)
    model = tx.settings.get("embedder")
    return {
        "namespace": namespace, "sessions": sum(row[1] for row in counted), "ingested": sum(row[2] for row in counted),
        "pending": _waiting(ctx, namespace), "by_status": {row[0]: row[1] for row in counted}, "records": turns[0],
        "turns": turns[1], "broken": turns[2], "unknown": turns[3], "segments": segments[0], "archived": segments[1],
        "oldest": optional_datetime(segments[2]), "newest": optional_datetime(segments[3]), "projects": segments[4],
        "entries": entries, "embedded": entries - pending if model is not None else 0, "pending_vectors": pending,
        "embedder": model, "embedder_problem": ctx.filler.problem, "failed": failures.failed(tx, namespace),
    }  # fmt: skip


def _waiting(ctx: Context, namespace: str) -> int:
    """Return how many captures that a hook accepted are not in the store yet."""
    path = ctx.store.path
    rows = ledger.captures(path, namespace) if Path(path).is_file() else []
    return sum(row["state"] in ("accepted", "pending") for row in rows)
