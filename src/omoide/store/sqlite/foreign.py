"""Files of other systems, recognised by their tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Foreign:
    """A known layout: all of ``tables`` are present, and the columns that tell it from others."""

    name: str
    importer: str
    tables: frozenset[str]
    columns: frozenset[str] = frozenset()


KNOWN: Final = (
    Foreign("rmbr", "rmbr", frozenset({"memories", "chunks", "documents", "ann_index", "embed_cache"})),
    Foreign("memharness", "memharness", frozenset({"facts"}), frozenset({"tx_at", "superseded_by", "source_ref"})),
    Foreign("claude-mem", "claude-mem", frozenset({"sdk_sessions", "observations"})),
    Foreign("basic-memory", "basic-memory", frozenset({"entity", "observation", "relation", "project"})),
    Foreign("mcp-memory-service", "mcp-memory-service", frozenset({"memories", "memory_embeddings"})),
    Foreign("mem0", "mem0", frozenset({"history", "messages"})),
    Foreign("Chroma", "chroma", frozenset({"collections", "embeddings", "segments"})),
)


def recognise(schema: Mapping[str, str]) -> Foreign | None:
    """Return the system whose tables these are, given name and SQL of each, or None."""
    for foreign in KNOWN:
        if foreign.tables <= schema.keys():
            words = " ".join(schema[table] for table in foreign.tables)
            if all(column in words for column in foreign.columns):
                return foreign
    return None
