"""What stands between memories and around them: evidence, links, rejections, declarations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from omoide.model.records import Voice
from omoide.model.time import Micros
from omoide.store.sqlite.proposals import Proposals
from omoide.store.sqlite.slices import portions


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One support of a memory."""

    memory_id: int
    version_id: int | None
    source: str | None
    observed_at: Micros | None
    at: Micros
    actor: str | None
    door: str
    cause: str
    withdrawn_at: Micros | None


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One directed relation between two memories."""

    link_id: int
    kind: str
    from_id: int
    to_id: int
    at: Micros
    reason: str | None
    event: int
    ended_at: Micros | None


class Relations:
    """Reads and writes ``evidence``, ``link``, ``rejection``, ``exclusive``, ``idempotency`` and ``purged``."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def add_evidence(
        self, memory_id: int, *, version_id: int | None, source: str | None, observed_at: Micros | None, at: Micros,
        voice: Voice, cause: str, event: int,
    ) -> None:  # fmt: skip
        """Record that something supports a memory."""
        self._connection.execute(
            "INSERT INTO evidence(memory_id, version_id, source, observed_at, at, actor, door, cause, batch, event)"
            " VALUES (?,?,?,?,?,?,?,?,?,?)",
            (memory_id, version_id, source, observed_at, at, voice.actor, voice.door, cause, voice.batch, event),
        )

    def evidence(self, memory_id: int) -> list[EvidenceRow]:
        """Return the evidence of a memory, oldest first."""
        rows = self._connection.execute(
            "SELECT memory_id, version_id, source, observed_at, at, actor, door, cause, withdrawn_at FROM evidence"
            " WHERE memory_id = ? ORDER BY at, evidence_id",
            (memory_id,),
        )
        return [EvidenceRow(*row) for row in rows]

    def withdraw(self, memory_id: int, source: str, at: Micros) -> None:
        """Mark the evidence of one source as withdrawn."""
        self._connection.execute(
            "UPDATE evidence SET withdrawn_at = ? WHERE memory_id = ? AND trim(source) = ? AND withdrawn_at IS NULL",
            (at, memory_id, source),
        )

    def memories_with_evidence(self, ns: int, source: str) -> list[int]:
        """Return the memories of a namespace that a source supports."""
        rows = self._connection.execute(
            "SELECT DISTINCT e.memory_id FROM evidence e JOIN memory m ON m.id = e.memory_id"
            " WHERE trim(e.source) = ? AND e.withdrawn_at IS NULL AND m.ns = ?",
            (source, ns),
        )
        return [row[0] for row in rows]

    def add_link(
        self, kind: str, from_id: int, to_id: int, *, at: Micros, event: int, reason: str | None = None
    ) -> None:
        """Record a relation."""
        self._connection.execute(
            "INSERT INTO link(kind, from_id, to_id, at, reason, event) VALUES (?,?,?,?,?,?)",
            (kind, from_id, to_id, at, reason, event),
        )

    def links(self, memory_id: int) -> list[LinkRow]:
        """Return every relation from or to a memory, oldest first."""
        rows = self._connection.execute(
            "SELECT link_id, kind, from_id, to_id, at, reason, event, ended_at FROM link"
            " WHERE from_id = ?1 OR to_id = ?1 ORDER BY link_id",
            (memory_id,),
        )
        return [LinkRow(*row) for row in rows]

    def links_of_kind(self, kind: str, ns: int) -> list[LinkRow]:
        """Return the relations of one kind that start in a namespace and have not ended."""
        rows = self._connection.execute(
            "SELECT l.link_id, l.kind, l.from_id, l.to_id, l.at, l.reason, l.event, l.ended_at FROM link l"
            " JOIN memory m ON m.id = l.from_id WHERE l.kind = ? AND m.ns = ? AND l.ended_at IS NULL"
            " ORDER BY l.link_id",
            (kind, ns),
        )
        return [LinkRow(*row) for row in rows]

    def end_link(self, link_id: int, at: Micros) -> None:
        """Mark a relation as ended."""
        self._connection.execute("UPDATE link SET ended_at = ? WHERE link_id = ?", (at, link_id))

    def end_links_of(self, events: Iterable[int], at: Micros) -> None:
        """Mark the relations that some events made as ended."""
        for marks, seqs in portions(sorted(events)):
            self._connection.execute(
                f"UPDATE link SET ended_at = ? WHERE ended_at IS NULL AND event IN ({marks})", (at, *seqs)
            )

    def delete_of(self, memory_id: int) -> None:
        """Erase the evidence and the relations of a memory, and what was proposed about it."""
        self._connection.execute("DELETE FROM evidence WHERE memory_id = ?", (memory_id,))
        self._connection.execute("DELETE FROM citation WHERE memory_id = ?", (memory_id,))
        self._connection.execute("DELETE FROM link WHERE from_id = ?1 OR to_id = ?1", (memory_id,))
        self._connection.execute("DELETE FROM ending WHERE memory_id = ?", (memory_id,))
        Proposals(self._connection).forget([memory_id])
        self._connection.execute(
            "UPDATE rejection SET reason = NULL, subject = NULL, predicate = NULL WHERE memory_id = ?", (memory_id,)
        )

    def reject(
        self, ns: int, key: bytes, *, subject: str | None, predicate: str | None, reason: str | None,
        memory_id: int | None, trust: str, at: Micros, event: int,
    ) -> None:  # fmt: skip
        """Refuse a value from now on; ``trust`` is that of the door that says so."""
        self._connection.execute(
            "INSERT INTO rejection(ns, key, subject, predicate, reason, memory_id, trust, at, event)"
            " VALUES (?,?,?,?,?,?,?,?,?)",
            (ns, key, subject, predicate, reason, memory_id, trust, at, event),
        )

    def rejecters(self, ns: int, key: bytes) -> set[str]:
        """Return the trusts of the doors that rejected a value and did not lift it."""
        rows: Any = self._connection.execute(
            "SELECT ifnull(trust, 'observed') FROM rejection WHERE ns = ? AND key = ? AND lifted_at IS NULL", (ns, key)
        )
        return {row[0] for row in rows}

    def rejection(self, ns: int, key: bytes) -> tuple[str | None] | None:
        """Return (reason,) when a value is rejected, else None."""
        row = self._connection.execute(
            "SELECT reason FROM rejection WHERE ns = ? AND key = ? AND lifted_at IS NULL", (ns, key)
        ).fetchone()
        return None if row is None else (row[0],)

    def rejecting_events(self, ns: int, key: bytes) -> set[int]:
        """Return the events that rejected a value and were not lifted."""
        rows: Any = self._connection.execute(
            "SELECT event FROM rejection WHERE ns = ? AND key = ? AND lifted_at IS NULL", (ns, key)
        )
        return {row[0] for row in rows}

    def rejected(self, ns: int) -> set[bytes]:
        """Return the keys of all values of a namespace that are rejected."""
        rows: Any = self._connection.execute("SELECT key FROM rejection WHERE ns = ? AND lifted_at IS NULL", (ns,))
        return {row[0] for row in rows}

    def any_rejection(self, ns: int) -> bool:
        """Say whether any value of a namespace is rejected."""
        found = self._connection.execute("SELECT 1 FROM rejection WHERE ns = ? AND lifted_at IS NULL LIMIT 1", (ns,))
        return found.fetchone() is not None

    def lift_rejection(self, ns: int, key: bytes, at: Micros) -> int:
        """Let a rejected value in again; return how many rejections were lifted."""
        self._connection.execute(
            "UPDATE rejection SET lifted_at = ? WHERE ns = ? AND key = ? AND lifted_at IS NULL", (at, ns, key)
        )
        return self._connection.changes()

    def declare_exclusive(self, ns: int, predicate: str, at: Micros) -> None:
        """Let a predicate have one value at a time."""
        self._connection.execute(
            "INSERT OR IGNORE INTO exclusive(ns, predicate, at) VALUES (?, ?, ?)", (ns, predicate, at)
        )

    def exclusive(self, ns: int) -> list[str]:
        """Return the predicates that have one value at a time."""
        rows = self._connection.execute("SELECT predicate FROM exclusive WHERE ns = ? ORDER BY predicate", (ns,))
        return [row[0] for row in rows]

    def remembered_call(self, ns: int, op: str, key: bytes) -> tuple[bytes, str] | None:
        """Return (hash of the arguments, stored result) of a call made under a key, or None."""
        row = self._connection.execute(
            "SELECT arguments, result FROM idempotency WHERE ns = ? AND op = ? AND key = ?", (ns, op, key)
        ).fetchone()
        return None if row is None else (row[0], row[1])

    def remember_call(self, ns: int, op: str, key: bytes, arguments: bytes, result: str, event: int) -> None:
        """Keep the result of a call under its key."""
        self._connection.execute(
            "INSERT INTO idempotency(ns, op, key, arguments, result, event) VALUES (?,?,?,?,?,?)",
            (ns, op, key, arguments, result, event),
        )

    def is_purged(self, key: bytes) -> bool:
        """Say whether ``key`` is the hash of something that was purged."""
        return self._connection.execute("SELECT 1 FROM purged WHERE key = ?", (key,)).fetchone() is not None

    def marked_at(self, key: bytes) -> Micros | None:
        """Return when ``key``, the hash of something that is gone, was marked, None when it was not."""
        row: Any = self._connection.execute("SELECT at FROM purged WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def mark_purged(self, ns: int, keys: Sequence[bytes], at: Micros, event: int) -> None:
        """Keep the hashes of what was purged, so that no import or capture brings it back."""
        for key in keys:
            self._connection.execute(
                "INSERT OR REPLACE INTO purged(key, ns, at, event) VALUES (?,?,?,?)", (key, ns, at, event)
            )
