"""What mem0's ``Memory`` answers with: rows of memories and events of their history."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from omoide.integrations.mem0_filter import SCOPE
from omoide.types import Hit, MemoryRecord, Version

PROMOTED: Final = (*SCOPE, "actor_id", "role", "expiration_date")
"""Marks that stand in a row beside the caller's own metadata."""


def row_of(found: Hit | MemoryRecord) -> dict[str, Any]:
    """Return a memory as mem0 tells of it; ``hash`` is the MD5 of the text, as there."""
    marks = found.metadata
    row: dict[str, Any] = {
        "id": str(found.id), "memory": found.text, "hash": text_hash(found.text),
        "metadata": dict(marks.get("data", {})) or None,
    }  # fmt: skip
    row |= {name: marks[name] for name in PROMOTED if name in marks}
    changed = found.updated_at if isinstance(found, MemoryRecord) else found.known_from
    return row | {"created_at": _iso(found.created_at), "updated_at": _iso(changed)}


def found_row(hit: Hit, *, explain: bool) -> dict[str, Any]:
    """Return a hit as mem0 tells of it, with its score."""
    return {**row_of(hit), "score": hit.score, **({"score_details": hit.explain()} if explain else {})}


def text_hash(text: str) -> str:
    """Return the MD5 of a text, which tells texts apart and protects nothing."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def events(memory_id: str, versions: Sequence[Version]) -> Iterator[dict[str, Any]]:
    """Yield what was added, updated and deleted, oldest first; ``versions`` are in the order they became known."""
    before: str | None = None
    first = versions[0].known_from
    for version in versions:
        event = "ADD" if before is None else "UPDATE"
        yield _event(memory_id, before, version.text, event, first, version.known_from, version)
        before = version.text
    last = versions[-1]
    if last.known_to is not None:
        yield _event(memory_id, before, None, "DELETE", first, last.known_to, last)


def _event(
    memory_id: str, old: str | None, new: str | None, event: str, first: datetime, at: datetime, version: Version
) -> dict[str, Any]:
    marks: Mapping[str, Any] = version.metadata
    return {
        "id": f"{version.version_id}-{event.lower()}", "memory_id": str(memory_id), "old_memory": old,
        "new_memory": new, "event": event, "created_at": _iso(first), "updated_at": _iso(at),
        "is_deleted": event == "DELETE", "actor_id": marks.get("actor_id", version.provenance.actor),
        "role": marks.get("role"),
    }  # fmt: skip


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
