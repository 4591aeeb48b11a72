"""A whole exported store put into an empty one: the same ids, times and audit chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from omoide.model.carried import CarriedMemory
from omoide.model.records import Claim, State
from omoide.model.relations import CarriedAlias, CarriedBatch, CarriedExclusive, CarriedLink, CarriedMark
from omoide.model.time import to_micros
from omoide.model.trust import RANK
from omoide.model.uids import uuid7
from omoide.store.sqlite.checking import check_chain
from omoide.store.sqlite.checking.check_around import ADOPT
from omoide.store.sqlite.transaction import Write
from omoide.store.sqlite.transfer import adopting
from omoide.store.sqlite.transfer.adopting import Adopted
from omoide.store.sqlite.transfer.carrying import TAKING
from omoide.store.sqlite.transfer.relating import Relating
from omoide.types import Trust
from omoide.types.reports import IntakeReport
from omoide.verbs.context import Context
from omoide.verbs.drafts import value_key
from omoide.verbs.transfer.carried_documents import DocumentIntake
from omoide.verbs.transfer.filecargo import FileCargo
from omoide.verbs.transfer.history_intake import HistoryIntake
from omoide.verbs.transfer.intake import Intake, Outcome
from omoide.verbs.transfer.take_in import NotMeantError, Plan, portions_of, report_of, stop_if_dry, take_in


def restorable(ctx: Context, cargo: FileCargo, cap: Trust) -> bool:
    """Say whether nothing was written here yet and everything of a file may be as it is there."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        if tx.last[0] or tx.namespaces.all():
            return False
    return not any(cargo.mentions(f'"trust":"{level}"') for level, rank in RANK.items() if rank > RANK[cap])


def restore(ctx: Context, plan: Plan, cargo: FileCargo) -> IntakeReport:
    """Put a whole store into this one, which is empty; return what was written.

    Raises:
        InvalidInputError: the file is damaged; nothing was changed.
    """
    outcome, found, batch = Outcome(), list[str](), ""
    try:
        with ctx.store.write(ctx.voice(), *plan.scopes) as tx:
            _stop_unless_empty(tx)
            batch = f"{plan.op}-{uuid7(tx.now)}"
            tx.voice = ctx.voice(batch)
            tx.has_model = ctx.embedding.record(tx)
            outcome, found = _Restoration(ctx, tx, plan, cargo, batch).run()
            stop_if_dry(plan)
    except NotMeantError:
        if not plan.dry_run:  # another process was first
            return take_in(ctx, plan, lambda _: cargo)
        batch = ""
    if ctx.embedding.owes:
        ctx.filler.nudge()
    return replace(report_of(plan, outcome, batch or None), chain=tuple(found))


def _stop_unless_empty(tx: Write) -> None:
    if not adopting.is_empty(tx):
        raise NotMeantError


class _Restoration:
    """One restoration, inside one write transaction."""

    def __init__(self, ctx: Context, tx: Write, plan: Plan, cargo: FileCargo, batch: str) -> None:
        self._ctx, self._tx, self._plan, self._cargo, self._batch = ctx, tx, plan, cargo, batch
        self._intake = Intake(ctx, tx, cargo, batch=batch, fresh=plan.namespaces, cap=None)
        self._relating = Relating(tx.connection)

    def run(self) -> tuple[Outcome, list[str]]:
        """Write everything; return what was done and what is wrong with the audit chain."""
        cargo, tx, outcome = self._cargo, self._tx, self._intake.outcome
        events = [line for _, line in cargo.of_type("event")]
        taking = {int(line["seq"]) for line in events if line["op"] in TAKING}
        last = max((int(line["seq"]) for line in events), default=0)
        adopting.write_namespaces(tx, [(int(line["number"]), line["name"]) for _, line in cargo.of_type("namespace")])
        for portion in portions_of(cargo.memories()):
            for name, group in groupby(portion, key=lambda memory: memory.namespace):
                members = list(group)
                adopting.write_memories(tx, name, self._ready(members), taking)
                outcome.added += [memory.id for memory in members]
            tx.flush()
        DocumentIntake(self._intake, cap=self._plan.cap, original_times=True).run()
        HistoryIntake(self._intake, cap=self._plan.cap, original_times=True).run()
        self._around(last + 1)
        for line in events:
            adopting.write_event(tx, dict(line), to_micros(line["at"]))
        name = self._plan.namespaces[0] if self._plan.namespaces else self._ctx.namespace
        made = CarriedBatch(name, self._batch, self._plan.op, tx.now, tx.voice.actor, self._plan.source, None)
        self._relating.take_batch(tx.ns_of(name), made)
        tx.log(ADOPT, name, [])
        return outcome, check_chain.findings(tx.connection)

    def _ready(self, memories: Sequence[CarriedMemory]) -> list[Adopted]:
        versions = [(memory, version) for memory in memories for version in memory.versions]
        prepared = iter(self._intake.prepare([version.claim for _, version in versions]))
        return [
            (
                _state(memory),
                memory,
                [(each, next(prepared), _value_key(memory.namespace, each.claim)) for each in memory.versions],
            )
            for memory in memories
        ]

    def _around(self, event: int) -> None:
        tx, relating = self._tx, self._relating
        links = []
        for item in self._cargo.around():
            if isinstance(item, CarriedLink):
                links.append(item)
                continue
            ns = tx.ns_of(item.namespace)
            if isinstance(item, CarriedAlias):
                relating.take_alias(ns, item)
            elif isinstance(item, CarriedExclusive):
                relating.take_exclusive(ns, item)
            elif isinstance(item, CarriedMark):
                relating.take_mark(ns, item, event)
            elif isinstance(item, CarriedBatch):
                relating.take_batch(ns, item)
            else:
                memory_id = None if item.uid is None else relating.ids_of([item.uid]).get(item.uid)
                relating.take_rejection(ns, item, memory_id, event)
        ids = relating.ids_of({uid for link in links for uid in (link.from_uid, link.to_uid)})
        for link in links:
            if link.from_uid in ids and link.to_uid in ids:
                relating.take_link(link, (ids[link.from_uid], ids[link.to_uid]), link.event)


def _value_key(namespace: str, claim: Claim) -> bytes:
    return value_key(namespace, claim.text, claim.subject, claim.predicate)


def _state(memory: CarriedMemory) -> State:
    carried = memory.state
    return State(
        memory.id, memory.uid, memory.namespace, carried.created_at, carried.pinned, carried.archived,
        carried.disputed, carried.seen, carried.ended, carried.ended_by,
    )  # fmt: skip
