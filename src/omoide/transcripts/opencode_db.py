"""OpenCode's database: `message` and `part` (first form), `session_message` (second form), both with `session`.

A position counts the rows of `message`, and those of `session_message` from ``SECOND`` on. A session that has rows
in the second form is read from there alone. Once reading came to the second form, the first is taken as closed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import apsw

from omoide.transcripts.databases import BATCH, Row, ask, columns_of, raw_of, resume_rows, rows
from omoide.transcripts.jsonl import JsonDict
from omoide.transcripts.opencode_parts import HOST, session_of, understand, understand_second
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Position, Reading, Record, Session, place

__all__ = ["HOST", "read", "recognises", "resume", "sessions"]

SECOND: Final = 1 << 40

_FIRST_TABLES: Final = {"message": {"id", "session_id", "data"}, "part": {"id", "message_id", "data"}}
_SECOND_TABLES: Final = {"session_message": {"id", "session_id", "type", "data"}}
_TABLES: Final = ("message", "part", "session_message")

_FIRST = "SELECT rowid AS position, * FROM message WHERE rowid > ? ORDER BY rowid LIMIT ?"
_FIRST_NOT_MOVED = """
SELECT rowid AS position, * FROM message
WHERE rowid > ? AND session_id NOT IN (SELECT session_id FROM session_message) ORDER BY rowid LIMIT ?"""
_SECOND = "SELECT rowid AS position, * FROM session_message WHERE rowid > ? ORDER BY rowid LIMIT ?"
_PARTS = "SELECT * FROM part WHERE message_id = ? ORDER BY id"
_SESSIONS: Final = {name: f"SELECT * FROM {name} ORDER BY rowid" for name in ("session", "session_v2")}  # noqa: S608


def recognises(sample: Sample) -> bool:
    """Tell whether a file is such a database, by its tables."""
    if not sample.is_database:
        return False
    tables = columns_of(sample.path, _TABLES)
    return _has(tables, _FIRST_TABLES) or _has(tables, _SECOND_TABLES)


def _has(tables: dict[str, frozenset[str]], wanted: dict[str, set[str]]) -> bool:
    return all(columns <= tables.get(name, frozenset()) for name, columns in wanted.items())


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every message after ``start``, a message of the first form with its parts."""
    tables = columns_of(path, _TABLES)
    second = _has(tables, _SECOND_TABLES)
    if _has(tables, _FIRST_TABLES) and start.offset < SECOND:
        yield from _batched(path, _FIRST_NOT_MOVED if second else _FIRST, start.offset, 0)
    if second:
        yield from _batched(path, _SECOND, max(start.offset - SECOND, 0), SECOND)


def _batched(path: Path, query: str, after: int, base: int) -> Iterator[Record]:
    while True:
        place_ = after
        found = ask(path, lambda connection, last=place_: _with_parts(connection, query, last, base, BATCH))  # type: ignore[misc]
        for row, parts in found:
            after = int(row["position"])
            record = place(
                _reading(row, parts, base), _raw(row, parts), base + after, base + after, str(row["session_id"])
            )
            yield record
        if len(found) < BATCH:
            return


def _with_parts(
    connection: apsw.Connection, query: str, after: int, base: int, limit: int
) -> list[tuple[Row, list[Row]]]:
    found = rows(connection, query, (after, limit))
    return [(row, [] if base else rows(connection, _PARTS, (row["id"],))) for row in found]


def _raw(row: Row, parts: list[Row]) -> bytes:
    return b"\n".join(raw_of(each) for each in (row, *parts))


def _reading(row: Row, parts: list[Row], base: int) -> Reading:
    data = _object(row["data"])
    if data is None:
        return Reading("broken", "broken", key=str(row["id"]), note="its data is no JSON object")
    if base:
        return understand_second(str(row["type"]), data, str(row["id"]), row.get("time_created"))
    values = [_object(part["data"]) or {} for part in parts]
    return understand({"id": row["id"], **data}, values)


def _object(value: Any) -> JsonDict | None:
    try:
        found = json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def resume(path: Path, since: Position | None) -> Position:
    """Return where to go on; a last message that grew is read again."""
    return resume_rows(path, since, _raw_at)


def _raw_at(path: Path, number: int) -> bytes | None:
    base, query = (SECOND, _SECOND) if number >= SECOND else (0, _FIRST)
    found = ask(path, lambda connection: _with_parts(connection, query, number - base - 1, base, 1))
    same = found and base + int(found[0][0]["position"]) == number
    return _raw(*found[0]) if same else None


def sessions(path: Path) -> Iterator[Session]:
    """Yield the sessions of the database."""
    tables = columns_of(path, _SESSIONS)
    for query in (query for name, query in _SESSIONS.items() if "id" in tables[name]):
        yield from map(session_of, ask(path, lambda connection, query=query: rows(connection, query)))  # type: ignore[misc]
