"""Sessions and domains listed, and how much of what there is was taken in."""

from __future__ import annotations

from typing import Any

from omoide.model.history import SessionRow
from omoide.model.policy import Scope
from omoide.model.time import Micros, optional_datetime, to_datetime
from omoide.recorded import Session
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Read
from omoide.verbs.context import Context

_SEGMENTS = (
    "SELECT count(*), ifnull(sum(archived), 0), min(at), max(at), count(DISTINCT project), ifnull(sum(lines), 0)"
    " FROM segment WHERE ns = ?"
)
_TURNS = (
    "SELECT count(*), count(number), ifnull(sum(kind = 'broken'), 0), ifnull(sum(kind = 'raw'), 0) FROM turn"
    " WHERE ns = ?"
)

_DOMAINS = (
    "SELECT domain, sum(n) FROM (SELECT domain, count(*) AS n FROM segment WHERE ns = ?1 AND (?2 IS NULL OR"
    " project = ?2) GROUP BY domain UNION ALL SELECT domain, count(*) FROM session WHERE ns = ?1 AND (?2 IS NULL OR"
    " project = ?2) GROUP BY domain) WHERE domain IS NOT NULL GROUP BY domain"
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


def domains(ctx: Context, scope: Scope, project: str | None) -> dict[str, int]:
    """Return the domains that segments and sessions have, each with how many, most first."""
    ctx.flush()
    found: dict[str, int] = {}
    with ctx.store.read(scope) as tx:
        for namespace in scope.readable:
            rows: Any = tx.connection.execute(_DOMAINS, (tx.namespaces.id(namespace), project))
            for name, count in rows:
                found[name] = found.get(name, 0) + count
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def status(ctx: Context, scope: Scope) -> dict[str, dict[str, Any]]:
    """Return per namespace what is known of conversations: taken in, failed and why, embedded or not yet."""
    ctx.flush()
    with ctx.store.read(scope) as tx:
        return {name: _status(tx, name) for name in scope.readable}


def _status(tx: Read, namespace: str) -> dict[str, Any]:
    ns = tx.namespaces.id(namespace)
    segments: Any = tx.connection.execute(_SEGMENTS, (ns,)).fetchone()
    turns: Any = tx.connection.execute(_TURNS, (ns,)).fetchone()
    sessions: Any = tx.connection.execute(
        "SELECT status, count(*) FROM session WHERE ns = ? GROUP BY status", (ns,)
    ).fetchall()
    failed: Any = tx.connection.execute(
        "SELECT path, name, error FROM session WHERE ns = ? AND error IS NOT NULL ORDER BY session_id DESC LIMIT 20",
        (ns,),
    ).fetchall()
    space = None if ns is None else tx.namespaces.space(ns, HISTORY)
    return {
        "namespace": namespace, "sessions": sum(count for _, count in sessions), "by_status": dict(sessions),
        "records": turns[0], "turns": turns[1], "broken": turns[2], "unknown": turns[3], "segments": segments[0],
        "archived": segments[1], "oldest": optional_datetime(segments[2]), "newest": optional_datetime(segments[3]),
        "projects": segments[4], "pending_vectors": 0 if space is None else space.pending,
        "entries": 0 if space is None else space.documents, "embedder": tx.settings.get("embedder"),
        "failed": [{"session": name, "path": path, "reason": error} for path, name, error in failed],
    }  # fmt: skip
