"""Forget and restore: the end of a belief in known time, and its return."""

from __future__ import annotations

from dataclasses import dataclass, replace

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model import bitemporal
from omoide.model.filter import Filter
from omoide.model.records import Row, State
from omoide.model.selection import Selection
from omoide.model.time import Micros
from omoide.model.trust import may_replace
from omoide.store.sqlite.relations import LinkRow
from omoide.store.sqlite.transaction import Read, Write
from omoide.types import Forgotten
from omoide.verbs import gate, idempotency
from omoide.verbs.context import Context
from omoide.verbs.convert import withdrawn_sources
from omoide.verbs.revise import copy_piece
from omoide.verbs.whose import locate
from omoide.verbs.writing import vouching, writable, writing


@dataclass(frozen=True, slots=True)
class Selector:
    """What a forget aims at: all memories of a namespace that match every part given."""

    namespace: str
    source: str | None = None
    subject: str | None = None
    where: Filter | None = None


def forget_id(ctx: Context, memory_id: int, key: idempotency.Key | None, *, dry_run: bool = False) -> Forgotten:
    """End every open piece of a memory; nothing happens to one that is missing or already forgotten."""
    if locate(ctx, memory_id) is None:
        return Forgotten(dry_run=dry_run)
    state, scope = writable(ctx, memory_id)
    if dry_run:
        with ctx.store.read(None) as tx:
            ids = [memory_id] if tx.versions.of_memory(memory_id, only_open=True) else []
        return Forgotten(ids, dry_run=True)
    with writing(ctx, scope) as tx:
        return idempotency.once(tx, state.namespace, key, lambda: forget_all(ctx, tx, state.namespace, [memory_id]))


def forget_selected(
    ctx: Context, selector: Selector, key: idempotency.Key | None, *, dry_run: bool = False
) -> Forgotten:
    """End the memories that the selector matches; one with other sources only loses the named one."""
    scope = ctx.policy.write_scope(ctx.namespace, selector.namespace)
    if dry_run:
        ctx.flush()
        with ctx.store.read(None) as tx:
            ended, kept = _matching(tx, selector)
        return Forgotten(ended, kept=kept, dry_run=True)
    with writing(ctx, scope) as tx:
        return idempotency.once(tx, selector.namespace, key, lambda: _forget_selected(ctx, tx, selector))


def _forget_selected(ctx: Context, tx: Write, selector: Selector) -> Forgotten:
    ended, kept = _matching(tx, selector)
    for memory_id in kept:
        _lose_source(tx, memory_id, selector.source or "")
    if kept:
        tx.log("withdraw", selector.namespace, kept)
    return Forgotten(forget_all(ctx, tx, selector.namespace, ended), kept=kept)


def forget_all(ctx: Context, tx: Write, namespace: str, ids: list[int]) -> Forgotten:
    """End every open piece of some memories of a namespace, inside a transaction.

    Raises:
        AccessDeniedError: the door may not end one of them.
    """
    for memory_id in ids:
        _may_end(ctx, tx, memory_id)
    ended = [memory_id for memory_id in ids if _end(tx, memory_id, "forget")]
    if ended:
        tx.log("forget", namespace, ended)
    return Forgotten(ended)


def _may_end(ctx: Context, tx: Read, memory_id: int) -> None:
    """Refuse a door that could not replace what a memory says either.

    Raises:
        AccessDeniedError: it derives, or nobody vouches for it, and the memory was stated or observed.
    """
    for row in tx.versions.of_memory(memory_id, only_open=True):
        if not may_replace(ctx.door_trust, row.claim.trust):
            raise AccessDeniedError(
                f"a door of trust {ctx.door_trust!r} may not end memory {memory_id}, which is {row.claim.trust};"
                " propose it instead",
                value=memory_id,
            )


def _end(tx: Write, memory_id: int, cause: str) -> bool:
    state = tx.memories.get(memory_id)
    rows = tx.versions.of_memory(memory_id, only_open=True)
    if state is None or not rows:
        return False
    for row in rows:
        tx.close_version(row, cause)
    tx.set_state(state, ended=cause, ended_by=tx.seq)
    return True


def _matching(tx: Read, selector: Selector) -> tuple[list[int], list[int]]:
    """Return the memories to end and those that only lose the source."""
    subjects = None if selector.subject is None else (selector.subject,)
    selection = Selection(selector.namespace, subjects=subjects, where=selector.where)
    if selector.source is None:
        return tx.selecting.ids(selection), []
    return _by_source(tx, selection, selector.source)


def _by_source(tx: Read, selection: Selection, source: str) -> tuple[list[int], list[int]]:
    named = tx.selecting.ids(replace(selection, source=source))
    ns = tx.namespaces.id(selection.namespace)
    backed = [] if ns is None else tx.relations.memories_with_evidence(ns, source)
    if backed and (selection.subjects is not None or selection.where is not None):
        allowed = set(tx.selecting.ids(selection))
        backed = [memory_id for memory_id in backed if memory_id in allowed]
    ended: list[int] = []
    kept: list[int] = []
    for memory_id in dict.fromkeys([*named, *backed]):
        sources = _live_sources(tx, memory_id)
        if source in sources:
            (kept if sources - {source} else ended).append(memory_id)
    return sorted(ended), sorted(kept)


def _live_sources(tx: Read, memory_id: int) -> set[str]:
    evidence = tx.relations.evidence(memory_id)
    lost = withdrawn_sources(evidence)
    rows = tx.versions.of_memory(memory_id, only_open=True)
    if not rows:
        return set()
    named = {row.claim.source.strip() for row in rows if row.claim.source}
    backing = {item.source.strip() for item in evidence if item.source and item.withdrawn_at is None}
    return (named | backing) - lost


def _lose_source(tx: Write, memory_id: int, source: str) -> None:
    """The version keeps its words; that its source no longer stands behind it is a line of evidence."""
    tx.relations.withdraw(memory_id, source, tx.now)
    tx.relations.add_evidence(
        memory_id, version_id=None, source=source, observed_at=None, at=tx.now, voice=tx.voice, cause="withdrawn",
        event=tx.seq,
    )  # fmt: skip


def restore(ctx: Context, memory_id: int) -> bool:
    """Bring back what a forget ended, known from now; return whether anything changed.

    Raises:
        RejectedValueError: a value of it was rejected.
        AccessDeniedError: the door's trust is below ``observed``.
        NotFoundError: there is no such memory.
    """
    state, scope = writable(ctx, memory_id)
    vouching(ctx, "restore")
    with writing(ctx, scope) as tx:
        return bring_back(ctx, tx, state)


def bring_back(ctx: Context, tx: Write, state: State) -> bool:
    """Restore a memory inside a transaction; return whether anything changed.

    Raises:
        RejectedValueError: a value of it was rejected.
    """
    pieces = _ended_pieces(tx, state) + _released_pieces(tx, state)
    opened = _reopen(ctx, tx, state, pieces)
    if state.archived:
        tx.set_state(state, archived=0)
    if opened or state.archived:
        tx.log("restore", state.namespace, [state.id])
    return opened or state.archived


def _reopen(ctx: Context, tx: Write, state: State, pieces: list[tuple[Row, Micros, Micros]]) -> bool:
    """Write the pieces again where nothing else is believed by now."""
    opened = False
    for row, start, end in pieces:
        _refuse_if_rejected(tx, state, row)
        for gap_start, gap_end in _gaps(tx, state.id, start, end):
            copy_piece(ctx, tx, state, row, gap_start, gap_end, "restore")
            opened = True
    if opened:
        tx.set_state(state, ended=None, ended_by=None)
    return opened


def _gaps(tx: Write, memory_id: int, start: Micros, end: Micros) -> list[tuple[Micros, Micros]]:
    gaps = [(start, end)]
    for taken in tx.versions.of_memory(memory_id, only_open=True):
        gaps = [part for gap in gaps for part in _minus(gap, taken)]
    return gaps


def _minus(gap: tuple[Micros, Micros], taken: bitemporal.Piece) -> list[tuple[Micros, Micros]]:
    before = (gap[0], min(gap[1], taken.valid_from))
    after = (max(gap[0], taken.valid_to), gap[1])
    return [part for part in (before, after) if part[0] < part[1]]


def _ended_pieces(tx: Write, state: State) -> list[tuple[Row, Micros, Micros]]:
    """What the last forget of the whole memory ended."""
    if state.ended not in ("forget", "reject"):
        return []
    rows = tx.versions.of_memory(state.id)
    return [(row, row.valid_from, row.valid_to) for row in rows if row.closed_by == state.ended_by]


def _released_pieces(tx: Write, state: State) -> list[tuple[Row, Micros, Micros]]:
    """What successors that are forgotten by now had cut from it."""
    released: list[tuple[Row, Micros, Micros]] = []
    for link in tx.relations.links(state.id):
        if link.kind != "supersedes" or link.to_id != state.id or link.ended_at is not None:
            continue
        successor = tx.memories.get(link.from_id)
        if successor is not None and successor.ended in ("forget", "reject"):
            released += _cut_by(tx, state, link)
            tx.relations.end_link(link.link_id, tx.now)
    return released


def _cut_by(tx: Write, state: State, link: LinkRow) -> list[tuple[Row, Micros, Micros]]:
    successor = tx.versions.of_memory(link.from_id)
    start = min((row.valid_from for row in successor if row.opened_by == link.event), default=None)
    if start is None:  # it was there before the other gave way to it
        held = [row for row in successor if row.opened_by < link.event <= (row.closed_by or link.event)]
        start = min((row.valid_from for row in held), default=None)
    if start is None:
        return []
    closed = [row for row in tx.versions.of_memory(state.id) if row.closed_by == link.event]
    return [(row, max(row.valid_from, start), row.valid_to) for row in closed]


def _refuse_if_rejected(tx: Write, state: State, row: Row) -> None:
    gate.refuse_rejected(tx, state.namespace, row.claim, gate.keys_of(tx, state.namespace, row.claim))


def forget_older_than(ctx: Context, cutoff: Micros, namespace: str) -> int:
    """Archive the memories that are not pinned and were last written or seen before ``cutoff``."""
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    with writing(ctx, scope) as tx:
        ns = tx.namespaces.id(namespace)
        ids = [] if ns is None else tx.memories.untouched_since(ns, cutoff)
        for state in tx.memories.many(ids).values() if ids else ():
            tx.set_state(state, archived=1)
        if ids:
            tx.log("archive", namespace, ids)
        return len(ids)


def check_selector(selector: Selector) -> None:
    """Refuse a selector that would match everything.

    Raises:
        InvalidInputError: no part is given.
    """
    if selector.source is None and selector.subject is None and selector.where is None:
        raise InvalidInputError("forget needs an id, a source, a subject or a where filter")
