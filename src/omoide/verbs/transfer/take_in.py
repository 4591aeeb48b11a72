"""A taking-in from beginning to end: look what is new, write it, tell of it in the audit chain."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from omoide.store.sqlite.transaction import Read, Write
from omoide.store.sqlite.transfer import taking
from omoide.store.sqlite.transfer.carrying import Carrying
from omoide.store.sqlite.transfer.relating import Relating
from omoide.store.sqlite.transfer.taking import Ledger
from omoide.types import Trust
from omoide.types.reports import IntakeReport
from omoide.verbs import purge
from omoide.verbs.context import Context
from omoide.verbs.transfer.cargo import Cargo
from omoide.verbs.transfer.carried_documents import DocumentIntake, is_deleted
from omoide.verbs.transfer.history_intake import HistoryIntake
from omoide.verbs.transfer.intake import Intake, Outcome
from omoide.verbs.transfer.joining import Joining, news_of

_PORTION: Final = 500
"""So many memories are taken in by one transaction."""
_TURN: Final = 0.02
"""Seconds between two portions: who waits for the store looks at least every hundredth."""
_SUPERSEDES: Final = "supersedes"
_KEY: Final = "taking:"
"""What the settings begin with under which a taking-in that is not done keeps its batch."""


class NotMeantError(Exception):
    """A dry run is over; everything it did is rolled back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How something is taken in. ``erase``: whether purges of the other side are carried out here.

    ``mark``: by what the same cargo is known again, when a taking-in that was cut short is asked for once more.
    """

    op: str
    namespaces: tuple[str, ...]
    scopes: tuple[WriteScope, ...]
    cap: Trust | None = None
    erase: bool = False
    dry_run: bool = False
    source: str | None = None
    mark: str | None = None


def take_in(ctx: Context, plan: Plan, load: Callable[[Read], Cargo]) -> IntakeReport:
    """Take in what ``load`` returns, some hundreds of memories a transaction; return what changed.

    Others read and write in between. What was cut short goes on where it stopped when it is asked for again, under
    the same batch.

    Raises:
        InvalidInputError: the cargo is damaged; nothing was changed.
    """
    ctx.flush()
    taking = Taking(ctx, plan, load)
    if plan.op == "import" and not plan.dry_run:
        taking.check()
    try:
        while taking.step():
            time.sleep(_TURN)
    except NotMeantError:
        return report_of(plan, taking.outcome, None)
    if ctx.embedding.owes:
        ctx.filler.nudge()
    return report_of(plan, taking.outcome, taking.batch if taking.did_anything else None)


def stop_if_dry(plan: Plan) -> None:
    """End the transaction of a dry run without a trace.

    Raises:
        NotMeantError: it is one.
    """
    if plan.dry_run:
        raise NotMeantError


class Taking:
    """One taking-in over several write transactions, a portion each; the last one also takes what is not memories."""

    def __init__(self, ctx: Context, plan: Plan, load: Callable[[Read], Cargo]) -> None:
        self._ctx, self._plan, self._load = ctx, plan, load
        self.outcome, self.batch = Outcome(), ""
        self._cargo: Cargo | None = None
        self._around: list[Carried] = []
        self._stream: Iterator[list[CarriedMemory]] = iter(())
        self._ahead: list[CarriedMemory] | None = None
        self._resumed = False

    @property
    def did_anything(self) -> bool:
        """Whether the store changed, now or before it was cut short."""
        return self.outcome.anything or self._resumed

    def check(self) -> None:
        """Read everything once, so that what is damaged changes nothing."""
        with self._ctx.store.read_aside() as tx:
            cargo = self._load(tx)
            for read in (cargo.around, cargo.memories, cargo.documents, cargo.sessions, cargo.turns, cargo.segments):
                for _ in read():
                    pass

    def step(self) -> bool:
        """Take in the next portion in a transaction of its own; say whether there are more. A dry run is one step."""
        with self._ctx.store.write(self._ctx.voice(), *self._plan.scopes) as tx:
            tx.has_model = self._ctx.embedding.record(tx)
            cargo, first = self._begin(tx)
            tx.voice = self._ctx.voice(self.batch)
            while True:
                portion, self._ahead = self._ahead or [], next(self._stream, None)
                run = _Run(
                    self._ctx, tx, self._plan, cargo, self._around, self.batch, self.outcome, resumed=self._resumed
                )  # fmt: skip
                run.run(portion, first=first, last=self._ahead is None)
                first = False
                if not (self._plan.dry_run and self._ahead):
                    break
            self._note(tx)
            stop_if_dry(self._plan)
        return self._ahead is not None

    def _begin(self, tx: Write) -> tuple[Cargo, bool]:
        """Return the cargo, and whether this is the first step."""
        if self._cargo is not None:
            return self._cargo, False
        known = None if self._plan.mark is None else tx.settings.get(_KEY + self._plan.mark)
        self._resumed, self.batch = known is not None, known or f"{self._plan.op}-{uuid7(tx.now)}"
        self._cargo = self._load(tx)
        self._around = list(self._cargo.around())
        ties = [item for item in self._around if isinstance(item, CarriedLink) and item.kind == _SUPERSEDES]
        self._stream = portions_of(self._cargo.memories(), _groups(ties))
        self._ahead = next(self._stream, None)
        return self._cargo, True

    def _note(self, tx: Write) -> None:
        """Keep the batch under which to go on, as long as there is more."""
        key = None if self._plan.mark is None else _KEY + self._plan.mark
        if key is not None and self._ahead is not None and self.did_anything:
            tx.settings.set(key, self.batch)
        elif key is not None and self._ahead is None and tx.settings.get(key) is not None:
            tx.settings.delete(key)


class _Run:
    """One portion of a taking-in, inside one write transaction."""

    def __init__(
        self, ctx: Context, tx: Write, plan: Plan, cargo: Cargo, around: Sequence[Carried], batch: str,
        outcome: Outcome, *, resumed: bool,
    ) -> None:  # fmt: skip
        self._tx, self._plan, self._batch = tx, plan, batch
        self._around = around
        self._relating = relating = Relating(tx.connection)
        fresh = {name for name in plan.namespaces if relating.never_written(tx.namespaces.id(name), batch)}
        self._intake = Intake(ctx, tx, cargo, batch=batch, fresh=fresh, cap=plan.cap)
        self._intake.outcome = outcome
        self._resumed, self._before = resumed, outcome.size
        self._new: set[str] = set()
        self._news: set[str] = set()

    def run(self, portion: Sequence[CarriedMemory], *, first: bool, last: bool) -> None:
        """Take it in."""
        for item in self._around:
            if isinstance(item, CarriedMark):
                self._intake.note_mark(item.key, item.at)
        self._intake.ledger = Ledger(self._tx, self._look(portion))
        if first:
            self._take_around()
        self._take(portion)
        if last:
            self._finish()
        else:
            self._take_links({memory.uid for memory in portion})
        outcome, name = self._intake.outcome, self._plan.namespaces[0] if self._plan.namespaces else None
        if outcome.size > self._before:
            self._record_batch()
        if outcome.size > self._before or (last and (outcome.anything or self._resumed)):
            self._intake.ledger.write(self._plan.op, name)
        if last and outcome.erased:
            self._tx.log("purge", name, outcome.erased)

    # -- memories --------------------------------------------------------------------------------------

    def _look(self, portion: Sequence[CarriedMemory]) -> set[int]:
        """Find out which memories are new or bring news; refuse what was purged. Return the events they tell of."""
        here, events = self._here(portion), set[int]()
        for theirs in portion:
            mine = here.get(theirs.uid)
            if self._intake.is_purged(theirs):
                if mine is None:
                    self._intake.refuse(theirs, "purged")
            elif mine is None:
                self._new.add(theirs.uid)
                events |= theirs.events
            else:
                events |= news_of(mine, theirs).events
                self._news.add(theirs.uid)
        return events

    def _take(self, portion: Sequence[CarriedMemory]) -> None:
        new = [memory for memory in portion if memory.uid in self._new]
        for _, group in groupby(new, key=lambda memory: memory.namespace):
            self._intake.add(list(group))
        known = [memory for memory in portion if memory.uid in self._news]
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
        for item in self._around:
            if not isinstance(item, CarriedLink | CarriedBatch):
                self._intake.outcome.around += self._take_one(item)

    def _take_one(self, item: Carried) -> bool:
        relating, rest = self._relating, self._intake.ledger.rest
        assert not isinstance(item, CarriedLink)
        ns = self._tx.ns_of(item.namespace)
        if isinstance(item, CarriedRejection):
            memory_id = None if item.uid is None else relating.ids_of([item.uid]).get(item.uid)
            return relating.take_rejection(ns, item, memory_id, rest)
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
        theirs = [item for item in self._around if isinstance(item, CarriedRejection) and item.lifted_at is None]
        here = {name: self._tx.relations.rejected(self._tx.ns_of(name)) for name in {item.namespace for item in theirs}}
        keys = dict.fromkeys(item.key for item in theirs if item.key in here[item.namespace])
        for row in (row for key in keys for row in self._tx.versions.same(key)):
            state = self._tx.memories.get(row.memory_id)
            if not row.open or state is None:
                continue
            taking.close(self._tx, state, row, "reject", ledger.rest, ledger)
            if not self._tx.versions.of_memory(state.id, only_open=True):
                self._tx.set_state(state, ended="reject", ended_by=ledger.rest)

    def _take_links(self, uids: Collection[str] | None) -> None:
        """Take the links between some memories in, None for all."""
        links = [item for item in self._around if isinstance(item, CarriedLink)]
        links = links if uids is None else [link for link in links if {link.from_uid, link.to_uid} <= set(uids)]
        ids = self._relating.ids_of({uid for link in links for uid in (link.from_uid, link.to_uid)})
        for link in links:
            ends = ids.get(link.from_uid), ids.get(link.to_uid)
            if ends[0] is not None and ends[1] is not None:
                event = self._intake.ledger.number(link.event)
                self._intake.outcome.around += self._relating.take_link(link, (ends[0], ends[1]), event)

    def _finish(self) -> None:
        """Take in what needs the memories to be there, and what is not memories."""
        self._end_rejected()
        self._take_links(None)
        DocumentIntake(self._intake, cap=self._plan.cap, original_times=False).run()
        conversations = HistoryIntake(self._intake, cap=self._plan.cap, original_times=False)
        conversations.run()
        if self._plan.erase:
            self._carry_out_purges()
            conversations.carry_out_purges(self._plan.namespaces)
        if self._intake.outcome.anything or self._resumed:
            for item in self._around:
                if isinstance(item, CarriedBatch):
                    self._take_one(item)

    def _record_batch(self) -> None:
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
                elif row is not None and is_deleted(self._tx, row):
                    purge.drop_document(self._tx, row)
                    self._intake.outcome.documents += 1


def portions_of(
    memories: Iterable[CarriedMemory], groups: Mapping[str, str] | None = None
) -> Iterator[list[CarriedMemory]]:
    """Yield memories some hundreds at a time. ``groups``: the uids of those that have to come together, by name."""
    portion: list[CarriedMemory] = []
    held: dict[str, list[CarriedMemory]] = {}
    for memory in memories:
        group = (groups or {}).get(memory.uid)
        (portion if group is None else held.setdefault(group, [])).append(memory)
        if len(portion) >= _PORTION:
            yield portion
            portion = []
    for members in held.values():
        portion += members
        if len(portion) >= _PORTION:
            yield portion
            portion = []
    if portion:
        yield portion


def _groups(links: Iterable[CarriedLink]) -> dict[str, str]:
    """Return the uids of memories that superseded each other, directly or not, each with one name for its group."""
    members: dict[str, list[str]] = {}
    named: dict[str, str] = {}
    for link in links:
        one, other = (named.setdefault(uid, uid) for uid in (link.from_uid, link.to_uid))
        if one != other:
            for uid in members.pop(other, [other]):
                named[uid] = one
                members.setdefault(one, [one]).append(uid)
    return named


def report_of(plan: Plan, outcome: Outcome, batch: str | None) -> IntakeReport:
    """Return what was done as users see it."""
    return IntakeReport(
        batch=batch, added=tuple(outcome.added), changed=tuple(outcome.changed), known=outcome.known,
        refused=tuple(dict.fromkeys(outcome.refused)), conflicts=tuple(outcome.diverged),
        erased=tuple(outcome.erased), documents=outcome.documents, turns=outcome.turns, segments=outcome.segments,
        namespaces=plan.namespaces, dry_run=plan.dry_run,
    )  # fmt: skip
