"""A quick look at what a store believes now: no model, no numpy, a few rows in the order of their importance.

Hooks have a moment to show what matters before a host goes on; opening a handle would take longer than that.
"""

from __future__ import annotations

import json
import os
import time

from omoide.beside.places import database_of
from omoide.store.sqlite.connection import connect, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    import apsw

    Shown = dict[str, Any]
    Found = TypeVar("Found")

PATIENCE = 0.5
"""Seconds to wait for a store that is held."""
RULE = 10
"""The importance of a standing rule."""
_FIELDS = (
    "m.id, v.version_id, substr(c.text, 1, 20000), v.abstract, v.subject, v.predicate, v.kind, v.trust, v.source,"
    " v.importance, v.valid_from, v.valid_to, m.disputed, v.project, v.triggers"
)
_CURRENT = (
    "v.ns = ?1 AND v.known_to IS NULL AND v.trust <> 'untrusted' AND m.archived = 0 AND v.valid_from <= ?2"
    " AND (v.valid_to IS NULL OR v.valid_to > ?2)"
)
_FROM = "FROM version v CROSS JOIN memory m ON m.id = v.memory_id CROSS JOIN content c ON c.content_id = v.content_id"
_ORDER = "ORDER BY v.importance DESC, v.known_from DESC, v.version_id DESC"
_TRIGGERED = f"SELECT {_FIELDS} {_FROM} WHERE {_CURRENT} AND v.triggers IS NOT NULL ORDER BY m.id LIMIT ?3"


class Glance:
    """Current memories, and how many proposals wait for a decision."""

    __slots__ = ("proposals", "rows")

    def __init__(self, rows: list[Shown], proposals: int = 0) -> None:
        self.rows = rows
        self.proposals = proposals

    @property
    def rules(self) -> list[Shown]:
        """The standing rules: what is of critical importance."""
        return [row for row in self.rows if row["importance"] >= RULE]

    @property
    def others(self) -> list[Shown]:
        """All else."""
        return [row for row in self.rows if row["importance"] < RULE]


def glance(path: str, namespace: str, project: str | None, limit: int) -> Glance:
    """Return up to ``limit`` current memories of a project and of none, the most important first, then the newest.

    Untrusted ones are left out. Without a project only those of none come back.

    Raises:
        StoreError: the file cannot be read; see its subclasses.
    """

    def ask(connection: apsw.Connection, ns: int, now: int) -> Glance:
        return look(connection, ns, now, project, limit)

    return _asked(path, namespace, ask) or Glance([])


def look(
    connection: apsw.Connection, ns: int, now: int, project: str | None, limit: int, about: Sequence[str] = ()
) -> Glance:
    """Return what ``glance`` does, over an open connection; ``about``: only these subjects, by their keys."""
    more = f" AND v.about IN ({','.join('?' * len(about))})" if about else ""
    sql = f"SELECT {_FIELDS} {_FROM} WHERE {_CURRENT} AND v.project IS ?3{more} {_ORDER} LIMIT {int(limit)}"
    rows = connection.execute(sql, (ns, now, None, *about)).fetchall()
    if project is not None:
        rows += connection.execute(sql, (ns, now, project, *about)).fetchall()
    found = [_shown(row) for row in rows]
    found.sort(key=lambda row: (-row["importance"], row["project"] is None, -row["version_id"]))
    return Glance(found[:limit], _proposals(connection, ns))


def triggered(path: str, namespace: str, limit: int) -> list[Shown]:
    """Return the current memories that name a file or command at which they want to be shown.

    Raises:
        StoreError: the file cannot be read; see its subclasses.
    """

    def ask(connection: apsw.Connection, ns: int, now: int) -> list[Shown]:
        return [_shown(row) for row in connection.execute(_TRIGGERED, (ns, now, limit))]

    return _asked(path, namespace, ask) or []


def _proposals(connection: apsw.Connection, ns: int) -> int:
    there = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'proposal'").fetchone()
    if there is None:
        return 0
    found: Any = connection.execute("SELECT count(*) FROM proposal WHERE ns = ? AND state = 'open'", (ns,)).fetchone()
    return int(found[0])


def _asked(path: str, namespace: str, ask: Callable[[apsw.Connection, int, int], Found]) -> Found | None:
    """Ask a store; None for one that is not there."""
    file = database_of(path)
    if not os.path.isfile(file):
        return None
    connection = connect(file, read_only=True, busy_timeout=PATIENCE)
    try:
        with translated(file):
            found: Any = connection.execute("SELECT ns FROM namespace WHERE name = ?", (namespace,)).fetchone()
            known: Any = connection.execute("SELECT ifnull(max(at), 0) FROM event").fetchone()
            now = max(time.time_ns() // 1000, int(known[0]))
            return None if found is None else ask(connection, found[0], now)
    finally:
        connection.close()


def _shown(row: Any) -> Shown:
    """Return a row in the form in which answers are fenced."""
    return {
        "origin": "memory", "id": row[0], "version_id": row[1], "text": row[2], "abstract": row[3], "subject": row[4],
        "predicate": row[5], "kind": row[6], "trust": row[7], "source": row[8], "importance": row[9],
        "valid_from": _day(row[10]), "valid_to": _day(row[11]), "status": "disputed" if row[12] else "current",
        "project": row[13], "triggers": json.loads(row[14]) if row[14] else [],
    }  # fmt: skip


def _day(micros: int | None) -> str | None:
    if micros is None:
        return None
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(micros // 1_000_000))
    except (ValueError, OverflowError, OSError):  # years that the system's calendar lacks
        return None
