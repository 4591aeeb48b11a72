"""VS Code chat sessions: one JSON document with `requests`, or lines of a log that builds it (`kind`, `k`, `v`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from omoide.transcripts.elements import array_start, compact, elements_of, outside_of
from omoide.transcripts.jsonl import JsonDict, decoded, head_objects, read_jsonl
from omoide.transcripts.parts import clean, fields, items, joined, known, moment, title_of
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Position, Reading, Record, Session, place_all

HOST = "vscode"

INITIAL, SET, PUSH, DELETE = 0, 1, 2, 3
LOG_TYPES = {INITIAL: "initial", SET: "set", PUSH: "push", DELETE: "delete"}
SILENT = frozenset({"thinking", "inlineReference", "prepareToolInvocation", "mcpServersStarting", "undoStop"})


def recognises_document(sample: Sample) -> bool:
    """Tell whether a file is a session as one document."""
    edges = sample.edges
    named = any(f'"{name}"' in edges for name in ("requesterUsername", "responderUsername", "sessionId"))
    return sample.is_json and '"requests"' in edges and named and array_start(sample.path, "requests") is not None


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of a session's log."""
    return any(_is_log(value) and ("k" in value or "requests" in fields(value.get("v"))) for value in objects)


def _is_log(value: JsonDict) -> bool:
    return (
        value.get("kind") in LOG_TYPES
        and not isinstance(value.get("kind"), bool)
        and value.keys() <= {"kind", "k", "v", "i"}
    )


def read_document(path: Path, start: Position) -> Iterator[Record]:
    """Yield two records for every request: what was asked, and what was answered."""
    first, before = start.offset or array_start(path, "requests"), start
    for element in elements_of(path, first) if first is not None else ():
        value = decoded(element.raw)
        for record in place_all(_pair(value, element.raw), element.raw, element.start, element.end, before, None):
            before = record.after
            yield record


def _pair(value: JsonDict | str, raw: bytes) -> list[tuple[Reading, bytes]]:
    if isinstance(value, str):
        return [(Reading("broken", "broken", note=value), raw)]
    asked = {name: inner for name, inner in value.items() if name != "response"}
    key, at = known(value.get("requestId")), moment(value.get("timestamp"))
    question, answer = question_text(value), answer_text(value.get("response"))
    reply = Reading(
        "turn" if answer else "event", "response", "assistant", answer, at, known(value.get("responseId")), key,
        _tools(value.get("response")),
    )  # fmt: skip
    return [
        (Reading("turn" if question else "event", "request", "user", question, at, key), compact(asked)),
        (reply, compact({"response": value.get("response")})),
    ]


def question_text(request: JsonDict) -> str:
    """Return what was asked."""
    message = request.get("message")
    return clean(message) or clean(fields(message).get("text"))


def answer_text(response: Any) -> str:
    """Return what was answered: Markdown, and each tool call as the line that was shown for it."""
    return joined(_part_text(part) for part in (response if isinstance(response, list) else [response]))


def _part_text(part: Any) -> str:
    value = fields(part)
    if value.get("kind") in SILENT:
        return ""
    for name in ("value", "content", "pastTenseMessage", "invocationMessage"):
        inner = value.get(name)
        if text := clean(inner) or clean(fields(inner).get("value")):
            return text
    return clean(part)


def _tools(response: Any) -> str | None:
    return ", ".join(name for part in items(response) if (name := known(fields(part).get("toolId")))) or None


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line of a log from ``start`` on."""
    return read_jsonl(path, start, understand)


def understand(value: JsonDict) -> Reading:
    """Return what one line of a log adds: requests and answers are turns, everything else is an event."""
    if not _is_log(value):
        return Reading("raw", "untyped")
    type_, path, given = LOG_TYPES[value["kind"]], items(value.get("k")), value.get("v")
    if value["kind"] == INITIAL:
        requests, at = items(fields(given).get("requests")), moment(fields(given).get("creationDate"))
        return _requests(requests, type_, at)
    if path[:1] == ["requests"] and len(path) == 1:
        return _requests(items(given), type_, None)
    if path[:1] == ["requests"] and path[-1:] == ["response"]:
        text = answer_text(given)
        return Reading("turn" if text else "event", type_, "assistant", text, tool=_tools(given))
    note = "title" if path == ["customTitle"] else ""
    return Reading("event", type_, "system", clean(given) if note else "", note=note)


def _requests(requests: list[Any], type_: str, at: int | None) -> Reading:
    asked = joined(question_text(fields(request)) for request in requests)
    answered = joined(answer_text(fields(request).get("response")) for request in requests)
    when = next((moment(fields(request).get("timestamp")) for request in requests), at)
    key = known(fields(requests[0]).get("requestId")) if len(requests) == 1 else None
    text = joined([asked, answered])
    return Reading("turn" if text else "event", type_, "user" if asked else "assistant", text, when or at, key)


def sessions_of_document(path: Path) -> Iterator[Session]:
    """Yield the one session of a document."""
    header = outside_of(path, "requests")
    yield _session(path, header, next((record.text for record in read_document(path, Position()) if record.text), ""))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a log."""
    objects = list(head_objects(path))
    header = next((fields(value.get("v")) for value in objects if value.get("kind") == INITIAL), {})
    titles = [value.get("v") for value in objects if items(value.get("k")) == ["customTitle"]]
    first = next((reading.text for value in objects if (reading := understand(value)).kind == "turn"), "")
    yield _session(path, header | ({"customTitle": titles[-1]} if titles else {}), first)


def _session(path: Path, header: JsonDict, first: str) -> Session:
    name, title = known(header.get("sessionId")), title_of(clean(header.get("customTitle")))
    started = moment(header.get("creationDate"))
    return Session(HOST, name or path.stem, title=title or title_of(first), started=started, by_file=name is None)
