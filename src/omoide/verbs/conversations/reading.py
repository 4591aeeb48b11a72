"""Conversations read: a segment or a session, whole or in part, by lines or by turns, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.history import SegmentRow, SessionRow, turn_of
from omoide.model.policy import Scope
from omoide.store.sqlite.transaction import Read
from omoide.text.budget import estimate_tokens
from omoide.types.history import Reading
from omoide.verbs.context import Context

UNITS: Final = ("lines", "turns")
_PAGE: Final = 64
"""Turns fetched together."""


class Part(NamedTuple):
    """Which part is asked for: first and last line or turn, both included and counted from 1; None is the end."""

    start: int | None
    end: int | None
    unit: str | None
    max_tokens: int | None


def check_part(start: object, end: object, by: object, max_tokens: int | None) -> Part:
    """Return the part that the arguments describe.

    Raises:
        InvalidInputError: not a part of anything.
    """
    for name, value in (("start", start), ("end", end)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise InvalidInputError(f"{name} must be a line or turn counted from 1, not {value!r}", value=value)
    assert start is None or isinstance(start, int)
    assert end is None or isinstance(end, int)
    if start is not None and end is not None and end < start:
        raise InvalidInputError(f"end ({end}) lies before start ({start})", value=(start, end))
    if by is not None and by not in UNITS:
        raise InvalidInputError(f"by must be one of {', '.join(UNITS)}, not {by!r}", value=by)
    return Part(start, end, None if by is None else str(by), max_tokens)


def read(ctx: Context, scope: Scope, name: str, part: Part) -> Reading:
    """Return a part of what a readable id names: a segment, a session, or a turn of one.

    Raises:
        NotFoundError: nothing of that name is here.
    """
    ctx.flush()
    with ctx.store.read(scope) as tx:
        for namespace in scope.readable:
            ns = tx.namespaces.id(namespace)
            if ns is None:
                continue
            segment = tx.segments.find(ns, name)
            if segment is not None:
                return _segment(tx, segment, part)
            sessions = tx.sessions.named(ns, name)
            if sessions:
                return _session(tx, sessions[0], part)
            turn = _turn(tx, ns, name, part)
            if turn is not None:
                return turn
    raise NotFoundError(
        f"there is no segment, session or turn {name!r} here; list() and sessions() name them", value=name
    )


def _segment(tx: Read, row: SegmentRow, part: Part) -> Reading:
    if part.unit == "turns":
        raise InvalidInputError("a segment is read by lines; a session by turns", value=row.segment_id)
    text = tx.segments.text(row.number)
    return _lines(text, part, id=row.segment_id, origin="segment", summary=row.summary, archived=row.archived)


def _turn(tx: Read, ns: int, name: str, part: Part) -> Reading | None:
    found = turn_of(name)
    sessions = [] if found is None else tx.sessions.named(ns, found[0])
    if found is None or not sessions:
        return None
    rows = tx.turns.between(sessions[0].session_id, found[1], found[1])
    return _lines(rows[0].text, part, id=name, origin="turn", summary=None, archived=False) if rows else None


def _session(tx: Read, row: SessionRow, part: Part) -> Reading:
    said = {"id": row.name, "origin": "session", "summary": row.title, "archived": False}
    if part.unit == "lines":
        whole = "\n\n".join(_told(turn.role, turn.text) for turn in tx.turns.of_session(row.session_id))
        return _lines(whole, part, **said)
    last = tx.turns.last_number(row.session_id)
    saved = tx.segments.of_session(row.session_id) if not last and part.unit is None else []
    if saved:
        texts = tx.segments.many([segment.number for segment in saved])
        whole = "\n\n".join(text for _, (_, text) in sorted(texts.items()))
        return _lines(whole, part, **said)
    first, end = _bounds(part, last)

    def page(start: int) -> list[str]:
        turns = tx.turns.between(row.session_id, start, min(end, start + _PAGE - 1))
        return [_told(turn.role, turn.text) for turn in turns]

    kept, cut = _within(page, first, end, part.max_tokens)
    shown = first + len(kept) - 1
    return Reading("\n\n".join(kept), unit="turns", start=first, end=shown, of=last, truncated=cut, **said)


def _told(role: str, text: str) -> str:
    return f"{role}: {text}"


def _lines(text: str, part: Part, **said: Any) -> Reading:
    lines = text.split("\n")
    first, end = _bounds(part, len(lines))
    if part.max_tokens is None and (first, end) == (1, len(lines)):
        return Reading(text, unit="lines", start=first, end=end, of=end, truncated=False, **said)
    kept, cut = _within(lambda start: lines[start - 1 : end], first, end, part.max_tokens)
    shown = first + len(kept) - 1
    return Reading("\n".join(kept), unit="lines", start=first, end=shown, of=len(lines), truncated=cut, **said)


def _bounds(part: Part, last: int) -> tuple[int, int]:
    first = max(part.start or 1, 1)
    end = last if part.end is None else min(part.end, last)
    if first > last > 0:
        raise InvalidInputError(f"start is {first} and there are only {last}", value=first)
    return first, end


def _within(page: Callable[[int], Sequence[str]], first: int, end: int, budget: int | None) -> tuple[list[str], bool]:
    """Return what fits, at least the first piece, and whether something was left out; the first is cut if it must."""
    kept: list[str] = []
    left = budget
    while first + len(kept) <= end:
        some = page(first + len(kept))
        if not some:
            break
        for piece in some:
            cost = 0 if left is None else estimate_tokens(piece) + 1
            if left is not None and cost > left:
                return kept or [_cut(piece, left)], True
            left = None if left is None else left - cost
            kept.append(piece)
    return kept, False


def _cut(piece: str, budget: int) -> str:
    """Return the longest beginning of a text that fits, to the precision of a sixteenth."""
    size = len(piece)
    while size > 16 and estimate_tokens(piece[:size]) > budget:
        size -= max(size // 16, 1)
    return piece[:size] + "…"
