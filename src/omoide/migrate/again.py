"""What an undo took back of an import, said again by the next one, which has seen the undo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from omoide.migrate.telling import REF, after, top_of
from omoide.model.carried import CarriedMemory, CarriedVersion
from omoide.model.lineage import Stamp
from omoide.model.time import FOREVER, Micros
from omoide.model.walk import version_key
from omoide.store.sqlite.transaction import Read


def said_again(tx: Read, mine: CarriedMemory) -> list[CarriedVersion]:
    """Return the statements of a memory to be made anew; none unless an undo was the last that touched it.

    A memory that the undo ended comes back as it was; one that it put back to an earlier state gets the edits of the
    undone import once more.
    """
    touched = {event for version in mine.versions for event in (version.opened_by, version.closed_by) if event}
    last = max(touched, default=0)
    if _op(tx, last) != "undo":
        return []
    top = top_of(mine)
    if mine.state.ended == "forget":
        stamp = after(top, tx.now)
        return [_made(mine.uid, each, stamp, tx.now, "restore") for each in mine.versions if each.closed_by == last]
    if mine.state.ended is not None:
        return []
    again: list[CarriedVersion] = []
    for each in sorted(_lost(tx, mine), key=lambda version: version.stamp):
        top = after(top, tx.now)
        again.append(_made(mine.uid, each, top, tx.now, "revise"))
    return again


def _lost(tx: Read, mine: CarriedMemory) -> list[CarriedVersion]:
    """Return the edits of the source that an undo of their import ended."""
    batches = {version.batch for version in mine.versions if version.batch is not None}
    undone = {batch for batch in batches if tx.batches.is_undone(batch)}
    return [
        version
        for version in mine.versions
        if version.edit and not version.open and version.batch in undone and (version.origin or {}).get(REF) is not None
    ]


def _made(uid: str, version: CarriedVersion, stamp: Stamp, now: Micros, cause: str) -> CarriedVersion:
    key = version_key(uid, stamp, cause, version.claim, version.valid_from, version.valid_to)
    return replace(
        version, key=key, root=key, stamp=stamp, said=now, known_from=now, known_to=FOREVER, cause=cause, opened_by=1,
        closed_by=None, closed_cause=None,
    )  # fmt: skip


def _op(tx: Read, event: int) -> str:
    row: Any = tx.connection.execute("SELECT op FROM event WHERE seq = ?", (event,)).fetchone()
    return "" if row is None else str(row[0])
