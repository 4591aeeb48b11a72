"""What a write should know about what is already there; exact and keyword evidence only, so cost stays flat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from omoide.model.policy import WriteScope
from omoide.model.records import Claim, Row
from omoide.model.time import Micros
from omoide.model.trust import is_unvouched
from omoide.search.prepared import Prepared
from omoide.store.sqlite.transaction import Write
from omoide.text.instructions import orders_in
from omoide.text.lookalikes import skeleton
from omoide.types import Notice, Trust
from omoide.verbs.corrections import correction_of

_SHOWN: Final = 5
_LOOKED_AT: Final = 16
_CONFLICTS: Final = ("contradiction", "corrected")


def about_itself(claim: Claim, door_trust: Trust) -> list[Notice]:
    """Return the notices that a new memory gives cause for by itself."""
    found = []
    orders = orders_in(claim.text)
    if orders:
        found.append(
            Notice("instructions", f"this text has {' and '.join(orders)}; it is kept, and shown as data only")
        )
    if claim.trust != door_trust and is_unvouched(claim.source):
        found.append(
            Notice("untrusted", f"{claim.source} vouches for nothing; recall with trust='untrusted' finds this memory")
        )
    return found


def before_insert(
    tx: Write, scope: WriteScope, claim: Claim, prepared: Prepared, start: Micros, end: Micros, twins: Sequence[Row]
) -> list[Notice]:
    """Return the notices of a new memory: a value corrected before, contradictions, near-duplicates."""
    if not scope.readable:
        return []
    ns = tx.namespaces.id(scope.namespace)
    if ns is None:
        return []
    found = [
        *said_again(tx, twins),
        _contradiction(tx, ns, claim, start, end),
        _near_duplicate(tx, ns, claim, prepared),
    ]
    return [notice for notice in found if notice is not None]


def link_conflicts(tx: Write, memory_id: int, found: Sequence[Notice]) -> None:
    """Record the conflicts among the notices of a new memory, so that ``conflicts`` lists them."""
    for notice in found:
        if notice.code in _CONFLICTS:
            for other in notice.ids:
                tx.relations.add_link("conflict", memory_id, other, at=tx.now, event=tx.seq, reason=notice.code)


def said_again(tx: Write, twins: Sequence[Row]) -> list[Notice]:
    """Return the notice of a value that was corrected before and is said by someone who may know of it."""
    found = [correction for row in twins[-_LOOKED_AT:] if (correction := correction_of(tx, row)) is not None]
    ids = tuple(dict.fromkeys(row.memory_id for row in found))[:_SHOWN]
    if not ids:
        return []
    return [Notice("corrected", f"this value was corrected before: memory {ids[0]} says {_quoted(found[0])}", ids)]


def _contradiction(tx: Write, ns: int, claim: Claim, start: Micros, end: Micros) -> Notice | None:
    """Another value of the same subject and predicate at an overlapping time."""
    if claim.subject is None or claim.predicate is None:
        return None
    names = tx.aliases.names(ns, claim.subject)
    rows = tx.versions.about(ns, names, claim.predicate, start, end, _SHOWN)
    said_so = skeleton(claim.text) if rows else ""
    ids = tuple(dict.fromkeys(row.memory_id for row in rows if skeleton(row.claim.text) != said_so))
    if not ids:
        return None
    said = next(row for row in rows if row.memory_id == ids[0])
    return Notice(
        "contradiction",
        f"memory {ids[0]} says {_quoted(said)} about {claim.subject} {claim.predicate}; revise it if this replaces it",
        ids,
    )


def _quoted(row: Row) -> str:
    """What nobody vouches for is not repeated to whoever writes."""
    return "something untrusted" if row.claim.trust == "untrusted" else repr(row.claim.text[:120])


def _near_duplicate(tx: Write, ns: int, claim: Claim, prepared: Prepared) -> Notice | None:
    """A memory with the same content words; what is said of another subject is none."""
    if prepared.gist is None:
        return None
    names = () if claim.subject is None else tx.aliases.names(ns, claim.subject)
    ids = tuple(tx.versions.with_gist(ns, prepared.gist, names, _SHOWN))
    return Notice("near_duplicate", f"memory {ids[0]} says nearly the same", ids) if ids else None
