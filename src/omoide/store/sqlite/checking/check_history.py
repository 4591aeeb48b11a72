"""Whether the rows of conversations hold together."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Final

import apsw

from omoide.model.segments import SEGMENT_KINDS
from omoide.model.trust import LEVELS

_TRUSTS: Final = ",".join(f"'{level}'" for level in LEVELS)
_KINDS: Final = ",".join(f"'{kind}'" for kind in SEGMENT_KINDS)
_CONTENT: Final = "(SELECT content_id FROM content)"

NO_TEXT: Final = (
    "SELECT turn_id, session_id FROM turn WHERE ord IS NOT NULL"
    f" AND (content_id IS NULL OR number IS NULL OR content_id NOT IN {_CONTENT})"
)
NO_SESSION: Final = "SELECT DISTINCT session_id FROM turn WHERE session_id NOT IN (SELECT session_id FROM session)"
LOST_SEGMENT: Final = (
    f"SELECT number FROM segment WHERE packed IS NULL AND (content_id IS NULL OR content_id NOT IN {_CONTENT})"
)
TWO_PLACES: Final = (
    "SELECT number FROM segment WHERE (archived <> 0) <> (packed IS NOT NULL)"
    " OR (content_id IS NULL) <> (archived <> 0)"
)
STRAY_SEGMENT: Final = (
    "SELECT number, session_id FROM segment WHERE session_id IS NOT NULL"
    " AND session_id NOT IN (SELECT session_id FROM session)"
)
SHARED_ORDINAL: Final = (
    "SELECT 'turn', turn_id FROM turn t WHERE ord IS NOT NULL AND (EXISTS"
    " (SELECT 1 FROM turn o WHERE o.ns = t.ns AND o.ord = t.ord AND o.turn_id < t.turn_id)"
    " OR EXISTS (SELECT 1 FROM segment o WHERE o.ns = t.ns AND o.ord = t.ord))"
    " UNION ALL SELECT 'segment', number FROM segment s WHERE EXISTS"
    " (SELECT 1 FROM segment o WHERE o.ns = s.ns AND o.ord = s.ord AND o.number < s.number)"
)
SHARED_NUMBER: Final = (
    "SELECT session_id FROM turn WHERE number IS NOT NULL GROUP BY session_id HAVING count(*) <> count(DISTINCT number)"
)
UNKNOWN_TRUST: Final = (
    f"SELECT 'turn', turn_id FROM turn WHERE trust NOT IN ({_TRUSTS})"
    f" UNION ALL SELECT 'segment', number FROM segment WHERE trust NOT IN ({_TRUSTS})"
)
UNKNOWN_KIND: Final = f"SELECT number FROM segment WHERE kind NOT IN ({_KINDS})"

CHECKS: Final = (
    (NO_TEXT, "turn {0} of session {1} has no text; run repair"),
    (NO_SESSION, "session {0} has turns and no row of its own; run repair"),
    (LOST_SEGMENT, "segment {0} has no text; run repair"),
    (TWO_PLACES, "segment {0} is neither in its place nor archived, or both; run repair"),
    (STRAY_SEGMENT, "segment {0} belongs to session {1}, which does not exist; run repair"),
    (SHARED_ORDINAL, "{0} {1} has the ordinal of another one; run repair"),
    (SHARED_NUMBER, "session {0} has two turns in one place; run repair"),
    (UNKNOWN_TRUST, "{0} {1} has a trust that does not exist; run repair"),
    (UNKNOWN_KIND, "segment {0} is of a kind that does not exist; run repair"),
    (
        "SELECT t.turn_id, t.session_id FROM turn t JOIN session e USING (session_id) WHERE t.ns <> e.ns",
        "turn {0} lies in another namespace than session {1}; restore a backup",
    ),
    (
        "SELECT s.number, s.session_id FROM segment s JOIN session e USING (session_id) WHERE s.ns <> e.ns",
        "segment {0} lies in another namespace than session {1}; restore a backup",
    ),
)
"""Queries that find nothing in a sound store, and what to say of what they find."""

_PACKED: Final = (
    "SELECT 'segment', number, packed FROM segment WHERE packed IS NOT NULL"
    " UNION ALL SELECT 'turn', turn_id, raw FROM turn WHERE raw IS NOT NULL"
)


def unreadable(conn: apsw.Connection) -> Iterator[tuple[str, int]]:
    """Yield (table, number) of what is kept compressed and cannot be read."""
    rows: Any = conn.execute(_PACKED)
    for table, number, packed in rows:
        try:
            data = zlib.decompress(packed)
            if table == "segment":
                data.decode("utf-8")
        except (zlib.error, TypeError, UnicodeDecodeError):
            yield table, number
