"""Messages as programs pass them to models, one a line: a role, and content that is text or a list of parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from omoide.transcripts.claude_code import block_text
from omoide.transcripts.jsonl import JsonDict, head_objects, read_jsonl
from omoide.transcripts.parts import clean, fields, items, joined, known, moment, title_of
from omoide.transcripts.values import Position, Reading, Record, Session

HOST: Final = "messages"
ROLES: Final = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool", "system": "system", "developer": "system",
}  # fmt: skip
_TIMES: Final = ("timestamp", "created_at", "at", "time", "date")
_SESSIONS: Final = ("session_id", "session", "conversation_id", "thread_id")


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of this format: the first one is a message, and most are."""
    found = [_is_message(value) for value in objects]
    return bool(found) and found[0] and sum(found) * 2 > len(found)


def _is_message(value: JsonDict) -> bool:
    return (
        isinstance(value.get("role"), str) and value["role"] in ROLES and isinstance(value.get("content"), str | list)
    )


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line from ``start`` on."""
    return read_jsonl(path, start, understand)


def understand(value: JsonDict) -> Reading:
    """Return what one line says."""
    at, key = _first(value, _TIMES), known(value.get("id")) or known(value.get("uuid"))
    if not _is_message(value):
        return Reading("raw", clean(value.get("type")) or "untyped", "system", "", moment(at), key)
    role, content = ROLES[clean(value["role"])], value["content"]
    parts = (
        [{"type": "text", "text": content}] if isinstance(content, str) else [fields(part) for part in items(content)]
    )
    if any(part.get("type") == "tool_result" for part in parts):
        role = "tool"
    calls = [fields(fields(call).get("function")) for call in items(value.get("tool_calls"))]
    called = [f"{clean(call.get('name'))} {clean(call.get('arguments'))}" for call in calls]
    names = [clean(part.get("name")) for part in (*parts, *calls) if part in calls or part.get("type") == "tool_use"]
    text = joined([*(block_text(part) for part in parts), *called])
    said = bool(text) and role != "system"
    return Reading(
        "turn" if said else "event", clean(value["role"]), role, text, moment(at), key, tool=", ".join(names) or None
    )


def _first(value: JsonDict, names: tuple[str, ...]) -> object:
    return next((value[name] for name in names if value.get(name) is not None), None)


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a file, named by its lines where they name one, else by the file."""
    objects = list(head_objects(path))
    readings = [understand(value) for value in objects]
    asked = (title_of(reading.text) for reading in readings if reading.kind == "turn" and reading.role == "user")
    named = next((name for value in objects if (name := known(_first(value, _SESSIONS)))), None)
    yield Session(
        HOST, named or path.stem, title=next((title for title in asked if title), None),
        started=next((reading.at for reading in readings if reading.at is not None), None), by_file=named is None,
    )  # fmt: skip
