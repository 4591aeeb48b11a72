"""Memories read with everything that hangs on them, as they travel to another store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import apsw

from omoide.model.carried import (
    CarriedDocument,
    CarriedEnd,
    CarriedEvidence,
    CarriedMemory,
    CarriedState,
    CarriedVersion,
)
from omoide.model.lineage import End
from omoide.model.records import Row
from omoide.model.walk import tell
from omoide.store.sqlite.slices import portions
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.versions import SELECT

PORTION: Final = 500
TAKING: Final = ("merge", "import")
"""Operations of events that took something in from another store."""

_STATE: Final = (
    "id, uid, ns, created_at, pinned, archived, disputed, changed_at, seen, last_seen, access_count, accessed_at,"
    " value, ended, ended_by"
)
_EVIDENCE: Final = (
    "memory_id, version_id, source, observed_at, at, actor, door, cause, batch, withdrawn_at, event, evidence_id"
)
_TAKING: Final = f"SELECT seq FROM event WHERE op IN ({','.join('?' * len(TAKING))})"
_OF_NAMESPACE: Final = "SELECT id FROM memory WHERE ns = ? ORDER BY id"
_OF_SUBJECT: Final = (
    "SELECT id FROM memory m WHERE ns = ?1 AND EXISTS"
    " (SELECT 1 FROM version v WHERE v.memory_id = m.id AND v.subject = ?2) ORDER BY id"
)
_RAW_VERSIONS: Final = (
    "SELECT v.memory_id, n.name, c.hash, v.* FROM version v JOIN content c ON c.content_id = v.content_id"
    " JOIN namespace n ON n.ns = v.ns WHERE v.memory_id IN ({}) ORDER BY v.version_id"
)
_EVERYTHING: Final = (
    f"SELECT id, {_STATE} FROM memory WHERE id IN ({{}})",
    _RAW_VERSIONS,
    f"SELECT memory_id, {_EVIDENCE} FROM evidence WHERE memory_id IN ({{}}) ORDER BY evidence_id",
    "SELECT memory_id, e.* FROM ending e WHERE memory_id IN ({})",
)

Pieces = tuple[dict[int, list[Row]], dict[int, list[CarriedEnd]], dict[int, list[tuple[Any, ...]]]]


class Carrying:
    """Reads the memories of one transaction; some hundreds at a time, so that memory stays bounded.

    ``salts``: also the salts of their seals, for a copy that keeps the audit chain.
    """

    def __init__(self, tx: Read, *, salts: bool = False) -> None:
        self._tx, self._salted = tx, salts
        self._taking = {row[0] for row in tx.connection.execute(_TAKING, TAKING)}

    def ids(self, ns: int, subject: str | None = None) -> list[int]:
        """Return the memories of a namespace, or those of it that were ever about a subject."""
        sql, values = (_OF_NAMESPACE, [ns]) if subject is None else (_OF_SUBJECT, [ns, subject])
        return [row[0] for row in self._tx.connection.execute(sql, values)]

    def memories(self, ids: Sequence[int]) -> Iterator[CarriedMemory]:
        """Yield memories with their versions, endings and evidence, in the order of ``ids``."""
        for first in range(0, len(ids), PORTION):
            part = ids[first : first + PORTION]
            pieces = self._pieces(part)
            states = {row[0]: row for row in self._rows(f"SELECT {_STATE} FROM memory WHERE id IN", part)}
            for memory_id in part:
                if memory_id in states and memory_id in pieces[0]:
                    yield self._memory(states[memory_id], pieces)

    def _pieces(self, ids: Sequence[int]) -> Pieces:
        versions: dict[int, list[Row]] = defaultdict(list)
        ends: dict[int, list[CarriedEnd]] = defaultdict(list)
        evidence: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        rows = self._rows(f"{SELECT} WHERE v.memory_id IN", ids, "ORDER BY v.version_id")
        for row in self._tx.versions.decode(rows):
            versions[row.memory_id].append(row)
        sql = "SELECT memory_id, event, root, valid_from, valid_to, at, step, cause FROM ending WHERE memory_id IN"
        for memory_id, event, root, start, end, at, step, cause in self._rows(sql, ids, "ORDER BY event, at, step"):
            ends[memory_id].append(CarriedEnd(End(root, start, end, (at, step), cause), event))
        for found in self._rows(f"SELECT {_EVIDENCE} FROM evidence WHERE memory_id IN", ids, "ORDER BY evidence_id"):
            evidence[found[0]].append(found)
        return versions, ends, evidence

    def _memory(self, state: tuple[Any, ...], pieces: Pieces) -> CarriedMemory:
        versions, ends, evidence = pieces
        told, ended = tell(state[1], versions[state[0]], ends.get(state[0], ()), self._taking)
        keys = {version.version_id: version.key for version in told}
        if self._salted:
            told = self._with_salts(state[0], told)
        return CarriedMemory(
            state[0], state[1], self._tx.namespaces.name(state[2]), carried_state(state[3:]), told, ended,
            tuple(_evidence(row, keys) for row in evidence.get(state[0], ())),
        )  # fmt: skip

    def _with_salts(self, memory_id: int, told: tuple[CarriedVersion, ...]) -> tuple[CarriedVersion, ...]:
        rows: Any = self._tx.connection.execute(
            "SELECT version_id, salt FROM version WHERE memory_id = ?", (memory_id,)
        )
        salts: dict[int, bytes | None] = dict(rows)
        return tuple(replace(version, salt=salts[version.version_id]) for version in told)

    def _rows(self, sql: str, ids: Sequence[int], tail: str = "") -> Iterator[Any]:
        for marks, part in portions(ids):
            yield from self._tx.connection.execute(f"{sql} ({marks}) {tail}", part)


def carried_state(row: Sequence[Any]) -> CarriedState:
    """Return the state from the columns after the namespace."""
    return CarriedState(
        created_at=row[0], pinned=bool(row[1]), archived=bool(row[2]), disputed=row[3], changed_at=row[4], seen=row[5],
        last_seen=row[6], access_count=row[7], accessed_at=row[8], value=row[9], ended=row[10], ended_by=row[11],
    )  # fmt: skip


def _evidence(row: tuple[Any, ...], keys: dict[int, bytes]) -> CarriedEvidence:
    return CarriedEvidence(
        version=keys.get(row[1]), source=row[2], observed_at=row[3], at=row[4], actor=row[5], door=row[6],
        cause=row[7], batch=row[8], withdrawn_at=row[9], event=row[10],
    )  # fmt: skip


def untouched(mine: apsw.Connection, other: apsw.Connection, ids: Sequence[int]) -> set[int]:
    """Return those of some memories whose every row is the same in both files."""
    same: set[int] = set()
    for first in range(0, len(ids), PORTION):
        part = ids[first : first + PORTION]
        here, there = _raw(mine, part), _raw(other, part)
        same.update(memory_id for memory_id in part if memory_id in here and here[memory_id] == there.get(memory_id))
    return same


def _raw(conn: apsw.Connection, ids: Sequence[int]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    row: Any
    for marks, part in portions(ids):
        for sql in _EVERYTHING:
            for row in conn.execute(sql.format(marks), part):
                found[int(row[0])].append(row)
    return found


def taken_in(conn: apsw.Connection, events: Collection[int]) -> set[int]:
    """Return those of some events that took something in from another store."""
    marks, ops = ",".join("?" * len(events)), ",".join("?" * len(TAKING))
    rows: Any = conn.execute(f"SELECT seq FROM event WHERE seq IN ({marks}) AND op IN ({ops})", (*events, *TAKING))
    return {row[0] for row in rows}


def documents_of(tx: Read, numbers: Sequence[int]) -> Iterator[CarriedDocument]:
    """Yield the documents of namespaces, removed ones without their parts."""
    ids = [document_id for ns in numbers for document_id in tx.documents.of_namespace(ns)]
    return documents_of_ids(tx, sorted(ids))


def documents_of_ids(tx: Read, ids: Sequence[int]) -> Iterator[CarriedDocument]:
    """Yield documents by their ids in this store."""
    for document_id in ids:
        row = tx.documents.get(document_id)
        if row is not None:
            parts = tuple(chunk.part for chunk in tx.documents.chunks(document_id))
            yield CarriedDocument(
                row.uid, row.namespace, row.sheet, row.actor, row.door, row.batch, row.added_at, row.updated_at,
                row.removed_at, parts,
            )  # fmt: skip
