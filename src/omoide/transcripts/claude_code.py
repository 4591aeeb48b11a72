"""Claude Code: one JSON object a line, versions 1.0 to 2.1, subagents, sidechains, compaction.

A line is one record. Text, tool calls and tool results are turns; thinking, progress, snapshots, summaries and
what the host inserts by itself (``isMeta``) are events.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from omoide.transcripts.jsonl import JsonDict, head_objects, read_jsonl
from omoide.transcripts.parts import call_text, clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.values import Kind, Position, Reading, Record, Session

HOST = "claude-code"

CONVERSATION = frozenset({"user", "assistant"})
EVENTS = frozenset(
    {
        "agent-name", "ai-title", "attachment", "custom-title", "file-history-snapshot", "last-prompt", "mode",
        "permission-mode", "pr-link", "progress", "queue-operation", "summary", "system", "worktree-state",
    }
)  # fmt: skip
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
_MARKS = (("isSidechain", "sidechain"), ("isMeta", "meta"), ("isCompactSummary", "compact summary"))
# What the host writes in the user's name: slash commands, their output, the mark of an interruption.
_BY_HOST = re.compile(r"\s*(?:<(?:command-name|command-message|local-command-\w+)>|\[Request interrupted by user)")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of this format."""
    return any(_is_ours(value) for value in objects)


def _is_ours(value: JsonDict) -> bool:
    kind = value.get("type")
    if kind in CONVERSATION:
        return isinstance(value.get("message"), dict)
    if kind in EVENTS:
        return bool({"sessionId", "leafUuid", "messageId", "snapshot", "parentUuid"} & value.keys())
    return kind is None and "sessionId" in value and "role" in fields(value.get("message"))


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line from ``start`` on."""
    return read_jsonl(path, start, understand)


def understand(value: JsonDict) -> Reading:
    """Return what one line says."""
    message = fields(value.get("message"))
    kind = clean(value.get("type") or message.get("role"))
    if kind in CONVERSATION:
        return _said(kind, value, message)
    if kind in EVENTS:
        return _event(kind, value)
    return _reading(value, "raw", kind or "untyped", text="")


def _said(kind: str, value: JsonDict, message: JsonDict) -> Reading:
    blocks = message.get("content")
    parts = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else [fields(part) for part in items(blocks)]
    types = {part.get("type") for part in parts}
    text = joined(block_text(part) for part in parts)
    inserted = bool(value.get("isMeta") or value.get("isCompactSummary")) or by_host(text)
    role = "tool" if kind == "user" and "tool_result" in types else kind
    notes = ["thinking"] if types & {"thinking", "redacted_thinking"} else []
    notes += ["by host"] if by_host(text) else []
    tool = ", ".join(clean(part.get("name")) for part in parts if part.get("type") == "tool_use") or None
    spoken: Kind = "turn" if text and not inserted else "event"
    return _reading(value, spoken, kind, text=text, role=role, tool=tool, notes=notes)


def by_host(text: str) -> bool:
    """Tell whether the host wrote a text in the user's name."""
    return bool(_BY_HOST.match(text))


def block_text(part: JsonDict) -> str:
    """Return what of a content block is searchable: its text, a call's arguments, a result's texts."""
    kind = part.get("type")
    if kind == "tool_use":
        return call_text(part.get("name"), part.get("input"))
    if kind == "tool_result":
        return result_text(part.get("content"))
    return clean(part.get("text"))


def result_text(content: Any) -> str:
    """Return the texts of a tool's result; pictures and other binary blocks have none."""
    if isinstance(content, str):
        return clean(content)
    return joined(clean(fields(part).get("text")) for part in items(content))


def _event(kind: str, value: JsonDict) -> Reading:
    if kind in _TITLES:
        return _reading(value, "event", kind, text=clean(value.get(_TITLES[kind])), notes=["title"])
    subtype = value.get("subtype") if kind == "system" else fields(value.get("data")).get("type")
    name = f"{kind}/{clean(subtype)}" if kind == "system" and subtype else kind
    notes = [clean(subtype)] if kind == "progress" and subtype else []
    return _reading(value, "event", name, text=joined(leaves(value.get("content"))), role="system", notes=notes)


def _reading(
    value: JsonDict,
    kind: Kind,
    type_: str,
    *,
    text: str,
    role: str = "",
    tool: str | None = None,
    notes: Iterable[str] = (),
) -> Reading:
    marks = [mark for name, mark in _MARKS if value.get(name)]
    at = moment(value.get("timestamp") or fields(value.get("snapshot")).get("timestamp"))
    key, parent = known(value.get("uuid")), known(value.get("parentUuid") or value.get("logicalParentUuid"))
    return Reading(kind, type_, role, text, at, key, parent, tool, "; ".join([*notes, *marks]))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a file; a subagent's file has the session that started it as parent."""
    objects = list(head_objects(path))
    identity = next((name for value in objects if (name := known(value.get("sessionId")))), None)
    agent = _agent(path, objects)
    name = f"{identity}/{agent}" if agent and identity else agent
    stem = path.stem if _UUID.fullmatch(path.stem) else None
    yield Session(
        HOST,
        name or stem or identity or path.stem,
        project=_first(objects, "cwd"),
        branch=_first(objects, "gitBranch"),
        title=_title(objects),
        started=next((at for value in objects if (at := moment(value.get("timestamp"))) is not None), None),
        parent=identity if agent else None,
        version=_first(objects, "version"),
        by_file=_first(objects, "agentId") is None if agent else identity is None,
    )


def _agent(path: Path, objects: list[JsonDict]) -> str | None:
    """Return the subagent's name when the whole file is one, else None."""
    spoken = [value for value in objects if value.get("type") in CONVERSATION]
    if not spoken or not all(value.get("isSidechain") for value in spoken):
        return None
    agent = _first(objects, "agentId")
    return f"agent-{agent}" if agent else path.stem


def _first(objects: list[JsonDict], name: str) -> str | None:
    return next((text for value in objects if (text := known(value.get(name)))), None)


def _title(objects: list[JsonDict]) -> str | None:
    """Return the title given last, a person's before the host's; else the first thing that a person asked."""
    for kind in ("custom-title", "ai-title", "summary"):
        given = [value.get(_TITLES[kind]) for value in objects if value.get("type") == kind]
        if given and known(given[-1]):
            return title_of(clean(given[-1]))
    asked = (reading for reading in map(understand, objects) if reading.kind == "turn" and reading.role == "user")
    return next((title for reading in asked if (title := title_of(reading.text))), None)
