"""The systems that can be read, each by one module that is loaded when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from omoide.errors import InvalidInputError
from omoide.migrate.source import Source

SYSTEMS: Final[Mapping[str, str]] = {
    "rmbr": "omoide.migrate.sources.rmbr:Rmbr",
    "memharness": "omoide.migrate.sources.memharness:Memharness",
    "rlm": "omoide.migrate.sources.rlm:Rlm",
    "agent-memory": "omoide.migrate.sources.agent_memory:AgentMemory",
    "mem0": "omoide.migrate.sources.mem0:Mem0",
    "claude-mem": "omoide.migrate.sources.claude_mem:ClaudeMem",
    "basic-memory": "omoide.migrate.sources.basic_memory:BasicMemory",
    "mcp-memory-service": "omoide.migrate.sources.mcp_memory_service:McpMemoryService",
    "memory-server": "omoide.migrate.sources.memory_server:MemoryServer",
    "chroma": "omoide.migrate.sources.chroma:Chroma",
    "chatgpt": "omoide.migrate.sources.chats:Chatgpt",
    "claude": "omoide.migrate.sources.chats:Claude",
    "markdown": "omoide.migrate.sources.instructions:Instructions",
    "csv": "omoide.migrate.sources.tables:Csv",
    "jsonl": "omoide.migrate.sources.tables:Jsonl",
}
"""Each system's name, and the class that reads what it keeps."""
MAPPED: Final = frozenset({"csv", "jsonl"})
"""Those whose columns have no meaning of their own."""


def open_source(name: str, path: Path, fields: Mapping[str, str] | None = None) -> Source:
    """Return the reader of a system for what lies at ``path``.

    Raises:
        InvalidInputError: no such system, or nothing of it is there.
    """
    if name not in SYSTEMS:
        raise InvalidInputError(f"omoide reads {', '.join(SYSTEMS)}, not {name!r}", value=name)
    if fields and name not in MAPPED:
        raise InvalidInputError(f"the parts of a memory are given for {' and '.join(sorted(MAPPED))} only", value=name)
    home, kind = SYSTEMS[name].split(":")
    made = getattr(import_module(home), kind)
    source: Source = made(path, fields) if name in MAPPED else made(path)
    return source
