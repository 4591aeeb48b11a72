"""A store compared with the reference model, through the verbs that any store has; no findings is agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Protocol

from omoide.testing.beliefs import Belief
from omoide.testing.oracle import Oracle
from omoide.types import Chain, Diff, Hits, Version

TICK = timedelta(microseconds=1)
EVERYTHING = 10_000
Span = tuple[str, datetime, datetime | None]


class Store(Protocol):
    """What is asked of a store."""

    def why(self, id: int, /) -> Chain:
        """Return every version of a memory."""
        ...

    def diff(self, since: datetime, until: datetime | None = None, /) -> Diff:
        """Return what changed in a window."""
        ...

    def recall(
        self,
        query: None,
        /,
        *,
        k: int,
        valid_at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Hits:
        """List what is believed."""
        ...


def bounds(oracle: Oracle) -> list[datetime]:
    """Return every instant at which something may begin or end, with its neighbours, in order."""
    marks = {event.at for event in oracle.events}
    for world in oracle.worlds:
        pieces = [piece for belief in world.beliefs.values() for piece in belief.pieces]
        marks |= {bound for p in pieces for bound in (p.valid_from, p.valid_to) if bound is not None}
    return sorted({mark + step for mark in marks for step in (-TICK, timedelta(0), TICK)})


def visible(store: Store, *, valid_at: datetime, known_at: datetime) -> frozenset[tuple[int, str]]:
    """Return (memory id, text) that the store believed at ``known_at`` to hold at ``valid_at``."""
    hits = store.recall(None, k=EVERYTHING, valid_at=valid_at, known_at=known_at)
    return frozenset((hit.id, hit.text) for hit in hits)


def recall_findings(store: Store, oracle: Oracle, pairs: Iterable[tuple[datetime, datetime]]) -> list[str]:
    """Compare ``recall`` at pairs of (valid time, known time)."""
    found = []
    for valid_at, known_at in pairs:
        got = visible(store, valid_at=valid_at, known_at=known_at)
        expected = oracle.visible(valid_at=valid_at, known_at=known_at)
        if got != expected:
            found.append(f"at {known_at} about {valid_at}: {sorted(got)} instead of {sorted(expected)}")
    return found


def version_findings(store: Store, oracle: Oracle) -> list[str]:
    """Compare the versions of ``why`` at every known time and its neighbours, for all valid times at once."""
    known = sorted({event.at + step for event in oracle.events for step in (-TICK, timedelta(0), TICK)})
    found = []
    for memory_id in oracle.latest.beliefs:
        versions = store.why(memory_id).versions
        for at in known:
            got, faults = _joined(_known(versions, at))
            belief = oracle.world(at).beliefs.get(memory_id, Belief())
            expected, _ = _joined((p.text, p.valid_from, p.valid_to) for p in belief.pieces)
            found += [f"memory {memory_id} at {at}: {fault}" for fault in faults]
            if got != expected:
                found.append(f"memory {memory_id} at {at}: {got} instead of {expected}")
    return found


def _known(versions: Iterable[Version], at: datetime) -> list[Span]:
    return [
        (v.text, v.valid_from, v.valid_to)
        for v in versions
        if v.known_from <= at and (v.known_to is None or at < v.known_to)
    ]


def _joined(spans: Iterable[Span]) -> tuple[list[Span], list[str]]:
    """Return spans in order, those that touch and say the same as one, and which are inverted or overlap."""
    joined: list[Span] = []
    faults = []
    for text, start, end in sorted(spans, key=lambda span: span[1]):
        if end is not None and end <= start:
            faults.append(f"{text!r} ends at {end}, not after its start {start}")
        if joined and (joined[-1][2] is None or joined[-1][2] > start):
            faults.append(f"{text!r} begins inside {joined[-1][0]!r}")
        if joined and joined[-1][0] == text and joined[-1][2] == start:
            joined[-1] = (text, joined[-1][1], end)
        else:
            joined.append((text, start, end))
    return joined, faults


def diff_findings(store: Store, oracle: Oracle, since: datetime, until: datetime | None) -> list[str]:
    """Compare ``diff`` of one window; whether a rejected memory was also learned is left open."""
    diff, changes = store.diff(since, until), oracle.changes(since, until)
    learned = Counter(version.memory_id for version in diff.learned)
    retracted = {version.memory_id for version in diff.retracted}
    pairs = Counter(
        (pair.old.memory_id, pair.new.memory_id, pair.old.text, pair.new.text) if pair.old else None
        for pair in diff.revised
    )
    compared = {
        "learned": (set(learned) - changes.rejected, changes.learned - changes.rejected),
        "learned twice": ({i for i, times in learned.items() if times > 1}, set()),
        "retracted": (retracted, set(changes.retracted)),
        "revised": (pairs, Counter(tuple(pair) for pair in changes.revised)),
    }
    window = f"from {since} to {until}"
    return [f"{window}, {name}: {got} instead of {want}" for name, (got, want) in compared.items() if got != want]
