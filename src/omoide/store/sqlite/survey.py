"""All memories of a namespace that hold now, read at once for passes that compare them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.records import KEYED, SESSION
from omoide.model.time import Micros
from omoide.store.sqlite.slices import portions
from omoide.types import Trust

_COLUMNS: Final = (
    "v.memory_id, v.version_id, c.text, v.subject, v.about, v.predicate, v.kind, v.trust, v.valid_from, v.valid_to,"
    " v.known_from, v.observed_at, v.importance, v.gist, v.metadata, v.project, v.source, v.abstract IS NOT NULL,"
    " v.cites, m.pinned, m.archived, m.disputed IS NOT NULL, m.seen, m.last_seen, m.access_count, m.accessed_at,"
    " m.value, m.changed_at, v.same"
)
_HOLDING: Final = (
    f"SELECT {_COLUMNS} FROM memory m CROSS JOIN version v ON v.memory_id = m.id"
    " JOIN content c ON c.content_id = v.content_id WHERE m.ns = ?1 AND v.known_to IS NULL AND v.valid_from <= ?2"
    " AND (v.valid_to IS NULL OR v.valid_to > ?2) AND v.trust <> 'untrusted' ORDER BY v.memory_id, v.version_id"
)
_PIECES: Final = (
    "SELECT memory_id FROM version WHERE ns = ? AND known_to IS NULL GROUP BY memory_id HAVING count(*) > 1"
)


class Held(NamedTuple):
    """One memory at the piece that holds now. ``metadata`` is the stored JSON text, None for none."""

    id: int
    version_id: int
    text: str
    subject: str | None
    about: str | None
    predicate: str | None
    kind: str
    trust: Trust
    valid_from: Micros
    valid_to: Micros | None
    known_from: Micros
    observed_at: Micros | None
    importance: int
    gist: bytes | None
    metadata: str | None
    project: str | None
    source: str | None
    has_abstract: bool
    cites: str | None
    pinned: bool
    archived: bool
    disputed: bool
    seen: int
    last_seen: Micros | None
    access_count: int
    accessed_at: Micros | None
    value: float | None
    changed_at: Micros | None
    same: bytes

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata."""
        return dict(json.loads(self.metadata)) if self.metadata else {}

    @property
    def role(self) -> str | None:
        """Who said it in a conversation, None when it is no turn of one."""
        if self.metadata is None or '"role"' not in self.metadata:
            return None
        role = self.meta.get("role")
        return role if isinstance(role, str) else None

    @property
    def recorded(self) -> bool:
        """Whether it is a record of what was said, or a program's by its name: passes neither merge nor hide it."""
        if self.metadata is None:
            return False
        return self.role is not None or SESSION in self.meta or self.meta.keys() >= KEYED

    @property
    def stamp(self) -> tuple[Micros, Micros, int]:
        """Its place in the order of what was said."""
        return (self.valid_from, self.known_from, self.id)


def holding(conn: apsw.Connection, ns: int, now: Micros) -> list[Held]:
    """Return what holds now and is not untrusted, archived too, by ascending memory; each memory once."""
    found: dict[int, Held] = {}
    rows: Any = conn.execute(_HOLDING, (ns, now))
    for row in rows:
        found[row[0]] = Held(*row)
    return list(found.values())


def in_pieces(conn: apsw.Connection, ns: int) -> set[int]:
    """Return the memories of which more than one piece is believed, at different times."""
    rows: Any = conn.execute(_PIECES, (ns,))
    return {row[0] for row in rows}


def sources_of(conn: apsw.Connection, memory_ids: Sequence[int]) -> dict[int, set[str]]:
    """Return the sources that support memories, by memory, those of later sightings too."""
    found: dict[int, set[str]] = {}
    for marks, some in portions(memory_ids):
        rows: Any = conn.execute(
            f"SELECT memory_id, source FROM evidence WHERE memory_id IN ({marks}) AND source IS NOT NULL"
            " AND withdrawn_at IS NULL",
            some,
        )
        for memory_id, source in rows:
            found.setdefault(memory_id, set()).add(source)
    return found


def said_by_people(conn: apsw.Connection, ns: int, longest: int) -> Iterator[tuple[int, int, str]]:
    """Yield (session, turn, text) of short turns of people in conversations, oldest first."""
    rows: Any = conn.execute(
        "SELECT t.session_id, t.turn_id, c.text FROM turn t JOIN content c ON c.content_id = t.content_id"
        " WHERE t.ns = ? AND t.role = 'user' AND t.trust <> 'untrusted' AND length(c.text) <= ? ORDER BY t.turn_id",
        (ns, longest),
    )
    yield from rows


def links_between(conn: apsw.Connection, ns: int, kind: str) -> list[tuple[int, int, int]]:
    """Return (link, from, to) of the relations of a kind in a namespace that have not ended."""
    rows: Any = conn.execute(
        "SELECT l.link_id, l.from_id, l.to_id FROM link l JOIN memory m ON m.id = l.from_id WHERE l.kind = ?"
        " AND m.ns = ? AND l.ended_at IS NULL ORDER BY l.link_id",
        (kind, ns),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def believed(conn: apsw.Connection, memory_ids: Sequence[int]) -> set[int]:
    """Return those of some memories of which anything is believed."""
    found: set[int] = set()
    for marks, some in portions(sorted(memory_ids)):
        rows: Any = conn.execute(
            f"SELECT DISTINCT memory_id FROM version WHERE memory_id IN ({marks}) AND known_to IS NULL", some
        )
        found |= {row[0] for row in rows}
    return found


def often_forgotten(conn: apsw.Connection, ns: int, least: int) -> dict[bytes, int]:
    """Return how many memories with each value were forgotten on purpose, where it is at least so many."""
    rows: Any = conn.execute(
        "SELECT v.same, count(DISTINCT m.id) AS times FROM memory m CROSS JOIN version v ON v.memory_id = m.id"
        " JOIN event e ON e.seq = m.ended_by WHERE m.ns = ? AND m.ended = 'forget' AND e.op = 'forget'"
        " GROUP BY v.same HAVING times >= ?",
        (ns, least),
    )
    return {bytes(row[0]): int(row[1]) for row in rows}
