"""Hermes Agent: `state.db`, tables `sessions` and `messages`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from omoide.transcripts.databases import Row, ask, batches, columns_of, raw_of, resume_rows, rows
from omoide.transcripts.parts import call_text, clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Position, Reading, Record, Session, place

HOST = "hermes"

ROLES = frozenset({"user", "assistant", "tool"})
_MESSAGES = "SELECT rowid AS position, * FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?"
_ONE = "SELECT rowid AS position, * FROM messages WHERE rowid = ?"


def recognises(sample: Sample) -> bool:
    """Tell whether a file is such a database, by its tables."""
    if not sample.is_database:
        return False
    tables = columns_of(sample.path, ("messages", "sessions"))
    return {"session_id", "role", "content"} <= tables["messages"] and "id" in tables["sessions"]


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every message after ``start``."""
    for row in batches(path, _MESSAGES, start.offset):
        number = int(row["position"])
        record = place(understand(row), raw_of(row), number, number, session=str(row["session_id"]))
        yield record


def resume(path: Path, since: Position | None) -> Position:
    """Return where to go on; a last message that was edited is read again."""
    return resume_rows(path, since, _raw_at)


def _raw_at(path: Path, number: int) -> bytes | None:
    found = ask(path, lambda connection: rows(connection, _ONE, (number,)))
    return raw_of(found[0]) if found else None


def understand(row: Row) -> Reading:
    """Return what one message says; a call's arguments belong to its text, reasoning does not."""
    role, calls = clean(row.get("role")), items(_json(row.get("tool_calls")))
    text = joined([_content(row.get("content")), *(_call(fields(call)) for call in calls)])
    tools = [clean(fields(fields(call).get("function")).get("name") or fields(call).get("name")) for call in calls]
    tool = known(row.get("tool_name")) or ", ".join(name for name in tools if name) or None
    said = role in ROLES and bool(text)
    at, key = moment(row.get("timestamp")), f"{row['session_id']}/{row.get('id', row['position'])}"
    return Reading("turn" if said else "event", role or "untyped", role or "system", text, at, key, tool=tool)


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


def _content(value: Any) -> str:
    """Return a content's text; blocks of several kinds are kept as JSON."""
    blocks = _json(value) if isinstance(value, str) and value[:1] == "[" else None
    if isinstance(blocks, list) and all(isinstance(block, dict) for block in blocks):
        return joined(clean(block.get("text")) for block in blocks)
    return clean(value)


def _call(call: dict[str, Any]) -> str:
    named = fields(call.get("function")) or call
    return call_text(named.get("name"), named.get("arguments")) or joined(leaves(call))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the sessions of the database."""
    for row in ask(path, lambda connection: rows(connection, "SELECT * FROM sessions ORDER BY rowid")):
        source = known(row.get("source"))
        yield Session(
            HOST,
            str(row["id"]),
            project=known(row.get("cwd")),
            title=title_of(clean(row.get("title"))),
            started=moment(row.get("started_at")),
            parent=known(row.get("parent_session_id")),
            extra={"source": source} if source else {},
        )
