"""A run of consolidation: when it is due, who holds it, pass after pass, and what it tells."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from omoide.errors import StoreError
from omoide.model.clock import micros_of
from omoide.model.consolidate import Settings
from omoide.model.policy import WriteScope
from omoide.model.time import optional_datetime, to_datetime
from omoide.model.uids import uuid7
from omoide.sleep import (
    advising,
    duplicates,
    extracting,
    links,
    recurring,
    returning,
    tidying,
    told,
    updates,
    upkeep,
    worth,
)
from omoide.sleep.asking import Asker
from omoide.sleep.night import LEASE, Night, OutOfTimeError, TakenOverError, lease
from omoide.sleep.reasoners import reasoner_of
from omoide.store.sqlite.proposals import Proposals
from omoide.store.sqlite.sleeps import DONE, RUNNING, SleepRow, Sleeps
from omoide.types.consolidation import PassReport, SleepReport
from omoide.verbs import proposals
from omoide.verbs.context import Context
from omoide.verbs.writing import writing

HOUR: Final = 3_600_000_000
"""Microseconds."""
Pass = Callable[[Night], None]
PASSES: Final[Mapping[str, Pass]] = {
    "extract": extracting.extract,
    "duplicates": duplicates.archive_exact,
    "near_duplicates": duplicates.propose_near,
    "updates": updates.propose_updates,
    "contradictions": updates.propose_contradictions,
    "returning": returning.propose_rejections,
    "links": links.link_together,
    "dangling": links.end_dangling,
    "stale": tidying.propose_stale,
    "value": worth.settle,
    "archive": worth.archive_idle,
    "delete": worth.propose_deletion,
    "recurring": recurring.propose_recurring,
    "abstracts": tidying.propose_abstracts,
    "splits": tidying.propose_splits,
    "advice": advising.advise,
    "index": upkeep.tend_index,
}
"""Every pass, in the order in which they run."""
_END: Final = "end"


def sleep(ctx: Context, settings: Settings, *, only_when_due: bool = False, reasoner: Any = None) -> SleepReport:
    """Consolidate the handle's namespace, going on with a run that was cut short; tell what was done.

    Raises:
        AccessDeniedError: the namespace may not be written.
        ReadOnlyStoreError: nor the store.
    """
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    if not settings.enabled:
        return SleepReport(ctx.namespace, "off", settings=settings.fingerprint)
    asked = reasoner_of(reasoner)
    if only_when_due and not is_due(ctx, settings):
        return SleepReport(ctx.namespace, "not_due", settings=settings.fingerprint)
    night = _take_hold(ctx, scope, settings)
    if isinstance(night, str):
        return SleepReport(ctx.namespace, "busy", settings=settings.fingerprint, reasons=(night,))
    night.asker = None if asked is None else Asker(night, asked)
    return _held(night, _whole)


def consolidate(
    ctx: Context, settings: Settings, extractor: Callable[..., Any], *, limit: int | None = None
) -> SleepReport:
    """Let a function extract memories from the conversations that nobody looked at; tell what was written.

    Raises:
        AccessDeniedError: the namespace may not be written.
    """
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    if not settings.enabled:
        return SleepReport(ctx.namespace, "off", settings=settings.fingerprint)
    night = _take_hold(ctx, scope, settings)
    if isinstance(night, str):
        return SleepReport(ctx.namespace, "busy", settings=settings.fingerprint, reasons=(night,))
    night.extractor, night.limit = extractor, limit
    return _held(night, _only_extract)


def _held(night: Night, work: Callable[[Night], tuple[str, ...]]) -> SleepReport:
    """Do the work of a run and let go of it, however it ends."""
    state, accepted = "done", ()  # type: str, tuple[str, ...]
    try:
        accepted = work(night)
    except OutOfTimeError:
        state = "partial"
        _let_go(night)
    except TakenOverError:
        state = "busy"
    except BaseException:
        _let_go(night)
        raise
    report = _report(night, state, accepted)
    root = getattr(night.ctx.store, "root", None)
    if root is not None:
        told.keep(
            replace(report, reasons=tuple(night.reasons)),
            Path(root),
            commit=night.settings.git_commit and state == "done",
        )
    return report


def _whole(night: Night) -> tuple[str, ...]:
    _run_passes(night)
    accepted = _accept_by_policy(night)
    _finish(night)
    return accepted


def _only_extract(night: Night) -> tuple[str, ...]:
    """Extract alone; a run that was cut short elsewhere goes on there at the next sleep."""
    before, night.at_pass = night.at_pass, "extract"
    extracting.extract(night)
    night.at_pass = before
    if before == "extract":
        _finish(night)
    else:
        _let_go(night)
    return ()


def _let_go(night: Night) -> None:
    """Leave the run to whoever goes on with it."""
    with suppress(TakenOverError, StoreError), night.writing() as tx:
        Sleeps(tx.connection).set(night.row.run, holder=None)


def is_due(ctx: Context, settings: Settings) -> bool:
    """Say whether a run is to go on, or enough hours and conversations have passed since the last one."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(ctx.namespace)
        if ns is None:
            return False
        sleeps = Sleeps(tx.connection)
        if sleeps.unfinished(ns) is not None:
            return True
        last = sleeps.last(ns)
        if last is None:
            return sleeps.sessions_since(ns, -1) >= settings.after_sessions
        if micros_of(ctx.store.clock) < last.started_at:
            return _ran_ahead(last, settings)
        if tx.now - last.started_at < settings.after_hours * HOUR:
            return False
        return sleeps.sessions_since(ns, last.started_at) >= settings.after_sessions


def _ran_ahead(last: SleepRow, settings: Settings) -> bool:
    """Say whether a run is due after one by a clock that was ahead: known times stand still until that time comes."""
    passed = time.time_ns() // 1000 - ((last.expires_at or 0) - int(LEASE * 1_000_000))
    return passed < 0 or passed >= settings.after_hours * HOUR


def _take_hold(ctx: Context, scope: WriteScope, settings: Settings) -> Night | str:
    """Begin a run, or take one up whose process is gone; return who runs it where that one lives."""
    ctx.uses.flush(ctx)
    holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    with writing(ctx, scope) as tx:
        if tx.namespaces.id(scope.namespace) is None:
            tx.log("sleep", scope.namespace, [])
        ns, sleeps = tx.ns_of(scope.namespace), Sleeps(tx.connection)
        row = sleeps.unfinished(ns)
        if row is not None and _lives(row):
            return f"{row.holder} is consolidating this namespace"
        if row is None:
            row = SleepRow(
                uuid7(tx.now), ns, RUNNING, uuid7(tx.now), settings.fingerprint, next(iter(PASSES)), {}, holder,
                lease(), tx.now, None,
            )  # fmt: skip
            sleeps.begin(row)
        else:
            sleeps.set(row.run, holder=holder, expires_at=lease(), settings=settings.fingerprint)
    return Night(ctx, scope, row, settings, holder)


def _lives(row: SleepRow) -> bool:
    """Say whether the process that holds a run goes on with it, as far as can be told."""
    if row.holder is None or (row.expires_at or 0) <= time.time_ns() // 1000:
        return False
    host, pid, _ = row.holder.rsplit(":", 2)
    if host != socket.gethostname() or os.name != "posix":
        return True
    with suppress(PermissionError):
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return False
    return True


def _run_passes(night: Night) -> None:
    names = [*PASSES, _END]
    for name in names[names.index(night.at_pass or names[0]) : -1]:
        night.check_time()
        night.at_pass = name
        started = time.perf_counter()
        PASSES[name](night)
        night.tally.seconds += time.perf_counter() - started
        with night.writing():
            night.at_pass = names[names.index(name) + 1]


def _accept_by_policy(night: Night) -> tuple[str, ...]:
    """Accept what the written policy lets through; never what takes anything away."""
    kinds = night.settings.accept
    if not kinds:
        return ()
    with night.ctx.store.read(None) as tx:
        rows = Proposals(tx.connection).select(night.ns, state="open")
    names = [row.id for row in rows if row.kind in kinds]
    return proposals.accept(night.ctx, names, policy=True, batch=night.row.batch).decided if names else ()


def _finish(night: Night) -> None:
    with night.writing() as tx:
        Sleeps(tx.connection).set(night.row.run, state=DONE, ended_at=tx.now, holder=night.holder)


def _report(night: Night, state: str, accepted: tuple[str, ...]) -> SleepReport:
    with night.ctx.store.read(None) as tx:
        row = Sleeps(tx.connection).get(night.row.run) or night.row
        made = [proposals.shown_row(tx, each) for each in Proposals(tx.connection).of_run(night.ns, night.row.run)]
    tallies = [
        PassReport(name, each.changed, each.proposed.total(), each.withheld, round(each.seconds, 3))
        for name, each in night.tallies.items()
    ]
    undo = night.row.batch if accepted or any(each.changed for each in tallies) else None
    return SleepReport(
        namespace=night.scope.namespace, state=state, run=night.row.run, undo=undo,
        settings=night.settings.fingerprint, started_at=to_datetime(row.started_at),
        ended_at=optional_datetime(row.ended_at), passes=tuple(tallies), proposed=tuple(made), accepted=accepted,
        extracted=tuple(night.extracted), cost={} if night.asker is None else night.asker.budget.cost(),
        reasons=tuple(f"{each}: {night.details[each]}" if each in night.details else each for each in night.reasons),
    )  # fmt: skip
