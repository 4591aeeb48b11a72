"""The world that the reference model replays: pieces of text on the axis of valid time, nothing else."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple


class Key(NamedTuple):
    """What a rejection is filed under."""

    subject: str | None
    predicate: str | None
    folded: str


def fold(text: str) -> str:
    """Return ``text`` with case, width and white space made equal."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class Piece:
    """One text that holds on ``[valid_from, valid_to)``; an end of None is for ever."""

    text: str
    valid_from: datetime
    valid_to: datetime | None = None
    subject: str | None = None
    predicate: str | None = None

    @property
    def key(self) -> Key:
        """What rejecting this piece's value would be filed under."""
        return Key(self.subject, self.predicate, fold(self.text))

    def holds_at(self, moment: datetime) -> bool:
        """Whether the piece holds in the world at ``moment``."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)

    def covers(self, start: datetime, end: datetime | None) -> bool:
        """Whether ``[start, end)`` lies inside the piece."""
        if start < self.valid_from:
            return False
        return self.valid_to is None or (end is not None and end <= self.valid_to)

    def without(self, start: datetime, end: datetime | None) -> tuple[Piece, ...]:
        """Return what is left of the piece outside ``[start, end)``, none, one or two pieces."""
        if (end is not None and end <= self.valid_from) or (self.valid_to is not None and self.valid_to <= start):
            return (self,)
        left = (replace(self, valid_to=start),) if self.valid_from < start else ()
        after = end is not None and (self.valid_to is None or end < self.valid_to)
        return (*left, replace(self, valid_from=end)) if after and end is not None else left


@dataclass(frozen=True, slots=True)
class Cut:
    """What a successor took from a memory."""

    successor: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """All that is believed of one memory at one known time."""

    pieces: tuple[Piece, ...] = ()
    sources: frozenset[str] = frozenset()
    ended: tuple[Piece, ...] = ()
    cuts: tuple[Cut, ...] = ()
    forgotten: bool = False

    def piece_at(self, moment: datetime) -> Piece | None:
        """Return the piece valid at ``moment``, else the next, else the last."""
        ahead = [p for p in self.pieces if p.valid_to is None or moment < p.valid_to]
        if ahead:
            return min(ahead, key=lambda p: p.valid_from)
        return max(self.pieces, key=lambda p: p.valid_from, default=None)

    def piece_before(self, start: datetime) -> Piece | None:
        """Return the piece valid at ``start``, else the nearest earlier, else the first."""
        earlier = [p for p in self.pieces if p.valid_from <= start]
        if earlier:
            return max(earlier, key=lambda p: p.valid_from)
        return min(self.pieces, key=lambda p: p.valid_from, default=None)

    def reaches_beyond(self, start: datetime) -> bool:
        """Whether anything is believed of the time after ``start``."""
        return any(p.valid_to is None or start < p.valid_to for p in self.pieces)

    def replaced(self, piece: Piece) -> Belief:
        """Return the belief with ``piece`` put over whatever was there."""
        rest = without(self.pieces, piece.valid_from, piece.valid_to)
        return replace(self, pieces=in_order((*rest, piece)))

    def without_successor(self, memory_id: int) -> Belief:
        """Return the belief with no record of what this successor took; what it took stays taken."""
        return replace(self, cuts=tuple(cut for cut in self.cuts if cut.successor != memory_id))

    def forget(self) -> Belief:
        """Return the belief with every open piece ended; the same one when there is none."""
        if not self.pieces:
            return self
        return replace(self, pieces=(), ended=self.pieces, forgotten=True)


def without(pieces: Iterable[Piece], start: datetime, end: datetime | None) -> tuple[Piece, ...]:
    """Return what is left of the pieces outside ``[start, end)``."""
    return tuple(rest for piece in pieces for rest in piece.without(start, end))


def in_order(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the pieces by where they start."""
    return tuple(sorted(pieces, key=lambda p: p.valid_from))


@dataclass(frozen=True, slots=True)
class World:
    """Every belief at one known time."""

    beliefs: Mapping[int, Belief] = field(default_factory=dict)
    rejected: frozenset[Key] = frozenset()

    def live(self) -> list[int]:
        """Return the ids of the memories with an open piece."""
        return [memory_id for memory_id, belief in self.beliefs.items() if belief.pieces]

    def with_beliefs(self, changed: Mapping[int, Belief]) -> World:
        """Return the world with some beliefs replaced."""
        return replace(self, beliefs={**self.beliefs, **changed})

    def without_memory(self, memory_id: int) -> World:
        """Return the world as if the memory had never been."""
        left = {i: belief.without_successor(memory_id) for i, belief in self.beliefs.items() if i != memory_id}
        return replace(self, beliefs=left)

    def visible(self, moment: datetime) -> frozenset[tuple[int, str]]:
        """Return (memory id, text) of every piece that holds at ``moment``."""
        return frozenset(
            (memory_id, piece.text)
            for memory_id, belief in self.beliefs.items()
            for piece in belief.pieces
            if piece.holds_at(moment)
        )


@dataclass(frozen=True, slots=True)
class Erased:
    """Something that left no text: an erasure, or an event of which only the time is left."""

    at: datetime

    def apply(self, world: World, /) -> World:
        """Change nothing; ``Oracle.erase`` has."""
        return world
