"""One run of consolidation: what it may do, how far it is, and the small transactions that it writes in."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.model.consolidate import Draft, Settings, within_caps
from omoide.model.policy import WriteScope
from omoide.model.records import Voice
from omoide.model.time import Micros
from omoide.store.sqlite import survey
from omoide.store.sqlite.proposals import Proposals
from omoide.store.sqlite.sleeps import SleepRow, Sleeps
from omoide.store.sqlite.survey import Held
from omoide.store.sqlite.transaction import Write
from omoide.verbs.accepting import is_stale
from omoide.verbs.context import Context

AT_ONCE: Final = 50
"""Memories or proposals that one transaction writes."""
LEASE: Final = 120.0
"""Seconds after which a run that wrote nothing is taken for dead."""


class OutOfTimeError(Exception):
    """The run has used up its time; the next one goes on in the pass it was in."""


class TakenOverError(Exception):
    """Another process took this run for dead and goes on with it."""


@dataclass(slots=True)
class Tally:
    """What a pass did so far in this run; kept in the row of the run."""

    changed: int = 0
    proposed: Counter[str] = field(default_factory=Counter)
    withheld: int = 0
    seconds: float = 0.0

    def stored(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "changed": self.changed,
            "proposed": dict(self.proposed),
            "withheld": self.withheld,
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Tally:
        """Return what ``stored`` returned."""
        return cls(stored["changed"], Counter(stored["proposed"]), stored["withheld"], stored["seconds"])


class Night:
    """A run that this process holds. Its known time is that of its begin, also when it is taken up again."""

    def __init__(self, ctx: Context, scope: WriteScope, row: SleepRow, settings: Settings, holder: str) -> None:
        self.ctx, self.scope, self.row, self.settings, self.holder = ctx, scope, row, settings, holder
        self.now: Micros = row.started_at
        self.deadline = time.monotonic() + settings.seconds
        self.tallies = {name: Tally.of(each) for name, each in row.report.get("passes", {}).items()}
        self.reasons: dict[str, None] = dict.fromkeys(row.report.get("reasons", ()))
        self.details: dict[str, str] = {}
        self.at_pass = row.at_pass
        self._held: list[Held] | None = None
        self.asker: Any = None
        """Who may be asked, see ``asking``; None for nobody."""
        self.extractor: Any = None
        """A function of the caller's that extracts, instead of a reasoner."""
        self.limit: int | None = None
        """Conversations that are distilled at most."""
        self.tried: set[bytes] = set()
        self.extracted: list[int] = []

    @property
    def ns(self) -> int:
        """The number of the namespace that is consolidated."""
        return self.row.ns

    @property
    def tally(self) -> Tally:
        """What the pass that is running did so far."""
        assert self.at_pass is not None
        return self.tallies.setdefault(self.at_pass, Tally())

    def check_time(self) -> None:
        """Stop between two steps when the time is used up.

        Raises:
            OutOfTimeError: it is.
        """
        if time.monotonic() > self.deadline:
            raise OutOfTimeError

    def held(self) -> list[Held]:
        """Return what is believed, holds now, is not archived and not untrusted, by ascending memory."""
        return [each for each in self.everything() if not each.archived]

    def everything(self) -> list[Held]:
        """Return what is believed and holds now, archived too, nothing untrusted."""
        if self._held is None:
            with self.ctx.store.read(None) as tx:
                self._held = survey.holding(tx.connection, self.ns, self.now)
        return self._held

    @contextmanager
    def writing(self) -> Iterator[Write]:
        """Yield a short write transaction of this run; what it counted is committed with it.

        Raises:
            TakenOverError: another process goes on with this run; nothing was written.
        """
        voice = Voice(actor=self.ctx.actor, door="sleep", trust="derived", batch=self.row.batch)
        with self.ctx.store.write(voice, self.scope) as tx:
            tx.has_model = self.ctx.embedding.record(tx)
            self._require(tx)
            yield tx
            self.save(tx)

    def begin_batch(self, tx: Write) -> None:
        """Record the batch of this run before its first change."""
        tx.batches.begin(self.row.batch, self.ns, "consolidation", tx.now, self.ctx.actor, None)

    def changed(self, count: int) -> None:
        """Count changes of the running pass, and look at the memories anew."""
        self.tally.changed += count
        self._held = None

    def forget_held(self) -> None:
        """Look at the memories anew when they are next asked for."""
        self._held = None

    def withhold(self, reason: str, count: int = 0, detail: str = "") -> None:
        """Say what was left out, and why; ``detail`` is what others said of it, which nothing keeps."""
        self.reasons[reason] = None
        if detail:
            self.details[reason] = detail
        self.tally.withheld += count

    def propose(self, drafts: Sequence[Draft], *, more: bool = False) -> None:
        """Keep the best of some drafts, as far as the caps allow; those ever decided stay decided.

        ``more``: the pass proposed others before.
        """
        self._lay_stale_aside()
        with self.ctx.store.read(None) as tx:
            table = Proposals(tx.connection)
            known = table.known(self.ns, except_run=self.row.run)
            pairs = {frozenset(row.targets): row.id for row in table.select(self.ns, state="open")}
            room = self._room(table.open_counts(self.ns, except_run=self.row.run), more=more)
        fresh = [draft for draft in _distinct(drafts) if draft.id not in known]
        fresh = [draft for draft in fresh if pairs.get(frozenset(draft.targets), draft.id) == draft.id]
        kept, withheld = within_caps(fresh, room)
        made = Counter(draft.kind for draft in kept)
        if more:
            self.tally.withheld += withheld
            self.tally.proposed += made
        else:
            self.tally.withheld, self.tally.proposed = withheld, made
        for first in range(0, len(kept), AT_ONCE):
            self._keep(kept[first : first + AT_ONCE])

    def _lay_stale_aside(self) -> None:
        """Mark what rests on pieces that are no longer believed, so that it blocks and counts as nothing."""
        with self.ctx.store.read(None) as tx:
            rows = Proposals(tx.connection).select(self.ns, state="open")
            stale = [row.id for row in rows if is_stale(tx, row)]
        if stale:
            with self.writing() as tx:
                Proposals(tx.connection).set_stale(self.ns, stale)

    def save(self, tx: Write) -> None:
        """Write how far the run is, and that it is alive."""
        Sleeps(tx.connection).set(self.row.run, at_pass=self.at_pass, report=self.report(), expires_at=lease())

    def report(self) -> dict[str, Any]:
        """Return what the run did so far, as it is stored."""
        return {"passes": {name: each.stored() for name, each in self.tallies.items()}, "reasons": list(self.reasons)}

    def _keep(self, drafts: Sequence[Draft]) -> None:
        with self.writing() as tx:
            table = Proposals(tx.connection)
            new = [draft for draft in drafts if table.add(self.ns, draft, self.row.run, tx.now)]
            if new:
                tx.log("propose", self.scope.namespace, sorted({id for draft in new for id in draft.targets}))

    def _room(self, others: dict[str, int], *, more: bool) -> dict[str, int]:
        """What earlier runs left open and the other passes of this one take up, counts."""
        taken = Counter(others)
        for name, tally in self.tallies.items():
            if name != self.at_pass or more:
                taken.update(tally.proposed)
        kinds = {*self.settings.caps, *taken}
        return {kind: max(self.settings.cap(kind) - taken[kind], 0) for kind in kinds}

    def _require(self, tx: Write) -> None:
        row = Sleeps(tx.connection).get(self.row.run)
        if row is None or row.holder != self.holder:
            raise TakenOverError


def lease() -> int:
    """Return until when a run that writes now is taken for alive; microseconds of the system's clock."""
    return time.time_ns() // 1000 + int(LEASE * 1_000_000)


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    return list({draft.id: draft for draft in drafts}.values())
