"""The columns of a space: what the masks and the ranking read, one packed record an entry."""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from omoide.model.kinds import KINDS, importance_value
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import RANK
from omoide.search.places import Places

RECORD: Final = np.dtype(
    [
        ("valid_from", "<i8"),
        ("valid_to", "<i8"),
        ("known_from", "<i8"),
        ("known_to", "<i8"),
        ("owner", "<i8"),
        ("item", "<i8"),
        ("flags", "<u4"),
        ("project", "<u4"),
    ]
)

# flags, from the lowest bit: trust 2, archived, pinned, disputed, erased 1 each, kind 5, importance 4, seen 4,
# doubt 4, thread 8
ARCHIVED: Final = 1 << 2
PINNED: Final = 1 << 3
DISPUTED: Final = 1 << 4
ERASED: Final = 1 << 5
_KIND_SHIFT, _IMPORTANCE_SHIFT, _SEEN_SHIFT, _DOUBT_SHIFT, _THREAD_SHIFT = 6, 11, 15, 19, 23
FLAGS_END: Final = 1 << 31
"""Every value of ``flags`` is below it."""
TELLING: Final = PINNED | DISPUTED | (0xE << _SEEN_SHIFT)
"""Bits of which one is set when the state of a memory matters to its rank."""
THREAD_BITS: Final = 0xFF << _THREAD_SHIFT
STANDING: Final = 3 | 0x1F << _KIND_SHIFT | 0xF << _IMPORTANCE_SHIFT | 0xF << _DOUBT_SHIFT
"""Bits of trust, kind, importance and confidence."""
STATE_BITS: Final = ARCHIVED | PINNED | DISPUTED | (0xF << _SEEN_SHIFT)
MOST_SEEN: Final = 15
"""A larger seen-count is kept as this one."""
_DOUBTS: Final = 15
DOUBTS: Final = np.arange(_DOUBTS + 1, dtype=np.float32) / np.float32(_DOUBTS)
"""One less the confidence, by the number that stands for it."""

Bools = NDArray[np.bool_]
Records = NDArray[Any]


def pack_flags(trust: str, kind: str, importance: str | int, thread: int = 0, confidence: float = 1.0) -> int:
    """Return the flags of a new version, its memory's state bits not set; ``thread`` as ``thread_number`` tells."""
    plain = RANK[trust] | KINDS[kind].code << _KIND_SHIFT | importance_value(importance) << _IMPORTANCE_SHIFT
    doubt = round((1 - min(max(confidence, 0.0), 1.0)) * _DOUBTS)
    return plain | doubt << _DOUBT_SHIFT | thread << _THREAD_SHIFT


def thread_number(source: str | None, session: object = None) -> int:
    """Return 1 to 255 for the source, else the session, that entries were told in together, 0 when neither is known.

    Different names may share a number; it only decides whether neighbours lend each other context.
    """
    name = source if source is not None else session
    return 1 + crc32(name.encode("utf-8", "surrogatepass")) % 255 if isinstance(name, str) else 0


def state_bits(*, pinned: bool, archived: bool, disputed: bool, seen: int) -> int:
    """Return the bits of a memory's unversioned state; ``seen`` saturates at ``MOST_SEEN``."""
    return (
        (PINNED if pinned else 0)
        | (ARCHIVED if archived else 0)
        | (DISPUTED if disputed else 0)
        | min(max(seen, 0), MOST_SEEN) << _SEEN_SHIFT
    )


def trust_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the trust ranks, 0 untrusted to 3 stated."""
    return flags & np.uint32(3)


def kind_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the kind codes."""
    return (flags >> np.uint32(_KIND_SHIFT)) & np.uint32(0x1F)


def importance_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return importance, 1 to 10."""
    return (flags >> np.uint32(_IMPORTANCE_SHIFT)) & np.uint32(0xF)


def seen_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return how often the text was said, at most ``MOST_SEEN``."""
    return (flags >> np.uint32(_SEEN_SHIFT)) & np.uint32(0xF)


def doubts_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return one less the confidence, as a place in ``DOUBTS``."""
    return (flags >> np.uint32(_DOUBT_SHIFT)) & np.uint32(0xF)


def kind_and_importance_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return 32 times the importance and the kind code, in one number."""
    return (flags >> np.uint32(_KIND_SHIFT)) & np.uint32(0x1FF)


def thread_of(flags: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the thread numbers, 0 where there is none."""
    return (flags >> np.uint32(_THREAD_SHIFT)) & np.uint32(0xFF)


class Columns:
    """Growing arrays, one a field, of the entries of a space; index is the ordinal."""

    __slots__ = ("_arrays", "_places", "size")

    def __init__(self) -> None:
        self.size = 0
        self._places = Places()
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.empty(0, dtype=RECORD.fields[name][0])  # type: ignore[index]
            for name in RECORD.names or ()
        }

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name][: self.size]

    def extend(self, records: Records) -> None:
        """Append ``records`` (of dtype ``RECORD``) at the end."""
        size = self.size + len(records)
        if size > len(self._arrays["owner"]):
            self._grow(size)
        for name, array in self._arrays.items():
            array[self.size : size] = records[name]
        self.size = size

    def _grow(self, size: int) -> None:
        for name, array in self._arrays.items():
            grown = np.empty(max(size, 2 * len(array), 256), dtype=array.dtype)
            grown[: self.size] = array[: self.size]
            self._arrays[name] = grown

    def replace(self, ords: NDArray[np.int64], records: Records) -> None:
        """Overwrite the entries at ``ords``."""
        if (self._arrays["owner"][ords] != records["owner"]).any():
            self._places = Places()
        for name, array in self._arrays.items():
            array[ords] = records[name]

    def places(self, ords: NDArray[Any]) -> NDArray[Any]:
        """Return for entries the ordinal of the first entry of their owner."""
        return self._places.of(self["owner"], ords)

    def at_time(self, valid_at: Micros, known_at: Micros) -> Bools:
        """Return which entries were believed at ``known_at`` about the world at ``valid_at``."""
        mask: Bools = self["known_from"] <= known_at
        mask &= self["known_to"] > known_at
        mask &= self["valid_from"] <= valid_at
        mask &= self["valid_to"] > valid_at
        return mask


class CurrentMask:
    """Which entries hold now, kept in step with the columns so that a read need not scan them.

    ``hidden`` are the flag bits that keep an entry out; ``least_trust`` the lowest rank let in.
    """

    def __init__(self, columns: Columns, hidden: int, least_trust: int) -> None:
        self._columns, self._hidden, self._least = columns, np.uint32(hidden), least_trust
        self._mask: Bools = np.empty(0, dtype=np.bool_)
        self._size = 0
        self._from, self._until = 0, -1  # the span of time for which the mask holds

    def get(self, now: Micros) -> Bools:
        """Return the mask at ``now``; do not change it."""
        if not self._from <= now < self._until:
            self._rebuild(now)
        elif self._size < self._columns.size:
            self._extend(now)
        return self._mask[: self._size]

    def refresh(self, ords: NDArray[np.int64]) -> None:
        """Compute the entries at ``ords`` anew after their columns changed."""
        known = ords[ords < self._size]
        if self._until > self._from and known.size:
            self._compute(known, self._from)

    def _rebuild(self, now: Micros) -> None:
        self._from, self._until = now, FOREVER
        self._size = 0
        self._extend(now)

    def _extend(self, now: Micros) -> None:
        size = self._columns.size
        if size > len(self._mask):
            grown = np.empty(max(size, 2 * len(self._mask), 256), dtype=np.bool_)
            grown[: self._size] = self._mask[: self._size]
            self._mask = grown
        fresh = slice(self._size, size)
        self._size, self._from = size, now
        self._compute(fresh, now)

    def _compute(self, where: slice | NDArray[np.int64], now: Micros) -> None:
        columns = self._columns
        starts, ends = columns["valid_from"][where], columns["valid_to"][where]
        open_ = (columns["known_to"][where] == FOREVER) & (columns["flags"][where] & self._hidden == 0)
        if self._least:
            open_ &= trust_of(columns["flags"][where]) >= self._least
        self._mask[where] = open_ & (starts <= now) & (ends > now)
        self._until = min(self._until, _first_after(starts, open_, now), _first_after(ends, open_, now))


def _first_after(moments: NDArray[np.int64], among: Bools, now: Micros) -> Micros:
    later = moments[among & (moments > now)]
    return int(later.min()) if later.size else FOREVER
