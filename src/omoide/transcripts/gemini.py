"""Gemini CLI: a session as one JSON document with `messages`, or as lines: a header, messages, `$set` updates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from omoide.transcripts.elements import array_start, elements_of, outside_of
from omoide.transcripts.jsonl import JsonDict, decoded, head_objects, read_jsonl
from omoide.transcripts.parts import call_text, clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Kind, Position, Reading, Record, Session, place

HOST = "gemini"

ROLES = {"user": "user", "gemini": "assistant", "model": "assistant"}
NOTICES = frozenset({"info", "error", "warning"})
UPDATES = ("$set", "$rewindTo")


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of the form of lines."""
    return any("projectHash" in value and "sessionId" in value and "messages" not in value for value in objects) or any(
        value.get("type") == "gemini" and "content" in value for value in objects
    )


def recognises_document(sample: Sample) -> bool:
    """Tell whether a file is of the form of one document."""
    edges = sample.edges
    named = '"messages"' in edges and ('"projectHash"' in edges or '"sessionId"' in edges)
    return sample.is_json and named and array_start(sample.path, "messages") is not None


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line from ``start`` on."""
    return read_jsonl(path, start, understand)


def read_document(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every message from ``start`` on."""
    first = start.offset or array_start(path, "messages")
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        reading = Reading("broken", "broken", note=value) if isinstance(value, str) else understand(value)
        yield place(reading, element.raw, element.start, element.end)


def understand(value: JsonDict) -> Reading:
    """Return what one message or line says; thoughts are left out of the text."""
    kind, at, key = clean(value.get("type")), moment(value.get("timestamp")), known(value.get("id"))
    if kind in ROLES:
        calls = [fields(call) for call in items(value.get("toolCalls"))]
        text = joined([_content(value.get("content")), *map(_called, calls)])
        tool = ", ".join(clean(call.get("name")) for call in calls) or None
        note = "thinking" if value.get("thoughts") else ""
        return Reading("turn" if text else "event", kind, ROLES[kind], text, at, key, tool=tool, note=note)
    if kind in NOTICES:
        return Reading("event", kind, "system", _content(value.get("content")), at, key)
    update = next((name for name in UPDATES if name in value), None)
    type_ = update or ("header" if "sessionId" in value else kind or "untyped")
    known_kind: Kind = "event" if update or "sessionId" in value else "raw"
    return Reading(known_kind, type_, "system", "", at or moment(value.get("startTime")), key)


def _content(value: object) -> str:
    return clean(value) if isinstance(value, str) else joined(clean(fields(part).get("text")) for part in items(value))


def _called(call: JsonDict) -> str:
    results = (fields(fields(item).get("functionResponse")).get("response") for item in items(call.get("result")))
    return joined([call_text(call.get("name"), call.get("args")), *leaves(list(results))])


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a file of lines."""
    objects = list(head_objects(path))
    header = next((value for value in objects if "sessionId" in value), {})
    yield _session(path, header, [understand(value) for value in objects])


def sessions_of_document(path: Path) -> Iterator[Session]:
    """Yield the one session of a document."""
    header = outside_of(path, "messages")
    asked = (record for record in read_document(path, Position()) if record.role == "user" and record.text)
    first = next(asked, None)
    yield _session(path, header, [Reading("turn", "user", "user", first.text, first.at)] if first else [])


def _session(path: Path, header: JsonDict, readings: list[Reading]) -> Session:
    asked = (title_of(reading.text) for reading in readings if reading.kind == "turn" and reading.role == "user")
    project = known(header.get("projectHash"))
    return Session(
        HOST,
        known(header.get("sessionId")) or path.stem,
        title=known(header.get("summary")) or next((title for title in asked if title), None),
        started=moment(header.get("startTime")),
        extra={"project_hash": project} if project else {},
        by_file=known(header.get("sessionId")) is None,
    )
