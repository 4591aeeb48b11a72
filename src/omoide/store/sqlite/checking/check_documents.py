"""Whether the rows of documents hold together."""

from __future__ import annotations

from typing import Final

from omoide.model.trust import LEVELS

_TRUSTS: Final = ",".join(f"'{level}'" for level in LEVELS)

NO_TEXT: Final = "SELECT chunk_id, document_id FROM chunk WHERE content_id NOT IN (SELECT content_id FROM content)"
NO_DOCUMENT: Final = (
    "SELECT DISTINCT document_id FROM chunk WHERE document_id NOT IN (SELECT document_id FROM document)"
)
NO_PART: Final = "SELECT document_id FROM document WHERE document_id NOT IN (SELECT document_id FROM chunk)"
SHARED_ORDINAL: Final = (
    "SELECT chunk_id FROM chunk c WHERE EXISTS"
    " (SELECT 1 FROM chunk o WHERE o.ns = c.ns AND o.ord = c.ord AND o.chunk_id < c.chunk_id)"
)
UNKNOWN_TRUST: Final = f"SELECT document_id FROM document WHERE trust NOT IN ({_TRUSTS})"

CHECKS: Final = (
    (NO_TEXT, "chunk {0} of document {1} has no text; run repair"),
    (NO_DOCUMENT, "document {0} has chunks and no row of its own; run repair"),
    (NO_PART, "document {0} has no chunk; run repair"),
    (SHARED_ORDINAL, "chunk {0} has the ordinal of another one; run repair"),
    (UNKNOWN_TRUST, "document {0} has a trust that does not exist; run repair"),
    (
        "SELECT c.chunk_id, c.document_id FROM chunk c JOIN document d USING (document_id) WHERE c.ns <> d.ns",
        "chunk {0} lies in another namespace than document {1}; restore a backup",
    ),
    (
        "SELECT chunk_id FROM chunk WHERE removed_at < added_at",
        "chunk {0} was removed before it was added; restore a backup",
    ),
)
"""Queries that find nothing in a sound store, and what to say of what they find."""
