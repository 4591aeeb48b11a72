"""Undo: one ingest, import, consolidation or session taken back, with its history kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model import bitemporal
from omoide.model.records import Row, State
from omoide.model.uids import uuid7
from omoide.store.sqlite import document_writing
from omoide.store.sqlite.conversations import history_undoing
from omoide.store.sqlite.events import EventRow
from omoide.store.sqlite.transaction import Write
from omoide.types.reports import UndoReport
from omoide.verbs import gate
from omoide.verbs.context import Context
from omoide.verbs.drafts import searched_terms
from omoide.verbs.revise import copy_piece
from omoide.verbs.writing import vouching, writing

KINDS: Final = ("session", "ingest", "import", "consolidation", "merge")
"""What a batch can be."""


@contextmanager
def batch(ctx: Context, kind: str, source: str | None) -> Iterator[str]:
    """Let every write of this task belong to one batch meanwhile; yield its id.

    Raises:
        InvalidInputError: an unknown kind.
    """
    if kind not in KINDS:
        raise InvalidInputError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}", value=kind)
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    with ctx.store.read(None) as tx:
        made = uuid7(tx.now)
    with writing(ctx, scope, batch=made) as write:
        ns = write.namespaces.ensure(ctx.namespace, write.now)
        write.batches.begin(made, ns, kind, write.now, ctx.actor, source)
        write.log("batch", ctx.namespace, [])
    with ctx.within(made):
        yield made
        ctx.flush()


def undo(ctx: Context, batch: str) -> UndoReport:
    """Take back what a batch wrote, known from now; memories that were edited since stay and are listed.

    Raises:
        NotFoundError: nothing was written under this id here.
        AccessDeniedError: it wrote to a namespace that may not be written, or this door may not undo.
    """
    ctx.flush()
    with ctx.store.read(None) as tx:
        names = [tx.namespaces.name(ns) for ns in tx.batches.spaces(batch)]
    if not any(ctx.policy.can_read(ctx.namespace, name) for name in names):
        raise NotFoundError(f"there is no batch {batch!r} here", value=batch)
    vouching(ctx, "undo a batch")
    scopes = [ctx.policy.write_scope(ctx.namespace, name) for name in names]
    with writing(ctx, *scopes, batch=batch) as write:
        parts = [_Undo(ctx, write, batch, name).run() for name in names]
        write.batches.close(batch, write.now)
    return UndoReport(
        tuple(sorted(id for part in parts for id in part.undone)),
        tuple(sorted(id for part in parts for id in part.skipped)),
        tuple(sorted(id for part in parts for id in part.documents)),
        tuple(sorted(name for part in parts for name in part.conversations)),
    )


@dataclass(slots=True)
class _Undo:
    """The part of an undo that concerns one namespace."""

    ctx: Context
    tx: Write
    batch: str
    namespace: str
    events: set[int] = field(default_factory=set)
    own: set[int] = field(default_factory=set)
    """The events of the batch in every namespace: one of them may be about memories of several."""
    undone: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)

    def run(self) -> _Undo:
        """Take everything back that the batch did here, and log it once."""
        tx = self.tx
        ns = tx.namespaces.ensure(self.namespace, tx.now)
        whole = [event for event in tx.events.of_batch(self.batch) if event.op != "undo"]
        logged = [event for event in whole if event.ns == ns]
        self.events = {event.seq for event in logged}
        # An empty store that took a whole one over has its events from before the one that says so.
        self.events |= {seq for event in logged if event.op == "adopt" for seq in range(1, event.seq)}
        self.own = self.events | {event.seq for event in whole}
        self.own |= {seq for event in whole if event.op == "adopt" for seq in range(1, event.seq)}
        repeats = tx.batches.repeats(self.batch, ns)
        for memory_id in tx.batches.touched(self.batch, self.events):
            self._memory(memory_id)
        for op in ("archive", "dispute"):
            self._marks(op, {target for event in logged if event.op == op for target in event.targets})
        for memory_id, count in repeats.items():
            self._evidence(memory_id, count)
        tx.batches.release(self.events, ns, tx.now)
        tx.relations.end_links_of(self.events, tx.now)
        self._documents(ns, logged)
        self.conversations = history_undoing.take_out(tx, self.namespace, self.batch, searched_terms)
        tx.log("undo", self.namespace, sorted(self.undone))
        return self

    def _memory(self, memory_id: int) -> None:
        tx, state = self.tx, self.tx.memories.get(memory_id)
        rows = tx.versions.of_memory(memory_id)
        if state is None or state.namespace != self.namespace:
            return
        before, later = self._apart(rows)
        now = [row for row in rows if row.open]
        if {_piece(row) for row in before} == {_piece(row) for row in now}:
            return
        supported = not before and any(map(self._apart_from_it, tx.batches.support(memory_id, self.batch)))
        if tx.batches.lasting(later) or supported or self._refused(before):
            self.skipped.append(memory_id)
            return
        self._put_back(state, before, now)
        for link in tx.relations.links(memory_id):
            if link.event in self.events and link.ended_at is None:
                tx.relations.end_link(link.link_id, tx.now)
        self.undone.append(memory_id)

    def _apart(self, rows: list[Row]) -> tuple[list[Row], set[int]]:
        """Return what was believed before the batch touched a memory, and the events that touched it since."""
        seqs = {seq for row in rows for seq in (row.opened_by, row.closed_by) if seq is not None}
        if all(row.batch == self.batch for row in rows):
            return [], {seq for seq in seqs if self._apart_from_it(seq)}
        first = min(seqs & self.events, default=0)
        before = [row for row in rows if row.opened_by < first and (row.closed_by is None or row.closed_by >= first)]
        return before, {seq for seq in seqs if seq > first} - self.events

    def _apart_from_it(self, event: int) -> bool:
        """Say whether an event since the batch began is none of it."""
        return event > min(self.own, default=0) and event not in self.own

    def _refused(self, rows: list[Row]) -> bool:
        ns = self.tx.namespaces.ensure(self.namespace, self.tx.now)
        keys = [key for row in rows if not row.open for key in gate.keys_of(self.tx, self.namespace, row.claim)]
        made_here = {event for key in keys for event in self.tx.relations.rejecting_events(ns, key)} - self.events
        return bool(made_here)

    def _put_back(self, state: State, before: list[Row], now: list[Row]) -> None:
        """End what the batch left and write again what was there before it."""
        tx, kept = self.tx, {row.version_id for row in before if row.open}
        ending = [row for row in now if row.version_id not in kept]
        missing = [row for row in before if row.version_id not in kept]
        cause = _cause(ending, missing, before)
        for row in ending:
            tx.close_version(row, cause)
        if not before:
            tx.set_state(state, ended="forget", ended_by=tx.seq)
            return
        start = min((row.valid_from for row in ending), default=tx.now)
        chief = bitemporal.before(missing, start) if missing else None
        for row in missing:
            shown = cause if not now or row is chief or cause == "confirm" else "kept"
            copy_piece(self.ctx, tx, state, row, row.valid_from, row.valid_to, shown)
        tx.set_state(state, ended=None, ended_by=None)

    def _marks(self, op: str, targets: set[int]) -> None:
        column, off = ("archived", 0) if op == "archive" else ("disputed", None)
        for state in self.tx.memories.many(sorted(targets)).values():
            if state.archived if op == "archive" else state.disputed is not None:
                self.tx.set_state(state, **{column: off})
                if state.id not in self.undone:
                    self.undone.append(state.id)

    def _evidence(self, memory_id: int, count: int) -> None:
        state = self.tx.memories.get(memory_id)
        if state is None or memory_id in self.skipped:
            return
        self.tx.batches.withdraw(memory_id, self.batch, self.tx.now)
        self.tx.set_state(state, seen=max(1, state.seen - count))

    def _documents(self, ns: int, logged: list[EventRow]) -> None:
        """Take out of search what the batch added, and bring back what it replaced or removed."""
        tx = self.tx
        for document_id in tx.documents.of_batch(ns, self.batch):
            row = tx.documents.get(document_id)
            if row is not None and row.removed_at is None:
                document_writing.remove(tx, row)
                self.documents.append(document_id)
        times: dict[int, list[int]] = {}
        for event in logged:
            for document_id in event.targets if event.op in ("replace", "remove") else ():
                times.setdefault(document_id, []).append(event.at)
        for document_id, touched in times.items():
            row = tx.documents.get(document_id)
            prepare = partial(self.ctx.embedding.again, tx)
            if row is None or row.namespace != self.namespace or row.batch == self.batch:
                continue
            if document_writing.revert(tx, row, touched, prepare):
                self.documents.append(document_id)


def _cause(ending: list[Row], missing: list[Row], before: list[Row]) -> str:
    """A memory that the batch made is forgotten, one that it ended is restored, any other is revised back."""
    if not before:
        return "forget"
    if not ending:
        return "restore"
    texts = {(row.valid_from, row.valid_to, row.claim.text) for row in ending}
    return "confirm" if texts == {(row.valid_from, row.valid_to, row.claim.text) for row in missing} else "undo"


def _piece(row: Row) -> tuple[object, ...]:
    claim = row.claim
    return (
        row.valid_from, row.valid_to, claim.text, claim.abstract, claim.trust, claim.source,
        repr(sorted(claim.metadata.items())),
    )  # fmt: skip
