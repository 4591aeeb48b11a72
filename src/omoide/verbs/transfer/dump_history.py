"""Conversations as lines of a dump: sessions and segments by what they are, whatever numbers a store gave them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from omoide.model.carried_history import CarriedSegment, CarriedTurn
from omoide.model.history import SessionRow
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.carrying_history import segments_of, turns_of_session
from omoide.verbs.transfer.jsonl import when

_INDENT: Final = "    "


def lines(tx: Read, ns: int, controls: dict[int, str]) -> Iterator[str]:
    """Yield the lines of the conversations of a namespace; ``controls`` says how control characters are shown."""
    for session in sorted(tx.sessions.select("e.ns = ?", [ns], None), key=lambda row: row.uid):
        yield from _session(session)
        for turn in turns_of_session(tx, session):
            yield from _turn(turn, controls)
    for segment in sorted(segments_of(tx, [ns]), key=lambda each: each.row.segment_id):
        yield from _segment(segment, controls)


def _session(row: SessionRow) -> Iterator[str]:
    yield ""
    yield f"### session {row.uid}"
    said = {"host": row.host, "name": row.name, "title": row.title, "project": row.project, "domain": row.domain}
    yield from _labels(said)


def _turn(turn: CarriedTurn, controls: dict[int, str]) -> Iterator[str]:
    if turn.text is not None:
        yield f"  {turn.role} {when(turn.at) or ''}".rstrip()
        yield from (f"{_INDENT}{line.translate(controls)}" for line in turn.text.splitlines() or [""])


def _segment(segment: CarriedSegment, controls: dict[int, str]) -> Iterator[str]:
    row = segment.row
    marks = ["archived"] * row.archived + ([f"replaced by {row.replaced_by}"] if row.replaced_by else [])
    yield ""
    yield f"### segment {row.segment_id}" + (f" ({', '.join(marks)})" if marks else "")
    said = {"kind": row.kind, "summary": row.summary, "project": row.project, "domain": row.domain}
    yield from _labels(said | {"tags": list(row.tags) or None, "session": segment.session})
    yield from (f"{_INDENT}{line.translate(controls)}" for line in segment.text.splitlines() or [""])


def _labels(said: dict[str, Any]) -> Iterator[str]:
    for name, value in said.items():
        if value is not None:
            yield f"  {name}: {json.dumps(value, ensure_ascii=False)}"
