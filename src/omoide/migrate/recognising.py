"""Which system wrote what lies at a path, told by its content."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from omoide.errors import InvalidInputError
from omoide.migrate.sources.rlm import is_context
from omoide.migrate.sqlite_file import Database
from omoide.migrate.systems import SYSTEMS
from omoide.store.sqlite.foreign import recognise as by_tables
from omoide.transcripts import reader
from omoide.transcripts.databases import ask

OMOIDE: Final = "omoide"
"""The name of what omoide's own ``export`` writes."""
INSTRUCTIONS: Final = frozenset({"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"})
"""Files in which people tell coding agents what holds."""
DATABASE: Final = "memory.db"
"""How memharness and basic-memory call their databases."""
_HEAD: Final = 1 << 16
_CHATS: Final = {"chatgpt": "chatgpt", "claude-web": "claude"}


def recognise(path: Path) -> str:
    """Return the name of the system.

    Raises:
        InvalidInputError: it is nothing that omoide knows.
        DamagedStoreError: a database that cannot be read.
    """
    found = _folder(path) if path.is_dir() else _file(path)
    if found is None:
        raise InvalidInputError(
            f"{path} is nothing that omoide recognises; say what it is: {', '.join(SYSTEMS)}", value=str(path)
        )
    return found


def _folder(path: Path) -> str | None:
    tests: dict[str, Callable[[Path], bool]] = {
        "rlm": lambda place: is_context(place) or is_context(place / "context"),
        "agent-memory": _is_agent_memory,
        "claude-mem": lambda place: (place / "claude-mem.db").is_file(),
        "mem0": lambda place: (place / "history.db").is_file() or any(place.glob("collection/*/storage.sqlite")),
        "chroma": lambda place: (place / "chroma.sqlite3").is_file(),
        "mcp-memory-service": lambda place: (place / "sqlite_vec.db").is_file(),
        "basic-memory": lambda place: any(_has_permalink(file) for file in _some_notes(place)),
        "markdown": lambda place: any((place / name).is_file() for name in INSTRUCTIONS),
    }
    found = next((name for name, test in tests.items() if test(path)), None)
    return _database(path / DATABASE) if found is None and (path / DATABASE).is_file() else found


def _is_agent_memory(path: Path) -> bool:
    return (path / "schemas").is_dir() and ((path / "config.toml").is_file() or (path / "MEMORY.md").is_file())


def _some_notes(path: Path) -> list[Path]:
    found: list[Path] = []
    for file in path.rglob("*.md"):
        found.append(file)
        if len(found) >= 20:
            break
    return found


def _has_permalink(path: Path) -> bool:
    head = _head(path)
    return head.startswith(b"---") and b"\npermalink:" in head.split(b"\n---", 1)[0]


def _file(path: Path) -> str | None:
    head = _head(path)
    if head.startswith(b"SQLite format 3"):
        return _database(path)
    if path.name in INSTRUCTIONS:
        return "markdown"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith((b"{", b"[")):
        return _json(path, text)
    chat = _chat(path)
    if chat is not None:
        return chat
    endings = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown"}
    return endings.get(path.suffix.lower())


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _database(path: Path) -> str | None:
    schema = ask(
        path,
        lambda connection: {
            str(name): str(sql)
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        },
    )
    known = by_tables(schema)
    if known is not None:
        return known.importer if known.importer in SYSTEMS else None
    if {"points"} == Database(path).tables:
        return "mem0"
    return "mem0" if "history" in schema and "old_memory" in schema["history"] else None


def _json(path: Path, text: bytes) -> str | None:
    first = text.split(b"\n", 1)[0]
    if b'"omoide"' in first[:200] and b'"export"' in first[:200]:
        return OMOIDE
    chat = _chat(path)
    if chat is not None:
        return chat
    line = _object(first)
    if line.get("type") in ("entity", "relation") and ("entityType" in line or "relationType" in line):
        return "memory-server"
    if b'"entities"' in text and b'"relations"' in text:
        return "memory-server"
    if b'"memory"' in text and b'"id"' in text and not line.get("text"):
        return "mem0"
    return "jsonl" if line and text.startswith(b"{") else None


def _object(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _chat(path: Path) -> str | None:
    known = reader.detect(path)
    return None if known is None else _CHATS.get(known.host)
