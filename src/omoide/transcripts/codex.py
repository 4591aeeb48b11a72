"""Codex CLI rollouts: one JSON object a line, `session_meta`, `response_item`, `event_msg`, `turn_context`.

What was said is written twice, as a `response_item` for the model and as an `event_msg` for the screen. The item is
the turn and its echo an event, except in rollouts that hold no items (reviews by subagents), where the echo speaks.
Rollouts of the first versions, whose lines are the items themselves, are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from omoide.transcripts.jsonl import JsonDict, head_objects, read_jsonl
from omoide.transcripts.parts import call_text, clean, fields, items, joined, known, leaves, moment, title_of
from omoide.transcripts.values import Kind, Position, Reading, Record, Session

HOST = "codex"

ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
SPOKEN_EVENTS = {"user_message": "user", "agent_message": "assistant"}
# What the host puts in the user's mouth before the first question.
_CONTEXT = re.compile(r"\s*(?:<(?:environment_context|user_instructions|permissions)\b|# AGENTS\.md instructions)")


def recognises(objects: list[JsonDict]) -> bool:
    """Tell whether lines are of this format."""
    return any(_is_ours(value) for value in objects)


def _is_ours(value: JsonDict) -> bool:
    if value.get("type") in ENVELOPES:
        return isinstance(value.get("payload"), dict)
    return "record_type" in value or _is_bare_item(value)


def _is_bare_item(value: JsonDict) -> bool:
    blocks = items(value.get("content"))
    return value.get("type") == "message" and any(
        fields(block).get("type") in ("input_text", "output_text") for block in blocks
    )


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every line from ``start`` on."""
    return read_jsonl(path, start, partial(understand, echoes=_has_messages(path)))


def _has_messages(path: Path) -> bool:
    return any(_is_message(value) for value in head_objects(path))


def _is_message(value: JsonDict) -> bool:
    item = _item_of(value)
    return item is not None and _type_of(item) == "message" and item.get("role") in ("user", "assistant")


def _item_of(value: JsonDict) -> JsonDict | None:
    """Return the item that a line carries, in either form, or None."""
    if value.get("type") == "response_item":
        return fields(value.get("payload"))
    return value if value.get("type") not in ENVELOPES and "payload" not in value and "type" in value else None


def _type_of(item: JsonDict) -> str:
    return clean(item.get("type")) or ("message" if "role" in item else "untyped")


def understand(value: JsonDict, *, echoes: bool = False) -> Reading:
    """Return what one line says; with ``echoes``, spoken events repeat items and are no turns."""
    at = moment(value.get("timestamp"))
    item = _item_of(value)
    if item is not None:
        prefix = "response_item/" if "payload" in value else ""
        return _item(item, prefix + _type_of(item), at)
    envelope, payload = clean(value.get("type")), fields(value.get("payload"))
    if envelope == "event_msg":
        return _event(payload, at, echoes=echoes)
    if envelope in ENVELOPES:
        text = clean(payload.get("message")) if envelope == "compacted" else ""
        return Reading("event", envelope, "system", text, at, key=known(payload.get("id")))
    return _untyped(value, at)


def _untyped(value: JsonDict, at: int | None) -> Reading:
    if "record_type" in value:
        return Reading("event", "state", "system", "", at)
    kind: Kind = "event" if "instructions" in value and "id" in value else "raw"
    return Reading(kind, "session_meta" if kind == "event" else "untyped", "system", "", at, key=known(value.get("id")))


def _item(item: JsonDict, type_: str, at: int | None) -> Reading:
    kind = _type_of(item)
    if kind == "message":
        return _message(item, type_, at)
    if kind in CALLS:
        return _call(item, type_, at)
    if kind in OUTPUTS:
        text = joined(leaves(item.get("output")))
        return Reading("turn" if text else "event", type_, "tool", text, at, parent=known(item.get("call_id")))
    if kind == "reasoning":
        return Reading("event", type_, "assistant", joined(leaves(item.get("summary"))), at, note="thinking")
    return Reading("event" if kind == "ghost_snapshot" else "raw", type_, "system", "", at)


def _message(item: JsonDict, type_: str, at: int | None) -> Reading:
    text = joined(clean(fields(block).get("text")) for block in items(item.get("content")))
    role = clean(item.get("role"))
    said = role in ("user", "assistant") and bool(text) and not _CONTEXT.match(text)
    note = "" if said else "by host"
    return Reading("turn" if said else "event", type_, role or "system", text, at, key=known(item.get("id")), note=note)


def _call(item: JsonDict, type_: str, at: int | None) -> Reading:
    name = known(item.get("name")) or _type_of(item).removesuffix("_call")
    given = item.get("arguments") or item.get("input") or item.get("action") or item.get("summary")
    return Reading(
        "turn", type_, "assistant", call_text(name, given), at, parent=known(item.get("call_id")), tool=name
    )  # fmt: skip


def _event(payload: JsonDict, at: int | None, *, echoes: bool) -> Reading:
    kind = clean(payload.get("type")) or "untyped"
    role = SPOKEN_EVENTS.get(kind)
    if role is not None:
        text = clean(payload.get("message"))
        return Reading("event" if echoes or not text else "turn", f"event_msg/{kind}", role, text, at, note="echo")
    text = clean(payload.get("text") or payload.get("prompt"))
    return Reading("event", f"event_msg/{kind}", "system", text, at, note="thinking" if "reasoning" in kind else "")


def sessions(path: Path) -> Iterator[Session]:
    """Yield the one session of a rollout."""
    objects = list(head_objects(path))
    meta = next((fields(value.get("payload")) for value in objects if value.get("type") == "session_meta"), {})
    first = meta or next((value for value in objects if "id" in value and "instructions" in value), {})
    times = (moment(value.get("timestamp")) for value in objects)
    source = fields(meta.get("source")).get("subagent")
    yield Session(
        HOST,
        known(first.get("id")) or path.stem,
        project=known(meta.get("cwd")) or _cwd(objects),
        branch=known(fields(meta.get("git")).get("branch")),
        title=_title(objects),
        started=moment(meta.get("timestamp")) or next((at for at in times if at is not None), None),
        parent=known(meta.get("forked_from_id"))
        or known(fields(fields(source).get("thread_spawn")).get("parent_thread_id")),
        version=known(meta.get("cli_version")),
        by_file=known(first.get("id")) is None,
    )


def _cwd(objects: list[JsonDict]) -> str | None:
    found = (known(fields(value.get("payload")).get("cwd")) for value in objects if value.get("type") == "turn_context")
    return next((cwd for cwd in found if cwd), None)


def _title(objects: list[JsonDict]) -> str | None:
    readings = (understand(value) for value in objects)
    asked = (reading.text for reading in readings if reading.kind == "turn" and reading.role == "user")
    return next((title for text in asked if (title := title_of(text))), None)
