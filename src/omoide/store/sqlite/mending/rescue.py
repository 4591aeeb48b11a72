"""What indexes repeat of rows whose own pages are gone: names, uids, and enough of a version to keep its text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, Final

import apsw

from omoide.store.sqlite.mending.mend_rows import LOST, REMAKE_MEMORY

_UNREADABLE: Final = (apsw.Error, UnicodeDecodeError)

_NAMES: Final = (
    (
        "namespace",
        "SELECT ns, name FROM namespace INDEXED BY sqlite_autoindex_namespace_1",
        "INSERT OR IGNORE INTO namespace(ns, name, created_at) VALUES (?, ?, 0)",
    ),
    (
        "project",
        "SELECT project, name FROM project INDEXED BY sqlite_autoindex_project_1",
        "INSERT OR IGNORE INTO project(project, name) VALUES (?, ?)",
    ),
)
"""Table, what an index tells of its rows, how to write them."""

_UIDS: Final = "SELECT id, uid FROM memory INDEXED BY sqlite_autoindex_memory_1"

_PARTS: Final = (
    ("version_memory", "memory_id, known_from", ""),
    ("version_ord", "ns, ord", ""),
    ("version_content", "content_id", ""),
    ("version_same", "same", ""),
    ("version_event", "opened_by", ""),
    ("version_closed", "closed_by", " WHERE closed_by IS NOT NULL"),
    ("version_subject", "about, predicate", " WHERE about IS NOT NULL"),
    ("version_source", "ns, source", " WHERE source IS NOT NULL"),
    ("version_batch", "batch", " WHERE batch IS NOT NULL"),
)
"""Index of table version, the columns it repeats, the rows it is about."""

_NEEDED: Final = {"memory_id", "known_from", "ns", "ord", "content_id"}

# Without its valid interval and trust a version may be told only to those who ask for what is untrusted.
_VERSION: Final = f"""
INSERT OR IGNORE INTO version(
  version_id, memory_id, ns, ord, content_id, valid_from, known_from, known_to, subject, about, predicate, kind,
  importance, confidence, source, trust, door, batch, cause, opened_by, closed_by, closed_cause, same)
SELECT :version_id, :memory_id, :ns, :ord, :content_id, :known_from, :known_from,
  iif(:closed_by IS NULL, NULL, max(:known_from, ifnull((SELECT at FROM event WHERE seq = :closed_by), :known_from))),
  :about, :about, :predicate, 'fact', 5, 1.0, :source, 'untrusted', 'unknown', :batch, 'recovered',
  ifnull(:opened_by, 0), :closed_by, iif(:closed_by IS NULL, NULL, ifnull((SELECT op FROM event WHERE seq = :closed_by),
  '{LOST}')),
  ifnull(:same, zeroblob(16))
WHERE EXISTS (SELECT 1 FROM content WHERE content_id = :content_id)"""

# Which part of the world's time each piece of a memory held is lost: only the last written may stand.
_CLOSE_OLDER: Final = f"""
UPDATE version SET known_to = known_from, closed_by = opened_by, closed_cause = '{LOST}'
WHERE cause = 'recovered' AND known_to IS NULL AND EXISTS (
  SELECT 1 FROM version o WHERE o.memory_id = version.memory_id AND o.known_to IS NULL
  AND o.version_id > version.version_id)"""

_COLUMNS: Final = (
    "version_id", "memory_id", "known_from", "ns", "ord", "content_id", "same", "opened_by", "closed_by", "about",
    "predicate", "source", "batch",
)  # fmt: skip


def rescue_names(source: apsw.Connection, fresh: apsw.Connection, torn: Collection[str]) -> None:
    """Write to ``fresh`` the names of namespaces and projects that the indexes of ``source`` tell."""
    for table, sql, insert in _NAMES:
        if table in torn:
            fresh.executemany(insert, _read(source, sql))


def rescue_memories(source: apsw.Connection, fresh: apsw.Connection, torn: Collection[str]) -> list[str]:
    """Put versions and memories together from what indexes tell of them; return what was done."""
    actions: list[str] = []
    before = _counts(fresh)
    if "version" in torn:
        fresh.executemany(_VERSION, list(_versions(source, _present(fresh))))
        fresh.execute(_CLOSE_OLDER)
    if "memory" in torn:
        fresh.executemany(REMAKE_MEMORY, _read(source, _UIDS))
    versions, memories = (now - then for now, then in zip(_counts(fresh), before, strict=True))
    if versions:
        actions.append(
            f"{versions} versions were put together from what indexes tell of them; they count as untrusted until"
            " somebody confirms them"
        )
    if memories:
        actions.append(f"{memories} memories were made again from their versions; pins and marks are lost")
    return actions


def _versions(source: apsw.Connection, present: set[int]) -> Iterator[dict[str, Any]]:
    """Yield what is known of versions that are not there, by column."""
    found: dict[int, dict[str, Any]] = {}
    for index, names, where in _PARTS:
        for version_id, *values in _read(source, f"SELECT version_id, {names} FROM version INDEXED BY {index}{where}"):
            if version_id not in present:
                row = found.setdefault(version_id, dict.fromkeys(_COLUMNS) | {"version_id": version_id})
                row.update(zip(names.split(", "), values, strict=True))
    return (row for _, row in sorted(found.items()) if all(row[name] is not None for name in _NEEDED))


def _read(source: apsw.Connection, sql: str) -> list[Any]:
    """Return the rows up to the first that cannot be read."""
    rows: list[Any] = []
    with suppress(*_UNREADABLE):
        for row in source.execute(sql):
            rows.append(row)  # noqa: PERF402  (what comes before an error counts)
    return rows


def _present(fresh: apsw.Connection) -> set[int]:
    return {row[0] for row in fresh.execute("SELECT version_id FROM version")}


def _counts(fresh: apsw.Connection) -> list[int]:
    return [int(fresh.execute(f"SELECT count(*) FROM {table}").get) for table in ("version", "memory")]
