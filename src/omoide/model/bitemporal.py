"""Intervals on two axes: what is visible, and what a revision leaves of the belief before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from omoide.errors import InvalidInputError
from omoide.model.time import FOREVER, Micros, to_datetime


class Piece(Protocol):
    """A version seen as two half-open intervals in microseconds; an open end is ``FOREVER``."""

    @property
    def valid_from(self) -> Micros:
        """Start of the valid interval, included."""
        ...

    @property
    def valid_to(self) -> Micros:
        """End of the valid interval, excluded."""
        ...

    @property
    def known_from(self) -> Micros:
        """Start of the known interval, included."""
        ...

    @property
    def known_to(self) -> Micros:
        """End of the known interval, excluded."""
        ...


P = TypeVar("P", bound=Piece)


@dataclass(frozen=True, slots=True)
class Remainder(Generic[P]):
    """A part of ``piece`` that a revision leaves in place, with its own valid interval."""

    piece: P
    valid_from: Micros
    valid_to: Micros


@dataclass(frozen=True, slots=True)
class Cut(Generic[P]):
    """The effect of replacing the belief on an interval: pieces closed, parts of them written again."""

    closed: tuple[P, ...]
    kept: tuple[Remainder[P], ...]


def visible(piece: Piece, valid_at: Micros, known_at: Micros) -> bool:
    """Say whether ``piece`` was believed at ``known_at`` about the world at ``valid_at``."""
    return piece.known_from <= known_at < piece.known_to and holds(piece, valid_at)


def holds(piece: Piece, valid_at: Micros) -> bool:
    """Say whether ``valid_at`` lies in the valid interval of ``piece``."""
    return piece.valid_from <= valid_at < piece.valid_to


def check_interval(start: Micros, end: Micros) -> None:
    """Refuse an interval that is empty or inverted.

    Raises:
        InvalidInputError: ``end`` is not after ``start``.
    """
    if end <= start:
        raise InvalidInputError(
            f"the valid interval ends before it starts: valid_from={to_datetime(start).isoformat()}, "
            f"valid_to={to_datetime(end).isoformat()}",
            value=(start, end),
        )


def cut(pieces: Iterable[P], start: Micros, end: Micros = FOREVER) -> Cut[P]:
    """Return what replacing the belief on ``[start, end)`` closes and what it leaves of ``pieces``.

    A piece cut in its middle leaves two parts; one wholly outside is not touched.
    """
    closed: list[P] = []
    kept: list[Remainder[P]] = []
    for piece in pieces:
        if piece.valid_to <= start or end <= piece.valid_from:
            continue
        closed.append(piece)
        if piece.valid_from < start:
            kept.append(Remainder(piece, piece.valid_from, start))
        if end < piece.valid_to:
            kept.append(Remainder(piece, end, piece.valid_to))
    return Cut(tuple(closed), tuple(kept))


def meant(pieces: Sequence[P], now: Micros) -> P:
    """Return the piece that ``get`` and ``update`` mean: valid now, else the next, else the last.

    ``pieces`` are the open pieces of one memory, not empty.
    """
    ordered = sorted(pieces, key=lambda piece: piece.valid_from)
    for piece in ordered:
        if now < piece.valid_to:
            return piece
    return ordered[-1]


def before(pieces: Sequence[P], start: Micros) -> P:
    """Return the ``old`` of a revision at ``start``: valid there, else the nearest earlier, else the first.

    ``pieces`` are the open pieces of one memory, not empty.
    """
    ordered = sorted(pieces, key=lambda piece: piece.valid_from)
    earlier = [piece for piece in ordered if piece.valid_from <= start]
    return earlier[-1] if earlier else ordered[0]


def revision_start(pieces: Sequence[Piece], now: Micros) -> Micros:
    """Return where a revision without ``valid_from`` starts: now, or the start of a wholly future memory."""
    first = min(piece.valid_from for piece in pieces)
    return max(now, first)
