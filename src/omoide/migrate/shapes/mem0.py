"""JSON as mem0's ``get_all`` returns it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from omoide.migrate.mem0_layout import BESIDE, SCOPE, SYSTEM, plainly
from omoide.types import MemoryRecord

_PREFIX: Final = f"{SYSTEM}:"
_ABOVE: Final = (*SCOPE, *BESIDE)


def pieces(records: Iterable[MemoryRecord]) -> Iterator[str]:
    """Yield one document with the list ``results``, an item a line."""
    yield '{"results": [\n'
    first = True
    for record in records:
        yield ("" if first else ",\n") + json.dumps(_item(record), ensure_ascii=False)
        first = False
    yield "\n]}\n"


def _item(record: MemoryRecord) -> dict[str, Any]:
    """Return a memory; what came from mem0 has the id that it had there, a namespace stands for a user."""
    metadata = plainly(record.metadata)
    above = {name: metadata.pop(name) for name in _ABOVE if metadata.get(name) is not None}
    ref = record.provenance.ref if record.provenance is not None else None
    if not any(name in above for name in SCOPE):
        above["user_id"] = record.namespace
    labels = {"subject": record.subject, "predicate": record.predicate, "categories": list(record.tags) or None}
    extra = {name: value for name, value in labels.items() if value}
    elsewhere = record.provenance.known_elsewhere if record.provenance is not None else None
    changed = elsewhere or record.updated_at or record.created_at
    return {
        "id": ref.removeprefix(_PREFIX) if ref and ref.startswith(_PREFIX) else record.uid,
        "memory": record.text,
        "hash": hashlib.md5(record.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {**extra, **metadata} or None,
        "created_at": min(record.created_at, changed).isoformat(),
        "updated_at": changed.isoformat(),
        **above,
    }
