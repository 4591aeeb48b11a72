"""A taking-in from beginning to end: look what is new, write it, tell of it in the audit chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from omoide.model.carried import CarriedMemory
from omoide.model.policy import WriteScope
from omoide.model.relations import (
    Carried,
    CarriedAlias,
    CarriedBatch,
    CarriedExclusive,
    CarriedLink,
    CarriedMark,
    CarriedRejection,
    purged_memory,
)
from omoide.model.uids import uuid7
from omoide.reports import IntakeReport
from omoide.store.sqlite import taking
from omoide.store.sqlite.carrying import Carrying
from omoide.store.sqlite.relating import Relating
from omoide.store.sqlite.taking import Ledger
from omoide.store.sqlite.transaction import Read, Write
from omoide.types import Trust
from omoide.verbs import purge
from omoide.verbs.cargo import Cargo
from omoide.verbs.carried_documents import DocumentIntake
from omoide.verbs.context import Context
from omoide.verbs.history_intake import HistoryIntake
from omoide.verbs.intake import Intake, Outcome
from omoide.verbs.joining import Joining, news_of

_PORTION: Final = 500


class NotMeantError(Exception):
    """A dry run is over; everything it did is rolled back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How something is taken in. ``erase``: whether purges of the other side are carried out here."""

    op: str
    namespaces: tuple[str, ...]
    scopes: tuple[WriteScope, ...]
    cap: Trust | None = None
    erase: bool = False
    dry_run: bool = False
    source: str | None = None


@dataclass(slots=True)
class _Found:
    """What a first look at the cargo says: which memories are new, which bring news, and by which events."""

    new: set[str] = field(default_factory=set)
    news: set[str] = field(default_factory=set)
    events: set[int] = field(default_factory=set)


def take_in(ctx: Context, plan: Plan, load: Callable[[Read], Cargo]) -> IntakeReport:
    """Take in what ``load`` returns, in one transaction; return what changed.

    Raises:
        InvalidInputError: the cargo is damaged; nothing was changed.
    """
    ctx.flush()
    outcome, batch = Outcome(), ""
    try:
        with ctx.store.write(ctx.voice(), *plan.scopes) as tx:
            batch = f"{plan.op}-{uuid7(tx.now)}"
            tx.voice = ctx.voice(batch)
            tx.has_model = ctx.embedding.record(tx)
            outcome = _Run(ctx, tx, plan, load(tx), batch).run()
            stop_if_dry(plan)
    except NotMeantError:
        return report_of(plan, outcome, None)
    if ctx.embedding.owes:
        ctx.filler.nudge()
    return report_of(plan, outcome, batch if outcome.anything else None)


def stop_if_dry(plan: Plan) -> None:
    """End the transaction of a dry run without a trace.

    Raises:
        NotMeantError: it is one.
    """
    if plan.dry_run:
        raise NotMeantError


class _Run:
    """One taking-in, inside one write transaction."""

    def __init__(self, ctx: Context, tx: Write, plan: Plan, cargo: Cargo, batch: str) -> None:
        self._tx, self._plan, self._cargo, self._batch = tx, plan, cargo, batch
        relating = Relating(tx.connection)
        fresh = {name for name in plan.namespaces if relating.never_written(tx.namespaces.id(name))}
        self._intake = Intake(ctx, tx, cargo, batch=batch, fresh=fresh, cap=plan.cap)
        self._relating = relating
        self._found = _Found()
        self._rejected: list[bytes] = []

    def run(self) -> Outcome:
        """Do it and return what was done."""
        outcome = self._intake.outcome
        for item in self._cargo.around():
            if isinstance(item, CarriedMark):
                self._intake.note_mark(item.key, item.at)
        for portion in portions_of(self._cargo.memories()):
            self._look(portion)
        self._intake.ledger = Ledger(self._tx, self._found.events)
        self._take_around()
        for portion in portions_of(self._cargo.memories()):
            self._take(portion)
        self._end_rejected()
        self._take_links()
        DocumentIntake(self._intake, cap=self._plan.cap, original_times=False).run()
        conversations = HistoryIntake(self._intake, cap=self._plan.cap, original_times=False)
        conversations.run()
        if self._plan.erase:
            self._carry_out_purges()
            conversations.carry_out_purges(self._plan.namespaces)
        if outcome.anything:
            self._record_batches()
            self._intake.ledger.write(self._plan.op, self._plan.namespaces[0] if self._plan.namespaces else None)
        if outcome.erased:
            self._tx.log("purge", self._plan.namespaces[0], outcome.erased)
        return outcome

    # -- memories --------------------------------------------------------------------------------------

    def _look(self, portion: Sequence[CarriedMemory]) -> None:
        """Find out which of some memories are new or bring news; refuse what was purged."""
        here = self._here(portion)
        for theirs in portion:
            mine = here.get(theirs.uid)
            if self._intake.is_purged(theirs):
                if mine is None:
                    self._intake.refuse(theirs, "purged")
            elif mine is None:
                self._found.new.add(theirs.uid)
                self._found.events |= theirs.events
            else:
                self._found.events |= news_of(mine, theirs).events
                self._found.news.add(theirs.uid)

    def _take(self, portion: Sequence[CarriedMemory]) -> None:
        new = [memory for memory in portion if memory.uid in self._found.new]
        for _, group in groupby(new, key=lambda memory: memory.namespace):
            self._intake.add(list(group))
        known = [memory for memory in portion if memory.uid in self._found.news]
        here = self._here(known)
        for theirs in known:
            mine = here[theirs.uid]
            Joining(self._intake, mine, theirs, news_of(mine, theirs)).run()
        self._tx.flush()

    def _here(self, portion: Sequence[CarriedMemory]) -> dict[str, CarriedMemory]:
        """Return the memories of this store that a portion has too, by uid."""
        ids = self._relating.ids_of(memory.uid for memory in portion)
        if not ids:
            return {}
        found = Carrying(self._tx).memories(sorted(ids.values()))
        return {memory.uid: memory for memory in found}

    # -- around them -----------------------------------------------------------------------------------

    def _take_around(self) -> None:
        for item in self._cargo.around():
            if not isinstance(item, CarriedLink | CarriedBatch):
                self._intake.outcome.around += self._take_one(item)

    def _take_one(self, item: Carried) -> bool:
        relating, rest = self._relating, self._intake.ledger.rest
        assert not isinstance(item, CarriedLink)
        ns = self._tx.ns_of(item.namespace)
        if isinstance(item, CarriedRejection):
            memory_id = None if item.uid is None else relating.ids_of([item.uid]).get(item.uid)
            taken = relating.take_rejection(ns, item, memory_id, rest)
            if taken and item.lifted_at is None:
                self._rejected.append(item.key)
            return taken
        if isinstance(item, CarriedAlias):
            return relating.take_alias(ns, item)
        if isinstance(item, CarriedExclusive):
            return relating.take_exclusive(ns, item)
        if isinstance(item, CarriedMark):
            return relating.take_mark(ns, item, rest)
        return relating.take_batch(ns, item)

    def _end_rejected(self) -> None:
        """What was rejected in the other copy is no longer believed here."""
        ledger = self._intake.ledger
        for row in (row for key in self._rejected for row in self._tx.versions.same(key)):
            state = self._tx.memories.get(row.memory_id)
            if not row.open or state is None:
                continue
            taking.close(self._tx, state, row, "reject", ledger.rest, ledger)
            if not self._tx.versions.of_memory(state.id, only_open=True):
                self._tx.set_state(state, ended="reject", ended_by=ledger.rest)

    def _take_links(self) -> None:
        links = [item for item in self._cargo.around() if isinstance(item, CarriedLink)]
        ids = self._relating.ids_of({uid for link in links for uid in (link.from_uid, link.to_uid)})
        for link in links:
            ends = ids.get(link.from_uid), ids.get(link.to_uid)
            if ends[0] is not None and ends[1] is not None:
                event = self._intake.ledger.number(link.event)
                self._intake.outcome.around += self._relating.take_link(link, (ends[0], ends[1]), event)

    def _record_batches(self) -> None:
        for item in self._cargo.around():
            if isinstance(item, CarriedBatch):
                self._take_one(item)
        voice = self._tx.voice
        for name in self._plan.namespaces[:1]:
            made = CarriedBatch(name, self._batch, self._plan.op, self._tx.now, voice.actor, self._plan.source, None)
            self._relating.take_batch(self._tx.ns_of(name), made)

    def _carry_out_purges(self) -> None:
        """What was purged in the other copy is erased here as well."""
        for name in self._plan.namespaces:
            ns = self._tx.namespaces.id(name)
            ids = [] if ns is None else self._relating.doomed(ns)
            for mine in Carrying(self._tx).memories(ids):
                if self._intake.is_purged(mine):
                    purge.erase(self._tx, mine.id, name)
                    self._intake.outcome.erased.append(mine.id)
            self._intake.outcome.around += 0 if ns is None else self._relating.forget_purged_names(ns)
            for document_id in [] if ns is None else self._tx.documents.of_namespace(ns):
                row = self._tx.documents.get(document_id)
                if row is not None and self._tx.relations.is_purged(purged_memory(row.uid)):
                    purge.erase_document(self._tx, row)
                    self._intake.outcome.documents += 1


def portions_of(memories: Iterable[CarriedMemory]) -> Iterator[list[CarriedMemory]]:
    """Yield memories some hundreds at a time."""
    portion: list[CarriedMemory] = []
    for memory in memories:
        portion.append(memory)
        if len(portion) >= _PORTION:
            yield portion
            portion = []
    if portion:
        yield portion


def report_of(plan: Plan, outcome: Outcome, batch: str | None) -> IntakeReport:
    """Return what was done as users see it."""
    return IntakeReport(
        batch=batch, added=tuple(outcome.added), changed=tuple(outcome.changed), known=outcome.known,
        refused=tuple(dict.fromkeys(outcome.refused)), conflicts=tuple(outcome.diverged),
        erased=tuple(outcome.erased), documents=outcome.documents, turns=outcome.turns, segments=outcome.segments,
        namespaces=plan.namespaces, dry_run=plan.dry_run,
    )  # fmt: skip
