"""Selections as SQL over ``version v`` and ``memory m``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from heapq import merge
from itertools import islice
from typing import Any, Final

import apsw

from omoide.model.records import Row
from omoide.model.selection import Selection
from omoide.store.sqlite.aliases import Aliases
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.slices import portions
from omoide.store.sqlite.versions import FIELDS, Versions
from omoide.store.sqlite.where_sql import compile_where
from omoide.text.lookalikes import name_key

ORDERS: Final = {
    "newest": "m.id DESC",
    "oldest": "m.id",
    "important": "v.importance DESC, v.known_from DESC, v.version_id DESC",
}
_FROM: Final = "FROM memory m CROSS JOIN version v ON v.memory_id = m.id"
_FROM_VERSION: Final = "FROM version v CROSS JOIN memory m ON m.id = v.memory_id"
_PROJECTS: Final = (
    "WITH RECURSIVE named(project) AS (SELECT min(project) FROM version WHERE ns = ?1 AND known_to IS NULL"
    " AND project > '' UNION ALL SELECT (SELECT min(project) FROM version WHERE ns = ?1 AND known_to IS NULL"
    " AND project > named.project) FROM named WHERE named.project IS NOT NULL LIMIT ?2)"
    " SELECT project FROM named WHERE project IS NOT NULL"
)
_KEY: Final = "v.importance, v.known_from, v.version_id"
"""What ``ORDERS["important"]`` sorts by."""
_SHELVES: Final = 64
"""Projects up to which each is asked for its first rows; beyond that the namespace is walked."""
_FEW: Final = 1024
"""Rows up to which an index gives the first ones sooner than a walk of the namespace."""


class Selecting:
    """Carries out selections."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces, versions: Versions) -> None:
        self._connection = connection
        self._namespaces = namespaces
        self._versions = versions
        self._aliases = Aliases(connection)
        connection.create_scalar_function("omoide_predicate", _predicate_key, 1, deterministic=True)

    def rows(self, selection: Selection, *, order: str = "newest", limit: int | None = None) -> list[Row]:
        """Return the selected versions in order, at most ``limit``."""
        ns = self._namespaces.id(selection.namespace)
        if ns is None:
            return []
        shelves = self._shelves(selection, ns) if order == "important" and limit is not None and limit <= _FEW else None
        if shelves is not None:
            return self._first(selection, ns, shelves, limit or 0)
        condition, values = _condition(self._named(selection, ns), ns, by_version=_narrow(selection))
        sql = f"SELECT {FIELDS} {_source(selection)} WHERE {condition}"
        tail = f" ORDER BY {ORDERS[order]}" + ("" if limit is None else " LIMIT ?")
        values = values if limit is None else [*values, limit]
        return self._versions.decode(self._connection.execute(sql + tail, values))

    def _shelves(self, selection: Selection, ns: int) -> list[str | None] | None:
        """Return the projects whose rows an index has in the order of importance; None when it does not help."""
        past = selection.retracted or (selection.moment is not None and selection.moment.past)
        if past or _narrow(selection):
            return None
        if selection.project is not None:
            return [None, selection.project]
        named = [row[0] for row in self._connection.execute(_PROJECTS, (ns, _SHELVES + 1))]
        return [None, *named] if len(named) < _SHELVES else None

    def _first(self, selection: Selection, ns: int, shelves: Sequence[str | None], limit: int) -> list[Row]:
        """Return the most important rows of all shelves together."""
        condition, values = _condition(selection, ns, by_version=True)
        order = f"ORDER BY {ORDERS['important']} LIMIT ?"
        sql = f"SELECT {_KEY} {_FROM_VERSION} WHERE v.project IS ? AND {condition} {order}"
        found: list[list[Any]] = [
            self._connection.execute(sql, (project, *values, limit)).fetchall() for project in shelves
        ]
        ids = [row[2] for row in islice(merge(*found, reverse=True), limit)]
        rows = self._versions.by_ids(ids)
        return [rows[version_id] for version_id in ids]

    def any(self, selection: Selection) -> bool:
        """Say whether some version is selected."""
        ns = self._namespaces.id(selection.namespace)
        if ns is None:
            return False
        condition, values = _condition(self._named(selection, ns), ns, by_version=_narrow(selection))
        sql = f"SELECT EXISTS (SELECT 1 {_source(selection)} WHERE {condition})"
        return bool(self._connection.execute(sql, values).get)

    def ids(self, selection: Selection) -> list[int]:
        """Return the memories with a selected version, ascending."""
        return self._column("DISTINCT m.id", selection, " ORDER BY m.id")

    def subjects(self, selection: Selection) -> list[tuple[str, int]]:
        """Return each subject as it is spelled, with the number of memories that have a selected version about it."""
        ns = self._namespaces.id(selection.namespace)
        if ns is None:
            return []
        condition, values = _condition(self._named(selection, ns), ns, by_version=False)
        rows = self._connection.execute(
            f"SELECT v.subject, count(DISTINCT m.id) {_FROM} WHERE {condition} AND v.subject IS NOT NULL"
            " GROUP BY v.subject ORDER BY min(m.id)",
            values,
        )
        return [(row[0], row[1]) for row in rows]

    def ords(self, selection: Selection) -> list[int]:
        """Return the ordinals of the selected versions, ascending."""
        return self._column("v.ord", selection, " ORDER BY v.ord")

    def ords_among(self, selection: Selection, ords: Sequence[int]) -> list[int]:
        """Return those of ``ords`` that are selected, ascending."""
        ns = self._namespaces.id(selection.namespace)
        if ns is None or not ords:
            return []
        condition, values = _condition(self._named(selection, ns), ns, by_version=True)
        return [
            row[0]
            for marks, part in portions(ords)
            for row in self._connection.execute(
                f"SELECT v.ord {_FROM_VERSION} WHERE v.ord IN ({marks}) AND {condition} ORDER BY v.ord",
                (*part, *values),
            )
        ]

    def _named(self, selection: Selection, ns: int) -> Selection:
        """Ask for a subject under each of its names."""
        if selection.subjects is None:
            return selection
        names = [name for subject in selection.subjects for name in self._aliases.names(ns, subject)]
        return replace(selection, subjects=tuple(dict.fromkeys(names)))

    def _column(self, what: str, selection: Selection, tail: str) -> list[int]:
        ns = self._namespaces.id(selection.namespace)
        if ns is None:
            return []
        condition, values = _condition(self._named(selection, ns), ns, by_version=_narrow(selection))
        sql = f"SELECT {what} {_source(selection)} WHERE {condition}{tail}"
        return [row[0] for row in self._connection.execute(sql, values)]


def _source(selection: Selection) -> str:
    """Walk the index of what narrows most: the subject or the source, else the namespace's memories."""
    return _FROM_VERSION if _narrow(selection) else _FROM


def _narrow(selection: Selection) -> bool:
    return any(part is not None for part in (selection.subjects, selection.source, selection.source_prefix))


def _condition(selection: Selection, ns: int, *, by_version: bool) -> tuple[str, list[Any]]:
    # One of the two, so that the planner has no other index to prefer.
    home = "v.ns = ?" if by_version else "m.ns = ?"
    parts: list[tuple[str, list[Any]]] = [(home, [ns]), *_times(selection)]
    if not selection.archived:
        parts.append(("m.archived = 0", []))
    named = {"v.about": selection.subjects, "v.kind": selection.kinds, "v.trust": selection.trusts}
    parts += [_one_of(column, names) for column, names in named.items() if names is not None]
    if selection.predicate is not None:
        spelled = "(v.predicate = ? OR omoide_predicate(v.predicate) = ?)"
        parts.append((spelled, [selection.predicate, name_key(selection.predicate)]))
    if selection.project is not None:
        parts.append(("(v.project IS NULL OR v.project = ?)", [selection.project]))
    if selection.source is not None:
        parts.append(("v.source IS NOT NULL AND trim(v.source) = ?", [selection.source]))
    if selection.source_prefix is not None:
        start = selection.source_prefix
        parts.append(("v.source >= ? AND v.source < ?", [start, start[:-1] + chr(ord(start[-1]) + 1)]))
    parts += [("EXISTS (SELECT 1 FROM json_each(v.tags) WHERE value = ?)", [tag]) for tag in selection.tags or ()]
    if selection.where is not None:
        sql, bound = compile_where(selection.where)
        parts.append((f"({sql})", list(bound)))
    return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]


@lru_cache(1024)
def _predicate_key(predicate: Any) -> Any:
    """Return the form under which a predicate is compared, as ``versions`` does."""
    return name_key(predicate) if isinstance(predicate, str) else None


def _one_of(column: str, names: Sequence[str]) -> tuple[str, list[Any]]:
    return f"{column} IN ({','.join('?' * len(names))})", list(names)


def _times(selection: Selection) -> list[tuple[str, list[Any]]]:
    parts: list[tuple[str, list[Any]]] = []
    moment = selection.moment
    if selection.retracted:
        parts.append(("(v.known_to IS NULL OR v.closed_cause IN ('forget', 'reject'))", []))
    elif moment is None or not moment.past:
        parts.append(("v.known_to IS NULL", []))
    if moment is not None and moment.past and not selection.retracted:
        known = moment.known_at
        parts.append(("v.known_from <= ? AND (v.known_to IS NULL OR v.known_to > ?)", [known, known]))
    if moment is not None:
        valid = moment.valid_at
        parts.append(("v.valid_from <= ? AND (v.valid_to IS NULL OR v.valid_to > ?)", [valid, valid]))
    if selection.since is not None:
        parts.append(("(v.valid_to IS NULL OR v.valid_to > ?)", [selection.since]))
    if selection.until is not None:
        parts.append(("v.valid_from < ?", [selection.until]))
    return parts
