"""Which turns and segments pass what only rows tell, and lists of them without a question."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.history import Wanted
from omoide.model.segments import TURN
from omoide.model.time import Micros
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.slices import portions
from omoide.store.sqlite.where_sql import compile_where

_TURN: Final = "turn t JOIN session e ON e.session_id = t.session_id"
_SEGMENT: Final = "segment s LEFT JOIN session e ON e.session_id = s.session_id"
_ENTITY_OF_SEGMENT: Final = (
    "(EXISTS (SELECT 1 FROM json_tree(s.entities) j WHERE j.atom IS NOT NULL AND instr(lower(j.atom), ?)))"
)
_ENTITY_OF_TURN: Final = (
    "EXISTS (SELECT 1 FROM content c WHERE c.content_id = t.content_id AND instr(lower(c.text), ?))"
)

Condition = tuple[str, list[Any]]


class Listed(NamedTuple):
    """Which turns and segments a list without a question shows; ``known_at`` None means all there are."""

    ns: int | None
    known_at: Micros | None
    trusts: tuple[str, ...]
    project: str | None
    since: Micros | None
    until: Micros | None
    wanted: Wanted
    archived: bool = True


class Said:
    """Asks the tables ``turn`` and ``segment`` together, which share ordinals."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces

    def ords(self, namespace: str, wanted: Wanted) -> list[int]:
        """Return the ordinals of what is wanted, ascending."""
        ns = self._namespaces.id(namespace)
        turn, segment = turn_condition(wanted), segment_condition(wanted)
        sql = (
            f"SELECT t.ord FROM {_TURN} WHERE t.ns = ? AND t.ord IS NOT NULL AND {turn[0]}"
            f" UNION ALL SELECT s.ord FROM {_SEGMENT} WHERE s.ns = ? AND {segment[0]} ORDER BY 1"
        )
        return [row[0] for row in self._connection.execute(sql, (ns, *turn[1], ns, *segment[1]))]

    def ords_among(self, namespace: str, wanted: Wanted, ords: Sequence[int]) -> list[int]:
        """Return those of ``ords`` that are wanted, ascending."""
        ns = self._namespaces.id(namespace)
        turn, segment = turn_condition(wanted), segment_condition(wanted)
        found: list[int] = []
        for marks, part in portions(ords):
            sql = (
                f"SELECT t.ord FROM {_TURN} WHERE t.ns = ? AND t.ord IN ({marks}) AND {turn[0]}"
                f" UNION ALL SELECT s.ord FROM {_SEGMENT} WHERE s.ns = ? AND s.ord IN ({marks}) AND {segment[0]}"
            )
            found += [row[0] for row in self._connection.execute(sql, (ns, *part, *turn[1], ns, *part, *segment[1]))]
        return sorted(found)

    def listed(self, listed: Listed, limit: int, hidden: Collection[str] = ()) -> list[tuple[int, int]]:
        """Return (1 for a segment and 0 for a turn, number): what matters most first, then the freshest."""
        turn = _listed(
            listed, turn_condition(listed.wanted), "t", "e.project", "ifnull(t.at, t.added_at)", "t.added_at"
        )
        saved = _listed(listed, segment_condition(listed.wanted), "s", "s.project", "s.at", "s.at")
        if not listed.archived:
            saved[0] += " AND s.archived = 0"
        sql = (
            f"SELECT 0, t.turn_id, 5, ifnull(t.at, t.added_at) FROM {_TURN} WHERE t.ord IS NOT NULL AND {turn[0]}"
            f" UNION ALL SELECT 1, s.number, s.importance, s.at FROM {_SEGMENT} WHERE {saved[0]}"
            " ORDER BY 3 DESC, 4 DESC, 1 DESC, 2 DESC LIMIT ?"
        )
        rows: Any = self._connection.execute(sql, (*turn[1], *saved[1], limit + len(hidden)))
        return [(row[0], row[1]) for row in rows]

    def texts(self, listed: Listed, together: int) -> Iterator[list[tuple[int, int, int, bytes | None, bytes | None]]]:
        """Yield (time, 1 for a segment, number, text in UTF-8, packed text) of what is wanted, some at a time.

        ``time`` in microseconds.
        """
        turn = _listed(
            listed, turn_condition(listed.wanted), "t", "e.project", "ifnull(t.at, t.added_at)", "t.added_at"
        )
        saved = _listed(listed, segment_condition(listed.wanted), "s", "s.project", "s.at", "s.at")
        segments = (
            "SELECT s.at, 1, s.number, CAST(c.text AS BLOB), s.packed"
            f" FROM {_SEGMENT} LEFT JOIN content c ON c.content_id = s.content_id WHERE {saved[0]} ORDER BY s.ord"
        )
        turns = (
            "SELECT ifnull(t.at, t.added_at), 0, t.turn_id, CAST(c.text AS BLOB), NULL"
            f" FROM {_TURN} CROSS JOIN content c ON c.content_id = t.content_id WHERE t.ord IS NOT NULL AND {turn[0]}"
            " ORDER BY t.ord"
        )
        for sql, values in ((segments, saved[1]), (turns, turn[1])):
            rows: Any = self._connection.execute(sql, values)
            while some := list(islice(rows, together)):
                yield some


def turn_condition(wanted: Wanted) -> Condition:
    """Return the condition over ``turn t`` and ``session e``, and its values."""
    parts: list[Condition] = [("1", [])]
    if (wanted.kinds is not None and TURN not in wanted.kinds) or wanted.tags is not None:
        parts.append(("0", []))
    if wanted.roles is not None:
        parts.append(_among("t.role", wanted.roles))
    if wanted.domain is not None:
        parts.append(("e.domain = ?", [wanted.domain]))
    if wanted.session is not None:
        parts.append(("(e.name = ? OR e.uid = ?)", [wanted.session, wanted.session]))
    if wanted.entity is not None:
        parts.append((_ENTITY_OF_TURN, [wanted.entity.lower()]))
    return _joined([*parts, compile_where(wanted.where, "t.metadata")])


def segment_condition(wanted: Wanted) -> Condition:
    """Return the condition over ``segment s`` and ``session e``, and its values."""
    parts: list[Condition] = [("1", [])]
    if wanted.roles is not None:
        parts.append(("0", []))
    if wanted.kinds is not None:
        parts.append(_among("s.kind", wanted.kinds))
    if wanted.domain is not None:
        parts.append(("s.domain = ?", [wanted.domain]))
    if wanted.session is not None:
        parts.append(("(e.name = ? OR e.uid = ?)", [wanted.session, wanted.session]))
    if wanted.entity is not None:
        parts.append((_ENTITY_OF_SEGMENT, [wanted.entity.lower()]))
    tagged = "EXISTS (SELECT 1 FROM json_each(s.tags) j WHERE j.value = ?)"
    parts.extend((tagged, [tag]) for tag in wanted.tags or ())
    return _joined([*parts, compile_where(wanted.where, "s.metadata")])


def _listed(listed: Listed, condition: Condition, table: str, project: str, at: str, known: str) -> list[Any]:
    parts: list[Condition] = [condition, (f"{table}.ns = ?", [listed.ns]), _among(f"{table}.trust", listed.trusts)]
    if listed.known_at is not None:
        parts.append((f"{known} <= ?", [listed.known_at]))
    if listed.project is not None:
        own = f"{project} = ?" if listed.wanted.exact_project else f"({project} IS NULL OR {project} = ?)"
        parts.append((own, [listed.project]))
    if listed.since is not None:
        parts.append((f"{at} >= ?", [listed.since]))
    if listed.until is not None:
        parts.append((f"{at} < ?", [listed.until]))
    return list(_joined(parts))


def _among(column: str, values: Sequence[str]) -> Condition:
    return f"{column} IN ({','.join('?' * len(values))})", list(values)


def _joined(parts: Sequence[Condition]) -> Condition:
    return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]
