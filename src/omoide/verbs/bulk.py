"""Bulk: writes held back and written together, each acknowledged at its flush."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from omoide.model.collecting import uncollected
from omoide.model.documents import Part, Sheet
from omoide.model.forks import ForkLock
from omoide.model.policy import WriteScope
from omoide.model.records import Row
from omoide.model.time import Micros
from omoide.model.uids import uuid7s
from omoide.search.prepared import Prepared
from omoide.store.sqlite.transaction import Fresh, Write
from omoide.types import MemoryId
from omoide.verbs import gate
from omoide.verbs.context import Context
from omoide.verbs.drafts import says_the_same, value_key
from omoide.verbs.passages.document_bulk import HeldDocuments
from omoide.verbs.remember import Request, remember, settle

FLUSH_AT: Final = 2000
"""Writes held back at most."""
_FIRST_RESERVED: Final = 16
_RESERVED: Final = 1024


class Held(NamedTuple):
    """A write that is held back: its id, None for a repeat of another one, and its value key."""

    request: Request
    id: int | None
    key: bytes


class Buffer:
    """The writes of a ``bulk`` block that are not written yet. No lock of the store is held between flushes."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lock = ForkLock()
        self._pid = os.getpid()
        self._held: list[Held] = []
        self._keys: dict[bytes, tuple[Held, ...]] = {}
        self._next, self._last, self._block = 0, -1, _FIRST_RESERVED
        self._flushing = False
        self._documents: HeldDocuments | None = None
        self.depth = 0
        self.acknowledged = 0

    def add(self, request: Request) -> MemoryId:
        """Hold a write back and return the id it will have; what needs a look at the store is written at once."""
        with self._lock:
            if request.threshold is not None or request.idempotency is not None:
                return self._now(request)
            key = _key(request)
            held = self._held_repeat(key, request)
            if held is None:
                known, named = self._ctx.store.known(request.scope.namespace, key, request.claim.subject)
                if named or (known and self._twins(key, request)):
                    return self._now(request)
                held = self._reserve()
                self._hold(request, held, key)
            else:
                self._hold(request, None, key)
            if len(self._held) >= FLUSH_AT:
                self.flush()
            return MemoryId(held)

    def add_documents(self, scope: WriteScope, cut: Sequence[tuple[Sheet, Sequence[Part]]]) -> tuple[list[int], str]:
        """Hold documents back; return the ids they will have and their batch."""
        with self._lock:
            held = self._documents = self._documents or HeldDocuments(self._ctx)
            ids = held.hold(scope, cut)
            if held.parts >= FLUSH_AT:
                self.flush()
            return ids, held.batch

    @property
    def mine(self) -> bool:
        """Whether this process opened the block; a forked child leaves what the parent holds back to it."""
        return self._pid == os.getpid()

    def flush(self) -> None:
        """Write what is held back in one transaction; when it returns, all of it is durable."""
        with self._lock:
            if not (self._held or self._documents) or self._flushing or not self.mine:
                return
            self._flushing = True
            try:
                if self._held:
                    self._write()
                if self._documents:
                    self._write_documents(self._documents)
            finally:
                self._flushing = False

    def _write(self) -> None:
        count = len(self._held)
        with uncollected():
            self._write_held()
        self.acknowledged += count
        if self._ctx.embedding.owes:
            self._ctx.filler.nudge()

    def _write_held(self) -> None:
        ctx, held = self._ctx, self._held
        prepared = ctx.embedding.prepare_many([each.request.claim for each in held], ctx.store)
        scopes = {each.request.scope.namespace: each.request.scope for each in held}
        write: Write | None = None
        try:
            with ctx.store.write(ctx.voice(), *scopes.values()) as write:
                write.has_model = ctx.embedding.record(write)
                rest = write_fresh(ctx, write, list(zip(held, prepared, strict=True)))
                for each, ready in rest:
                    settle(ctx, write, each.request, ready, id=each.id)
        finally:
            if write is not None and write.committed:  # also where a vault could not be told of it at once
                self._held, self._keys = [], {}

    def _write_documents(self, documents: HeldDocuments) -> None:
        count = len(documents)
        documents.write()
        self.acknowledged += count
        if self._ctx.embedding.owes:
            self._ctx.filler.nudge()

    def _now(self, request: Request) -> MemoryId:
        """``remember`` flushes before it writes."""
        stored = remember(self._ctx, request)
        self.acknowledged += 1
        return stored

    def _hold(self, request: Request, id: int | None, key: bytes) -> None:
        held = Held(request, id, key)
        self._held.append(held)
        if id is not None:
            self._keys[key] = (*self._keys.get(key, ()), held)

    def _held_repeat(self, key: bytes, request: Request) -> int | None:
        if not request.collapse:
            return None
        for held in self._keys.get(key, ()):
            if says_the_same(held.request.claim, request.claim) and _covers(held.request, request):
                return held.id
        return None

    def _twins(self, key: bytes, request: Request) -> list[Row]:
        with self._ctx.store.read(None) as tx:
            ns = tx.namespaces.id(request.scope.namespace)
            if ns is not None:
                gate.refuse_rejected(tx, request.scope.namespace, request.claim, [key])
            return tx.versions.same(key) if request.collapse else []

    def _reserve(self) -> int:
        if self._next > self._last:
            with self._ctx.store.write(self._ctx.voice()) as tx:
                self._next = tx.memories.reserve(self._block)
            self._last = self._next + self._block - 1
            self._block = min(4 * self._block, _RESERVED)
        self._next += 1
        return self._next - 1


def write_fresh(ctx: Context, tx: Write, held: Sequence[tuple[Held, Prepared]]) -> list[tuple[Held, Prepared]]:
    """Write together what is new and needs no look at what is there; return the rest."""
    fresh: dict[str, list[Fresh]] = {}
    rest: list[tuple[Held, Prepared]] = []
    known = tx.versions.known_among([each.key for each, _ in held])
    careful = {namespace: _careful(tx, namespace) for namespace in {each.request.scope.namespace for each, _ in held}}
    for (each, prepared), uid in zip(held, uuid7s(tx.now, len(held)), strict=True):
        request, claim, namespace = each.request, each.request.claim, each.request.scope.namespace
        rejects, named = careful[namespace]
        plain = claim.subject is None or not (claim.predicate or named)
        alone = plain and not (rejects or request.automatic or each.key in known)
        if each.id is None or not alone or ctx.max_memories is not None:
            rest.append((each, prepared))
            continue
        start, end = request.interval(tx.now)
        fresh.setdefault(namespace, []).append(
            Fresh(each.id, uid, claim, prepared, each.key, start, end, request.observed_at, request.pinned)
        )
    for namespace, batch in fresh.items():
        tx.open_fresh(namespace, batch)
        tx.log("remember", namespace, [each.id for each in batch])
    return rest


def _careful(tx: Write, namespace: str) -> tuple[bool, bool]:
    """Return whether every value of a namespace has to be looked at, and whether its subjects have other names."""
    ns = tx.namespaces.id(namespace)
    if ns is None:
        return False, False
    return gate.is_automatic(tx.voice) or tx.relations.any_rejection(ns), tx.aliases.any(ns)


def _key(request: Request) -> bytes:
    claim = request.claim
    return value_key(request.scope.namespace, claim.text, claim.subject, claim.predicate)


def _covers(held: Request, other: Request) -> bool:
    """Whether the interval of ``other`` lies inside that of a held write; both default to the flush."""
    mine, theirs = _start(held), _start(other)
    if (mine is None) != (theirs is None):
        return False
    return (mine is None or theirs is None or mine <= theirs) and other.valid_to <= held.valid_to


def _start(request: Request) -> Micros | None:
    return request.observed_at if request.valid_from is None else request.valid_from
