"""What OpenCode's messages and parts say, whether they lie in files or in a database."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.transcripts.jsonl import JsonDict
from omoide.transcripts.parts import call_text, clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.values import Kind, Reading, Session

HOST = "opencode"

ROLES = frozenset({"user", "assistant"})
# Message types of the second form that are conversation, with who speaks.
TYPES = {"user": "user", "assistant": "assistant", "shell": "tool"}
EVENTS = frozenset({"agent-switched", "compaction", "model-switched", "synthetic", "system"})


def understand(message: JsonDict, parts: Sequence[JsonDict]) -> Reading:
    """Return what a message of the first form says with its parts; reasoning and synthetic texts are left out."""
    role = clean(message.get("role"))
    text = joined(part_text(part) for part in parts if not part.get("synthetic"))
    tools = [clean(part.get("tool")) for part in parts if part.get("type") == "tool"]
    at = moment(fields(message.get("time")).get("created"))
    said = role in ROLES and bool(text)
    note = "thinking" if any(part.get("type") == "reasoning" for part in parts) else ""
    return Reading(
        "turn" if said else "event" if role in ROLES else "raw", role or "untyped", role or "system", text, at,
        known(message.get("id")), known(message.get("parentID")), ", ".join(tools) or None, note,
    )  # fmt: skip


def part_text(part: JsonDict) -> str:
    """Return what of a part is searchable: its text, or a tool's call and output."""
    kind = part.get("type")
    if kind == "text":
        return clean(part.get("text"))
    if kind == "tool":
        state = fields(part.get("state"))
        output = clean(state.get("output")) or joined(leaves(state.get("content"))) or clean(state.get("error"))
        return joined([call_text(part.get("tool") or part.get("name"), state.get("input")), output])
    return clean(part.get("description")) if kind == "subtask" else ""


def understand_second(type_: str, data: JsonDict, key: str, created: object) -> Reading:
    """Return what a message of the second form says, whose content lies in one place."""
    parts = [fields(part) for part in items(data.get("content"))]
    shell = joined([clean(data.get("command")), clean(data.get("output"))]) if type_ == "shell" else ""
    text = joined([clean(data.get("text")), *(part_text(part) for part in parts), shell, clean(data.get("summary"))])
    at = moment(created) or moment(fields(data.get("time")).get("created"))
    tools = [clean(part.get("name") or part.get("tool")) for part in parts if part.get("type") == "tool"]
    kind: Kind = "turn" if type_ in TYPES and text else "event" if type_ in TYPES or type_ in EVENTS else "raw"
    return Reading(
        kind, type_ or "untyped", TYPES.get(type_, "system"), text, at, key, tool=", ".join(tools) or None
    )  # fmt: skip


def session_of(value: JsonDict) -> Session:
    """Return a session from its object (first form) or its row."""
    created = fields(value.get("time")).get("created") or value.get("time_created")
    return Session(
        HOST,
        str(value["id"]),
        project=known(value.get("directory")),
        title=title_of(clean(value.get("title"))),
        started=moment(created),
        parent=known(value.get("parentID")) or known(value.get("parent_id")),
        version=known(value.get("version")),
    )
