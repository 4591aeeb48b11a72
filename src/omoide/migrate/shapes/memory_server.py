"""The graph of MCP's reference memory server: entities with observations, and relations, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from omoide.migrate.sources.memory_server import ENTITY, RELATION
from omoide.types import MemoryRecord

NOBODY: Final = "notes"
"""The entity of what is about nothing in particular."""


def pieces(records: Iterable[MemoryRecord]) -> Iterator[str]:
    """Yield the lines: entities in the order in which they were first spoken of, then relations."""
    entities: dict[str, dict[str, Any]] = {}
    relations: dict[tuple[str, str, str], None] = {}
    for record in records:
        name = record.subject or NOBODY
        end = record.metadata.get(RELATION)
        kind = record.metadata.get(ENTITY)
        entity = _entity(entities, name)
        if isinstance(end, str) and end:
            _entity(entities, end)
            relations[name, end, record.predicate or "related_to"] = None
        elif kind is not None or record.kind == "entity":
            entity["entityType"] = str(kind or "entity")
        else:
            entity["observations"].append(_observation(record))
    for entity in entities.values():
        yield _line(entity)
    for start, end, kind in relations:
        yield _line({"type": "relation", "from": start, "to": end, "relationType": kind})


def _entity(entities: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    made = {"type": "entity", "name": name, "entityType": "unknown", "observations": []}
    return entities.setdefault(name, made)


def _observation(record: MemoryRecord) -> str:
    return f"{record.predicate}: {record.text}" if record.predicate else record.text


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
