"""Remember: a new belief, or one that the store already holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from omoide.deferred import deferred
from omoide.model import bitemporal
from omoide.model.policy import WriteScope
from omoide.model.records import Claim, Row, State
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import RANK, may_replace
from omoide.model.uids import uuid7
from omoide.search.prepared import Prepared
from omoide.store.sqlite.transaction import Write
from omoide.types import MemoryId, Notice
from omoide.verbs import corrections, gate, idempotency, notices
from omoide.verbs.context import Context
from omoide.verbs.drafts import says_the_same, value_key
from omoide.verbs.nearest import nearest_memory
from omoide.verbs.writing import writing

if TYPE_CHECKING:
    from omoide.verbs import upserting
else:
    upserting = deferred("omoide.verbs.upserting")


@dataclass(frozen=True, slots=True)
class Request:
    """One remember, its arguments checked."""

    claim: Claim
    scope: WriteScope
    valid_from: Micros | None = None
    valid_to: Micros = FOREVER
    observed_at: Micros | None = None
    pinned: bool = False
    threshold: float | None = None
    collapse: bool = True
    idempotency: idempotency.Key | None = None
    automatic: bool = False

    def interval(self, now: Micros) -> tuple[Micros, Micros]:
        """Return the valid interval when written at ``now``.

        Raises:
            InvalidInputError: it is empty.
        """
        start = self.valid_from
        if start is None:
            start = now if self.observed_at is None else self.observed_at
        bitemporal.check_interval(start, self.valid_to)
        return start, self.valid_to


def remember(ctx: Context, request: Request) -> MemoryId:
    """Store a belief and return its memory's id, with notices."""
    prepared = ctx.embedding.prepare([request.claim], ctx.store)[0]
    near = nearest_memory(ctx, request, prepared)
    with writing(ctx, request.scope) as write:
        return idempotency.once(
            write, request.scope.namespace, request.idempotency, lambda: settle(ctx, write, request, prepared, near)
        )


def settle(
    ctx: Context, tx: Write, request: Request, prepared: Prepared, near: int | None = None, id: int | None = None
) -> MemoryId:
    """Decide inside the write lock what a remember does: repeat, correction, update or a new memory."""
    claim, namespace = request.claim, request.scope.namespace
    keys = gate.admit(tx, namespace, claim, automatic=request.automatic)
    twins = gate.twins_of(tx, keys) if request.collapse and request.scope.readable else []
    told = tx.now if request.observed_at is None else request.observed_at
    known = _repeat(ctx, tx, request, twins)
    known = known or corrections.stale_statement(tx, twins, told, claim.source, request.observed_at)
    if known is not None:
        return known
    if ctx.store.twin is not None and request.collapse:
        twin = ctx.store.twin(tx, namespace, claim, request.interval(tx.now)[0])
        if twin is not None:
            return upserting.revise_instead(ctx, tx, request, twin)
    if near is not None:
        updated = _update_near(tx, request, prepared, near)
        if updated is not None:
            return updated
    return _insert(ctx, tx, request, prepared, keys[0], twins, id)


def _repeat(ctx: Context, tx: Write, request: Request, twins: Sequence[Row]) -> MemoryId | None:
    """The same text inside an open piece: one more sighting, no version."""
    start, end = request.interval(tx.now)
    for row in twins:
        inside = row.open and row.valid_from <= start and end <= row.valid_to
        if inside and says_the_same(row.claim, request.claim):
            return sight(ctx, tx, row, request)
    return None


def sight(ctx: Context, tx: Write, row: Row, request: Request) -> MemoryId:
    """Count a repeat, add its source, raise the trust when the door has more."""
    state = tx.memories.get(row.memory_id)
    assert state is not None
    seq = tx.seq
    if RANK[request.claim.trust] > RANK[row.claim.trust]:
        row = raise_trust(ctx, tx, state, row, request)
    tx.set_state(state, seen=state.seen + 1, last_seen=tx.now, archived=0, pinned=int(state.pinned or request.pinned))
    tx.relations.add_evidence(
        row.memory_id, version_id=row.version_id, source=request.claim.source, observed_at=request.observed_at,
        at=tx.now, voice=tx.voice, cause="repeat", event=seq,
    )  # fmt: skip
    tx.log("repeat", row.namespace, [row.memory_id])
    return MemoryId(row.memory_id)


def raise_trust(ctx: Context, tx: Write, state: State, row: Row, request: Request) -> Row:
    """Write the piece again with the higher trust of the door."""
    claim = replace(row.claim, trust=request.claim.trust)
    tx.close_version(row, "confirm")
    return tx.open_version(
        state, claim, ctx.embedding.again(tx, claim), valid_from=row.valid_from, valid_to=row.valid_to,
        observed_at=request.observed_at, cause="confirm",
        same=value_key(row.namespace, claim.text, claim.subject, claim.predicate),
    )  # fmt: skip


def _update_near(tx: Write, request: Request, prepared: Prepared, near: int) -> MemoryId | None:
    """A near-duplicate at or above the threshold replaces what it nearly repeats."""
    rows = tx.versions.of_memory(near, only_open=True)
    state = tx.memories.get(near)
    if not rows or state is None or state.namespace != request.scope.namespace:
        return None
    row = bitemporal.meant(rows, tx.now)
    if not may_replace(request.claim.trust, row.claim.trust):
        return None
    claim = replace(
        row.claim, text=request.claim.text, metadata={**row.claim.metadata, **request.claim.metadata},
        source=request.claim.source or row.claim.source, trust=request.claim.trust, abstract=request.claim.abstract,
    )  # fmt: skip
    key = gate.admit(tx, state.namespace, claim, automatic=request.automatic)[0]
    tx.close_version(row, "dedupe")
    tx.open_version(
        state, claim, prepared, valid_from=row.valid_from, valid_to=row.valid_to, observed_at=request.observed_at,
        cause="dedupe", same=key,
    )  # fmt: skip
    tx.set_state(state, seen=state.seen + 1, last_seen=tx.now, archived=0, pinned=int(state.pinned or request.pinned))
    tx.log("dedupe", state.namespace, [near])
    return MemoryId(near, [Notice("updated", f"near-duplicate of memory {near}, which now says this", (near,))])


def _insert(
    ctx: Context, tx: Write, request: Request, prepared: Prepared, key: bytes, twins: Sequence[Row], id: int | None
) -> MemoryId:
    claim, namespace = request.claim, request.scope.namespace
    start, end = request.interval(tx.now)
    found = notices.before_insert(tx, request.scope, claim, prepared, start, end, twins)
    found += notices.about_itself(claim, ctx.door_trust)
    state = tx.new_memory(uuid7(tx.now), namespace, pinned=request.pinned, id=id)
    tx.open_version(
        state, claim, prepared, valid_from=start, valid_to=end, observed_at=request.observed_at, cause="remember",
        same=key,
    )  # fmt: skip
    notices.link_conflicts(tx, state.id, found)
    tx.log("remember", namespace, [state.id])
    if ctx.max_memories is not None:
        archive_beyond(tx, namespace, ctx.max_memories)
    return MemoryId(state.id, found)


def archive_beyond(tx: Write, namespace: str, limit: int) -> list[int]:
    """Archive the oldest memories that are not pinned, down to ``limit``; return their ids."""
    ns = tx.namespaces.ensure(namespace, tx.now)
    surplus = tx.live_count(namespace) - limit
    if surplus <= 0:
        return []
    ids = tx.memories.oldest_live(ns, surplus)
    for state in tx.memories.many(ids).values():
        tx.set_state(state, archived=1)
    tx.log("archive", namespace, ids)
    return ids
