"""Purge: text, words and vectors erased for good; the audit keeps that it happened, not what it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from omoide.errors import NotFoundError
from omoide.model.records import Row, digest
from omoide.store.sqlite.rebuild import sweep
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.tokens import analyze
from omoide.types import Receipt
from omoide.verbs.context import Context
from omoide.verbs.drafts import searched_text, value_key
from omoide.verbs.writing import locate, writing

_UNREACHED = ("earlier backups and exports of this store", "answers that were already given")


def purge(ctx: Context, find: Callable[[Read], Iterable[int]], namespace: str) -> Receipt:
    """Erase the memories that ``find`` names in a namespace; say what could not be reached."""
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    sweep(ctx.store)  # an index that a rebuild left behind holds words too
    with writing(ctx, scope) as tx:
        ids = sorted(memory_id for memory_id in set(find(tx)) if _in(tx, memory_id, namespace))
        for memory_id in ids:
            _erase(tx, memory_id, namespace)
        if ids:
            tx.log("purge", namespace, ids)
    ctx.embedding.forget_texts()
    remaining = ctx.store.scrub()
    locations = ("versions", "texts", "keyword index", "vectors", "evidence", "links", "write-ahead log") if ids else ()
    return Receipt(tuple(ids), locations, not remaining, (*remaining, *(_UNREACHED if ids else ())))


def by_id(ctx: Context, memory_id: int) -> tuple[Callable[[Read], Iterable[int]], str]:
    """Return what finds one memory, and its namespace.

    Raises:
        NotFoundError: there is no such memory here.
    """
    state = locate(ctx, memory_id)
    if state is None:
        raise NotFoundError(f"there is no memory {memory_id} here", value=memory_id)
    return (lambda _: [memory_id]), state.namespace


def by_source(source: str, namespace: str) -> Callable[[Read], Iterable[int]]:
    """Return what finds every memory that a source ever stood behind."""

    def find(tx: Read) -> Iterable[int]:
        ns = tx.namespaces.id(namespace)
        return [] if ns is None else tx.versions.memories_with(ns, "source", source)

    return find


def by_subject(subject: str, namespace: str) -> Callable[[Read], Iterable[int]]:
    """Return what finds every memory that was ever about a subject."""

    def find(tx: Read) -> Iterable[int]:
        ns = tx.namespaces.id(namespace)
        return [] if ns is None else tx.versions.memories_with(ns, "subject", subject)

    return find


def everything(namespace: str) -> Callable[[Read], Iterable[int]]:
    """Return what finds every memory of a namespace."""

    def find(tx: Read) -> Iterable[int]:
        ns = tx.namespaces.id(namespace)
        return [] if ns is None else tx.memories.of_namespace(ns)

    return find


def _in(tx: Read, memory_id: int, namespace: str) -> bool:
    state = tx.memories.get(memory_id)
    return state is not None and state.namespace == namespace


def _erase(tx: Write, memory_id: int, namespace: str) -> None:
    rows = tx.versions.of_memory(memory_id)
    tx.relations.mark_purged(tx.namespaces.ensure(namespace, tx.now), [_key(row) for row in rows], tx.now, tx.seq)
    tx.erase_memory(memory_id, [(row, analyze(searched_text(row.claim))) for row in rows])


def _key(row: Row) -> bytes:
    claim = row.claim
    return digest("purged", value_key(row.namespace, claim.text, claim.subject, claim.predicate).hex())
