"""Why, diff, timeline: how the belief came to be what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from omoide.errors import InvalidInputError
from omoide.model import bitemporal
from omoide.model.policy import Scope
from omoide.model.records import Row, State
from omoide.model.selection import Moment
from omoide.model.time import FOREVER, Micros, optional_micros, to_datetime, to_micros
from omoide.store.sqlite.telling import (
    CAUSE,
    CLOSED,
    CLOSED_CAUSE,
    KNOWN_FROM,
    KNOWN_TO,
    MEMORY,
    OPENED,
    START,
    SUBJECT,
    TEXT,
    TRUST,
    Raw,
    closed_between,
    of_memories,
    opened_between,
    piece_before,
    piece_meant,
    teller,
)
from omoide.store.sqlite.transaction import Read
from omoide.text.lookalikes import name_key
from omoide.types import Chain, Diff, RevisedPair, Version
from omoide.verbs.asking.moments import moment_of
from omoide.verbs.context import Context
from omoide.verbs.convert import evidence_of, version_of
from omoide.verbs.drafts import Moment as Given
from omoide.verbs.whose import to_read

_RETRACTING = ("forget", "reject")
_LEARNING = ("remember", "supersede", "contest", "import")
_REVISING = ("revise", "update", "dedupe", "undo")


def why(
    ctx: Context, memory_id: int, *, as_of: Given | None = None, valid_at: Given | None = None,
    known_at: Given | None = None,
) -> Chain:  # fmt: skip
    """Return every version of a memory, what it replaced, what replaced it and what supports it.

    Raises:
        NotFoundError: there is no such memory here.
    """
    memory_id = to_read(ctx, memory_id).id
    with ctx.store.read(None) as tx:
        moment = moment_of(tx.now, as_of, valid_at, known_at)
        state = tx.memories.get(memory_id)
        rows = [
            _as_known(row, moment.known_at)
            for row in tx.versions.of_memory(memory_id)
            if row.known_from <= moment.known_at
        ]
        links = [link for link in tx.relations.links(memory_id) if link.at <= moment.known_at]
        evidence = [item for item in tx.relations.evidence(memory_id) if item.at <= moment.known_at]
        assert state is not None
        return Chain(
            memory_id=memory_id,
            versions=tuple(version_of(row, evidence) for row in rows),
            supersedes=tuple(link.to_id for link in links if link.kind == "supersedes" and link.from_id == memory_id),
            superseded_by=tuple(
                link.from_id for link in links if link.kind == "supersedes" and link.to_id == memory_id
            ),
            evidence=tuple(evidence_of(item) for item in evidence),
            derived=tuple(link.to_id for link in links if link.kind == "derived" and link.from_id == memory_id),
            conflicts=tuple(
                link.to_id if link.from_id == memory_id else link.from_id for link in links if link.kind == "conflict"
            ),
            status=_status(rows, state, moment),
            related=tuple(
                link.to_id if link.from_id == memory_id else link.from_id for link in links if link.kind == "related"
            ),
        )


def _as_known(row: Row, known_at: Micros) -> Row:
    """Leave out how a version ended when that was not known yet."""
    if row.open or row.known_to <= known_at:
        return row
    return replace(row, known_to=FOREVER, closed_by=None, closed_cause=None)


def _status(rows: list[Row], state: State, moment: Moment) -> str:
    """Return one word for where a memory stands; about the past, what is only state today does not count."""
    now = moment.valid_at
    open_rows = [row for row in rows if row.open]
    if not open_rows:
        cause = rows[-1].closed_cause if rows else None
        return {"forget": "forgotten", "reject": "rejected", "supersede": "superseded"}.get(cause or "", "past")
    if state.archived and not moment.past:
        return "archived"
    if state.disputed is not None and not moment.past:
        return "disputed"
    piece = bitemporal.meant(open_rows, now)
    if piece.valid_from > now:
        return "future"
    return "current" if now < piece.valid_to else "past"


def timeline(
    ctx: Context, subject: str, namespace: str, known_at: Given | None, trusts: Sequence[str]
) -> list[Version]:
    """Return what is believed about a subject, or was at ``known_at``, by the time it holds."""
    ctx.flush()
    with ctx.store.read(ctx.scope(namespace)) as tx:
        ns = tx.namespaces.id(namespace)
        known = moment_of(tx.now, None, None, known_at).known_at
        rows = [] if ns is None else tx.versions.of_subject(ns, tx.aliases.names(ns, subject))
    rows = [row for row in rows if row.known_from <= known < row.known_to and row.claim.trust in trusts]
    rows.sort(key=lambda row: (row.valid_from, row.known_from, row.version_id))
    return [version_of(row) for row in rows]


def diff(
    ctx: Context, since: Given, until: Given | None, subject: str | None, scope: Scope,
    trusts: Sequence[str] | None = None,
) -> Diff:  # fmt: skip
    """Return what changed in the belief by the events of ``[since, until)``, up to now without ``until``.

    ``trusts`` are the levels told of, None all; a revision has that of its new version.

    Raises:
        InvalidInputError: ``until`` lies before ``since``, or not a time.
    """
    start, end = to_micros(since, "since"), optional_micros(until, "until")
    if end is not None and end < start:
        raise InvalidInputError("until lies before since", value=(since, until))
    ctx.flush()
    with ctx.store.read(scope) as tx:
        numbers = [ns for ns in map(tx.namespaces.id, scope.readable) if ns is not None]
        window = _Window(tx, tx.events.numbers_between(start, end, numbers), subject, numbers)
        tell = teller(tx.namespaces)
        return Diff(
            to_datetime(start), to_datetime(max(start, tx.now) if end is None else end),
            learned=tuple(tell(row) for row in window.learned() if trusts is None or row[TRUST] in trusts),
            revised=tuple(
                RevisedPair(None if old is None else tell(old), tell(new))
                for old, new in window.revised()
                if trusts is None or new[TRUST] in trusts
            ),
            retracted=tuple(tell(row) for row in window.retracted() if trusts is None or row[TRUST] in trusts),
        )  # fmt: skip


Pair = tuple[Raw | None, Raw]


class _Window:
    """The events of a span of known time and the versions they opened and closed, as raw rows."""

    def __init__(self, tx: Read, events: Sequence[int], subject: str | None, spaces: Sequence[int]) -> None:
        self._tx = tx
        self._names = None if subject is None else {name for ns in spaces for name in tx.aliases.names(ns, subject)}
        first, last = (events[0], events[-1]) if events else (1, 0)
        self._seqs = range(first, last + 1) if len(events) == last + 1 - first else frozenset(events)
        causes = (*_LEARNING, "restore", *_REVISING)
        self._opened = [row for row in opened_between(tx.connection, first, last, causes) if row[OPENED] in self._seqs]
        self._closed = [row for row in closed_between(tx.connection, first, last) if row[CLOSED] in self._seqs]

    def learned(self) -> list[Raw]:
        """Memories first known or restored in it and not forgotten in it, at the piece that was meant then."""
        gone = {row[MEMORY] for row in self._closed if row[CLOSED_CAUSE] in _RETRACTING}
        first: dict[int, list[Raw]] = {}
        for row in self._opened:
            if row[MEMORY] in gone or row[CAUSE] in _REVISING or not self._about(row):
                continue
            rows = first.setdefault(row[MEMORY], [])
            if not rows or (row[OPENED], row[KNOWN_FROM]) == (rows[0][OPENED], rows[0][KNOWN_FROM]):
                rows.append(row)
        return [rows[0] if len(rows) == 1 else piece_meant(rows, rows[0][KNOWN_FROM]) for rows in first.values()]

    def revised(self) -> list[Pair]:
        """One pair a revise, update, near-duplicate and superseded memory."""
        edits = [row for row in self._opened if row[CAUSE] in _REVISING and self._about(row)]
        known = of_memories(self._tx.connection, (row[MEMORY] for row in edits))
        pairs: list[Pair] = [(self._replaced(known.get(row[MEMORY], ()), row), row) for row in edits]
        pairs += [pair for row in self._opened if row[CAUSE] == "supersede" for pair in self._superseded(row)]
        return pairs + self._gave_way()

    def retracted(self) -> list[Raw]:
        """Each memory forgotten or rejected in it, at the piece that was meant then."""
        ended: dict[int, list[Raw]] = {}
        for row in self._closed:
            if row[CLOSED_CAUSE] in _RETRACTING and self._about(row):
                ended.setdefault(row[MEMORY], []).append(row)
        return [piece_meant(rows, rows[0][KNOWN_TO]) for rows in ended.values()]

    @staticmethod
    def _replaced(rows: Sequence[Raw], new: Raw) -> Raw | None:
        """What an edit is told against; an undo, which may bring a longer piece back, against what it took away."""
        if new[CAUSE] == "undo":
            away = [row for row in rows if row[CLOSED] == new[OPENED] and row[TEXT] != new[TEXT]]
            if away:
                return piece_meant(away, new[KNOWN_FROM])
        return _before(rows, new)

    def _superseded(self, new: Raw) -> list[Pair]:
        old_ids = [
            link.to_id
            for link in self._tx.relations.links(new[MEMORY])
            if link.kind == "supersedes" and link.from_id == new[MEMORY] and link.event == new[OPENED]
        ]
        known = of_memories(self._tx.connection, old_ids)
        pairs: list[Pair] = [(_before(known.get(memory_id, ()), new), new) for memory_id in old_ids]
        return [pair for pair in pairs if self._about(new) or (pair[0] is not None and self._about(pair[0]))]

    def _gave_way(self) -> list[Pair]:
        """Memories that ended in favour of one that was there before."""
        pairs: dict[int, Pair] = {}
        for old in self._closed:
            if old[CLOSED_CAUSE] != "supersede" or old[MEMORY] in pairs or not self._about(old):
                continue
            for link in self._tx.relations.links(old[MEMORY]):
                if link.kind == "supersedes" and link.to_id == old[MEMORY] and link.event == old[CLOSED]:
                    rows = of_memories(self._tx.connection, [link.from_id]).get(link.from_id, ())
                    rows = [row for row in rows if row[CLOSED] != link.event]
                    new = piece_before(rows, link.event, old[START])
                    if new is not None:
                        pairs[old[MEMORY]] = (old, new)
        return list(pairs.values())

    def _about(self, row: Raw) -> bool:
        subject = row[SUBJECT]
        return self._names is None or (subject is not None and name_key(subject) in self._names)


def _before(rows: Sequence[Raw], new: Raw) -> Raw | None:
    """The piece that was believed just before the event of ``new``, at its start."""
    return piece_before(rows, new[OPENED], new[START])
