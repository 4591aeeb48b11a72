"""Session rows: conversations, how far each was taken in, and what went wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import apsw

from omoide.model.history import SAVED, SessionRow
from omoide.model.time import Micros
from omoide.model.uids import uuid7
from omoide.store.sqlite.contents import digest_of
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.sequences import go_on_after

_ROW: Final = (
    "e.session_id, e.uid, e.ns, e.host, e.name, e.path, e.position, e.mark, e.project, e.domain, e.branch, e.title,"
    " e.parent, e.status, e.error, e.counts, e.started_at, e.ended_at, e.added_at, e.batch"
)
_BEGINNING: Final = """
SELECT e.session_id FROM content c JOIN turn t ON t.content_id = c.content_id AND t.number = 1
JOIN session e ON e.session_id = t.session_id WHERE c.hash = ? AND e.ns = ? AND e.host = ?"""
_HOLDING: Final = """
SELECT DISTINCT e.session_id FROM content c JOIN turn t ON t.content_id = c.content_id AND t.number > 1
JOIN session e ON e.session_id = t.session_id WHERE c.hash = ? AND e.ns = ? AND e.host = ? ORDER BY 1 LIMIT ?"""
_GROWN: Final = """
SELECT e.session_id FROM session e JOIN turn t ON t.session_id = e.session_id AND t.number = 1
JOIN content c ON c.content_id = t.content_id
WHERE e.ns = ?1 AND e.host = ?2 AND min(length(c.text), length(?3)) >= ?4 AND (
  substr(?3, 1, length(c.text) + 1) = c.text || char(10)
    AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session_id = e.session_id AND o.number > 1)
  OR substr(c.text, 1, length(?3) + 1) = ?3 || char(10))"""
_NAMED: Final = "e.ns = ?1 AND (e.name = ?2 OR e.uid = ?2)"


class Sessions:
    """Reads and writes the ``session`` table."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces

    def get(self, session_id: int) -> SessionRow | None:
        """Return a session by its number, or None."""
        found = self._rows("e.session_id = ?", (session_id,))
        return found[0] if found else None

    def named(self, ns: int, name: str) -> list[SessionRow]:
        """Return the sessions of a namespace with a name or uid; several where hosts use one name."""
        return self._rows(f"{_NAMED} ORDER BY e.session_id", (ns, name))

    def of_host(self, ns: int, host: str, name: str) -> SessionRow | None:
        """Return the session of a host by its name, one that is only known from what was saved of it too."""
        order = "e.host = ?3 DESC, e.session_id LIMIT 1"
        found = self._rows(f"{_NAMED} AND e.host IN (?3, '{SAVED}') ORDER BY {order}", (ns, name, host))
        return found[0] if found else None

    def ensure(self, ns: int, name: str, at: Micros, *, host: str = SAVED, batch: str | None = None) -> int:
        """Return the number of a session by its name, making it when it is new."""
        found = self.named(ns, name) if host == SAVED else [row for row in [self.of_host(ns, host, name)] if row]
        if found:
            return found[0].session_id
        return self.add(ns, uuid7(at), host, name, at, batch)

    def add(self, ns: int, uid: str, host: str, name: str, at: Micros, batch: str | None) -> int:
        """Write a new session; return its number."""
        self._connection.execute(
            "INSERT INTO session(uid, ns, host, name, added_at, batch) VALUES (?,?,?,?,?,?)",
            (uid, ns, host, name, at, batch),
        )
        return self._connection.last_insert_rowid()

    def go_on_after(self, number: int) -> None:
        """Let the next session get a number above one that was given elsewhere."""
        go_on_after(self._connection, "session", number)

    def set(self, session_id: int, **values: object) -> None:
        """Write some columns of a session."""
        names = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(f"UPDATE session SET {names} WHERE session_id = ?", (*values.values(), session_id))

    def mark(self, ns: int, path: str) -> str | None:
        """Return how far a file was read, None when it never was."""
        found: Any = self._connection.execute(
            "SELECT mark FROM session WHERE ns = ? AND path = ? AND mark IS NOT NULL LIMIT 1", (ns, path)
        ).get
        return None if found is None else str(found)

    def at_path(self, ns: int, host: str, path: str) -> int | None:
        """Return the session of a host that a file was read as last, None when there is none."""
        sql = "SELECT max(session_id) FROM session WHERE ns = ? AND path = ? AND host = ?"
        found: Any = self._connection.execute(sql, (ns, path, host)).get
        return None if found is None else int(found)

    def is_named(self, ns: int, host: str, name: str) -> bool:
        """Say whether a host has a session of this name."""
        sql = "SELECT 1 FROM session WHERE ns = ? AND host = ? AND name = ?"
        return self._connection.execute(sql, (ns, host, name)).fetchone() is not None

    def beginning_with(self, ns: int, host: str, text: str) -> list[int]:
        """Return the sessions of a host whose first turn is a text."""
        return [row[0] for row in self._connection.execute(_BEGINNING, (digest_of(text), ns, host))]

    def holding(self, ns: int, host: str, text: str, limit: int) -> list[int]:
        """Return sessions of a host of which a later turn than the first is a text, ``limit`` at most."""
        return [row[0] for row in self._connection.execute(_HOLDING, (digest_of(text), ns, host, limit))]

    def grown_into(self, ns: int, host: str, text: str, sure: int) -> list[int]:
        """Return the sessions of one turn that with more lines at its end is a text, or the other way round.

        The shorter of both has ``sure`` characters at least.
        """
        return [row[0] for row in self._connection.execute(_GROWN, (ns, host, text, sure))]

    def fail(self, ns: int, path: str, reason: str) -> list[int]:
        """Note on the sessions of a file why it could not be read; return their numbers."""
        sql = "UPDATE session SET status = 'failed', error = ? WHERE ns = ? AND path = ? RETURNING session_id"
        rows: Any = self._connection.execute(sql, (reason, ns, path)).fetchall()
        return [row[0] for row in rows]

    def records(self, ns: int, path: str) -> int:
        """Return how many records the sessions of a file have."""
        sql = "SELECT count(*) FROM turn WHERE session_id IN (SELECT session_id FROM session WHERE ns = ? AND path = ?)"
        return int(self._connection.execute(sql, (ns, path)).get)

    def set_mark(self, ns: int, path: str, mark: str, position: int) -> None:
        """Write how far a file was read, on every session that it tells of."""
        sql = "UPDATE session SET mark = ?, position = ? WHERE ns = ? AND path = ?"
        self._connection.execute(sql, (mark, position, ns, path))

    def select(self, condition: str, values: Sequence[Any], limit: int | None) -> list[SessionRow]:
        """Return the sessions under a condition over ``session e``, the latest first, at most ``limit``."""
        tail = "ORDER BY ifnull(e.ended_at, ifnull(e.started_at, e.added_at)) DESC, e.session_id DESC"
        if limit is None:
            return self._rows(f"{condition} {tail}", values)
        return self._rows(f"{condition} {tail} LIMIT ?", [*values, limit])

    def counts(self, session_id: int) -> tuple[int, int, int]:
        """Return how many turns, records and segments a session has."""
        sql = (
            "SELECT (SELECT count(*) FROM turn WHERE session_id = ?1 AND number IS NOT NULL),"
            " (SELECT count(*) FROM turn WHERE session_id = ?1),"
            " (SELECT count(*) FROM segment WHERE session_id = ?1)"
        )
        row: Any = self._connection.execute(sql, (session_id,)).fetchone()
        return row[0], row[1], row[2]

    def delete(self, session_id: int) -> None:
        """Remove the row of a session."""
        self._connection.execute("DELETE FROM session WHERE session_id = ?", (session_id,))

    def _rows(self, condition: str, values: Sequence[Any]) -> list[SessionRow]:
        rows: Any = self._connection.execute(f"SELECT {_ROW} FROM session e WHERE {condition}", values)
        return [self._row(row) for row in rows]

    def _row(self, row: Sequence[Any]) -> SessionRow:
        counts = dict(json.loads(row[15])) if row[15] else {}
        whole = (row[0], row[1], self._namespaces.name(row[2]), *row[3:15], counts, *row[16:20])
        return SessionRow._make(whole)
