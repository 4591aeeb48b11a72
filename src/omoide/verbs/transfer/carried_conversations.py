"""Conversations told as lines of JSON, and back."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any, Final

from omoide.model.carried_history import CarriedSegment, CarriedSession, CarriedTurn
from omoide.model.history import SegmentRow, check_segment_kind
from omoide.model.namespaces import check_namespace
from omoide.model.time import to_micros
from omoide.model.trust import check_trust
from omoide.text.normalize import check_text
from omoide.verbs.drafts import draft_metadata
from omoide.verbs.transfer.jsonl import Line, moment, when

_SESSION: Final = ("path", "project", "domain", "branch", "title", "parent", "error", "batch")
_SESSION_TIMES: Final = ("started_at", "ended_at")
_TURN: Final = ("number", "key", "text", "batch")
_SEGMENT: Final = ("project", "domain", "replaced_by", "actor", "batch")
_SEGMENT_TIMES: Final = ("archived_at", "restored_at", "used_at")


def encode_session(session: CarriedSession) -> Line:
    """Return the line of a session."""
    line: Line = {
        "type": "session", "number": session.number, "uid": session.uid, "namespace": session.namespace,
        "host": session.host, "name": session.name, "status": session.status, "counts": dict(session.counts),
        "added_at": when(session.added_at),
    }  # fmt: skip
    return line | _given(session, _SESSION) | _times(session, _SESSION_TIMES)


def decode_session(line: Mapping[str, Any]) -> CarriedSession:
    """Return the session of a line.

    Raises:
        InvalidInputError, KeyError, TypeError, ValueError: it is no such line.
    """
    return CarriedSession(
        number=int(line["number"]), uid=check_text(line["uid"], "uid"), namespace=check_namespace(line["namespace"]),
        host=check_text(line["host"], "host"), name=check_text(line["name"], "name"), status=str(line["status"]),
        counts={str(name): int(count) for name, count in line["counts"].items()}, added_at=to_micros(line["added_at"]),
        **_taken(line, _SESSION, _SESSION_TIMES),
    )  # fmt: skip


def encode_turn(turn: CarriedTurn) -> Line:
    """Return the line of a record; its bytes are compressed."""
    line: Line = {"type": "turn", "session": turn.session, "position": turn.position, "kind": turn.kind}
    line |= {"role": turn.role, "trust": turn.trust, "added_at": when(turn.added_at)}
    line |= _given(turn, _TURN) | ({"metadata": dict(turn.metadata)} if turn.metadata else {})
    line |= {} if turn.at is None else {"at": when(turn.at)}
    packed = None if turn.raw is None else base64.b64encode(zlib.compress(turn.raw, 6)).decode("ascii")
    return line if packed is None else line | {"raw": packed}


def decode_turn(line: Mapping[str, Any]) -> CarriedTurn:
    """Return the record of a line.

    Raises:
        InvalidInputError, KeyError, TypeError, ValueError: it is no such line.
    """
    raw = line.get("raw")
    try:
        said = None if raw is None else zlib.decompress(base64.b64decode(raw, validate=True))
    except zlib.error as error:
        raise ValueError(f"its record cannot be read: {error}") from error
    return CarriedTurn(
        session=check_text(line["session"], "session"), position=int(line["position"]), number=line.get("number"),
        kind=check_text(line["kind"], "kind"), key=line.get("key"), role=check_text(line["role"], "role"),
        text=line.get("text"), raw=said, metadata=draft_metadata(line.get("metadata")),
        trust=check_trust(line["trust"]), at=moment(line.get("at")), added_at=to_micros(line["added_at"]),
        batch=line.get("batch"),
    )  # fmt: skip


def encode_segment(segment: CarriedSegment) -> Line:
    """Return the line of a segment; what is as usual is left out."""
    row = segment.row
    line: Line = {
        "type": "segment", "number": row.number, "id": row.segment_id, "namespace": row.namespace, "kind": row.kind,
        "text": segment.text, "summary": row.summary, "importance": row.importance, "trust": row.trust,
        "door": row.door, "at": when(row.at),
    }  # fmt: skip
    line |= _given(row, _SEGMENT) | _times(row, _SEGMENT_TIMES)
    line |= {} if segment.session is None else {"session": segment.session}
    more = {
        "tags": list(row.tags), "entities": {sort: list(names) for sort, names in row.entities.items()},
        "metadata": dict(row.metadata), "archived": row.archived, "uses": row.uses,
    }  # fmt: skip
    return line | {name: value for name, value in more.items() if value}


def decode_segment(line: Mapping[str, Any]) -> CarriedSegment:
    """Return the segment of a line.

    Raises:
        InvalidInputError, KeyError, TypeError, ValueError: it is no such line.
    """
    text = check_text(line["text"], "text")
    entities = {str(sort): tuple(map(str, names)) for sort, names in (line.get("entities") or {}).items()}
    row = SegmentRow(
        number=int(line["number"]), namespace=check_namespace(line["namespace"]),
        segment_id=check_text(line["id"], "id"), session_id=None, ord=0, kind=check_segment_kind(line["kind"]),
        summary=str(line["summary"]), tags=tuple(map(str, line.get("tags") or ())), entities=entities,
        importance=int(line["importance"]), lines=text.count("\n") + 1, archived=line.get("archived") is True,
        uses=float(line.get("uses") or 0.0), metadata=draft_metadata(line.get("metadata")),
        door=check_text(line["door"], "door"), trust=check_trust(line["trust"]), at=to_micros(line["at"]),
        **_taken(line, _SEGMENT, _SEGMENT_TIMES),
    )  # fmt: skip
    return CarriedSegment(row, line.get("session"), text)


def _taken(line: Mapping[str, Any], names: tuple[str, ...], times: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {name: line.get(name) for name in names}
    return found | {name: moment(line.get(name)) for name in times}


def _given(value: object, names: tuple[str, ...]) -> Line:
    return {name: getattr(value, name) for name in names if getattr(value, name) is not None}


def _times(value: object, names: tuple[str, ...]) -> Line:
    return {name: when(getattr(value, name)) for name in names if getattr(value, name) is not None}
