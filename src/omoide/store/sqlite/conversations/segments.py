"""Segment rows: what was saved of conversations, read back as values."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any, Final

import apsw

from omoide.model.history import SegmentRow
from omoide.model.time import Micros
from omoide.store.sqlite.documents import stored_object
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.sequences import go_on_after
from omoide.store.sqlite.slices import portions

_ROW: Final = (
    "s.number, s.ns, s.segment_id, s.session_id, s.ord, s.kind, s.summary, s.tags, s.project, s.domain, s.entities,"
    " s.importance, s.lines, s.archived, s.archived_at, s.restored_at, s.replaced_by, s.uses, s.used_at, s.metadata,"
    " s.actor, s.door, s.trust, s.batch, s.at"
)
_TEXT: Final = "(SELECT text FROM content WHERE content_id = s.content_id), s.packed"
_INSERT: Final = (
    "INSERT INTO segment(ns, segment_id, stem, serial, session_id, ord, content_id, hash, lines, kind, summary, tags,"
    " project, domain, entities, importance, metadata, actor, door, trust, batch, at)"
    " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)


class Segments:
    """Reads and writes the ``segment`` table."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces

    def next_serial(self, ns: int, stem: str) -> int:
        """Return the number that the next segment of a stem gets."""
        sql = "SELECT ifnull(max(serial), 0) + 1 FROM segment WHERE ns = ? AND stem = ?"
        return int(self._connection.execute(sql, (ns, stem)).get)

    def next_number(self) -> int:
        """Return the number that the next segment gets; numbers are never used again."""
        found: Any = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'segment'").get
        return (found or 0) + 1

    def go_on_after(self, number: int) -> None:
        """Let the next segment get a number above one that was given elsewhere."""
        go_on_after(self._connection, "segment", number)

    def same(self, ns: int, digest: bytes, project: str | None, kind: str) -> SegmentRow | None:
        """Return the segment that holds the same text for a project, or None."""
        found = self._rows("s.ns = ? AND s.hash = ? AND s.project IS ? AND s.kind = ?", (ns, digest, project, kind))
        return found[0] if found else None

    def insert(self, ns: int, row: SegmentRow, *, stem: str, serial: int, content_id: int, digest: bytes) -> None:
        """Write a segment; its number must be the next one."""
        self._connection.execute(
            _INSERT,
            (
                ns, row.segment_id, stem, serial, row.session_id, row.ord, content_id, digest, row.lines, row.kind,
                row.summary, _list(row.tags), row.project, row.domain, stored_object(row.entities), row.importance,
                stored_object(row.metadata), row.actor, row.door, row.trust, row.batch, row.at,
            ),
        )  # fmt: skip

    def set(self, number: int, **values: object) -> None:
        """Write some columns of a segment."""
        names = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(f"UPDATE segment SET {names} WHERE number = ?", (*values.values(), number))

    def find(self, ns: int, segment_id: str) -> SegmentRow | None:
        """Return a segment of a namespace by its readable id, or None."""
        found = self._rows("s.ns = ? AND s.segment_id = ?", (ns, segment_id))
        return found[0] if found else None

    def many(self, numbers: Sequence[int]) -> dict[int, tuple[SegmentRow, str]]:
        """Return segments by number, each with its text."""
        found: dict[int, tuple[SegmentRow, str]] = {}
        for marks, some in portions(numbers):
            rows: Any = self._connection.execute(
                f"SELECT {_ROW}, {_TEXT} FROM segment s WHERE s.number IN ({marks})", some
            )
            for row in rows:
                found[row[0]] = self._row(row), unpacked(row[25], row[26])
        return found

    def text(self, number: int) -> str:
        """Return the text of a segment."""
        row: Any = self._connection.execute(f"SELECT {_TEXT} FROM segment s WHERE s.number = ?", (number,)).fetchone()
        return "" if row is None else unpacked(*row)

    def digests(self, numbers: Sequence[int]) -> list[bytes]:
        """Return what stands for the texts of some segments."""
        return [
            row[0]
            for marks, some in portions(numbers)
            for row in self._connection.execute(f"SELECT hash FROM segment WHERE number IN ({marks})", some)
        ]

    def content_of(self, number: int) -> int | None:
        """Return the number of the text of a segment, None while it is packed."""
        found: Any = self._connection.execute("SELECT content_id FROM segment WHERE number = ?", (number,)).get
        return found if found is None else int(found)

    def of_session(self, session_id: int) -> list[SegmentRow]:
        """Return the segments of a session, oldest first."""
        return self._rows("s.session_id = ? ORDER BY s.number", (session_id,))

    def of_namespace(self, ns: int) -> list[SegmentRow]:
        """Return all segments of a namespace, oldest first."""
        return self._rows("s.ns = ? ORDER BY s.number", (ns,))

    def select(self, condition: str, values: Sequence[Any], limit: int | None, order: str) -> list[SegmentRow]:
        """Return the segments under a condition over ``segment s``, at most ``limit``."""
        tail = "" if limit is None else " LIMIT ?"
        return self._rows(f"{condition} ORDER BY {order}{tail}", values if limit is None else [*values, limit])

    def use(self, number: int, uses: float, at: Micros | None) -> None:
        """Write how much a segment was looked at, as of a time."""
        self._connection.execute("UPDATE segment SET uses = ?, used_at = ? WHERE number = ?", (uses, at, number))

    def delete(self, number: int) -> int | None:
        """Remove the row of a segment; return the number of its text, None when it was packed."""
        row: Any = self._connection.execute(
            "DELETE FROM segment WHERE number = ? RETURNING content_id", (number,)
        ).fetchone()
        return None if row is None else row[0]

    def _rows(self, condition: str, values: Sequence[Any]) -> list[SegmentRow]:
        rows: Any = self._connection.execute(f"SELECT {_ROW} FROM segment s WHERE {condition}", values)
        return [self._row(row) for row in rows]

    def _row(self, row: Sequence[Any]) -> SegmentRow:
        entities = {name: tuple(found) for name, found in _object(row[10]).items()}
        return SegmentRow._make((
            row[0], self._namespaces.name(row[1]), row[2], row[3], row[4], row[5], row[6] or "", _labels(row[7]),
            row[8], row[9], entities, row[11], row[12], bool(row[13]), *row[14:19], _object(row[19]), *row[20:25],
        ))  # fmt: skip


def pack(text: str) -> bytes:
    """Return a text compressed."""
    return zlib.compress(text.encode("utf-8"), 6)


def unpacked(text: str | None, packed: bytes | None) -> str:
    """Return a text that is kept as it is or compressed."""
    if text is not None:
        return text
    return "" if packed is None else zlib.decompress(packed).decode("utf-8")


def _labels(text: str | None) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()


def _list(labels: Sequence[str]) -> str | None:
    return json.dumps(list(labels), ensure_ascii=False) if labels else None


def _object(text: str | None) -> dict[str, Any]:
    return dict(json.loads(text)) if text else {}
