"""Sessions of Claude on the web: exported conversations (JSON or ZIP), and Claude Code sessions as one document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from omoide.transcripts import claude_code
from omoide.transcripts.elements import array_start, compact, elements_of
from omoide.transcripts.jsonl import JsonDict, decoded
from omoide.transcripts.parts import clean, fields, items, joined, known, moment, title_of
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Position, Reading, Record, Session, place, place_all

HOST = "claude-web"

ROLES = {"human": "user", "assistant": "assistant"}
LOGLINES = "loglines"


def recognises_session(sample: Sample) -> bool:
    """Tell whether a file is a Claude Code session as one document."""
    return sample.is_json and f'"{LOGLINES}"' in sample.text[:4096] and array_start(sample.path, LOGLINES) is not None


def read_session(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line that the document holds."""
    first = start.offset or array_start(path, LOGLINES)
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        reading = Reading("broken", "broken", note=value) if isinstance(value, str) else claude_code.understand(value)
        yield place(reading, element.raw, element.start, element.end)


def sessions_of_session(path: Path) -> Iterator[Session]:
    """Yield the one session of a document, which may not name itself."""
    records = list(zip(range(100), read_session(path, Position()), strict=False))
    asked = (title_of(record.text) for _, record in records if record.kind == "turn" and record.role == "user")
    started = next((record.at for _, record in records if record.at is not None), None)
    title = next((title for title in asked if title), None)
    yield Session(HOST, path.stem, title=title, started=started, by_file=True)


def recognises(sample: Sample) -> bool:
    """Tell whether a file is an export of conversations."""
    return '"chat_messages"' in sample.inner_text and array_start(sample.path, None) is not None


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every conversation's head and every message."""
    first, before = start.offset or array_start(path, None), start
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        name = None if isinstance(value, str) else known(value.get("uuid"))
        records = place_all(_readings(value, element.raw), element.raw, element.start, element.end, before, name)
        for record in records:
            before = record.after
            yield record


def _readings(value: JsonDict | str, raw: bytes) -> list[tuple[Reading, bytes]]:
    if isinstance(value, str):
        return [(Reading("broken", "broken", note=value), raw)]
    head = {name: inner for name, inner in value.items() if name != "chat_messages"}
    title, at = clean(value.get("name")), moment(value.get("created_at"))
    first = Reading("event", "conversation", "system", title, at, known(value.get("uuid")), note="title")
    messages = [(understand(fields(message)), compact(message)) for message in items(value.get("chat_messages"))]
    return [(first, compact(head)), *messages]


def understand(message: JsonDict) -> Reading:
    """Return what one message says, with the texts that were attached to it."""
    sender, at = clean(message.get("sender")), moment(message.get("created_at"))
    text = joined(claude_code.block_text(fields(part)) for part in items(message.get("content")))
    attached = (clean(fields(part).get("extracted_content")) for part in items(message.get("attachments")))
    whole = joined([text or clean(message.get("text")), *attached])
    if sender not in ROLES:
        return Reading("raw", sender or "untyped", "system", whole, at, known(message.get("uuid")))
    tools = [clean(fields(part).get("name")) for part in items(message.get("content")) if _is_call(part)]
    return Reading(
        "turn" if whole else "event", sender, ROLES[sender], whole, at, known(message.get("uuid")),
        known(message.get("parent_message_uuid")), ", ".join(tools) or None,
    )  # fmt: skip


def _is_call(part: object) -> bool:
    return fields(part).get("type") == "tool_use"


def sessions(path: Path) -> Iterator[Session]:
    """Yield the conversations of an export."""
    first = array_start(path, None)
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        if not isinstance(value, str) and (name := known(value.get("uuid"))):
            title, at = title_of(clean(value.get("name"))), moment(value.get("created_at"))
            yield Session(HOST, name, title=title, started=at)
