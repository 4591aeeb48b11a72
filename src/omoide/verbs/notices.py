"""What a write should know about what is already there; exact and keyword evidence only, so cost stays flat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from omoide.model.policy import WriteScope
from omoide.model.records import Claim, Row
from omoide.model.time import Micros
from omoide.search.prepared import Prepared
from omoide.store.sqlite.transaction import Write
from omoide.types import Notice

_SHOWN: Final = 5
_CONFLICTS: Final = ("contradiction", "corrected")


def before_insert(
    tx: Write, scope: WriteScope, claim: Claim, prepared: Prepared, start: Micros, end: Micros, twins: Sequence[Row]
) -> list[Notice]:
    """Return the notices of a new memory: a value corrected before, contradictions, near-duplicates."""
    if not scope.readable:
        return []
    ns = tx.namespaces.id(scope.namespace)
    if ns is None:
        return []
    found = [_was_corrected(twins), _contradiction(tx, ns, claim, start, end), _near_duplicate(tx, ns, prepared)]
    return [notice for notice in found if notice is not None]


def corrected_before(correction: Row) -> Notice:
    """Return the notice that a value was corrected after it was observed."""
    return Notice(
        "corrected_before",
        f"this value was corrected: memory {correction.memory_id} now says {correction.claim.text[:120]!r};"
        " kept as evidence only",
        (correction.memory_id,),
    )


def link_conflicts(tx: Write, memory_id: int, found: Sequence[Notice]) -> None:
    """Record the conflicts among the notices of a new memory, so that ``conflicts`` lists them."""
    for notice in found:
        if notice.code in _CONFLICTS:
            for other in notice.ids:
                tx.relations.add_link("conflict", memory_id, other, at=tx.now, event=tx.seq, reason=notice.code)


def _was_corrected(twins: Sequence[Row]) -> Notice | None:
    corrected = [row for row in twins if row.closed_cause in ("revise", "update", "dedupe", "supersede")]
    if not corrected:
        return None
    ids = tuple(dict.fromkeys(row.memory_id for row in corrected))[:_SHOWN]
    return Notice("corrected", f"the same value was corrected before, in memory {ids[0]}", ids)


def _contradiction(tx: Write, ns: int, claim: Claim, start: Micros, end: Micros) -> Notice | None:
    """Another value of the same subject and predicate at an overlapping time."""
    if claim.subject is None or claim.predicate is None:
        return None
    rows = tx.versions.about(ns, claim.subject, claim.predicate, start, end, _SHOWN)
    ids = tuple(dict.fromkeys(row.memory_id for row in rows if row.claim.text != claim.text))
    if not ids:
        return None
    said = next(row.claim.text for row in rows if row.memory_id == ids[0])
    return Notice(
        "contradiction",
        f"memory {ids[0]} says {said[:120]!r} about {claim.subject} {claim.predicate}; revise it if this replaces it",
        ids,
    )


def _near_duplicate(tx: Write, ns: int, prepared: Prepared) -> Notice | None:
    """A memory with the same content words."""
    if prepared.gist is None:
        return None
    ids = tuple(tx.versions.with_gist(ns, prepared.gist, _SHOWN))
    return Notice("near_duplicate", f"memory {ids[0]} says nearly the same", ids) if ids else None
