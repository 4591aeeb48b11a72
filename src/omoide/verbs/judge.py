"""Reject, confirm, dispute: what people and agents say about a belief."""

from __future__ import annotations

from dataclasses import replace

from omoide.errors import AccessDeniedError
from omoide.model import bitemporal
from omoide.model.records import Claim, Row, State
from omoide.model.time import Micros, to_datetime
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.lookalikes import name_key, skeleton
from omoide.types import Conflict, Version
from omoide.verbs import gate
from omoide.verbs.context import Context
from omoide.verbs.convert import version_of
from omoide.verbs.drafts import value_key
from omoide.verbs.transfer.divergence import diverged
from omoide.verbs.writing import open_rows, vouching, writable, writing


def reject(ctx: Context, memory_id: int, reason: str | None) -> list[int]:
    """End every open piece of the namespace that holds the memory's value, and refuse it from now on."""
    state, scope = writable(ctx, memory_id)
    vouching(ctx, "reject")
    with writing(ctx, scope) as tx:
        return reject_value(ctx, tx, state, reason)


def reject_value(ctx: Context, tx: Write, state: State, reason: str | None) -> list[int]:
    """Refuse the value of a memory inside a transaction; return the memories that this ends."""
    claim = _last_meant(tx, state.id).claim
    keys = gate.keys_of(tx, state.namespace, claim)
    tx.relations.reject(
        tx.namespaces.ensure(state.namespace, tx.now), keys[0], subject=claim.subject, predicate=claim.predicate,
        reason=reason, memory_id=state.id, trust=ctx.door_trust, at=tx.now, event=tx.seq,
    )  # fmt: skip
    held = [twin for twin in gate.twins_of(tx, keys) if twin.open]
    for twin in held:
        tx.close_version(twin, "reject")
    ids = sorted({state.id, *(twin.memory_id for twin in held)})
    for ended in ids:
        _mark_ended(tx, ended)
    tx.log("reject", state.namespace, ids)
    return ids


def unreject(ctx: Context, namespace: str, text: str, subject: str | None, predicate: str | None) -> bool:
    """Let a rejected value in again; return whether it was rejected."""
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    vouching(ctx, "unreject")
    with writing(ctx, scope) as tx:
        ns = tx.namespaces.ensure(namespace, tx.now)
        keys = gate.keys_of(tx, namespace, Claim(text, subject=subject, predicate=predicate))
        if ctx.door_trust != "stated" and any("stated" in tx.relations.rejecters(ns, key) for key in keys):
            raise AccessDeniedError("a person rejected this value; only a person can let it in again")
        lifted = sum(tx.relations.lift_rejection(ns, key, tx.now) for key in keys)
        if lifted:
            tx.log("unreject", namespace, [])
        return bool(lifted)


def confirm(ctx: Context, memory_id: int, source: str | None = None) -> Version:
    """Vouch for a memory: a person's word raises its trust to stated, an agent's is evidence."""
    state, scope = writable(ctx, memory_id)
    with writing(ctx, scope) as tx:
        row = bitemporal.meant(open_rows(tx, memory_id), tx.now)
        if ctx.door_trust == "stated" and row.claim.trust != "stated":
            row = _stated(ctx, tx, state, row)
        tx.relations.add_evidence(
            memory_id, version_id=row.version_id, source=source, observed_at=None, at=tx.now, voice=tx.voice,
            cause="confirm", event=tx.seq,
        )  # fmt: skip
        if state.disputed is not None:
            tx.set_state(state, disputed=None)
        tx.log("confirm", state.namespace, [memory_id])
        return version_of(row, tx.relations.evidence(memory_id))


def dispute(ctx: Context, memory_id: int, reason: str | None) -> None:
    """Mark a memory as disputed; its answers say so and rank lower."""
    state, scope = writable(ctx, memory_id)
    with writing(ctx, scope) as tx:
        open_rows(tx, memory_id)
        tx.set_state(state, disputed=reason or "")
        tx.log("dispute", state.namespace, [memory_id])


def conflicts(ctx: Context, namespace: str) -> list[Conflict]:
    """Return what cannot all be right in a namespace: noted conflicts, exclusive predicates, disputes, merges."""
    ctx.flush()
    with ctx.store.read(ctx.scope(namespace)) as tx:
        ns = tx.namespaces.id(namespace)
        if ns is None:
            return []
        return [*_noted(tx, ns), *_exclusive(tx, ns), *_disputed(tx, ns), *diverged(tx, ns)]


def declare_exclusive(ctx: Context, namespace: str, predicate: str) -> None:
    """Let a predicate have one value of a subject at a time."""
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    with writing(ctx, scope) as tx:
        tx.relations.declare_exclusive(tx.namespaces.ensure(namespace, tx.now), predicate, tx.now)
        tx.log("exclusive", namespace, [])


def _last_meant(tx: Read, memory_id: int) -> Row:
    rows = tx.versions.of_memory(memory_id)
    open_ones = [row for row in rows if row.open]
    return bitemporal.meant(open_ones, tx.now) if open_ones else rows[-1]


def _mark_ended(tx: Write, memory_id: int) -> None:
    state = tx.memories.get(memory_id)
    if state is not None and state.ended is None and not tx.versions.of_memory(memory_id, only_open=True):
        tx.set_state(state, ended="reject", ended_by=tx.seq)


def _stated(ctx: Context, tx: Write, state: State, row: Row) -> Row:
    claim = replace(row.claim, trust="stated")
    tx.close_version(row, "confirm")
    return tx.open_version(
        state, claim, ctx.embedding.again(tx, claim), valid_from=row.valid_from, valid_to=row.valid_to,
        observed_at=row.observed_at, cause="confirm",
        same=value_key(state.namespace, claim.text, claim.subject, claim.predicate),
    )  # fmt: skip


def _noted(tx: Read, ns: int) -> list[Conflict]:
    found = []
    for link in tx.relations.links_of_kind("conflict", ns):
        pair = (link.from_id, link.to_id)
        if _disagree(*(tx.versions.of_memory(memory_id, only_open=True) for memory_id in pair)):
            kind, ids = link.reason or "conflict", tuple(sorted(pair))
            found.append(Conflict(kind, ids, "noted at a write", to_datetime(link.at)))
    return found


def _disagree(ones: list[Row], others: list[Row]) -> bool:
    """Say whether two memories still say different things about one time."""
    return any(
        one.valid_from < other.valid_to
        and other.valid_from < one.valid_to
        and skeleton(one.claim.text) != skeleton(other.claim.text)
        for one in ones
        for other in others
    )


def _exclusive(tx: Read, ns: int) -> list[Conflict]:
    titles, declared = tx.aliases.all(ns), {name_key(each): each for each in tx.relations.exclusive(ns)}
    spellings: dict[str, list[str]] = {key: [] for key in declared}
    for each in tx.versions.predicates(ns) if declared else ():
        spellings.get(name_key(each), []).append(each)
    return [
        Conflict("exclusive", ids, f"two values of {declared[key]} of {subject} at one time")
        for key, said in spellings.items()
        for subject, ids in _breaches(tx.versions.valued(ns, said), titles)
    ]


def _breaches(
    values: list[tuple[str, int, Micros, Micros, str]], titles: dict[str, str]
) -> list[tuple[str, tuple[int, int]]]:
    """Return (subject, memories) of values of one predicate that differ while both hold, each pair once."""
    found: dict[tuple[str, tuple[int, int]], None] = {}
    running: dict[str, list[tuple[int, Micros, str]]] = {}
    for key, memory_id, start, end, text in sorted(values, key=lambda value: value[2]):
        subject, said = titles.get(key, key), skeleton(text)
        others = [other for other in running.get(subject, ()) if other[1] > start]
        for other_id, _, other_text in others:
            if other_id != memory_id and other_text != said:
                found[subject, (min(other_id, memory_id), max(other_id, memory_id))] = None
        running[subject] = [*others, (memory_id, end, said)]
    return sorted(found)


def _disputed(tx: Read, ns: int) -> list[Conflict]:
    return [Conflict("disputed", (memory_id,), reason) for memory_id, reason in tx.memories.disputed(ns)]
