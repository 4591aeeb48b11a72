"""Whether the versions are those that the events of the audit chain tell of: none changed, added or removed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

import apsw

from omoide.model.chain import closing_seal, opening_seal, sealed_ids
from omoide.store.sqlite.checking.findings import some
from omoide.store.sqlite.versions import SEALED_ROWS

_EVENTS: Final = "SELECT seq, seals FROM event ORDER BY seq"
_CLOSED: Final = (
    "SELECT closed_by, memory_id, version_id, known_to, closed_cause FROM version"
    " WHERE closed_by IS NOT NULL ORDER BY closed_by, version_id"
)
_HALF_CLOSED: Final = "SELECT version_id FROM version WHERE (closed_by IS NULL) <> (known_to IS NULL)"
_ORPHANS: Final = "SELECT id FROM memory m WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.memory_id = m.id)"
_PURGES: Final = "SELECT targets FROM event WHERE op = 'purge'"
Sealed = tuple[int, int, bytes]


def findings(conn: apsw.Connection) -> list[str]:
    """Return where rows and events differ, none when every version is as it was written."""
    return [
        *some("{0}; the file was changed by something else than omoide", _differences(conn)),
        *some(
            "version {0} is ended and not ended at once; the file was changed by something else than omoide",
            (row[0] for row in conn.execute(_HALF_CLOSED)),
        ),
        *some(
            "memory {0} has no versions; the file was changed by something else than omoide",
            (row[0] for row in conn.execute(_ORPHANS)),
        ),
    ]


def _differences(conn: apsw.Connection) -> Iterator[str]:
    purged = {target for (targets,) in conn.execute(_PURGES) for target in json.loads(targets)}
    opened, closed = _Groups(_opened(conn)), _Groups(_closed(conn))
    for seq, seals in conn.execute(_EVENTS):
        told = Counter(seal for _, _, seal in sealed_ids(seals or b""))
        yield from _unknown(seq, told, opened.of(seq), "is not what event {0} wrote")
        yield from _unknown(seq, told, closed.of(seq), "did not end as event {0} says")
        gone = {(memory, version) for memory, version, _ in sealed_ids(b"".join(told.elements()))}
        for memory, version in sorted(gone):
            if memory not in purged:
                yield f"version {version} of memory {memory}, told of by event {seq}, is missing or changed"
    for event, memory, version, _ in (*opened.rest(), *closed.rest()):
        yield f"version {version} of memory {memory} names event {event}, which does not exist"


def _unknown(seq: int, told: Counter[bytes], rows: Iterable[Sealed], what: str) -> Iterator[str]:
    """Take the seals of rows off what an event told; yield the rows that it did not tell of."""
    for memory, version, seal in rows:
        if told[seal] > 0:
            told[seal] -= 1
        else:
            yield f"version {version} of memory {memory} {what.format(seq)}"


def _opened(conn: apsw.Connection) -> Iterator[tuple[int, int, int, bytes]]:
    rows: Any = conn.execute(SEALED_ROWS)
    for event, memory, version, salt, text, *values in rows:
        yield event, memory, version, opening_seal(memory, version, salt or b"", text, values)


def _closed(conn: apsw.Connection) -> Iterator[tuple[int, int, int, bytes]]:
    rows: Any = conn.execute(_CLOSED)
    for event, memory, version, at, cause in rows:
        yield event, memory, version, closing_seal(memory, version, at, cause)


class _Groups:
    """Rows in the order of their events, taken event by event."""

    def __init__(self, rows: Iterator[tuple[int, int, int, bytes]]) -> None:
        self._groups = groupby(rows, key=lambda row: row[0])
        self._next = next(self._groups, None)
        self._left: list[tuple[int, int, int, bytes]] = []

    def of(self, seq: int) -> Iterator[Sealed]:
        """Yield the rows of an event; rows of events that were passed over are kept for ``rest``."""
        while self._next is not None and self._next[0] < seq:
            self._left += self._next[1]
            self._next = next(self._groups, None)
        if self._next is not None and self._next[0] == seq:
            for _, memory, version, seal in self._next[1]:
                yield memory, version, seal
            self._next = next(self._groups, None)

    def rest(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield the rows whose event did not come."""
        yield from self._left
        while self._next is not None:
            yield from self._next[1]
            self._next = next(self._groups, None)
