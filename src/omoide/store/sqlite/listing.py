"""What a list of memories shows first: the pinned, the most important, the newest; by indexes, so at constant cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from omoide.model.time import Micros

_FIELDS: Final = (
    "m.id, n.path, substr(c.text, 1, 400), v.abstract, v.subject, v.kind, v.trust, v.importance, v.valid_from,"
    " v.known_from, v.project, m.pinned, m.value"
)
_FROM: Final = (
    "FROM version v CROSS JOIN memory m ON m.id = v.memory_id CROSS JOIN content c ON c.content_id = v.content_id"
    " JOIN note n ON n.uid = m.uid"
)
_CURRENT: Final = (
    "v.ns = ?1 AND v.known_to IS NULL AND v.trust <> 'untrusted' AND m.archived = 0 AND v.valid_from <= ?2"
    " AND (v.valid_to IS NULL OR v.valid_to > ?2)"
)
_BEST: Final = (
    f"SELECT {_FIELDS} {_FROM} WHERE {_CURRENT} AND v.project IS ?3"
    " ORDER BY v.importance DESC, v.known_from DESC LIMIT ?4"
)
# The last few thousand versions by their number: no index lists those of one namespace in this order.
_NEWEST: Final = (
    f"SELECT {_FIELDS} {_FROM} WHERE +{_CURRENT} AND v.version_id > (SELECT max(version_id) FROM version) - 2000"
    " ORDER BY v.version_id DESC LIMIT ?3"
)
_PINNED: Final = (
    f"SELECT {_FIELDS} FROM memory m CROSS JOIN version v ON v.memory_id = m.id"
    " CROSS JOIN content c ON c.content_id = v.content_id JOIN note n ON n.uid = m.uid"
    f" WHERE m.ns = ?1 AND m.pinned = 1 AND +{_CURRENT} ORDER BY m.id DESC LIMIT ?3"
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A memory that holds now, with the path of its note."""

    id: int
    path: str
    text: str
    abstract: str | None
    subject: str | None
    kind: str
    trust: str
    importance: int
    valid_from: Micros
    known_from: Micros
    project: str | None
    pinned: bool
    value: float | None


def best(connection: apsw.Connection, ns: int, now: Micros, project: str | None, limit: int) -> list[Listed]:
    """Return memories of a project, None for those of none, the most important first, then the newest."""
    return _listed(connection, _BEST, (ns, now, project, limit))


def newest(connection: apsw.Connection, ns: int, now: Micros, limit: int) -> list[Listed]:
    """Return the memories that were written last, as far as they are among the last 2000 versions."""
    return _listed(connection, _NEWEST, (ns, now, limit))


def pinned(connection: apsw.Connection, ns: int, now: Micros, limit: int) -> list[Listed]:
    """Return the pinned memories, the newest first."""
    return _listed(connection, _PINNED, (ns, now, limit))


def _listed(connection: apsw.Connection, sql: str, values: Sequence[Any]) -> list[Listed]:
    rows: Any = connection.execute(sql, values)
    return [Listed(*(*row[:11], bool(row[11]), row[12])) for row in rows]
