"""What a purge removes beside memories: traces of sources and subjects, whole namespaces."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from omoide.model.records import SESSION
from omoide.store.sqlite.indexing import rebuild
from omoide.store.sqlite.namespaces import MEMORIES
from omoide.store.sqlite.slices import portions
from omoide.store.sqlite.transaction import Read, Write

_DERIVED: Final = "SELECT DISTINCT to_id FROM link WHERE kind = 'derived' AND from_id IN ({})"
_OF_SESSION: Final = (
    f"SELECT DISTINCT memory_id FROM version WHERE ns = ?1 AND (trim(source) = ?2 OR metadata ->> '{SESSION}' = ?2)"
)
_RESULTS: Final = "SELECT op, key, result FROM idempotency WHERE ns = ? AND result LIKE '%\"notices\"%'"
_MEMBERS: Final = "(SELECT id FROM memory WHERE ns = ?1)"
_OWNED: Final = (
    "DELETE FROM version WHERE ns = ?1",
    f"DELETE FROM link WHERE from_id IN {_MEMBERS} OR to_id IN {_MEMBERS}",
    *(f"DELETE FROM {table} WHERE memory_id IN {_MEMBERS}" for table in ("evidence", "ending", "citation")),
    *(f"DELETE FROM {table} WHERE ns = ?1" for table in ("proposal", "recalled", "distilled", "answer")),
    "DELETE FROM memory WHERE ns = ?1",
)
_WITH_PROJECT: Final = ("version", "document", "session", "segment")
_PROJECTS: Final = " UNION ".join(f"SELECT project FROM {table} WHERE project IS NOT NULL" for table in _WITH_PROJECT)
_UNUSED_PROJECTS: Final = (
    f"DELETE FROM project WHERE name IN (SELECT value FROM json_each(?)) AND name NOT IN ({_PROJECTS})"
)


def of_session(tx: Read, ns: int, session: str) -> list[int]:
    """Return the memories that a session told, as their source or as turns of it."""
    return [int(row[0]) for row in _rows(tx, _OF_SESSION, (ns, session))]


def with_derived(tx: Read, ids: Collection[int]) -> set[int]:
    """Return memories and all that was derived from them, however far."""
    found, edge = set(ids), sorted(ids)
    while edge:
        new = {
            int(row[0]) for marks, part in portions(edge) for row in tx.connection.execute(_DERIVED.format(marks), part)
        }
        edge = sorted(new - found)
        found |= new
    return found


def forget_source(tx: Write, ns: int, source: str) -> list[int]:
    """Erase a source from the evidence of memories that stay, and from batches; return those memories."""
    rows = _rows(
        tx,
        "DELETE FROM evidence WHERE trim(source) = ?2 AND memory_id IN (SELECT id FROM memory WHERE ns = ?1)"
        " RETURNING memory_id",
        (ns, source),
    )
    ids = sorted({int(row[0]) for row in rows})
    tx.connection.execute("UPDATE batch SET source = NULL WHERE ns = ? AND trim(source) = ?", (ns, source))
    return ids


def forget_names(tx: Write, ns: int, names: Sequence[str], titles: Sequence[str]) -> None:
    """Erase the names of a subject: ``names`` as they are looked up, ``titles`` as they are written."""
    for name in names:
        tx.connection.execute("DELETE FROM alias WHERE ns = ? AND name = ?", (ns, name))
    for title in titles:
        tx.connection.execute(
            "UPDATE rejection SET subject = NULL, predicate = NULL, reason = NULL WHERE ns = ? AND subject = ?",
            (ns, title),
        )


def strip_results(tx: Write, ns: int, ids: Collection[int]) -> None:
    """Take the remarks that quote purged memories out of what retries are answered with."""
    gone = set(ids)
    for op, key, result in list(_rows(tx, _RESULTS, (ns,))):
        stored = json.loads(result)
        kept = [note for note in stored.get("notices", ()) if stored["id"] not in gone and not gone & set(note[2])]
        if len(kept) != len(stored.get("notices", ())):
            tx.connection.execute(
                "UPDATE idempotency SET result = ? WHERE ns = ? AND op = ? AND key = ?",
                (json.dumps(stored | {"notices": kept}), ns, op, key),
            )


def forget_projects(tx: Write, names: Collection[str]) -> None:
    """Erase the names of projects that nothing belongs to any more."""
    if names:
        tx.connection.execute(_UNUSED_PROJECTS, (json.dumps(sorted(names)),))


def erase_namespace(tx: Write, namespace: str) -> None:
    """Erase every memory, name and declaration of a namespace at once, its index with them."""
    ns = tx.ns_of(namespace)
    rebuild.empty(tx, ns, MEMORIES)
    contents = [row[0] for row in _rows(tx, "SELECT DISTINCT content_id FROM version WHERE ns = ?", (ns,))]
    for sql in _OWNED:
        tx.connection.execute(sql, (ns,))
    for content_id in contents:
        tx.contents.delete_unused(content_id)
    forget_all_names(tx, ns)


def forget_all_names(tx: Write, ns: int) -> None:
    """Erase the names and declarations of a namespace; of rejected values only the hashes stay."""
    for table in ("alias", "exclusive"):
        tx.connection.execute(f"DELETE FROM {table} WHERE ns = ?", (ns,))
    tx.connection.execute("UPDATE rejection SET subject = NULL, predicate = NULL, reason = NULL WHERE ns = ?", (ns,))
    tx.connection.execute("UPDATE batch SET source = NULL WHERE ns = ?", (ns,))


def holds(tx: Read, ns: int, key: bytes) -> bool:
    """Say whether any version of a namespace still says a value."""
    found = _rows(tx, "SELECT 1 FROM version WHERE same = ? AND ns = ? LIMIT 1", (key, ns))
    return next(found, None) is not None


def _rows(tx: Read, sql: str, values: Sequence[Any]) -> Iterator[Any]:
    return iter(tx.connection.execute(sql, values))
