"""Conversations of a cargo taken in: sessions, the records that are missing here, segments."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Final

from omoide.model.carried_history import CarriedSegment, CarriedSession, CarriedTurn
from omoide.model.history import SAVED, SegmentRow, SessionRow, purged_session, purged_text, segment_claim, stem_of
from omoide.model.history import turn_claim as claim_of
from omoide.model.time import Micros, to_datetime
from omoide.model.trust import RANK
from omoide.store.sqlite.conversations import history_writing
from omoide.store.sqlite.conversations.history_writing import Saved, Spoken
from omoide.store.sqlite.conversations.turns import TurnRecord
from omoide.types import Trust
from omoide.types.reports import Refusal
from omoide.verbs.conversations.segments import text_digest
from omoide.verbs.drafts import searched_terms
from omoide.verbs.transfer.intake import Intake

_PORTION: Final = 500
_FILLED: Final = ("path", "project", "domain", "branch", "title", "parent", "started_at", "ended_at")


class HistoryIntake:
    """The conversations of one taking-in. ``original_times``: they keep times, batches and numbers."""

    def __init__(self, intake: Intake, *, cap: Trust | None, original_times: bool) -> None:
        self._intake, self._tx = intake, intake.tx
        self._cap, self._original = cap, original_times
        self._sessions: dict[str, int] = {}
        self._fresh: set[int] = set()
        self._names: dict[str, str] = {}

    def run(self) -> None:
        """Take everything in."""
        cargo = self._intake.cargo
        for session in cargo.sessions():
            self._session(session)
        for uid, turns in groupby(cargo.turns(), key=lambda turn: turn.session):
            session_id = self._sessions.get(uid)
            if session_id is not None:
                self._turns(session_id, turns)
        for segment in cargo.segments():
            self._segment(segment)
        self._point()
        self._tx.flush()

    # -- sessions and what was said in them ------------------------------------------------------------

    def _session(self, carried: CarriedSession) -> None:
        tx, ns = self._tx, self._tx.ns_of(carried.namespace)
        if tx.relations.is_purged(purged_session(carried.namespace, carried.host, carried.name)):
            self._intake.outcome.refused.append(Refusal(carried.uid, "purged"))
            return
        here = tx.sessions.of_host(ns, carried.host, carried.uid) or tx.sessions.of_host(ns, carried.host, carried.name)
        if here is None and carried.host == SAVED:
            here = next(iter(tx.sessions.named(ns, carried.name)), None)
        if here is not None:
            self._sessions[carried.uid] = here.session_id
            lacking = {name: getattr(carried, name) for name in _FILLED if getattr(here, name) is None}
            given = {name: value for name, value in lacking.items() if value is not None}
            if given:
                tx.sessions.set(here.session_id, **given)
            return
        self._sessions[carried.uid] = self._add_session(ns, carried)

    def _add_session(self, ns: int, carried: CarriedSession) -> int:
        tx = self._tx
        added = min(carried.added_at, tx.now) if self._original else tx.now
        batch = carried.batch if self._original else self._intake.batch
        if self._original:
            tx.sessions.go_on_after(carried.number - 1)
        session_id = tx.sessions.add(ns, carried.uid, carried.host, carried.name, added, batch)
        told = {name: getattr(carried, name) for name in (*_FILLED, "status", "error")}
        tx.sessions.set(session_id, **told, counts=json.dumps(dict(carried.counts), ensure_ascii=False, sort_keys=True))
        tx.projects.ensure(carried.project)
        self._fresh.add(session_id)
        self._intake.outcome.around += 1
        return session_id

    def _turns(self, session_id: int, turns: Iterator[CarriedTurn]) -> None:
        """Write the records that the session lacks: of those with one key as many as are missing."""
        tx = self._tx
        session = tx.sessions.get(session_id)
        assert session is not None
        had, shift = tx.turns.keys(session_id)
        seen: Counter[str] = Counter()
        counts = Counter(session.counts)
        while some := list(islice(turns, _PORTION)):
            new: list[CarriedTurn] = []
            for turn in some:
                seen[str(turn.key)] += 1
                if seen[str(turn.key)] > had[str(turn.key)]:
                    new.append(turn)
            self._write(session, new, shift)
            counts.update(str(turn.metadata["type"]) for turn in new if "type" in turn.metadata)
        if session_id not in self._fresh:
            tx.sessions.set(session_id, counts=json.dumps(counts, ensure_ascii=False, sort_keys=True))

    def _write(self, session: SessionRow, new: Sequence[CarriedTurn], shift: int) -> None:
        tx = self._tx
        for (at, batch), group in groupby(new, key=self._written):
            members = list(group)
            number = tx.turns.last_number(session.session_id)
            claims = [claim_of(turn.text) for turn in members if turn.text is not None]
            prepared = iter(self._intake.prepare(claims))
            spoken: list[Spoken] = []
            for turn in members:
                number += turn.text is not None
                row = TurnRecord(
                    0, session.session_id, None, turn.position + shift, None if turn.text is None else number,
                    turn.kind, turn.key, turn.role, None, turn.raw, dict(turn.metadata), self._trust(turn.trust),
                    turn.at,
                )  # fmt: skip
                spoken.append(Spoken(row, turn.text, None if turn.text is None else next(prepared)))
            now, tx.now = tx.now, at
            voice, tx.voice = tx.voice, replace(tx.voice, batch=batch)
            history_writing.add_turns(tx, session.namespace, session.project, spoken)
            tx.now, tx.voice = now, voice
        self._intake.outcome.turns += sum(turn.text is not None for turn in new)
        self._intake.outcome.around += len(new)

    def _written(self, turn: CarriedTurn) -> tuple[Micros, str | None]:
        """Return when and under which batch a record is written."""
        return (min(turn.added_at, self._tx.now), turn.batch) if self._original else (self._tx.now, self._intake.batch)

    # -- segments --------------------------------------------------------------------------------------

    def _segment(self, carried: CarriedSegment) -> None:
        tx, row = self._tx, carried.row
        ns, digest = tx.ns_of(row.namespace), text_digest(carried.text)
        if tx.relations.is_purged(purged_text(row.namespace, digest)):
            self._intake.outcome.refused.append(Refusal(row.segment_id, "purged"))
            return
        known = tx.segments.same(ns, digest, row.project, row.kind)
        if known is not None:
            self._names[row.segment_id] = known.segment_id
            return
        made = self._add_segment(ns, carried, digest)
        self._names[row.segment_id] = made.segment_id
        self._intake.outcome.segments += 1

    def _add_segment(self, ns: int, carried: CarriedSegment, digest: bytes) -> SegmentRow:
        tx, row = self._tx, carried.row
        claim = segment_claim(carried.text, row.summary, row.tags, row.domain)
        prepared = self._intake.prepare([claim])[0]
        session = None if carried.session is None else self._sessions.get(carried.session)
        then = self._original or row.namespace in self._intake.fresh
        moved = row._replace(
            session_id=session, archived=False, replaced_by=None, trust=self._trust(row.trust),
            batch=row.batch if self._original else self._intake.batch,
            metadata=dict(row.metadata) if then else self._with_origin(row),
        )  # fmt: skip
        if self._original:
            tx.segments.go_on_after(row.number - 1)
        now, tx.now = tx.now, min(row.at, tx.now) if then else tx.now
        made = history_writing.add_segment_as(
            tx, Saved(moved, carried.text, digest, prepared), row.segment_id,
            stem_of(to_datetime(row.at).date().isoformat(), row.project, row.kind),
        )  # fmt: skip
        tx.now = now
        if row.archived:
            history_writing.archive(tx, made)
        tx.segments.set(made.number, archived_at=row.archived_at, restored_at=row.restored_at)
        tx.segments.use(made.number, row.uses, row.used_at)
        return made

    def _with_origin(self, row: SegmentRow) -> dict[str, object]:
        return {**row.metadata, "saved_at": to_datetime(row.at).isoformat()}

    def _point(self) -> None:
        """Let snapshots point at what replaced them, under the name that it has here."""
        for segment in self._intake.cargo.segments():
            row, after = segment.row, segment.row.replaced_by
            mine = self._names.get(row.segment_id)
            if after is None or mine is None or after not in self._names:
                continue
            found = self._tx.segments.find(self._tx.ns_of(row.namespace), mine)
            if found is not None and found.replaced_by is None:
                self._tx.segments.set(found.number, replaced_by=self._names[after])

    def _trust(self, trust: Trust) -> Trust:
        return trust if self._cap is None or RANK[trust] <= RANK[self._cap] else self._cap

    # -- what was purged elsewhere ---------------------------------------------------------------------

    def carry_out_purges(self, names: Sequence[str]) -> None:
        """Erase the sessions and segments that were purged in the other copy."""
        tx, outcome = self._tx, self._intake.outcome
        for name in names:
            ns = tx.namespaces.id(name)
            for session in [] if ns is None else tx.sessions.select("e.ns = ?", [ns], None):
                if tx.relations.is_purged(purged_session(name, session.host, session.name)):
                    history_writing.erase_session(tx, name, session.session_id, searched_terms)
                    outcome.around += 1
            for segment in [] if ns is None else tx.segments.of_namespace(ns):
                (digest,) = tx.segments.digests([segment.number])
                if tx.relations.is_purged(purged_text(name, digest)):
                    history_writing.erase_segment(tx, segment, searched_terms)
                    outcome.around += 1
