"""Revise, update, supersede: a belief replaced on an interval, with its history kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from omoide.errors import InvalidInputError
from omoide.model import bitemporal
from omoide.model.records import Claim, Row, State
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import lowered, may_replace
from omoide.model.uids import uuid7
from omoide.store.sqlite.transaction import Write
from omoide.types import MemoryId, Notice, Version
from omoide.verbs import corrections, gate, idempotency, notices
from omoide.verbs.context import Context
from omoide.verbs.convert import version_of
from omoide.verbs.drafts import says_the_same, value_key
from omoide.verbs.remember import Request
from omoide.verbs.writing import open_rows, writable, writing


@dataclass(frozen=True, slots=True)
class Revision:
    """One revise, its arguments checked; what is None is inherited."""

    text: str
    valid_from: Micros | None = None
    valid_to: Micros | None = None
    source: str | None = None
    observed_at: Micros | None = None
    confidence: float | None = None
    idempotency: idempotency.Key | None = None


def revise(ctx: Context, memory_id: int, revision: Revision) -> Version:
    """Replace the belief of a memory on an interval and return the new version."""
    state, scope = writable(ctx, memory_id)
    _embed_ahead(ctx, memory_id, revision.text, revision.valid_from)
    with writing(ctx, scope) as tx:
        return idempotency.once(
            tx, state.namespace, revision.idempotency, lambda: version_of(_revise(ctx, tx, memory_id, revision))
        )


def _embed_ahead(ctx: Context, memory_id: int, text: str, start: Micros | None) -> None:
    """Embed the new text under the labels it will inherit, before the write lock is taken."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        rows = tx.versions.of_memory(memory_id, only_open=True)
        start = tx.now if start is None else start
    if rows:
        ctx.embedding.prepare([replace(bitemporal.before(rows, start).claim, text=text)], ctx.store)


def _revise(ctx: Context, tx: Write, memory_id: int, revision: Revision) -> Row:
    rows = open_rows(tx, memory_id)
    state = tx.memories.get(memory_id)
    assert state is not None
    start = revision.valid_from
    start = bitemporal.revision_start(rows, tx.now) if start is None else start
    end = FOREVER if revision.valid_to is None else revision.valid_to
    bitemporal.check_interval(start, end)
    old = bitemporal.before(rows, start)
    claim = _revised(ctx, old.claim, revision)
    cut = bitemporal.cut(rows, start, end)
    if not all(may_replace(claim.trust, row.claim.trust) for row in (*cut.closed, old)):
        return contest(ctx, tx, [state.id], claim, start, end, revision.observed_at)
    new = replace_pieces(ctx, tx, state, cut, claim, start, end, revision.observed_at, "revise")
    _clear_archived(tx, state)
    tx.log("revise", state.namespace, [memory_id])
    return new


def update(ctx: Context, memory_id: int, *, text: str | None, metadata: dict[str, Any] | None) -> None:
    """Correct the piece that is valid now over its own interval; nothing happens to a missing memory."""
    try:
        state, scope = writable(ctx, memory_id)
    except KeyError:
        return
    if text is not None:
        _embed_ahead(ctx, memory_id, text, None)
    with writing(ctx, scope) as tx:
        rows = tx.versions.of_memory(memory_id, only_open=True)
        if not rows:
            return
        old = bitemporal.meant(rows, tx.now)
        claim = _updated(ctx, old.claim, text, metadata)
        if not may_replace(claim.trust, old.claim.trust):
            contest(ctx, tx, [memory_id], claim, old.valid_from, old.valid_to, None)
            return
        cut = bitemporal.Cut((old,), ())
        replace_pieces(ctx, tx, state, cut, claim, old.valid_from, old.valid_to, None, "update")
        tx.log("update", state.namespace, [memory_id])


def supersede(ctx: Context, ids: Sequence[int], request: Request) -> MemoryId:
    """Put one new memory in the place of others from its start on; link both ways."""
    if not ids:
        raise InvalidInputError("supersede needs at least one memory id", value=list(ids))
    scopes = [writable(ctx, memory_id)[1] for memory_id in ids]
    ctx.embedding.prepare([request.claim], ctx.store)
    with writing(ctx, request.scope, *scopes) as tx:
        return idempotency.once(
            tx,
            request.scope.namespace,
            request.idempotency,
            lambda: _supersede(ctx, tx, list(dict.fromkeys(ids)), request),
        )


def _supersede(ctx: Context, tx: Write, ids: list[int], request: Request) -> MemoryId:
    claim, namespace = request.claim, request.scope.namespace
    start, end = request.interval(tx.now)
    rows = {memory_id: open_rows(tx, memory_id) for memory_id in ids}
    cuts = {memory_id: bitemporal.cut(pieces, start) for memory_id, pieces in rows.items()}
    if not all(may_replace(claim.trust, row.claim.trust) for cut in cuts.values() for row in cut.closed):
        row = contest(ctx, tx, ids, claim, start, end, request.observed_at)
        return MemoryId(row.memory_id, [Notice("conflict", "kept beside what it may not replace", tuple(ids))])
    keys = gate.admit(tx, namespace, claim, automatic=request.automatic)
    twins = gate.twins_of(tx, keys) if request.scope.readable else []
    if request.observed_at is not None and not set(ids) & {twin.memory_id for twin in twins}:
        known = corrections.stale_statement(tx, twins, request.observed_at, claim.source, request.observed_at)
        if known is not None:
            return known
    found = notices.said_again(tx, [twin for twin in twins if twin.memory_id not in ids])
    new = tx.new_memory(uuid7(tx.now), namespace, pinned=request.pinned)
    tx.open_version(
        new, claim, ctx.embedding.again(tx, claim), valid_from=start, valid_to=end,
        observed_at=request.observed_at, cause="supersede", same=keys[0],
    )  # fmt: skip
    notices.link_conflicts(tx, new.id, found)
    for memory_id, cut in cuts.items():
        give_way(ctx, tx, memory_id, cut, new.id)
    tx.log("supersede", namespace, [new.id, *ids])
    return MemoryId(new.id, found)


def give_way(ctx: Context, tx: Write, memory_id: int, cut: bitemporal.Cut[Row], successor: int) -> None:
    """Close what a successor replaces of a memory, keep the rest, link both."""
    state = tx.memories.get(memory_id)
    assert state is not None
    for row in cut.closed:
        tx.close_version(row, "supersede")
    keep_remainders(ctx, tx, state, cut)
    tx.relations.add_link("supersedes", successor, memory_id, at=tx.now, event=tx.seq)
    if not tx.versions.of_memory(memory_id, only_open=True):
        tx.set_state(state, ended="supersede", ended_by=tx.seq)


def replace_pieces(
    ctx: Context, tx: Write, state: State, cut: bitemporal.Cut[Row], claim: Claim, start: Micros, end: Micros,
    observed_at: Micros | None, cause: str,
) -> Row:  # fmt: skip
    """Close what a change replaces, write again what it leaves, write the new version."""
    key = gate.admit(tx, state.namespace, claim)[0]
    for row in cut.closed:
        tx.close_version(row, cause)
    keep_remainders(ctx, tx, state, cut)
    return tx.open_version(
        state, claim, ctx.embedding.again(tx, claim), valid_from=start, valid_to=end,
        observed_at=observed_at, cause=cause, same=key,
    )  # fmt: skip


def keep_remainders(ctx: Context, tx: Write, state: State, cut: bitemporal.Cut[Row]) -> None:
    """Write the parts of closed pieces that a change leaves as they were, in their own words and voice."""
    for kept in cut.kept:
        copy_piece(ctx, tx, state, kept.piece, kept.valid_from, kept.valid_to, "kept")


def copy_piece(ctx: Context, tx: Write, state: State, row: Row, start: Micros, end: Micros, cause: str) -> Row:
    """Write a piece again over another interval, known from now."""
    claim = row.claim
    return tx.open_version(
        state, claim, ctx.embedding.again(tx, claim), valid_from=start, valid_to=end, observed_at=row.observed_at,
        cause=cause, voice=replace(tx.voice, actor=row.actor, door=row.door, batch=row.batch),
        same=value_key(state.namespace, claim.text, claim.subject, claim.predicate), origin=row.origin,
    )  # fmt: skip


def contest(
    ctx: Context, tx: Write, ids: Sequence[int], claim: Claim, start: Micros, end: Micros, observed_at: Micros | None
) -> Row:
    """Keep a claim that may not replace what is there as a memory of its own, in conflict with it."""
    namespace = _namespace_of(tx, ids[0])
    keys = gate.admit(tx, namespace, claim)
    for row in gate.twins_of(tx, keys):
        if row.open and row.valid_from <= start and end <= row.valid_to and says_the_same(row.claim, claim):
            return _contested_again(tx, ids, row, claim, observed_at)
    state = tx.new_memory(uuid7(tx.now), namespace)
    row = tx.open_version(
        state, claim, ctx.embedding.again(tx, claim), valid_from=start, valid_to=end, observed_at=observed_at,
        cause="contest", same=keys[0],
    )  # fmt: skip
    notices.link_conflicts(tx, state.id, [Notice("contradiction", "", tuple(ids))])
    tx.log("contest", namespace, [state.id, *ids])
    return row


def _contested_again(tx: Write, ids: Sequence[int], row: Row, claim: Claim, observed_at: Micros | None) -> Row:
    """One more time somebody said it; a conflict with whatever it is said against."""
    known = {id for link in tx.relations.links(row.memory_id) for id in (link.from_id, link.to_id)}
    new = tuple(id for id in ids if id not in known)
    notices.link_conflicts(tx, row.memory_id, [Notice("contradiction", "", new)])
    tx.relations.add_evidence(
        row.memory_id, version_id=row.version_id, source=claim.source, observed_at=observed_at, at=tx.now,
        voice=tx.voice, cause="repeat", event=tx.seq,
    )  # fmt: skip
    tx.log("repeat", row.namespace, [row.memory_id])
    return row


def _namespace_of(tx: Write, memory_id: int) -> str:
    state = tx.memories.get(memory_id)
    assert state is not None
    return state.namespace


def _revised(ctx: Context, old: Claim, revision: Revision) -> Claim:
    """The abstract described the old text and is not carried over."""
    given = revision.confidence is not None
    return replace(
        old, text=revision.text, abstract=None, trust=lowered(ctx.door_trust, None, revision.source),
        source=revision.source or old.source,
        confidence=revision.confidence if revision.confidence is not None else old.confidence,
        basis=None if given else old.basis,
    )  # fmt: skip


def _updated(ctx: Context, old: Claim, text: str | None, metadata: dict[str, Any] | None) -> Claim:
    return replace(
        old, text=old.text if text is None else text, abstract=old.abstract if text is None else None,
        metadata=old.metadata if metadata is None else metadata, trust=ctx.door_trust,
    )  # fmt: skip


def _clear_archived(tx: Write, state: State) -> None:
    if state.archived:
        tx.set_state(state, archived=0)
