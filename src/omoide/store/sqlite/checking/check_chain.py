"""Whether the audit chain is whole: every event follows from the one before it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import apsw

from omoide.errors import InvalidInputError
from omoide.model.chain import GENESIS, link
from omoide.store.sqlite.checking.findings import some

LOST: Final = "lost_events"
"""The setting that lists the stretches of events a repair found lost: [[last before, first after], ...]."""

_EVENTS: Final = "SELECT seq, at, ns, actor, door, op, targets, batch, seals, hash FROM event ORDER BY seq"
_REFERENCES: Final = (
    "SELECT max(opened_by) FROM version", "SELECT max(closed_by) FROM version WHERE closed_by IS NOT NULL",
    "SELECT max(event) FROM evidence", "SELECT max(event) FROM link", "SELECT max(event) FROM rejection",
    "SELECT max(event) FROM idempotency", "SELECT max(event) FROM purged", "SELECT max(ended_by) FROM memory",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: a sequence number and the hash of that event."""

    seq: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash.hex()}"


def head(conn: apsw.Connection) -> Head:
    """Return the end of the chain."""
    row: Any = conn.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    return Head(0, GENESIS) if row is None else Head(row[0], row[1])


def parse_head(text: object) -> Head:
    """Return a head that was kept elsewhere.

    Raises:
        InvalidInputError: the text is no head.
    """
    seq, _, digest = str(text).strip().partition(":")
    try:
        parsed = Head(int(seq), bytes.fromhex(digest))
    except ValueError:
        parsed = Head(-1, b"")
    if parsed.seq < 0 or len(parsed.hash) != len(GENESIS):
        raise InvalidInputError(f"a head is the text that head() returned, not {text!r}", value=text)
    return parsed


def findings(conn: apsw.Connection, *, known: bool = False) -> list[str]:
    """Return where the chain is broken; ``known``: what a repair found lost is told as well."""
    lost = [] if known else lost_stretches(conn)
    return [
        *some("the audit chain is broken: {0}; keep this file and ask who else writes to it", _breaks(conn, lost)),
        *_cut_off(conn),
    ]


def head_findings(conn: apsw.Connection, kept: Head) -> list[str]:
    """Return what tells that a head kept elsewhere does not lie on the chain."""
    end = head(conn)
    if kept.seq == 0:
        return [] if kept.hash == GENESIS else ["the head does not belong to any chain"]
    row: Any = conn.execute("SELECT hash FROM event WHERE seq = ?", (kept.seq,)).fetchone()
    if row is not None:
        return [] if row[0] == kept.hash else [f"event {kept.seq} is not the one of the head: the chain was rewritten"]
    if kept.seq > end.seq:
        return [f"the chain ends at event {end.seq}, the head is event {kept.seq}: later events were removed"]
    return [f"event {kept.seq}, the one of the head, is missing"]


def lost_stretches(conn: apsw.Connection) -> list[tuple[int, int]]:
    """Return the stretches that a repair found lost, as (last event before, first event after)."""
    row: Any = conn.execute("SELECT value FROM setting WHERE key = ?", (LOST,)).fetchone()
    return [] if row is None else [(before, after) for before, after in json.loads(row[0])]


def gaps(conn: apsw.Connection) -> list[tuple[int, int]]:
    """Return every stretch of events that is missing, as (last event before, first event after)."""
    found: list[tuple[int, int]] = []
    last = 0
    for (seq,) in conn.execute("SELECT seq FROM event ORDER BY seq"):
        if seq != last + 1:
            found.append((last, seq))
        last = seq
    return found


def highest_reference(conn: apsw.Connection) -> int:
    """Return the highest event number that any row refers to."""
    return max(conn.execute(sql).get or 0 for sql in _REFERENCES)


def _breaks(conn: apsw.Connection, lost: list[tuple[int, int]]) -> Iterator[str]:
    last, previous = 0, GENESIS
    rows: Any = conn.execute(_EVENTS)
    for seq, at, ns, actor, door, op, targets, batch, seals, stored in rows:
        if seq != last + 1:
            if (last, seq) not in lost:
                yield f"events {last + 1} to {seq - 1} are missing"
        elif stored != _link(previous, seq, at, ns, actor, door, op, targets, batch, seals):
            yield f"event {seq} is not what was written"
        last, previous = seq, stored if isinstance(stored, bytes) else b""


def _link(
    previous: bytes, seq: int, at: int, ns: int | None, actor: str | None, door: str, op: str, targets: str,
    batch: str | None, seals: bytes | None,
) -> bytes | None:  # fmt: skip
    try:
        ids = json.loads(targets)
        return link(
            previous, seq=seq, at=at, namespace=ns, actor=actor, door=door, op=op, targets=ids, batch=batch,
            seals=seals or b"",
        )  # fmt: skip
    except (TypeError, ValueError):
        return None


def _cut_off(conn: apsw.Connection) -> Iterator[str]:
    end, highest = head(conn).seq, highest_reference(conn)
    if highest > end:
        yield f"the audit chain ends at event {end}, yet rows refer to event {highest}: later events were removed"
