"""The versions of one memory, as a store wrote them, told as edits and endings that any store can replay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from omoide.model.carried import CarriedEnd, CarriedVersion
from omoide.model.lineage import KEPT, MERGE, End, Stamp
from omoide.model.records import Claim, Row, canonical, digest
from omoide.model.time import Micros

Told = tuple[tuple[CarriedVersion, ...], tuple[CarriedEnd, ...]]


def tell(uid: str, rows: Iterable[Row], taken: Sequence[CarriedEnd], foreign: Collection[int]) -> Told:
    """Return the versions and endings of a memory.

    ``taken``: endings that came from other stores; ``foreign``: the events that took something in.
    """
    walk = _Walk(uid, foreign)
    opened: dict[int, list[Row]] = defaultdict(list)
    closed: dict[int, list[Row]] = defaultdict(list)
    ended: dict[int, list[CarriedEnd]] = defaultdict(list)
    for row in rows:
        opened[row.opened_by].append(row)
        if row.closed_by is not None:
            closed[row.closed_by].append(row)
    for item in taken:
        ended[item.event].append(item)
    for event in sorted({*opened, *closed, *ended}):
        walk.step(event, opened.get(event, []), closed.get(event, []), ended.get(event, []))
    return tuple(walk.versions.values()), tuple(walk.ends)


def travelled(row: Row) -> bool:
    """Say whether a row was taken in from another store by the event that opened it."""
    return row.origin is not None and row.origin.get("event") == row.opened_by


class _Walk:
    """The state of one pass over the events of a memory."""

    def __init__(self, uid: str, foreign: Collection[int]) -> None:
        self._uid, self._foreign = uid, foreign
        self._top: Stamp | None = None
        self.versions: dict[int, CarriedVersion] = {}
        self.ends: list[CarriedEnd] = []

    def step(self, event: int, opened: list[Row], closed: list[Row], ended: list[CarriedEnd]) -> None:
        """Take in what one event did."""
        own = [row for row in opened if not travelled(row) and row.cause != MERGE]
        own_closed = [] if event in self._foreign else closed
        for row in opened:
            if travelled(row) or row.cause == MERGE:
                self._take(row)
        if own or own_closed:
            stamp = self._next(own[0].known_from if own else own_closed[0].known_to)
            self._write(own, own_closed, stamp)
            self._close(event, own, own_closed, stamp)
        for item in ended:
            self.ends.append(item)
            self._see(item.end.stamp)

    def _next(self, at: Micros) -> Stamp:
        stamp = (at, 0) if self._top is None or at > self._top[0] else (self._top[0], self._top[1] + 1)
        self._top = stamp
        return stamp

    def _see(self, stamp: Stamp) -> None:
        self._top = stamp if self._top is None else max(self._top, stamp)

    def _take(self, row: Row) -> None:
        origin = row.origin or {}
        at, step = origin.get("stamp") or (row.known_from, 0)
        root = origin.get("root")
        self._add(row, (at, step), None if root is None else bytes.fromhex(root), origin.get("known_from"))
        if row.cause != MERGE:
            self._see((at, step))

    def _write(self, own: list[Row], closed: list[Row], stamp: Stamp) -> None:
        for row in own:
            root = _root_of(row, [self.versions[old.version_id] for old in closed]) if row.cause == KEPT else None
            # A piece that nothing closed just now leaves behind was brought back from before.
            told = replace(row, cause="restore") if row.cause == KEPT and root is None else row
            self._add(told, stamp, root, None)

    def _add(self, row: Row, stamp: Stamp, root: bytes | None, said: Micros | None) -> None:
        key = version_key(self._uid, stamp, row.cause, row.claim, row.valid_from, row.valid_to)
        self.versions[row.version_id] = CarriedVersion(
            key=key, root=root or key, stamp=stamp, claim=row.claim, valid_from=row.valid_from, valid_to=row.valid_to,
            said=row.known_from if said is None else said, known_from=row.known_from, known_to=row.known_to,
            cause=row.cause, actor=row.actor, door=row.door, observed_at=row.observed_at, batch=row.batch,
            opened_by=row.opened_by, closed_by=row.closed_by, closed_cause=row.closed_cause, version_id=row.version_id,
            origin=row.origin,
        )  # fmt: skip

    def _close(self, event: int, own: list[Row], closed: list[Row], stamp: Stamp) -> None:
        """What was closed to make room for an edit, or left as it was, follows from the edit; the rest was ended."""
        edits = [(row.valid_from, row.valid_to) for row in own if row.cause not in (KEPT, "restore")]
        kept = [self.versions[row.version_id] for row in own if self.versions[row.version_id].cause == KEPT]
        for old in closed:
            root = self.versions[old.version_id].root
            left = [(piece.valid_from, piece.valid_to) for piece in kept if piece.root == root]
            for start, end in _outside((old.valid_from, old.valid_to), [*edits, *left]):
                self.ends.append(CarriedEnd(End(root, start, end, stamp, old.closed_cause or "forget"), event))


def _outside(span: tuple[Micros, Micros], others: Iterable[tuple[Micros, Micros]]) -> list[tuple[Micros, Micros]]:
    """Return the parts of a span that none of the others covers, by time."""
    parts = [span]
    for start, end in others:
        cut = [(first, min(last, start)) for first, last in parts] + [(max(first, end), last) for first, last in parts]
        parts = [(first, last) for first, last in cut if first < last]
    return sorted(parts)


def _root_of(row: Row, closed: list[CarriedVersion]) -> bytes | None:
    """Return the root of the piece that a kept one is a part of."""
    for old in closed:
        inside = old.valid_from <= row.valid_from and row.valid_to <= old.valid_to
        if inside and old.claim == row.claim:
            return old.root
    return None


def version_key(uid: str, stamp: Stamp, cause: str, claim: Claim, start: Micros, end: Micros) -> bytes:
    """Return what stands for one version in every store; trust, which doors may lower, aside."""
    said = replace(claim, trust="observed")
    labels = [
        said.subject, said.predicate, said.kind, said.abstract, list(said.tags), said.importance, said.confidence,
        said.basis, said.metadata, said.source, said.project, list(said.cites), list(said.triggers),
    ]  # fmt: skip
    return digest("version", uid, *map(str, stamp), cause, claim.text, canonical(labels), str(start), str(end))
