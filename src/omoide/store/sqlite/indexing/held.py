"""Terms of entries that wait to be put into the posting lists, several entries at once.

A long text has hundreds of terms, and each list that it joins is a page to write. So its terms are written into one
row of ``held``, where every reader finds them, and join the lists together with those of other entries. The id of a
row is ``space << 32 | ordinal``; ``marks`` are the CRC-32 of the terms, ``codes`` what the lists will say
(``omoide.search.bm25``), both little-endian, ``terms`` the terms themselves in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final
from zlib import crc32

import apsw
import numpy as np

from omoide.errors import DamagedStoreError
from omoide.search.bm25 import CODES
from omoide.search.postings import Codes, Ords, PostingList, Postings, Scores
from omoide.store.sqlite.indexing.posting_blocks import LOW
from omoide.store.sqlite.indexing.posting_bulk import Grouped, by_term

TOGETHER: Final = 128
"""Entries that join the lists together."""

_SEPARATOR: Final = "\x1e"
_PUT: Final = "INSERT INTO held(id, marks, codes, terms) VALUES(?, ?, ?, ?)"
_RANGE: Final = "FROM held WHERE id BETWEEN ? AND ?"
_READ: Final = f"SELECT id, marks, codes {_RANGE} ORDER BY id"
_WORDS: Final = "SELECT terms FROM held WHERE id = ?"
_ALL: Final = f"SELECT id, marks, codes, terms {_RANGE} ORDER BY id"


def fits(codes: Mapping[str, int]) -> bool:
    """Tell whether the terms can be told apart in one row."""
    return bool(codes) and _SEPARATOR not in "".join(codes)


def put(conn: apsw.Connection, space: int, entry: int, codes: Mapping[str, int]) -> None:
    """Write the terms of an entry with their codes."""
    terms = _SEPARATOR.join(codes)
    marks = np.fromiter(map(crc32, terms.encode("utf-8").split(_SEPARATOR.encode())), "<u4", len(codes))
    values = np.fromiter(codes.values(), "<u2", len(codes))
    conn.execute(_PUT, (space << 32 | entry, marks.tobytes(), values.tobytes(), terms))


def waiting(conn: apsw.Connection, space: int) -> int:
    """Return how many entries of a space wait."""
    return int(conn.execute(f"SELECT count(*) {_RANGE}", _bounds(space)).get)


def remove(conn: apsw.Connection, space: int, entry: int) -> int:
    """Erase the terms of an entry; return how many there were, 0 when it does not wait."""
    rows: Any = conn.execute("DELETE FROM held WHERE id = ? RETURNING marks", (space << 32 | entry,)).fetchall()
    return sum(len(row[0]) // 4 for row in rows)


def drop(conn: apsw.Connection, space: int) -> None:
    """Erase what a space holds back."""
    conn.execute(f"DELETE {_RANGE}", _bounds(space))


def taken(conn: apsw.Connection, space: int) -> Grouped | None:
    """Remove all that waits in a space and return it as postings by term, None when nothing waits.

    Raises:
        DamagedStoreError: a row is not what this version writes.
    """
    rows = whole(conn, space)
    if not rows:
        return None
    drop(conn, space)
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(term, len(numbers)) for _, _, terms in rows for term in terms]
    owners = np.repeat(np.array([entry for entry, _, _ in rows], np.int64), [len(terms) for _, _, terms in rows])
    terms = np.array(which, np.int64)
    order = np.lexsort((owners, terms))
    codes = np.concatenate([codes for _, codes, _ in rows])
    return by_term(numbers, terms[order], owners[order], codes[order], [], [])


def whole(conn: apsw.Connection, space: int) -> list[tuple[int, Codes, list[str]]]:
    """Return (entry, codes, terms) of all that waits in a space.

    Raises:
        DamagedStoreError: a row is not what this version writes.
    """
    found: list[tuple[int, Codes, list[str]]] = []
    for key, marks, codes, terms in conn.execute(_ALL, _bounds(space)):
        if not isinstance(terms, str):
            raise _damaged(key)
        words, values = terms.split(_SEPARATOR), _checked(key, marks, codes)[1]
        if len(words) != len(values) or len(set(words)) != len(words):
            raise _damaged(key)
        found.append((key & LOW, values, words))
    return found


def _bounds(space: int) -> tuple[int, int]:
    return space << 32, space << 32 | LOW


def _checked(key: int, marks: object, codes: object) -> tuple[Any, Codes]:
    sound = isinstance(marks, bytes) and isinstance(codes, bytes) and 0 < len(marks) == 2 * len(codes)
    if not sound or len(marks) % 4:  # type: ignore[arg-type]
        raise _damaged(key)
    values = np.frombuffer(codes, "<u2")  # type: ignore[call-overload]
    if int(values.max()) >= CODES or int(values.min()) < CODES >> 4:
        raise _damaged(key)
    return np.frombuffer(marks, "<u4"), values  # type: ignore[call-overload]


def _damaged(key: int) -> DamagedStoreError:
    return DamagedStoreError(
        f"row {key} of table held holds no terms of an entry; rebuild() makes the index anew", value=key
    )


class Held:
    """What waits in a space, as of the caller's read transaction; read when it is first asked for."""

    def __init__(self, conn: apsw.Connection, space: int) -> None:
        self._conn, self._space = conn, space
        self._words: dict[int, str] = {}

    @cached_property
    def _read(self) -> tuple[Any, Codes, Any, Any]:
        """Marks and codes of all rows one after the other, then the ordinal and the first place of each row."""
        rows = [
            (key & LOW, *_checked(key, marks, codes))
            for key, marks, codes in self._conn.execute(_READ, _bounds(self._space))
        ]
        if not rows:
            none = np.zeros(0, np.uint32)
            return none, np.zeros(0, np.uint16), none, none
        starts = np.cumsum([0, *(len(marks) for _, marks, _ in rows[:-1])])
        marks, codes = (np.concatenate([row[part] for row in rows]) for part in (1, 2))
        return marks, codes, np.array([row[0] for row in rows], np.uint32), starts

    def of(self, term: str) -> Postings | None:
        """Return the postings of a term, None when no waiting entry holds it."""
        marks, codes, ords, starts = self._read
        if not len(ords):
            return None
        places = np.flatnonzero(marks == np.uint32(crc32(term.encode("utf-8", "surrogatepass"))))
        if not len(places):
            return None
        rows = starts.searchsorted(places, "right") - 1
        whole = f"{_SEPARATOR}{term}{_SEPARATOR}"
        sure = np.array([whole in self._terms(entry) for entry in ords[rows].tolist()], np.bool_)
        return Postings(ords[rows[sure]], codes[places[sure]]) if sure.any() else None

    def _terms(self, entry: int) -> str:
        """Return the terms of an entry, each between two separators: another term may have the same mark."""
        if entry not in self._words:
            found: Any = self._conn.execute(_WORDS, (self._space << 32 | entry,)).get
            self._words[entry] = f"{_SEPARATOR}{found}{_SEPARATOR}"
        return self._words[entry]


def vocabulary(conn: apsw.Connection, space: int) -> set[str]:
    """Return the terms that wait in a space."""
    rows: Any = conn.execute(f"SELECT terms {_RANGE}", _bounds(space))
    return {term for row in rows for term in str(row[0]).split(_SEPARATOR)}


class Joined:
    """A posting list and what waits to join it, whose ordinals all come after its own."""

    __slots__ = ("_list", "_more", "count")

    def __init__(self, stored: PostingList, more: Postings) -> None:
        self._list, self._more = stored, more
        self.count = stored.count + more.count

    @property
    def read(self) -> int:
        """Postings decoded so far."""
        return self._list.read + self._more.read

    def peak(self, parts: Scores) -> float:
        """Return an upper bound of ``parts[code]`` over the list."""
        return max(self._list.peak(parts), self._more.peak(parts))

    def arrays(self) -> tuple[Ords, Codes]:
        """Return all ordinals, ascending, and their codes."""
        ords, codes = self._list.arrays()
        return np.concatenate([ords, self._more.ords]), np.concatenate([codes, self._more.codes])

    def at(self, ords: Ords) -> Codes:
        """Return the codes of ascending ordinals, 0 where the list does not hold one."""
        cut = int(ords.searchsorted(self._more.ords[0]))
        if cut == len(ords):
            return self._list.at(ords)
        if not cut:
            return self._more.at(ords)
        return np.concatenate([self._list.at(ords[:cut]), self._more.at(ords[cut:])])

    def verify(self) -> None:
        """Raise ``DamagedStoreError`` when the list holds what cannot be."""
        self._list.verify()
        self._more.verify()
        stored = self._list.arrays()[0]
        if len(stored) and int(stored[-1]) >= int(self._more.ords[0]):
            raise DamagedStoreError("a waiting entry comes before those in the lists; rebuild() makes the index anew")
