"""The values that cross the public door: frozen, typed, no behaviour beyond access."""

from omoide.types.answers import Chain, Conflict, Diff, Hit, HitId, Hits, Origin, RevisedPair, TimeWords
from omoide.types.consolidation import Proposal
from omoide.types.ingest import Ingested, IngestResult
from omoide.types.records import (
    Document,
    Event,
    Evidence,
    Forgotten,
    MemoryId,
    MemoryRecord,
    Notice,
    Provenance,
    Receipt,
    RepairReport,
    Trust,
    Version,
)

__all__ = [
    "Chain",
    "Conflict",
    "Diff",
    "Document",
    "Event",
    "Evidence",
    "Forgotten",
    "Hit",
    "HitId",
    "Hits",
    "IngestResult",
    "Ingested",
    "MemoryId",
    "MemoryRecord",
    "Notice",
    "Origin",
    "Proposal",
    "Provenance",
    "Receipt",
    "RepairReport",
    "RevisedPair",
    "TimeWords",
    "Trust",
    "Version",
]
