"""One memory that two stores have: the edits of both replayed, and the belief here brought to what comes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from omoide.model.carried import CarriedEnd, CarriedMemory, CarriedVersion
from omoide.model.lineage import MERGE, Span, replay
from omoide.model.records import Row
from omoide.model.time import FOREVER
from omoide.store.sqlite.transfer import taking
from omoide.store.sqlite.transfer.taking import Placed
from omoide.verbs.transfer.divergence import DIVERGED, is_settled
from omoide.verbs.transfer.intake import Intake

Place = tuple[bytes, int, int]


@dataclass(frozen=True, slots=True)
class News:
    """What one copy of a memory knows and the other does not."""

    versions: tuple[CarriedVersion, ...]
    ends: tuple[CarriedEnd, ...]
    diverged: bool

    def __bool__(self) -> bool:
        return bool(self.versions or self.ends)

    @property
    def events(self) -> set[int]:
        """The events of the other store that the news are about."""
        found = {version.opened_by for version in self.versions} | {item.event for item in self.ends}
        return found | {version.closed_by for version in self.versions if version.closed_by is not None}


def news_of(mine: CarriedMemory, theirs: CarriedMemory) -> News:
    """Return what ``theirs`` knows and ``mine`` does not."""
    here, there = _known(mine), _known(theirs)
    versions = tuple(each for each in theirs.versions if each.key not in here and each.cause != MERGE)
    ends = tuple(item for item in theirs.ends if _end_key(item) not in here)
    own = any(each.edit and each.key not in there for each in mine.versions)
    own = own or any(_end_key(item) not in there for item in mine.ends)
    fresh = bool(ends) or any(each.edit for each in versions)
    return News(versions, ends, own and fresh)


def _known(memory: CarriedMemory) -> set[Any]:
    return {each.key for each in memory.versions if each.cause != MERGE} | {_end_key(item) for item in memory.ends}


def _end_key(item: CarriedEnd) -> tuple[Any, ...]:
    end = item.end
    return (end.root, *end.stamp, end.cause, end.valid_from, end.valid_to)


class Joining:
    """Brings one memory of this store in step with a copy from elsewhere."""

    def __init__(self, intake: Intake, mine: CarriedMemory, theirs: CarriedMemory, news: News) -> None:
        self._intake, self._tx, self._ledger = intake, intake.tx, intake.ledger
        self._mine, self._theirs, self._news = mine, theirs, news
        state = self._tx.memories.get(mine.id)
        assert state is not None
        self._state = state
        self._roots = {each.key: each for each in (*theirs.versions, *mine.versions)}
        self._numbers = {each.key: each.version_id for each in mine.versions}

    def run(self) -> None:
        """Write what is new, end what gave way, and keep the memory's state in step."""
        if self._news:
            self._rewrite()
        changed = self._evidence() | self._marks()
        if self._news or changed:
            self._ledger.note(self._ledger.rest, self._state)
            self._intake.outcome.changed.append(self._mine.id)
        else:
            self._intake.outcome.known += 1

    # -- versions --------------------------------------------------------------------------------------

    def _rewrite(self) -> None:
        spans = self._believed()
        rows = {row.version_id: row for row in self._tx.versions.of_memory(self._mine.id, only_open=True)}
        wanted = {(span.root, span.valid_from, span.valid_to): span for span in spans}
        for version in self._mine.versions:
            row = rows.get(version.version_id)
            if row is not None and wanted.pop((version.root, row.valid_from, row.valid_to), None) is None:
                self._give_way(version, row)
        placed = self._arrivals(wanted) + [self._left(span) for span in wanted.values()]
        if placed:
            numbers = taking.write_versions(self._tx, self._state.namespace, placed, self._ledger)
            self._numbers.update(zip((each.key for each in self._news.versions), numbers, strict=False))
        taking.write_ends(self._tx, self._state.id, self._news.ends, self._ledger)
        self._settle(spans)
        if self._news.diverged:
            self._note_divergence()

    def _believed(self) -> list[Span]:
        edits = {each.key: each for each in (*self._mine.versions, *self._news.versions) if each.edit}
        ends = {_end_key(item): item.end for item in (*self._mine.ends, *self._news.ends)}
        spans = replay([each.as_put() for each in edits.values()], ends.values())
        allowed = []
        for span in spans:
            if self._intake.is_rejected(self._state.namespace, self._roots[span.root].claim):
                self._intake.refuse(self._theirs, "rejected")
            else:
                allowed.append(span)
        return allowed

    def _arrivals(self, wanted: dict[Place, Span]) -> list[Placed]:
        """New versions, each as history unless it is what is believed now; those are taken off ``wanted``."""
        news = self._news.versions
        last = {(each.root, each.valid_from, each.valid_to): each.key for each in news}
        now, placed = self._tx.now, []
        claims = [self._intake.claim(each) for each in news]
        prepared = self._intake.prepare(claims)
        for at, each in enumerate(news):
            place = (each.root, each.valid_from, each.valid_to)
            believed = last[place] == each.key and wanted.pop(place, None) is not None
            closed_by = None if believed else self._ledger.number(each.closed_by)
            cause = None if believed else each.closed_cause or "revise"
            known = (now, FOREVER if believed else now)
            placed.append(self._intake.place(self._state, each, claims[at], prepared[at], known, closed_by, cause))
        return placed

    def _left(self, span: Span) -> Placed:
        """A part of an older belief that the edits of both copies together leave."""
        version = self._roots[span.root]
        claim = self._intake.claim(version)
        part = replace(
            version, cause=MERGE, valid_from=span.valid_from, valid_to=span.valid_to, key=b"", root=span.root,
            opened_by=max((each.opened_by for each in self._news.versions), default=-1),
        )  # fmt: skip
        ready = self._intake.prepare([claim])[0]
        return self._intake.place(self._state, part, claim, ready, (self._tx.now, FOREVER), None, None)

    def _give_way(self, version: CarriedVersion, row: Row) -> None:
        """End a version that is here, by the event that replaced or ended it elsewhere."""
        cause, event = "revise", self._ledger.rest
        for each in self._news.versions:
            if each.edit and each.valid_from < version.valid_to and version.valid_from < each.valid_to:
                cause, event = each.cause, self._ledger.number(each.opened_by)
        for item in self._news.ends:
            if item.end.root == version.root:
                cause, event = item.end.cause, self._ledger.number(item.event)
        if self._intake.is_rejected(self._state.namespace, version.claim):
            cause, event = "reject", self._ledger.rest
        taking.close(self._tx, self._state, row, cause, event, self._ledger)

    def _settle(self, spans: Iterable[Span]) -> None:
        """Say whether the memory is ended as a whole, and by which event."""
        ended: str | None = None
        ended_by: int | None = None
        if not list(spans):
            rows = [row for row in self._tx.versions.of_memory(self._state.id) if row.closed_by is not None]
            last = max(rows, key=lambda row: (row.closed_by or 0, row.version_id))
            ends = [item.end for item in (*self._mine.ends, *self._news.ends)]
            ended = max(ends, key=lambda end: end.stamp).cause if ends else last.closed_cause
            ended_by = last.closed_by
        if (ended, ended_by) != (self._state.ended, self._state.ended_by):
            self._state = self._tx.set_state(self._state, ended=ended, ended_by=ended_by)

    def _note_divergence(self) -> None:
        memory_id = self._state.id
        links = self._tx.relations.links(memory_id)
        if not any(link.kind == DIVERGED and not is_settled(self._tx, link) for link in links):
            self._tx.relations.add_link(
                DIVERGED, memory_id, memory_id, at=self._tx.now, event=self._ledger.rest, reason=self._reason()
            )
        self._intake.outcome.diverged.append(memory_id)

    def _reason(self) -> str:
        if any(item.end.cause in ("forget", "reject") for item in (*self._news.ends, *self._mine.ends)):
            return "edited in one copy and forgotten in another that had not seen the edit"
        return "edited in two copies; the later edit counts"

    # -- the rest --------------------------------------------------------------------------------------

    def _evidence(self) -> bool:
        """Take supports in that are not here; say whether there were any."""
        here = {item.identity: item for item in self._mine.evidence}
        lacking = [item for item in self._theirs.evidence if item.identity not in here]
        if lacking:
            taking.write_evidence(self._tx, self._state.id, lacking, self._numbers, self._ledger.rest)
        withdrawn = [
            item
            for item in self._theirs.evidence
            if item.withdrawn_at is not None
            and item.identity in here
            and (here[item.identity].withdrawn_at or FOREVER) > item.withdrawn_at
        ]
        for item in withdrawn:
            taking.withdraw_evidence(self._tx, self._state.id, item)
        return bool(lacking or withdrawn)

    def _marks(self) -> bool:
        """Take the later of two sets of marks and the larger of two counts; say whether anything changed."""
        mine, theirs = self._mine.state, self._theirs.state
        values: dict[str, Any] = {}
        if theirs.marks > mine.marks:
            values = {
                "pinned": int(theirs.pinned), "archived": int(theirs.archived), "disputed": theirs.disputed,
                "changed_at": theirs.changed_at,
            }  # fmt: skip
        if theirs.seen > mine.seen:
            values |= {"seen": theirs.seen, "last_seen": self._tx.now}
        if not values:
            return False
        self._state = self._tx.set_state(self._state, **values)
        return True
