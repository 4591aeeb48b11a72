"""The audit table: appended to, never changed, each line chained to the one before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from omoide.model.chain import GENESIS, link
from omoide.model.records import Voice
from omoide.model.time import Micros

_FIELDS: Final = "seq, at, ns, actor, door, op, targets, batch, hash"


@dataclass(frozen=True, slots=True)
class EventRow:
    """One audit line."""

    seq: int
    at: Micros
    ns: int | None
    actor: str | None
    door: str
    op: str
    targets: tuple[int, ...]
    batch: str | None
    hash: bytes


class Events:
    """Reads and appends to the ``event`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def last(self) -> tuple[int, Micros, bytes]:
        """Return (sequence, time, hash) of the last event; zeros before the first."""
        row = self._connection.execute("SELECT seq, at, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        return (0, 0, GENESIS) if row is None else (row[0], row[1], row[2])

    def append(
        self, previous: tuple[int, Micros, bytes], *, at: Micros, ns: int | None, voice: Voice, op: str,
        targets: Sequence[int], seals: bytes = b"",
    ) -> tuple[int, Micros, bytes]:  # fmt: skip
        """Write the event after ``previous`` and return it as the new last."""
        seq = previous[0] + 1
        digest = link(
            previous[2], seq=seq, at=at, namespace=ns, actor=voice.actor, door=voice.door, op=op, targets=targets,
            batch=voice.batch, seals=seals,
        )  # fmt: skip
        self._connection.execute(
            f"INSERT INTO event({_FIELDS}, seals) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (seq, at, ns, voice.actor, voice.door, op, json.dumps(list(targets), separators=(",", ":")), voice.batch,
             digest, seals or None),
        )  # fmt: skip
        return (seq, at, digest)

    def amend(self, last: tuple[int, Micros, bytes], seals: bytes) -> tuple[int, Micros, bytes]:
        """Add seals to the last event, which this transaction wrote; return it as it is now."""
        row: Any = self._connection.execute(
            "SELECT ns, actor, door, op, targets, batch, seals FROM event WHERE seq = ?", (last[0],)
        ).fetchone()
        before: Any = self._connection.execute("SELECT hash FROM event WHERE seq = ?", (last[0] - 1,)).fetchone()
        ns, actor, door, op, targets, batch, told = row
        whole = (told or b"") + seals
        digest = link(
            GENESIS if before is None else before[0], seq=last[0], at=last[1], namespace=ns, actor=actor, door=door,
            op=op, targets=json.loads(targets), batch=batch, seals=whole,
        )  # fmt: skip
        self._connection.execute("UPDATE event SET seals = ?, hash = ? WHERE seq = ?", (whole, digest, last[0]))
        return (last[0], last[1], digest)

    def between(
        self, since: Micros, until: Micros | None = None, *, ns: Sequence[int] | None = None
    ) -> Iterator[EventRow]:
        """Yield the events of ``[since, until)``, in order."""
        condition, values = _within(since, until, ns)
        for row in self._connection.execute(f"SELECT {_FIELDS} FROM event WHERE {condition} ORDER BY seq", values):
            yield _event(row)

    def numbers_between(self, since: Micros, until: Micros | None, ns: Sequence[int]) -> list[int]:
        """Return the numbers of the events of ``[since, until)`` in some namespaces, in order."""
        condition, values = _within(since, until, ns)
        return [
            row[0] for row in self._connection.execute(f"SELECT seq FROM event WHERE {condition} ORDER BY seq", values)
        ]

    def of_batch(self, batch: str) -> list[EventRow]:
        """Return the events of a batch, in order."""
        rows = self._connection.execute(f"SELECT {_FIELDS} FROM event WHERE batch = ? ORDER BY seq", (batch,))
        return [_event(row) for row in rows]

    def all(self) -> Iterator[EventRow]:
        """Yield every event, in order."""
        for row in self._connection.execute(f"SELECT {_FIELDS} FROM event ORDER BY seq"):
            yield _event(row)


def _within(since: Micros, until: Micros | None, ns: Sequence[int] | None) -> tuple[str, list[int]]:
    condition, values = "at >= ?", [since]
    if until is not None:
        condition, values = condition + " AND at < ?", [*values, until]
    if ns is not None:
        condition += f" AND ns IN ({','.join('?' * len(ns))})"
        values = [*values, *ns]
    return condition, values


def every_event(conn: apsw.Connection) -> Iterator[tuple[EventRow, bytes]]:
    """Yield every event, in order, with the seals of the rows that it wrote."""
    for row in conn.execute(f"SELECT {_FIELDS}, seals FROM event ORDER BY seq"):
        yield _event(row), row[9] or b""


def _event(row: Sequence[Any]) -> EventRow:
    return EventRow(row[0], row[1], row[2], row[3], row[4], row[5], tuple(json.loads(row[6])), row[7], row[8])
