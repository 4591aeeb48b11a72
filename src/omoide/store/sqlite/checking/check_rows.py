"""Whether the rows that everything else is derived from hold together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import apsw

from omoide.model.kinds import KINDS
from omoide.model.trust import LEVELS
from omoide.store.sqlite.checking import check_documents, check_history
from omoide.store.sqlite.checking.findings import Finding, some

_TEXTS: Final = " UNION ALL ".join(
    f"SELECT content_id FROM {table} WHERE content_id IS NOT NULL" for table in ("version", "chunk", "turn", "segment")
)


def words(names: Any) -> str:
    """Return names of our own as a list of SQL literals."""
    return ",".join(f"'{name}'" for name in names)


UNUSED_TEXTS: Final = f"SELECT content_id FROM content WHERE content_id NOT IN ({_TEXTS})"
NO_TEXT: Final = "SELECT version_id, memory_id FROM version WHERE content_id NOT IN (SELECT content_id FROM content)"
NO_MEMORY: Final = "SELECT DISTINCT memory_id FROM version WHERE memory_id NOT IN (SELECT id FROM memory)"
NO_NAMESPACE: Final = (
    "SELECT ns FROM (SELECT ns FROM version UNION SELECT ns FROM memory UNION SELECT ns FROM document"
    " UNION SELECT ns FROM chunk UNION SELECT ns FROM session UNION SELECT ns FROM turn UNION SELECT ns FROM segment)"
    " WHERE ns NOT IN (SELECT ns FROM namespace)"
)
SHARED_ORDINAL: Final = (
    "SELECT version_id FROM version v WHERE EXISTS"
    " (SELECT 1 FROM version o WHERE o.ns = v.ns AND o.ord = v.ord AND o.version_id < v.version_id)"
)
UNNAMED_PROJECT: Final = (
    "SELECT project FROM (SELECT project FROM version UNION SELECT project FROM document"
    " UNION SELECT project FROM session UNION SELECT project FROM segment)"
    " WHERE project IS NOT NULL AND project NOT IN (SELECT name FROM project)"
)
NO_VERSION: Final = "SELECT id FROM memory WHERE id NOT IN (SELECT memory_id FROM version)"
NO_KEY: Final = "SELECT version_id FROM version WHERE same = zeroblob(16)"
UNKNOWN_KIND: Final = f"SELECT version_id FROM version WHERE kind NOT IN ({words(KINDS)})"
UNKNOWN_TRUST: Final = f"SELECT version_id FROM version WHERE trust NOT IN ({words(LEVELS)})"

_CHECKS: Final = (
    (NO_TEXT, "version {0} of memory {1} has no text; run repair"),
    (NO_MEMORY, "memory {0} has versions and no row of its own; run repair"),
    (NO_VERSION, "memory {0} has no version; run repair"),
    (NO_KEY, "version {0} has no key of its value; run repair"),
    (NO_NAMESPACE, "namespace {0} is used and has no name; run repair"),
    (SHARED_ORDINAL, "version {0} has the ordinal of another one; run repair"),
    (UNNAMED_PROJECT, "project {0!r} is used and has no number; run repair"),
    (UNKNOWN_KIND, "version {0} is of a kind that does not exist; run repair"),
    (UNKNOWN_TRUST, "version {0} has a trust that does not exist; run repair"),
    (UNUSED_TEXTS, "text {0} belongs to nothing; run repair"),
    (
        "SELECT v.version_id, v.memory_id FROM version v JOIN memory m ON m.id = v.memory_id WHERE v.ns <> m.ns",
        "version {0} lies in another namespace than memory {1}; restore a backup",
    ),
    (
        "SELECT version_id FROM version WHERE valid_to <= valid_from OR known_to < known_from",
        "version {0} ends before it starts; restore a backup",
    ),
)
_SEQUENCES: Final = (
    ("memory", "id"), ("version", "version_id"), ("document", "document_id"), ("chunk", "chunk_id"),
    ("session", "session_id"), ("turn", "turn_id"), ("segment", "number"),
)  # fmt: skip


def findings(conn: apsw.Connection) -> Iterator[Finding]:
    """Yield what is wrong with the rows."""
    for sql, template in (*_CHECKS, *check_documents.CHECKS, *check_history.CHECKS):
        rows: Any = conn.execute(sql)
        yield from (Finding("rows", text) for text in some(template, rows))
    altered = ((content_id,) for content_id, _ in altered_texts(conn))
    template = "text {0} is not what was written; run repair if it may stay as it is"
    yield from (Finding("rows", text) for text in some(template, altered))
    template = "{0} {1} is kept compressed and cannot be read; run repair"
    yield from (Finding("rows", text) for text in some(template, check_history.unreadable(conn)))
    for table, _ in stale_sequences(conn):
        yield Finding("rows", f"ids of table {table} could be given out again; run repair")


def altered_texts(conn: apsw.Connection) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of every text that does not match its hash."""
    rows: Any = conn.execute("SELECT content_id, hash, CAST(text AS BLOB) FROM content")
    for content_id, stored, data in rows:
        if bytes_hash(data) != stored:
            yield content_id, data


def text_hash(text: object) -> bytes:
    """Return the hash that a text is stored under."""
    return bytes_hash(str(text).encode("utf-8", "replace"))


def bytes_hash(data: bytes) -> bytes:
    """Return the hash that the bytes of a text are stored under."""
    return hashlib.blake2b(data, digest_size=16).digest()


def stale_sequences(conn: apsw.Connection) -> list[tuple[str, int]]:
    """Return (table, highest id) where the record of ids ever given lags behind the rows."""
    known: dict[Any, Any] = dict(conn.execute("SELECT name, seq FROM sqlite_sequence").fetchall())  # type: ignore[arg-type]
    tops = [(table, conn.execute(f"SELECT ifnull(max({key}), 0) FROM {table}").get) for table, key in _SEQUENCES]
    return [(table, top) for table, top in tops if top > (known.get(table) or 0)]
