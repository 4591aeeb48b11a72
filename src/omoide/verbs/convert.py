"""Rows of the store as the values that users see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from omoide.model.records import Row, State
from omoide.model.time import FOREVER, Micros, optional_datetime, to_datetime
from omoide.store.sqlite.relations import EvidenceRow
from omoide.store.sqlite.shown import Shown
from omoide.types import Evidence, Hit, MemoryRecord, Provenance, Version


def version_of(row: Row, evidence: Sequence[EvidenceRow] = ()) -> Version:
    """Return a row as a version."""
    claim = row.claim
    return Version(
        version_id=row.version_id, memory_id=row.memory_id, text=claim.text, valid_from=to_datetime(row.valid_from),
        valid_to=optional_datetime(row.valid_to), known_from=to_datetime(row.known_from),
        known_to=optional_datetime(row.known_to), confidence=claim.confidence, source=claim.source,
        provenance=provenance_of(row, evidence), trust=claim.trust, cause=row.cause, metadata=dict(claim.metadata),
        subject=claim.subject, predicate=claim.predicate, kind=claim.kind, tags=claim.tags,
        importance=claim.importance, abstract=claim.abstract, project=claim.project,
        cites=claim.cites, triggers=claim.triggers, basis=claim.basis, namespace=row.namespace,
    )  # fmt: skip


def provenance_of(row: Row, evidence: Sequence[EvidenceRow] = ()) -> Provenance:
    """Return where a row came from."""
    elsewhere, ref = (row.origin or {}).get("known_from"), (row.origin or {}).get("ref", row.claim.source)
    return Provenance(
        actor=row.actor, door=row.door, ref=ref, observed_at=optional_datetime(row.observed_at),
        evidence=tuple(evidence_of(item) for item in evidence), batch=row.batch, cites=row.claim.cites,
        known_elsewhere=None if elsewhere is None else to_datetime(elsewhere),
    )  # fmt: skip


def evidence_of(row: EvidenceRow) -> Evidence:
    """Return a line of evidence."""
    return Evidence(
        source=row.source, observed_at=optional_datetime(row.observed_at), at=to_datetime(row.at), actor=row.actor,
        door=row.door, cause=row.cause, version_id=row.version_id,
    )  # fmt: skip


def record_of(row: Row, state: State, now: Micros, evidence: Sequence[EvidenceRow] = ()) -> MemoryRecord:
    """Return a memory at the piece ``row``."""
    claim = row.claim
    first = to_datetime(state.created_at)
    return MemoryRecord(
        id=row.memory_id, namespace=row.namespace, text=claim.text, metadata=dict(claim.metadata), created_at=first,
        updated_at=to_datetime(row.known_from), uid=state.uid, version_id=row.version_id, subject=claim.subject,
        predicate=claim.predicate, kind=claim.kind, tags=claim.tags, importance=claim.importance,
        confidence=claim.confidence, basis=claim.basis, abstract=claim.abstract, trust=claim.trust,
        status=status_of(row, state, now), source=claim.source, sources=sources_of(row, evidence),
        provenance=provenance_of(row, evidence), project=claim.project, cites=claim.cites, triggers=claim.triggers,
        valid_from=to_datetime(row.valid_from), valid_to=optional_datetime(row.valid_to),
        known_from=to_datetime(row.known_from), known_to=optional_datetime(row.known_to), pinned=state.pinned,
        archived=state.archived, disputed=state.disputed is not None, seen=state.seen,
    )  # fmt: skip


def hit_of(
    found: Shown, namespace: str, now: Micros, *, score: float, explanation: Mapping[str, Any], past: bool,
    bm25_score: float | None = None, vector_score: float | None = None,
) -> Hit:  # fmt: skip
    """Return a search answer for a version; one about the past does not show today's state."""
    known = to_datetime(found.known_from)
    cites = tuple(json.loads(found.cites)) if found.cites else ()
    origin = json.loads(found.origin) if found.origin else {}
    elsewhere = origin.get("known_from")
    return Hit(
        id=found.memory_id, text=found.text, score=score,
        metadata=dict(json.loads(found.metadata)) if found.metadata else {}, namespace=namespace,
        bm25_score=bm25_score, vector_score=vector_score, origin="memory", version_id=found.version_id,
        abstract=found.abstract, subject=found.subject, predicate=found.predicate, kind=found.kind,
        tags=tuple(json.loads(found.tags)) if found.tags else (), trust=found.trust,
        status="current" if past else _shown_status(found, now),
        valid_from=known if found.valid_from == found.known_from else to_datetime(found.valid_from),
        valid_to=optional_datetime(found.valid_to), known_from=known, source=found.source,
        provenance=Provenance(
            actor=found.actor, door=found.door, ref=origin.get("ref", found.source),
            observed_at=optional_datetime(found.observed_at), batch=found.batch, cites=cites,
            known_elsewhere=None if elsewhere is None else to_datetime(elsewhere),
        ),
        project=found.project, importance=found.importance_name or found.importance, confidence=found.confidence,
        created_at=known if found.created_at == found.known_from else to_datetime(found.created_at),
        explanation=explanation,
    )  # fmt: skip


def status_of(row: Row, state: State, now: Micros) -> str:
    """Return one word for where a piece stands at ``now``."""
    if not row.open:
        return _CLOSED.get(row.closed_cause or "", "past")
    return _standing(bool(state.archived), state.disputed, row.valid_from, row.valid_to, now)


def _shown_status(found: Shown, now: Micros) -> str:
    if found.known_to is not None:
        return _CLOSED.get(found.closed_cause or "", "past")
    end = FOREVER if found.valid_to is None else found.valid_to
    return _standing(bool(found.archived), found.disputed, found.valid_from, end, now)


def _standing(archived: bool, disputed: str | None, start: Micros, end: Micros, now: Micros) -> str:
    if archived:
        return "archived"
    if disputed is not None:
        return "disputed"
    if start > now:
        return "future"
    return "current" if now < end else "past"


_CLOSED = {
    "forget": "forgotten", "reject": "rejected", "supersede": "superseded", "revise": "revised", "update": "revised",
}  # fmt: skip


def sources_of(row: Row, evidence: Sequence[EvidenceRow]) -> tuple[str, ...]:
    """Return the sources that stand behind a memory, its version's own first."""
    lost = withdrawn_sources(evidence)
    named = [row.claim.source, *(item.source for item in evidence if item.withdrawn_at is None)]
    return tuple(dict.fromkeys(source for source in named if source is not None and source.strip() not in lost))


def withdrawn_sources(evidence: Sequence[EvidenceRow]) -> set[str]:
    """Return the sources that were withdrawn and not heard again since; ``evidence`` is in order."""
    lost: set[str] = set()
    for item in evidence:
        if item.source is not None and item.cause == "withdrawn":
            lost.add(item.source.strip())
        elif item.source is not None and item.withdrawn_at is None:
            lost.discard(item.source.strip())
    return lost
