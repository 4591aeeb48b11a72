"""GitHub Copilot CLI: `events.jsonl`, one event a line in an envelope of type, data, id, timestamp, parentId."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from omoide.transcripts.jsonl import JsonDict, head_objects, read_jsonl
from omoide.transcripts.parts import call_text, clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.values import Position, Reading, Record, Session

HOST = "copilot-cli"

FAMILIES = frozenset({"session", "user", "assistant", "tool", "hook", "skill", "subagent", "system", "abort"})
TURNS = {"user.message": "user", "assistant.message": "assistant"}


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of this format."""
    return any(_is_ours(value) for value in objects)


def _is_ours(value: JsonDict) -> bool:
    family, dot, _ = clean(value.get("type")).partition(".")
    return bool(dot) and family in FAMILIES and isinstance(value.get("data"), dict) and "id" in value


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line from ``start`` on."""
    return read_jsonl(path, start, understand)


def understand(value: JsonDict) -> Reading:
    """Return what one event says; transformed prompts and reasoning are left out of the text."""
    kind, data, at = clean(value.get("type")), fields(value.get("data")), moment(value.get("timestamp"))
    key, parent = known(value.get("id")), known(value.get("parentId"))
    if kind in TURNS:
        text = joined([clean(data.get("content")), *map(_request, items(data.get("toolRequests")))])
        tools = [clean(fields(request).get("name")) for request in items(data.get("toolRequests"))]
        return Reading("turn" if text else "event", kind, TURNS[kind], text, at, key, parent, ", ".join(tools) or None)
    if kind == "tool.execution_complete":
        text = joined(leaves(data.get("result"))) or joined(leaves(data.get("error")))
        return Reading("turn" if text else "event", kind, "tool", text, at, key, parent, known(data.get("toolName")))
    if _is_ours(value):
        text = clean(data.get("message") or data.get("content") or data.get("title") or data.get("summaryContent"))
        return Reading("event", kind, "system", text, at, key, parent, known(data.get("toolName")))
    return Reading("raw", kind or "untyped", at=at, key=key, parent=parent)


def _request(value: object) -> str:
    request = fields(value)
    return call_text(request.get("name"), request.get("arguments"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a file."""
    objects = list(head_objects(path))
    start = next((fields(value.get("data")) for value in objects if value.get("type") == "session.start"), {})
    context = fields(start.get("context"))
    asked = (understand(value) for value in objects if value.get("type") == "user.message")
    named = [
        fields(value.get("data")).get("title") for value in objects if value.get("type") == "session.title_changed"
    ]
    yield Session(
        HOST,
        known(start.get("sessionId")) or (path.parent.name if path.stem == "events" else path.stem),
        project=known(context.get("cwd")) or known(context.get("gitRoot")),
        branch=known(context.get("branch")),
        title=title_of(clean(named[-1]))
        if named
        else next((title for turn in asked if (title := title_of(turn.text))), None),
        started=moment(start.get("startTime")),
        version=known(start.get("copilotVersion")),
        by_file=known(start.get("sessionId")) is None,
    )
