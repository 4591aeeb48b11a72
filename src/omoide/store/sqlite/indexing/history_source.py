"""Turns and segments as what an index is made from; they share the ordinals of one space."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.model.history import KIND, segment_claim, turn_claim
from omoide.model.records import Claim
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import LEVELS, RANK
from omoide.search.columns import RECORD, pack_flags, state_bits
from omoide.search.prepared import Prepared
from omoide.store.sqlite.conversations.segments import unpacked

_END: Final = (
    "SELECT max((SELECT ifnull(max(ord), -1) + 1 FROM turn WHERE ns = ?1 AND ord IS NOT NULL),"
    " (SELECT ifnull(max(ord), -1) + 1 FROM segment WHERE ns = ?1))"
)
_COUNT: Final = (
    "SELECT (SELECT count(*) FROM turn t JOIN content c ON c.content_id = t.content_id"
    " WHERE t.ns = ?1 AND t.ord IS NOT NULL) + (SELECT count(*) FROM segment WHERE ns = ?1)"
)
_CLAIMS: Final = """
SELECT t.ord, c.text, NULL, 0, NULL, NULL, NULL FROM turn t JOIN content c ON c.content_id = t.content_id
WHERE t.ns = ?1 AND t.ord >= ?2 AND t.ord < ?3
UNION ALL
SELECT s.ord, c.text, s.packed, 1, s.summary, s.tags, s.domain FROM segment s
LEFT JOIN content c ON c.content_id = s.content_id WHERE s.ns = ?1 AND s.ord >= ?2 AND s.ord < ?3 ORDER BY 1"""
_RECORDS: Final = """
SELECT t.ord, t.at, t.added_at, t.session_id, 2 * t.session_id + 1, 2 * t.turn_id + 1, t.trust, 5, 0,
  ifnull(p.project, 0)
FROM turn t JOIN session e ON e.session_id = t.session_id LEFT JOIN project p ON p.name = e.project
WHERE t.ns = ?1 AND t.ord >= ?2 AND t.ord < ?3
UNION ALL
SELECT s.ord, s.at, s.at, s.session_id, 2 * s.number, 2 * s.number, s.trust, s.importance, s.archived,
  ifnull(p.project, 0)
FROM segment s LEFT JOIN project p ON p.name = s.project WHERE s.ns = ?1 AND s.ord >= ?2 AND s.ord < ?3 ORDER BY 1"""


class Conversations:
    """Turns and segments; the owner of a turn is its session, of a segment the segment itself."""

    def end(self, conn: apsw.Connection, ns: int) -> int:
        """Return one more than the highest ordinal, 0 when there is none."""
        return int(conn.execute(_END, (ns,)).get)

    def count(self, conn: apsw.Connection, ns: int) -> int:
        """Return how many turns and segments there are; takes time in proportion."""
        return int(conn.execute(_COUNT, (ns,)).get)

    def claims(self, conn: apsw.Connection, ns: int, first: int, last: int) -> list[tuple[int, Claim]]:
        """Return (ordinal, what is searched) of the ordinals ``first`` up to, not including, ``last``."""
        rows: Any = conn.execute(_CLAIMS, (ns, first, last))
        return [
            (ord, segment_claim(unpacked(text, packed), summary, tuple(json.loads(tags or "[]")), domain))
            if saved
            else (ord, turn_claim(text))
            for ord, text, packed, saved, summary, tags, domain in rows
        ]

    def records(self, conn: apsw.Connection, ns: int, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return ordinals and column records of the same rows."""
        rows: list[Any] = conn.execute(_RECORDS, (ns, first, last)).fetchall()
        made = [
            record(row[4], row[5], row[1], row[2], history_flags(row[6], row[7], bool(row[8]), row[3]), row[9])
            for row in rows
        ]
        return np.array([row[0] for row in rows], np.int64), np.array(made, dtype=RECORD)

    def live(self, conn: apsw.Connection, ns: int) -> int:
        """Return 0: conversations have no cap."""
        return 0

    def refresh(self, conn: apsw.Connection, ns: int, items: Sequence[tuple[int, Prepared]]) -> None:
        """Do nothing: the rows keep nothing of the analysis of their texts."""


def record(owner: int, item: int, at: Micros | None, added_at: Micros, flags: int, project: int) -> tuple[int, ...]:
    """Return the columns of a turn or segment: valid since it was said, known since it was taken in."""
    since = added_at if at is None else min(at, added_at)
    return (since, FOREVER, added_at, FOREVER, owner, item, flags, project)


def history_flags(trust: str, importance: int, archived: bool, session_id: int | None) -> int:
    """Return the flags of a turn or segment; what belongs to one session lends each other context."""
    thread = 0 if session_id is None else 1 + session_id % 255
    return _flags(trust if trust in RANK else LEVELS[0], min(max(importance, 1), 10), archived, thread)


@cache
def _flags(trust: str, importance: int, archived: bool, thread: int) -> int:
    state = state_bits(pinned=False, archived=archived, disputed=False, seen=1)
    return pack_flags(trust, KIND, importance, thread) | state


def item_of_turn(turn_id: int) -> int:
    """Return what the index calls a turn."""
    return 2 * turn_id + 1


def item_of_segment(number: int) -> int:
    """Return what the index calls a segment."""
    return 2 * number


def split_items(items: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the numbers of the turns and of the segments among items of the index."""
    return [item // 2 for item in items if item % 2], [item // 2 for item in items if not item % 2]
