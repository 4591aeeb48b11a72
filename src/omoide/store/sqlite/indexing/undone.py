"""What a batch wrote that was undone, left out of the statistics of words and of freshness.

The versions stay, with their postings, for questions about the past. A version is withdrawn when an undone batch, or
an undo, both opened and ended it. One that either wrote and that says what was believed before the batch is a double
of what it brings back: that one counts for both, and is as old as both are. So a question is answered after an undo
as it was before the batch. All of it follows from the rows of events and versions; nothing is kept beside them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.model.time import Micros
from omoide.search.postings import Codes, Ords, PostingList, Scores
from omoide.store.sqlite.indexing.posting_lists import SpacePostings

_LOST: Final = """
WITH undone AS (SELECT batch, max(seq) AS seq FROM event WHERE ns = ?1 AND op = 'undo' GROUP BY batch),
lost AS MATERIALIZED (
  SELECT e.seq, e.batch, e.op = 'undo' AS again FROM undone u JOIN event e ON e.batch = u.batch AND e.seq <= u.seq)
"""
_OPENED: Final = f"""{_LOST}
SELECT v.version_id, v.ord, ifnull(v.closed_by IN (SELECT seq FROM lost), 0), e.length
FROM lost o CROSS JOIN version v ON v.opened_by = o.seq AND v.ns = ?1
CROSS JOIN entry e ON e.space = ?2 AND e.ord = v.ord"""
_EVENTS: Final = f"{_LOST} SELECT seq, batch FROM lost WHERE NOT again"
_PIECES: Final = f"""{_LOST}
SELECT v.memory_id, v.version_id, v.ord, v.known_from, v.opened_by, v.closed_by,
  o.batch, o.again OR ifnull(v.closed_by NOT IN (SELECT seq FROM lost), 1),
  v.content_id, v.valid_from, v.valid_to, v.subject, v.abstract, v.tags, v.trust, v.source
FROM version v LEFT JOIN lost o ON o.seq = v.opened_by WHERE v.memory_id IN (
  SELECT memory_id FROM lost e CROSS JOIN version b ON b.opened_by = e.seq AND b.ns = ?1
  WHERE e.again OR ifnull(b.closed_by NOT IN (SELECT seq FROM lost), 1))
ORDER BY v.memory_id, v.opened_by"""
_TOUCHED: Final = """
SELECT 1 FROM json_each(?2) j JOIN event e ON e.seq = j.value
WHERE e.batch IN (SELECT batch FROM event WHERE ns = ?1 AND op = 'undo') LIMIT 1"""
_OWNER: Final = "SELECT ns FROM space WHERE space = ? AND collection = 'memory'"


class _Piece(NamedTuple):
    version_id: int
    ord: int
    known_from: Micros
    opened_by: int
    closed_by: int | None
    batch: str | None
    """The undone batch that wrote it, or whose undo did."""
    stays: bool
    """Whether it may be a double; what a batch wrote and withdrew only leads to what came before it."""
    said: list[object]


@dataclass(frozen=True, slots=True)
class Undone:
    """The entries of a space that are left out, ascending, their lengths together, and the doubles among all.

    ``withdrawn``: those left out that no question about today can find.
    ``since``, ``place``, ``version``: for each of ``doubles``, ascending, the known time, the ordinal and the number of
    the version that it brings back.
    """

    ords: Ords
    length: int
    withdrawn: Ords
    doubles: Ords
    since: NDArray[np.int64]
    place: Ords
    version: NDArray[np.int64]

    def originals(self, part: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return columns of candidates with ``known_from``, ``written`` and ``said`` of what doubles bring back.

        ``part``: ``ord``, ``known_from`` and ``item`` of each candidate, and whatever else; ``written`` is an ordinal,
        ``said`` a version.
        """
        ords, known, items = part["ord"], part["known_from"], part["item"]
        if not len(self.doubles):
            return dict(part)
        at = np.minimum(self.doubles.searchsorted(ords), len(self.doubles) - 1)
        double = self.doubles.take(at) == ords
        return {
            **part,
            "known_from": np.where(double, self.since.take(at), known),
            "written": np.where(double, self.place.take(at), ords),
            "said": np.where(double, self.version.take(at), items),
        }

    def first_written(self, ord: int, known_from: Micros, version_id: int) -> tuple[Micros, int]:
        """Return known time and number of a version, those of a double as its original has them."""
        at = int(self.doubles.searchsorted(ord))
        if at == len(self.doubles) or self.doubles[at] != ord:
            return known_from, version_id
        return int(self.since[at]), int(self.version[at])


def find(conn: apsw.Connection, space: int) -> Undone | None:
    """Return what is undone in a space of memories; None where nothing is, and in any other."""
    owner: Any = conn.execute(_OWNER, (space,)).fetchone()
    if owner is None:
        return None
    opened: list[Any] = conn.execute(_OPENED, (owner[0], space)).fetchall()
    originals = dict(_originals(conn, owner[0]))
    withdrawn = {version for version, _, ended, _ in opened if ended}
    # A double of what was withdrawn since stands for itself.
    aside = [
        (ord, length) for version, ord, ended, length in opened
        if ended or (version in originals and originals[version][0] not in withdrawn)
    ]  # fmt: skip
    doubles = sorted((ord, *originals[version]) for version, ord, *_ in opened if version in originals)
    if not aside and not doubles:
        return None
    columns = np.array(doubles, np.int64).reshape(-1, 4)
    return Undone(
        np.array(sorted(ord for ord, _ in aside), np.uint32), sum(length for _, length in aside),
        np.array(sorted(ord for _, ord, ended, _ in opened if ended), np.uint32),
        columns[:, 0].astype(np.uint32), columns[:, 3], columns[:, 2].astype(np.uint32), columns[:, 1],
    )  # fmt: skip


def touches(conn: apsw.Connection, ns: int, opened_by: Iterable[int]) -> bool:
    """Say whether an undone batch, or an undo, wrote any of these events: only then a version may be a double."""
    return conn.execute(_TOUCHED, (ns, json.dumps(list(opened_by)))).fetchone() is not None


def _originals(conn: apsw.Connection, ns: int) -> Iterator[tuple[int, tuple[int, int, Micros]]]:
    """Yield each double with version, ordinal and known time of what it first was."""
    pieces: dict[int, list[_Piece]] = defaultdict(list)
    rows: Any = conn.execute(_PIECES, (ns,))
    for memory_id, version, ord, known, opened, closed, batch, stays, *said in rows:
        pieces[memory_id].append(_Piece(version, ord, known, opened, closed, batch, bool(stays), said))
    written: dict[str, set[int]] = defaultdict(set)
    for seq, batch in conn.execute(_EVENTS, (ns,)) if pieces else ():
        written[str(batch)].add(int(seq))
    for own in pieces.values():
        yield from _of_one(own, written)


def _of_one(pieces: list[_Piece], written: dict[str, set[int]]) -> Iterator[tuple[int, tuple[int, int, Micros]]]:
    """Yield the same for the versions of one memory, in the order in which they were written."""
    first: dict[int, tuple[int, int, Micros]] = {}
    touched = [seq for piece in pieces for seq in (piece.opened_by, piece.closed_by) if seq is not None]
    for piece in pieces:
        if piece.batch is None:
            continue
        own = written.get(piece.batch, set())
        begun = min((seq for seq in touched if seq in own and seq <= piece.opened_by), default=0)
        for before in pieces:
            held = before.opened_by < begun and (before.closed_by is None or before.closed_by >= begun)
            if held and before.said == piece.said:
                known = before.version_id, before.ord, before.known_from
                first[piece.version_id] = first.get(before.version_id, known)
        if piece.stays and piece.version_id in first:
            yield piece.version_id, first[piece.version_id]


class Counted:
    """The posting lists of a space whose statistics leave out what is undone.

    ``past``: also lists of which nothing counts; in questions about today nobody says such a word.
    """

    __slots__ = ("_counts", "_lists", "_past", "_undone", "documents", "mean_length", "size")

    def __init__(self, lists: SpacePostings, undone: Undone, total_length: int, *, past: bool) -> None:
        self._lists, self._undone, self._past = lists, undone, past
        self._counts: dict[str, int] = {}
        self.size = lists.size
        self.documents = lists.documents - len(undone.ords)
        self.mean_length = (total_length - undone.length) / self.documents if self.documents else 0.0

    def postings(self, term: str) -> PostingList | None:
        """Return the list of a term, None when no entry that counts holds it.

        Raises:
            DamagedStoreError: the list's last block is not what this version writes.
        """
        found = self._lists.postings(term)
        if found is None:
            return None
        if term not in self._counts:
            self._counts[term] = found.count - int(np.count_nonzero(found.at(self._undone.ords)))
        count = self._counts[term]
        return _Counted(found, count) if count or self._past else None

    def prefetch(self, terms: Iterable[str]) -> None:
        """Read the last block of every list in one go.

        Raises:
            DamagedStoreError: one of them is not what this version writes.
        """
        self._lists.prefetch(terms)


class _Counted:
    """A list of which only some postings count."""

    __slots__ = ("_list", "count")

    def __init__(self, whole: PostingList, count: int) -> None:
        self._list, self.count = whole, count

    @property
    def read(self) -> int:
        """Postings decoded so far."""
        return self._list.read

    def peak(self, parts: Scores) -> float:
        """Return an upper bound of ``parts[code]`` over the whole list."""
        return self._list.peak(parts)

    def arrays(self) -> tuple[Ords, Codes]:
        """Return all ordinals, ascending, and their codes."""
        return self._list.arrays()

    def at(self, ords: Ords) -> Codes:
        """Return the codes of ascending ordinals, 0 where the list does not hold one."""
        return self._list.at(ords)

    def verify(self) -> None:
        """Raise ``DamagedStoreError`` when the list holds what cannot be."""
        self._list.verify()
