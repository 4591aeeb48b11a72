"""Cursor agent transcripts: one JSON object a line, with a role and the content blocks of a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from omoide.transcripts.claude_code import block_text
from omoide.transcripts.jsonl import JsonDict, head_objects, read_jsonl
from omoide.transcripts.parts import clean, fields, items, joined, known, moment, title_of
from omoide.transcripts.values import Position, Reading, Record, Session

HOST = "cursor"

ROLES = frozenset({"user", "assistant", "tool", "system"})
# Cursor wraps what was typed; the wrapping is not part of the question.
_WRAPPED = re.compile(r"\s*<user_query>\n?(.*?)\n?</user_query>\s*", re.DOTALL)


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of this format."""
    return any(_is_message(value) for value in objects) or (bool(objects) and all(map(_is_error, objects)))


def _is_message(value: JsonDict) -> bool:
    return value.get("role") in ROLES and isinstance(value.get("message"), dict) and "sessionId" not in value


def _is_error(value: JsonDict) -> bool:
    return value.get("type") == "error" and value.keys() <= {"type", "error", "timestamp"}


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line from ``start`` on."""
    return read_jsonl(path, start, understand)


def understand(value: JsonDict) -> Reading:
    """Return what one line says."""
    role, at = clean(value.get("role")), moment(value.get("timestamp"))
    if role not in ROLES:
        kind = clean(value.get("type")) or "untyped"
        return Reading("event" if kind == "error" else "raw", kind, "system", clean(value.get("error")), at)
    content = fields(value.get("message")).get("content")
    parts = (
        [{"type": "text", "text": content}] if isinstance(content, str) else [fields(part) for part in items(content)]
    )
    text = _unwrapped(joined(block_text(part) for part in parts))
    tool = ", ".join(clean(part.get("name")) for part in parts if part.get("type") == "tool_use") or None
    said = bool(text) and role != "system"
    result = any(part.get("type") == "tool_result" for part in parts)
    return Reading(
        "turn" if said else "event", role, "tool" if result else role, text, at, known(value.get("id")), tool=tool
    )


def _unwrapped(text: str) -> str:
    match = _WRAPPED.fullmatch(text)
    return match[1] if match else text


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a file; the folder two above holds the project's name, not its path."""
    readings = [understand(value) for value in head_objects(path)]
    asked = (title_of(reading.text) for reading in readings if reading.kind == "turn" and reading.role == "user")
    started = next((reading.at for reading in readings if reading.at is not None), None)
    title = next((title for title in asked if title), None)
    yield Session(HOST, path.stem, title=title, started=started, by_file=True)
