"""A reference model of bitemporal belief: a list of immutable events and their replay.

``Oracle`` answers "what did we believe at K about V" by applying the events known by K, in order, to an
empty world, and looking at V. It keeps no intervals of known time and imports nothing from the store, so
it cannot share a mistake with it. Times are aware datetimes; texts are compared as given, except where a
rejected value is recognised (``fold``). Records belong to one namespace.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Protocol

from omoide.testing.beliefs import Belief, Cut, Erased, Key, Piece, World, fold, in_order, without

__all__ = [
    "Belief",
    "Changes",
    "Erased",
    "Forgotten",
    "Key",
    "Oracle",
    "OracleEvent",
    "Piece",
    "Rejected",
    "Remembered",
    "Repeated",
    "Restored",
    "Revised",
    "RevisedTexts",
    "SourceForgotten",
    "Superseded",
    "Unrejected",
    "Updated",
    "World",
    "fold",
]


class RevisedTexts(NamedTuple):
    """One revision: whose belief, and the texts before and after."""

    old_id: int
    new_id: int
    old: str
    new: str


class Changes(NamedTuple):
    """What a window of known time did to the belief."""

    learned: frozenset[int]
    revised: tuple[RevisedTexts, ...]
    retracted: frozenset[int]
    rejected: frozenset[int]


class OracleEvent(Protocol):
    """Something that happened at one known time and what it does to the world."""

    @property
    def at(self) -> datetime:
        """The known time."""
        ...

    def apply(self, world: World, /) -> World:
        """Return the world after the event."""
        ...


@dataclass(frozen=True, slots=True)
class Remembered:
    """A new memory."""

    at: datetime
    memory_id: int
    text: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    subject: str | None = None
    predicate: str | None = None
    source: str | None = None

    def piece(self) -> Piece:
        """Return the memory's first piece."""
        start = self.at if self.valid_from is None else self.valid_from
        return Piece(self.text, start, self.valid_to, self.subject, self.predicate)

    def apply(self, world: World, /) -> World:
        """Add the memory."""
        belief = Belief((self.piece(),), _sources(self.source))
        return world.with_beliefs({self.memory_id: belief})


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same text said again: one more source, no change of belief."""

    at: datetime
    memory_id: int
    source: str | None = None

    def apply(self, world: World, /) -> World:
        """Add the source."""
        belief = world.beliefs[self.memory_id]
        sources = belief.sources | _sources(self.source)
        return world.with_beliefs({self.memory_id: replace(belief, sources=sources)})


@dataclass(frozen=True, slots=True)
class Revised:
    """A belief replaced on an interval."""

    at: datetime
    memory_id: int
    text: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source: str | None = None

    def start(self, belief: Belief) -> datetime:
        """Return where the revision starts: as asked, else now, else where a future memory starts."""
        if self.valid_from is not None:
            return self.valid_from
        return max(self.at, min(p.valid_from for p in belief.pieces))

    def apply(self, world: World, /) -> World:
        """Put the new text over the interval; what lies outside keeps its own."""
        belief = world.beliefs[self.memory_id]
        start = self.start(belief)
        old = belief.piece_before(start)
        if old is None:
            return world
        new = replace(old, text=self.text, valid_from=start, valid_to=self.valid_to)
        sources = belief.sources | _sources(self.source)
        return world.with_beliefs({self.memory_id: replace(belief.replaced(new), sources=sources)})


@dataclass(frozen=True, slots=True)
class Updated:
    """A correction of the piece valid now, else the next, else the last, over its own interval."""

    at: datetime
    memory_id: int
    text: str

    def apply(self, world: World, /) -> World:
        """Correct the piece; a memory without one is left alone."""
        belief = world.beliefs[self.memory_id]
        old = belief.piece_at(self.at)
        if old is None:
            return world
        return world.with_beliefs({self.memory_id: belief.replaced(replace(old, text=self.text))})


@dataclass(frozen=True, slots=True)
class Superseded:
    """A new memory in the place of others from its start on."""

    new: Remembered
    olds: tuple[int, ...]

    @property
    def at(self) -> datetime:
        """The known time."""
        return self.new.at

    def apply(self, world: World, /) -> World:
        """Cut the old memories at the new one's start and add it."""
        start = self.new.piece().valid_from
        cut = {old: self._cut(world.beliefs[old], start) for old in self.olds}
        return self.new.apply(world.with_beliefs(cut))

    def _cut(self, belief: Belief, start: datetime) -> Belief:
        kept = tuple(rest for p in belief.pieces for rest in p.without(start, None))
        lost = tuple(
            replace(p, valid_from=max(start, p.valid_from))
            for p in belief.pieces
            if p.valid_to is None or start < p.valid_to
        )
        return replace(belief, pieces=kept, cuts=(*belief.cuts, Cut(self.new.memory_id, lost)))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Memories ended in known time: one id, or all of a subject."""

    at: datetime
    memory_id: int | None = None
    subject: str | None = None

    def apply(self, world: World, /) -> World:
        """End every open piece of what is meant."""
        meant = {i: b for i, b in world.beliefs.items() if i == self.memory_id or self._has_subject(b)}
        return world.with_beliefs({i: b.forget() for i, b in meant.items()})

    def _has_subject(self, belief: Belief) -> bool:
        return self.subject is not None and any(p.subject == self.subject for p in belief.pieces)


@dataclass(frozen=True, slots=True)
class SourceForgotten:
    """A source withdrawn: what has no other ends, the rest only loses it."""

    at: datetime
    source: str

    def apply(self, world: World, /) -> World:
        """Take the source away and end what stood on it alone."""
        meant = {i: b for i, b in world.beliefs.items() if self.source.strip() in b.sources and b.pieces}
        return world.with_beliefs({i: self._lose(b) for i, b in meant.items()})

    def _lose(self, belief: Belief) -> Belief:
        left = belief.sources - {self.source.strip()}
        return replace(belief, sources=left) if left else belief.forget()


@dataclass(frozen=True, slots=True)
class Restored:
    """A forgotten memory brought back from now on."""

    at: datetime
    memory_id: int

    def apply(self, world: World, /) -> World:
        """Bring back what the forget ended and what successors forgotten since had cut."""
        belief = world.beliefs[self.memory_id]
        gone = tuple(c for c in belief.cuts if world.beliefs[c.successor].forgotten)
        pieces = belief.pieces
        for piece in (*belief.ended, *(p for c in gone for p in c.pieces)):
            pieces += _uncovered(piece, pieces)
        cuts = tuple(c for c in belief.cuts if c not in gone)
        back = replace(belief, pieces=in_order(pieces), ended=(), cuts=cuts, forgotten=False)
        return world.with_beliefs({self.memory_id: back})


@dataclass(frozen=True, slots=True)
class Rejected:
    """A value refused: the one that the memory holds now, else next, else last."""

    at: datetime
    memory_id: int

    def apply(self, world: World, /) -> World:
        """End every open piece of the namespace that holds the value."""
        piece = world.beliefs[self.memory_id].piece_at(self.at)
        if piece is None:
            return world
        changed = {i: _without_value(b, piece.key) for i, b in world.beliefs.items()}
        return replace(world.with_beliefs(changed), rejected=world.rejected | {piece.key})


@dataclass(frozen=True, slots=True)
class Unrejected:
    """A value allowed again; nothing comes back by itself."""

    at: datetime
    key: Key

    def apply(self, world: World, /) -> World:
        """Take the value off the list."""
        return replace(world, rejected=world.rejected - {self.key})


def _sources(source: str | None) -> frozenset[str]:
    return frozenset() if source is None or not source.strip() else frozenset({source.strip()})


def _without_value(belief: Belief, key: Key) -> Belief:
    return replace(belief, pieces=tuple(p for p in belief.pieces if p.key != key))


def _uncovered(piece: Piece, others: Iterable[Piece]) -> tuple[Piece, ...]:
    rest: tuple[Piece, ...] = (piece,)
    for other in others:
        rest = without(rest, other.valid_from, other.valid_to)
    return rest


class Oracle:
    """An append-only list of events that answers by replay."""

    def __init__(self) -> None:
        self._events: list[OracleEvent] = []
        self._worlds: list[World] = [World()]

    @property
    def events(self) -> tuple[OracleEvent, ...]:
        """Every event, in the order of recording."""
        return tuple(self._events)

    def record(self, event: OracleEvent) -> World:
        """Append an event, not earlier than the last, and return the world after it."""
        if self._events and event.at < self._events[-1].at:
            raise ValueError(f"event at {event.at} is earlier than the last, {self._events[-1].at}")
        self._worlds.append(event.apply(self._worlds[-1]))
        self._events.append(event)
        return self._worlds[-1]

    def erase(self, at: datetime, memory_id: int) -> World:
        """Take a memory out of every world there ever was, and record that something was erased."""
        self._worlds = [world.without_memory(memory_id) for world in self._worlds]
        self._events = [_without(event, memory_id) for event in self._events]
        return self.record(Erased(at))

    @property
    def worlds(self) -> tuple[World, ...]:
        """The empty world, then the world after each event."""
        return tuple(self._worlds)

    @property
    def latest(self) -> World:
        """The world after every event."""
        return self._worlds[-1]

    def world(self, known_at: datetime) -> World:
        """Return the world after the events known by ``known_at``, that instant included."""
        return self._worlds[sum(event.at <= known_at for event in self._events)]

    def visible(self, *, valid_at: datetime, known_at: datetime) -> frozenset[tuple[int, str]]:
        """Return (memory id, text) believed at ``known_at`` to hold at ``valid_at``."""
        return self.world(known_at).visible(valid_at)

    def holding(self, text: str, subject: str | None, start: datetime, end: datetime | None) -> set[int]:
        """Return the ids of the memories with an open piece of this text that covers ``[start, end)``."""
        wanted = " ".join(text.split())
        return {
            memory_id
            for memory_id, belief in self.latest.beliefs.items()
            for p in belief.pieces
            if p.subject == subject and " ".join(p.text.split()) == wanted and p.covers(start, end)
        }

    def ever_held(self, key: Key) -> set[int]:
        """Return the ids of the memories that held a value at any time."""
        every = (pair for world in self._worlds for pair in world.beliefs.items())
        return {memory_id for memory_id, belief in every if any(p.key == key for p in belief.pieces)}

    def changes(self, since: datetime, until: datetime | None = None) -> Changes:
        """Return what the events in ``[since, until)`` did; all of them to the last without ``until``."""
        learned: set[int] = set()
        retracted: set[int] = set()
        rejected: set[int] = set()
        revised: list[RevisedTexts] = []
        for number, event in enumerate(self._events):
            if event.at < since or (until is not None and event.at >= until):
                continue
            before, after = self._worlds[number], self._worlds[number + 1]
            learned |= _learned(event, before, after)
            revised += _revised(event, before)
            gone = _retracted(event, before, after)
            retracted |= gone
            rejected |= gone if isinstance(event, Rejected) else set()
        return Changes(
            frozenset(learned - (retracted - rejected)),
            tuple(revised),
            frozenset(retracted),
            frozenset(rejected),
        )


def _without(event: OracleEvent, memory_id: int) -> OracleEvent:
    if isinstance(event, Superseded):
        if event.new.memory_id == memory_id:
            return Erased(event.at)
        return replace(event, olds=tuple(old for old in event.olds if old != memory_id))
    # A rejection ends the value wherever it is held, so it is more than an event of the memory it was told by.
    own = not isinstance(event, Rejected) and getattr(event, "memory_id", None) == memory_id
    return Erased(event.at) if own else event


def _learned(event: OracleEvent, before: World, after: World) -> set[int]:
    if isinstance(event, Restored):
        same = before.beliefs[event.memory_id].pieces == after.beliefs[event.memory_id].pieces
        return set() if same else {event.memory_id}
    return set(after.beliefs) - set(before.beliefs)


def _retracted(event: OracleEvent, before: World, after: World) -> set[int]:
    if not isinstance(event, Forgotten | SourceForgotten | Rejected):
        return set()
    return {i for i, belief in before.beliefs.items() if belief.pieces != after.beliefs[i].pieces}


def _revised(event: OracleEvent, before: World) -> list[RevisedTexts]:
    if isinstance(event, Superseded):
        start = event.new.piece().valid_from
        olds = ((old, before.beliefs[old].piece_before(start)) for old in event.olds)
        return [RevisedTexts(i, event.new.memory_id, p.text, event.new.text) for i, p in olds if p]
    if not isinstance(event, Revised | Updated):
        return []
    belief = before.beliefs[event.memory_id]
    if isinstance(event, Updated):
        old = belief.piece_at(event.at)
    else:
        old = belief.piece_before(event.start(belief)) if belief.pieces else None
    return [RevisedTexts(event.memory_id, event.memory_id, old.text, event.text)] if old else []
