"""Files of other systems, recognised by their tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Foreign:
    """A known layout: all of ``tables`` are present."""

    name: str
    importer: str
    tables: frozenset[str]


KNOWN: Final = (
    Foreign("rmbr", "rmbr", frozenset({"memories", "chunks", "documents", "ann_index", "embed_cache"})),
    Foreign("memharness", "memharness", frozenset({"facts", "facts_fts"})),
    Foreign("claude-mem", "claude-mem", frozenset({"sdk_sessions", "observations"})),
    Foreign("basic-memory", "basic-memory", frozenset({"entity", "observation", "relation", "project"})),
    Foreign("mcp-memory-service", "mcp-memory-service", frozenset({"memories", "memory_embeddings"})),
    Foreign("mem0", "mem0", frozenset({"history", "messages"})),
    Foreign("Chroma", "chroma", frozenset({"collections", "embeddings", "segments"})),
)


def recognise(tables: frozenset[str]) -> Foreign | None:
    """Return the system whose tables these are, or None."""
    for foreign in KNOWN:
        if foreign.tables <= tables:
            return foreign
    return None
