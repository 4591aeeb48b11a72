"""A whole store written into an empty one with every number it had, its audit chain included."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from omoide.model.carried import CarriedMemory, CarriedVersion
from omoide.model.records import Row, State
from omoide.model.time import Micros
from omoide.search.prepared import Prepared
from omoide.store.sqlite.flags import flags_of
from omoide.store.sqlite.namespaces import MEMORIES
from omoide.store.sqlite.transaction import Write
from omoide.store.sqlite.transfer import taking
from omoide.store.sqlite.transfer.taking import Ledger

_NAMESPACE: Final = "INSERT INTO namespace(ns, name, created_at) VALUES (?, ?, ?)"
_FINISH: Final = "UPDATE version SET salt = ?, closed_by = ?, closed_cause = ? WHERE version_id = ?"
_EVENT: Final = (
    "INSERT INTO event(seq, at, ns, actor, door, op, targets, batch, seals, hash) VALUES (?,?,?,?,?,?,?,?,?,?)"
)

Adopted = tuple[State, CarriedMemory, Sequence[tuple[CarriedVersion, Prepared, bytes]]]
"""A memory, and its versions each with what the index keeps of it and its value key."""


class OwnNumbers(Ledger):
    """Events keep their numbers."""

    def number(self, event: int | None) -> int:
        """Return the number as it is."""
        return self.rest if event is None else event


def is_empty(tx: Write) -> bool:
    """Say whether nothing was ever written to the store."""
    return tx.last[0] == 0 and not tx.namespaces.all()


def write_namespaces(tx: Write, names: Iterable[tuple[int, str]]) -> None:
    """Make namespaces under the numbers that the audit chain knows them by."""
    tx.connection.executemany(_NAMESPACE, [(ns, name, tx.now) for ns, name in names])


def write_memories(tx: Write, namespace: str, memories: Sequence[Adopted], taking_events: Collection[int]) -> None:
    """Write memories with their ids, versions, times, endings and evidence.

    ``taking_events``: those that took something in; only what they ended cannot be told from the versions.
    """
    taking.write_memories(tx, namespace, [(state, memory.state) for state, memory, _ in memories])
    ns, ledger = tx.ns_of(namespace), OwnNumbers(tx, ())
    flat = [(state, version, ready, same) for state, _, items in memories for version, ready, same in items]
    contents = tx.contents.ensure_many([version.claim.text for _, version, _, _ in flat])
    rows = [
        (_row(tx, ns, state, version, ready), content_id, same, ready.gist, (state.uid, state.created_at))
        for (state, version, ready, same), content_id in zip(flat, contents, strict=True)
    ]
    tx.versions.insert_many(ns, rows)
    tx.connection.executemany(
        _FINISH, [(each.salt, each.closed_by, each.closed_cause, each.version_id) for _, each, _, _ in flat]
    )
    for state, memory, _ in memories:
        numbers = {version.key: version.version_id for version in memory.versions}
        taking.write_ends(tx, state.id, [item for item in memory.ends if item.event in taking_events], ledger)
        taking.write_evidence(tx, state.id, memory.evidence, numbers, None)


def _row(tx: Write, ns: int, state: State, version: CarriedVersion, ready: Prepared) -> Row:
    record = (
        version.valid_from, version.valid_to, version.known_from, version.known_to, state.id, version.version_id,
        flags_of(version.claim, state), tx.projects.ensure(version.claim.project),
    )  # fmt: skip
    return Row(
        version.version_id, state.id, state.namespace, tx.indexer.add(ns, MEMORIES, record, ready), version.claim,
        version.valid_from, version.valid_to, version.known_from, version.known_to, version.actor, version.door,
        version.observed_at, version.batch, version.cause, version.opened_by, None, None, version.origin,
    )  # fmt: skip


def write_event(tx: Write, line: dict[str, Any], at: Micros) -> None:
    """Write an event of the audit chain as it was."""
    targets = json.dumps(line["targets"], separators=(",", ":"))
    digest = bytes.fromhex(line["hash"])
    tx.connection.execute(
        _EVENT,
        (line["seq"], at, line.get("ns"), line.get("actor"), line["door"], line["op"], targets, line.get("batch"),
         bytes.fromhex(line["seals"]) or None, digest),
    )  # fmt: skip
    tx.last = (line["seq"], at, digest)
    tx.now = max(tx.now, at)
