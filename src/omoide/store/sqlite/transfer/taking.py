"""Versions of another store written into this one, many at a time, each told of by an event of the audit chain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from omoide.model.carried import CarriedEnd, CarriedEvidence, CarriedState
from omoide.model.chain import SEAL
from omoide.model.records import Claim, Row, State
from omoide.model.time import Micros
from omoide.search.prepared import Prepared
from omoide.store.sqlite.flags import flags_of
from omoide.store.sqlite.namespaces import MEMORIES
from omoide.store.sqlite.transaction import Write
from omoide.store.sqlite.versions import Born

_STATE: Final = (
    "UPDATE memory SET created_at = ?, pinned = ?, archived = ?, disputed = ?, changed_at = ?, seen = ?, last_seen = ?,"
    " access_count = ?, accessed_at = ?, value = ?, ended = ?, ended_by = ? WHERE id = ?"
)
_CLOSED: Final = "UPDATE version SET closed_by = ?, closed_cause = ? WHERE version_id = ?"
_ENDING: Final = (
    "INSERT OR IGNORE INTO ending(memory_id, root, at, step, cause, valid_from, valid_to, event)"
    " VALUES (?,?,?,?,?,?,?,?)"
)
_EVIDENCE: Final = (
    "INSERT INTO evidence(memory_id, version_id, source, observed_at, at, actor, door, cause, batch, event,"
    " withdrawn_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A version ready to be written; events are numbers of this store."""

    state: State
    claim: Claim
    prepared: Prepared
    same: bytes
    valid_from: Micros
    valid_to: Micros
    known_from: Micros
    known_to: Micros
    cause: str
    actor: str | None
    door: str
    observed_at: Micros | None
    batch: str | None
    opened_by: int
    closed_by: int | None
    closed_cause: str | None
    origin: Mapping[str, Any]


class Ledger:
    """The events of one taking-in: one for each foreign event that left a trace, and one for the rest."""

    def __init__(self, tx: Write, foreign: Iterable[int]) -> None:
        self._tx = tx
        self._first = tx.seq
        self._numbers = {event: tx.seq + at for at, event in enumerate(sorted(foreign))}
        self.rest = self._first + len(self._numbers)
        self._targets: dict[int, dict[int, None]] = defaultdict(dict)
        self._seals: dict[int, list[bytes]] = defaultdict(list)
        self._names: dict[int, str] = {}

    def number(self, event: int | None) -> int:
        """Return the number that a foreign event has here; the one for the rest when it has none."""
        return self.rest if event is None else self._numbers.get(event, self.rest)

    def note(self, event: int, state: State, seal: bytes | None = None) -> None:
        """Record that an event here concerns a memory, and the seal of what it wrote."""
        self._targets[event][state.id] = None
        self._names.setdefault(event, state.namespace)
        if seal is not None:
            self._seals[event].append(seal)

    def write(self, op: str, namespace: str | None) -> None:
        """Append all events, in order."""
        tx = self._tx
        for event in range(self._first, self.rest + 1):
            name = self._names.get(event, namespace)
            ns = None if name is None else tx.namespaces.ensure(name, tx.now)
            tx.last = tx.events.append(
                tx.last, at=tx.now, ns=ns, voice=tx.voice, op=op, targets=list(self._targets.get(event, ())),
                seals=b"".join(self._seals.get(event, ())),
            )  # fmt: skip


def write_memories(tx: Write, namespace: str, memories: Sequence[tuple[State, CarriedState]]) -> None:
    """Make the rows of memories whose ids were reserved."""
    ns = tx.ns_of(namespace)
    tx.memories.insert_many(ns, tx.now, [(state.id, state.uid, state.pinned) for state, _ in memories])
    tx.connection.executemany(
        _STATE,
        [
            (state.created_at, int(state.pinned), int(state.archived), state.disputed, carried.changed_at, state.seen,
             carried.last_seen, carried.access_count, carried.accessed_at, carried.value, state.ended, state.ended_by,
             state.id)
            for state, carried in memories
        ],
    )  # fmt: skip
    tx.indexer.count_live(ns, MEMORIES, sum(state.live for state, _ in memories))


def write_versions(tx: Write, namespace: str, placed: Sequence[Placed], ledger: Ledger) -> list[int]:
    """Write versions with their index entries; return their numbers."""
    ns, first = tx.ns_of(namespace), tx.versions.next_id()
    contents = tx.contents.ensure_many([each.claim.text for each in placed])
    rows = [
        (_row(tx, ns, namespace, first + at, each), contents[at], each.same, each.prepared.gist, _born(each.state))
        for at, each in enumerate(placed)
    ]
    seals = tx.versions.insert_many(ns, rows)
    for at, each in enumerate(placed):
        ledger.note(each.opened_by, each.state, seals[at * SEAL : (at + 1) * SEAL])
    ended = [(first + at, each) for at, each in enumerate(placed) if each.closed_by is not None]
    tx.connection.executemany(_CLOSED, [(each.closed_by, each.closed_cause, number) for number, each in ended])
    for number, each in ended:
        assert each.closed_by is not None
        seal = tx.versions.ending(each.state.id, number, each.known_to, each.closed_cause or "")
        ledger.note(each.closed_by, each.state, seal)
    return [first + at for at in range(len(placed))]


def _born(state: State) -> Born:
    return state.uid, state.created_at


def _row(tx: Write, ns: int, namespace: str, version_id: int, each: Placed) -> Row:
    record = (
        each.valid_from, each.valid_to, each.known_from, each.known_to, each.state.id, version_id,
        flags_of(each.claim, each.state), tx.projects.ensure(each.claim.project),
    )  # fmt: skip
    return Row(
        version_id, each.state.id, namespace, tx.indexer.add(ns, MEMORIES, record, each.prepared), each.claim,
        each.valid_from, each.valid_to, each.known_from, each.known_to, each.actor, each.door, each.observed_at,
        each.batch, each.cause, each.opened_by, None, None, each.origin,
    )  # fmt: skip


def close(tx: Write, state: State, row: Row, cause: str, event: int, ledger: Ledger) -> None:
    """End a version that is here, now, by an event that ``ledger`` writes later."""
    ledger.note(event, state, tx.versions.close(row, tx.now, event, cause))
    tx.indexer.change(tx.ns_of(row.namespace), MEMORIES, row.ord, "known_to", tx.now)


def write_ends(tx: Write, memory_id: int, ends: Iterable[CarriedEnd], ledger: Ledger) -> None:
    """Keep what ended in other stores, for the next time that copies are merged."""
    tx.connection.executemany(
        _ENDING,
        [
            (memory_id, item.end.root, *item.end.stamp, item.end.cause, item.end.valid_from, item.end.valid_to,
             ledger.number(item.event))
            for item in ends
        ],
    )  # fmt: skip


def write_evidence(
    tx: Write, memory_id: int, items: Iterable[CarriedEvidence], versions: Mapping[bytes, int], event: int | None
) -> None:
    """Write supports as they were given, at their own times; ``versions``: numbers by key.

    ``event``: the one that took them in, None to keep their own.
    """
    tx.connection.executemany(
        _EVIDENCE,
        [
            (memory_id, None if item.version is None else versions.get(item.version), item.source, item.observed_at,
             item.at, item.actor, item.door, item.cause, item.batch, item.event if event is None else event,
             item.withdrawn_at)
            for item in items
        ],
    )  # fmt: skip


def withdraw_evidence(tx: Write, memory_id: int, item: CarriedEvidence) -> None:
    """Mark a support that is here as withdrawn when it was elsewhere; of two times the earlier stays."""
    tx.connection.execute(
        "UPDATE evidence SET withdrawn_at = ?1 WHERE memory_id = ?2 AND source IS ?3 AND at = ?4 AND cause = ?5"
        " AND (withdrawn_at IS NULL OR withdrawn_at > ?1)",
        (item.withdrawn_at, memory_id, item.source, item.at, item.cause),
    )
