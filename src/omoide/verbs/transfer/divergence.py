"""Memories that were edited in two copies at once, until somebody has looked at what came out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from omoide.model.lineage import KEPT, MERGE
from omoide.model.records import Row
from omoide.model.time import to_datetime
from omoide.model.walk import travelled
from omoide.store.sqlite.relations import LinkRow
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.carrying import taken_in
from omoide.types import Conflict

DIVERGED: Final = "diverged"
"""Kind of the link of a memory to itself that says it was edited in two copies at once."""


def diverged(tx: Read, ns: int) -> list[Conflict]:
    """Return the memories of a namespace that were edited in two copies and not by anybody since."""
    found: dict[int, Conflict] = {}
    for link in tx.relations.links_of_kind(DIVERGED, ns):
        if not is_settled(tx, link):
            found[link.from_id] = Conflict("merge", (link.from_id,), link.reason or "", to_datetime(link.at))
    return list(found.values())


def is_settled(tx: Read, link: LinkRow) -> bool:
    """Say whether somebody edited, ended or confirmed a memory after the merge that a link tells of."""
    rows = tx.versions.of_memory(link.from_id)
    foreign = taken_in(
        tx.connection, {event for row in rows for event in (row.opened_by, row.closed_by) if event is not None}
    )
    if any(_later(row, link, foreign) for row in rows):
        return True
    return any(item.cause == "confirm" and item.at > link.at for item in tx.relations.evidence(link.from_id))


def _later(row: Row, link: LinkRow, foreign: Collection[int]) -> bool:
    closed = row.closed_by is not None and row.closed_by > link.event and row.closed_by not in foreign
    if row.cause in (KEPT, MERGE):
        return closed
    if travelled(row):
        return closed or int((row.origin or {}).get("known_from", 0)) > link.at
    return closed or row.opened_by > link.event
