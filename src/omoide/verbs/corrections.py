"""A value that was corrected and is said again: by someone who saw it before the correction, or after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from omoide.model.records import Row
from omoide.model.time import Micros
from omoide.store.sqlite.transaction import Write
from omoide.text.lookalikes import skeleton
from omoide.types import MemoryId, Notice

CORRECTING: Final = ("revise", "update", "dedupe", "supersede")
"""Causes by which one value takes the place of another."""


def correction_of(tx: Write, row: Row) -> Row | None:
    """Return the version that replaced the value of a closed row, or None when none did."""
    if row.open or row.closed_cause not in CORRECTING:
        return None
    assert row.closed_by is not None
    found = tx.versions.opened_by(row.closed_by, tx.namespaces.ensure(row.namespace, tx.now))
    said = skeleton(row.claim.text)
    return next((new for new in found if new.cause in CORRECTING and skeleton(new.claim.text) != said), None)


def stale_statement(
    tx: Write, twins: Sequence[Row], told: Micros, source: str | None, observed_at: Micros | None
) -> MemoryId | None:
    """Keep as evidence what was observed at ``told``, before its correction was; None when it was not.

    ``twins``: every version with the value that is said, in the order they were written.
    """
    for row in reversed(twins):
        correction = correction_of(tx, row)
        if correction is not None and told < correction.observed:
            return _note(tx, row, correction, source, observed_at)
    return None


def _note(tx: Write, row: Row, correction: Row, source: str | None, observed_at: Micros | None) -> MemoryId:
    tx.relations.add_evidence(
        row.memory_id, version_id=row.version_id, source=source, observed_at=observed_at, at=tx.now, voice=tx.voice,
        cause="corrected", event=tx.seq,
    )  # fmt: skip
    tx.log("evidence", row.namespace, [row.memory_id])
    message = (
        f"this value was corrected: memory {correction.memory_id} now says {correction.claim.text[:120]!r};"
        " kept as evidence only"
    )
    return MemoryId(row.memory_id, [Notice("corrected_before", message, (correction.memory_id,))])
