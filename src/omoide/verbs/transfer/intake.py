"""Taking in memories that this store has not, and refusing what it may not hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from omoide.model.carried import CarriedMemory, CarriedVersion
from omoide.model.lineage import MERGE
from omoide.model.records import Claim, State
from omoide.model.relations import purged_memory
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import RANK
from omoide.search.prepared import Prepared
from omoide.store.sqlite.transaction import Write
from omoide.store.sqlite.transfer import taking
from omoide.store.sqlite.transfer.relating import Relating
from omoide.store.sqlite.transfer.taking import Ledger, Placed
from omoide.types import Trust
from omoide.types.reports import Refusal
from omoide.verbs import gate
from omoide.verbs.context import Context
from omoide.verbs.drafts import value_key
from omoide.verbs.transfer.cargo import Cargo


@dataclass(slots=True)
class Outcome:
    """What a taking-in did so far."""

    added: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    known: int = 0
    refused: list[Refusal] = field(default_factory=list)
    diverged: list[int] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)
    around: int = 0
    documents: int = 0
    turns: int = 0
    segments: int = 0

    @property
    def size(self) -> int:
        """How many things changed; it grows with each."""
        counts = self.around, self.documents, self.turns, self.segments
        return len(self.added) + len(self.changed) + len(self.erased) + sum(counts)

    @property
    def anything(self) -> bool:
        """Whether the store changes."""
        return self.size > 0


class Intake:
    """One taking-in, inside one write transaction."""

    def __init__(
        self, ctx: Context, tx: Write, cargo: Cargo, *, batch: str, fresh: Iterable[str], cap: Trust | None
    ) -> None:
        self.ctx, self.tx, self.cargo, self.batch = ctx, tx, cargo, batch
        self.fresh, self._cap = frozenset(fresh), cap
        self.outcome = Outcome()
        self.ledger = Ledger(tx, ())
        self._purged = Relating(tx.connection).purged()
        self._rejected: dict[str, set[bytes]] = {}

    # -- what may not come in --------------------------------------------------------------------------

    def note_mark(self, key: bytes, at: Micros) -> None:
        """Take notice of something purged elsewhere."""
        self._purged[key] = max(at, self._purged.get(key, at))

    def is_purged(self, memory: CarriedMemory) -> bool:
        """Say whether a memory was purged, or says without anybody's intent what was purged."""
        if not self._purged:
            return False
        if purged_memory(memory.uid) in self._purged:
            return True
        marks = [
            self._purged.get(gate.purged_key(key))
            for version in memory.versions
            for key in self.keys(memory.namespace, version.claim)
        ]
        latest = max((at for at in marks if at is not None), default=None)
        return latest is not None and (memory.made <= latest or _automatic(memory))

    def refuse(self, memory: CarriedMemory, reason: str) -> None:
        """Leave a memory out and say so."""
        self.outcome.refused.append(Refusal(memory.uid, reason))

    def keys(self, namespace: str, claim: Claim) -> list[bytes]:
        """Return the value keys of a claim under every name of its subject."""
        if claim.subject is None:
            return [value_key(namespace, claim.text, None, claim.predicate)]
        return gate.keys_of(self.tx, namespace, claim)

    def is_rejected(self, namespace: str, claim: Claim) -> bool:
        """Say whether somebody rejected a value here."""
        if namespace not in self._rejected:
            ns = self.tx.namespaces.id(namespace)
            self._rejected[namespace] = set() if ns is None else self.tx.relations.rejected(ns)
        keys = self._rejected[namespace]
        return bool(keys) and any(key in keys for key in self.keys(namespace, claim))

    # -- what comes in ---------------------------------------------------------------------------------

    def add(self, memories: Sequence[CarriedMemory]) -> None:
        """Write memories that are new here, all of one namespace."""
        namespace, tx = memories[0].namespace, self.tx
        first = tx.memories.reserve(len(memories))
        made = [(self._state(first + at, memory), memory) for at, memory in enumerate(memories)]
        taking.write_memories(tx, namespace, [(state, memory.state) for state, memory in made])
        wanted = [(state, version) for state, memory in made for version in self._wanted(memory)]
        claims = [self.claim(version) for _, version in wanted]
        prepared = self.prepare(claims)
        placed = [self._placed(state, version, claims[at], prepared[at]) for at, (state, version) in enumerate(wanted)]
        numbers = taking.write_versions(tx, namespace, placed, self.ledger)
        keys: dict[int, dict[bytes, int]] = {}
        for (state, version), number in zip(wanted, numbers, strict=True):
            keys.setdefault(state.id, {})[version.key] = number
        for state, memory in made:
            taking.write_ends(tx, state.id, memory.ends, self.ledger)
            taking.write_evidence(tx, state.id, memory.evidence, keys[state.id], self.ledger.rest)
            self.outcome.added.append(state.id)

    def _wanted(self, memory: CarriedMemory) -> list[CarriedVersion]:
        """A piece that a merge elsewhere left and nobody believes is no part of the history."""
        if memory.namespace in self.fresh:
            return list(memory.versions)
        return [version for version in memory.versions if version.cause != MERGE or version.open]

    def _state(self, id: int, memory: CarriedMemory) -> State:
        """Return the state of a new memory: as it was where it is from, ended when nothing of it may be believed."""
        carried, fresh = memory.state, memory.namespace in self.fresh
        open_ones = [version for version in memory.versions if version.open]
        kept = [version for version in open_ones if not self.is_rejected(memory.namespace, version.claim)]
        ended, ended_by = carried.ended, None if carried.ended is None else self.ledger.number(carried.ended_by)
        if open_ones and not kept:
            self.refuse(memory, "rejected")
            ended, ended_by = "reject", self.ledger.rest
        made = min(carried.created_at, self.tx.now) if fresh else self.tx.now
        return State(
            id, memory.uid, memory.namespace, made, carried.pinned, carried.archived, carried.disputed, carried.seen,
            ended, ended_by,
        )  # fmt: skip

    def claim(self, version: CarriedVersion) -> Claim:
        """Return what a version says, with the trust that it may have here."""
        trust = version.claim.trust
        if self._cap is None or RANK[trust] <= RANK[self._cap]:
            return version.claim
        return replace(version.claim, trust=self._cap)

    def prepare(self, claims: Sequence[Claim]) -> list[Prepared]:
        """Return what the index keeps of claims; vectors that neither store has stay pending."""
        found: list[Prepared] = []
        wanted = self.ctx.embedding.model_name is not None
        for each in self.ctx.embedding.prepare_words(claims):
            vectors = self.vectors(each.key) if wanted else None
            found.append(each if vectors is None else replace(each, vectors=vectors))
            self.ctx.embedding.owes |= wanted and vectors is None
        return found

    def vectors(self, key: bytes) -> Any:
        """Return the vectors that one of the stores has of an embedded text, or None."""
        return self.cargo.vectors_of(key)

    def _placed(self, state: State, version: CarriedVersion, claim: Claim, prepared: Prepared) -> Placed:
        """A version of a new memory: at its own times in a new namespace, else known from now."""
        now, ledger = self.tx.now, self.ledger
        rejected = version.open and self.is_rejected(state.namespace, claim)
        known_from, known_to, cause = now, FOREVER if version.open else now, version.closed_cause
        closed_by = None if version.closed_by is None else ledger.number(version.closed_by)
        if state.namespace in self.fresh:
            known_from = min(version.known_from, now)
            known_to = FOREVER if version.open else min(version.known_to, now)
        if rejected:
            known_to, closed_by, cause = now, ledger.rest, "reject"
        return self.place(state, version, claim, prepared, (known_from, known_to), closed_by, cause)

    def place(
        self, state: State, version: CarriedVersion, claim: Claim, prepared: Prepared, known: tuple[Micros, Micros],
        closed_by: int | None, closed_cause: str | None,
    ) -> Placed:  # fmt: skip
        """Return a version as it will be written."""
        opened_by = self.ledger.number(version.opened_by)
        return Placed(
            state=state, claim=claim, prepared=prepared, valid_from=version.valid_from, valid_to=version.valid_to,
            same=value_key(state.namespace, claim.text, claim.subject, claim.predicate), known_from=known[0],
            known_to=known[1], cause=version.cause, actor=version.actor, door=version.door,
            observed_at=version.observed_at, batch=self.batch, opened_by=opened_by, closed_by=closed_by,
            closed_cause=closed_cause, origin=origin_of(version, opened_by),
        )  # fmt: skip


def origin_of(version: CarriedVersion, event: int) -> dict[str, Any]:
    """Return what a version keeps of where it came from."""
    origin: dict[str, Any] = {"event": event, "known_from": version.said, "stamp": list(version.stamp)}
    if version.root != version.key:
        origin["root"] = version.root.hex()
    if version.first_batch is not None:
        origin["batch"] = version.first_batch
    if (version.origin or {}).get("ref") is not None:
        origin["ref"] = (version.origin or {})["ref"]
    return origin


def _automatic(memory: CarriedMemory) -> bool:
    """Whether nobody said on purpose what a memory says first."""
    first = memory.versions[0]
    return first.first_batch is not None or first.claim.trust == "derived" or first.door in gate.AUTOMATIC_DOORS
