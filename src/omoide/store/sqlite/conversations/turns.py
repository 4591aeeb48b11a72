"""Turn rows: the records of conversations, those with text searchable, every one kept as it was."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.history import TurnRow
from omoide.model.time import Micros
from omoide.store.sqlite.documents import stored_object
from omoide.store.sqlite.slices import portions
from omoide.transcripts.values import TEXT_KEY, token_of

_ROW: Final = "t.turn_id, t.session_id, t.ord, t.number, t.role, c.text, t.metadata, t.trust, t.at, t.added_at, t.batch"
_FROM: Final = f"SELECT {_ROW} FROM turn t JOIN content c ON c.content_id = t.content_id"
_INSERT: Final = (
    "INSERT INTO turn(turn_id, session_id, ns, ord, position, number, kind, key, role, content_id, raw,"
    " metadata, trust, at, added_at, batch) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)


_STANDING: Final = (
    "SELECT t.position, t.turn_id, t.key, t.raw, t.ord, t.number, t.content_id, c.text,"
    " json_extract(t.metadata, '$.type') FROM turn t LEFT JOIN content c ON c.content_id = t.content_id"
    " WHERE t.session_id = ?"
)
_CHANGE: Final = (
    "UPDATE turn SET ord = ?, number = ?, kind = ?, key = ?, role = ?, content_id = ?, raw = ?, metadata = ?,"
    " trust = ?, at = ?, added_at = ? WHERE turn_id = ?"
)


class Standing(NamedTuple):
    """What there is at a position of a session; ``type`` is the host's own name for it."""

    turn_id: int
    key: str | None
    raw: bytes | None
    ord: int | None
    number: int | None
    content_id: int | None
    text: str | None
    type: str | None

    def became(self, key: str, raw: bytes) -> bool:
        """Say whether a record that stands there now is a later state of this one."""
        if self.key == key and key.startswith(TEXT_KEY):
            return False
        return self.raw is not None and self.raw != raw and (self.key == key or raw.startswith(self.raw))

    def grew(self, raw: bytes, text: str) -> bool:
        """Say whether a record is this one with more at its end."""
        longer = self.text is not None and len(text) > len(self.text) and text.startswith(self.text)
        return longer or (self.raw is not None and raw.startswith(self.raw))


class TurnRecord(NamedTuple):
    """One record to be written; those that are no turn have neither number, ordinal nor text."""

    turn_id: int
    session_id: int
    ord: int | None
    position: int
    number: int | None
    kind: str
    key: str | None
    role: str
    content_id: int | None
    raw: bytes | None
    metadata: dict[str, Any]
    trust: str
    at: Micros | None


class Turns:
    """Reads and writes the ``turn`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def next_id(self) -> int:
        """Return the number that the next record gets; numbers are never used again."""
        found: Any = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turn'").get
        return (found or 0) + 1

    def last_number(self, session_id: int) -> int:
        """Return the place of the last turn of a session, 0 when it has none."""
        found: Any = self._connection.execute("SELECT max(number) FROM turn WHERE session_id = ?", (session_id,)).get
        return found or 0

    def keys(self, session_id: int) -> tuple[Counter[str], int]:
        """Return how often a session has each key, and one more than the highest position, 0 when it has none."""
        sql = "SELECT key, position FROM turn WHERE session_id = ?"
        rows: list[Any] = self._connection.execute(sql, (session_id,)).fetchall()
        return Counter(str(row[0]) for row in rows), max((row[1] + 1 for row in rows), default=0)

    def keys_before(self, session_id: int, turns: int) -> Counter[str]:
        """Return how often a session has each key before the turn that has so many turns before it."""
        sql = (
            "SELECT key FROM turn WHERE session_id = ?1 AND position <"
            " (SELECT position FROM turn WHERE session_id = ?1 AND number = ?2 + 1)"
        )
        return Counter(str(row[0]) for row in self._connection.execute(sql, (session_id, turns)))

    def keys_at(self, session_id: int, positions: Sequence[int]) -> dict[int, str | None]:
        """Return the keys of the records that a session has at some positions."""
        return {
            row[0]: row[1]
            for marks, some in portions(positions)
            for row in self._connection.execute(
                f"SELECT position, key FROM turn WHERE session_id = ? AND position IN ({marks})", (session_id, *some)
            )
        }

    def after_last(self, session_id: int) -> int:
        """Return one more than the highest position of a session, 0 when it has none."""
        sql = "SELECT ifnull(max(position) + 1, 0) FROM turn WHERE session_id = ?"
        return int(self._connection.execute(sql, (session_id,)).get)

    def standing(self, session_id: int, positions: Sequence[int]) -> dict[int, Standing]:
        """Return what a session has at some positions."""
        return {
            row[0]: Standing(row[1], row[2], None if row[3] is None else zlib.decompress(row[3]), *row[4:])
            for marks, some in portions(positions)
            for row in self._connection.execute(f"{_STANDING} AND t.position IN ({marks})", (session_id, *some))
        }

    def standing_last(self, session_id: int) -> Standing | None:
        """Return what a session has at its end, None when it is empty."""
        last = self.after_last(session_id) - 1
        return self.standing(session_id, [last]).get(last)

    def change(self, turn_id: int, record: TurnRecord, at: Micros) -> None:
        """Write a record in the place of an earlier state of it, known from now."""
        raw = None if record.raw is None else zlib.compress(record.raw, 6)
        self._connection.execute(
            _CHANGE,
            (
                record.ord, record.number, record.kind, record.key, record.role, record.content_id, raw,
                stored_object(record.metadata), record.trust, record.at, at, turn_id,
            ),
        )  # fmt: skip

    def spoken(self, session_id: int) -> Iterator[str]:
        """Yield what tells each turn of a session apart, in their order."""
        sql = (
            "SELECT t.key, c.hash FROM turn t JOIN content c ON c.content_id = t.content_id"
            " WHERE t.session_id = ? AND t.number IS NOT NULL ORDER BY t.number"
        )
        for row in self._connection.execute(sql, (session_id,)):
            yield token_of(str(row[0]), row[1])

    def spoken_at(self, session_id: int, index: int) -> str:
        """Return the text of a turn of a session, counted from 0; "" when there are not so many."""
        sql = (
            "SELECT c.text FROM turn t JOIN content c ON c.content_id = t.content_id"
            " WHERE t.session_id = ? AND t.number IS NOT NULL ORDER BY t.number LIMIT 1 OFFSET ?"
        )
        return str(self._connection.execute(sql, (session_id, index)).get or "")

    def insert(self, ns: int, records: Iterable[TurnRecord], at: Micros, batch: str | None) -> None:
        """Write records as they are, their numbers included."""
        self._connection.executemany(
            _INSERT,
            [
                (
                    each.turn_id, each.session_id, ns, each.ord, each.position, each.number, each.kind, each.key,
                    each.role, each.content_id, None if each.raw is None else zlib.compress(each.raw, 6),
                    stored_object(each.metadata), each.trust, each.at, at, batch,
                )
                for each in records
            ],
        )  # fmt: skip

    def many(self, turn_ids: Sequence[int]) -> dict[int, TurnRow]:
        """Return turns by number."""
        return {
            row[0]: _turn(row)
            for marks, some in portions(turn_ids)
            for row in self._connection.execute(f"{_FROM} WHERE t.turn_id IN ({marks})", some)
        }

    def between(self, session_id: int, first: int, last: int) -> list[TurnRow]:
        """Return the turns of a session from one place to another, both included."""
        sql = f"{_FROM} WHERE t.session_id = ? AND t.number BETWEEN ? AND ? ORDER BY t.number"
        rows: Any = self._connection.execute(sql, (session_id, first, last))
        return [_turn(row) for row in rows]

    def of_session(self, session_id: int) -> list[TurnRow]:
        """Return all turns of a session in their order."""
        return self.between(session_id, 1, self.last_number(session_id))

    def raws(self, session_id: int) -> list[bytes]:
        """Return every record of a session as it was, secrets masked, in order."""
        sql = "SELECT raw FROM turn WHERE session_id = ? AND raw IS NOT NULL ORDER BY position"
        return [zlib.decompress(row[0]) for row in self._connection.execute(sql, (session_id,))]

    def delete_of(self, session_id: int) -> list[int]:
        """Remove the records of a session; return the numbers of their texts."""
        rows: Any = self._connection.execute(
            "DELETE FROM turn WHERE session_id = ? RETURNING content_id", (session_id,)
        )
        return sorted({row[0] for row in rows.fetchall() if row[0] is not None})


def _turn(row: Sequence[Any]) -> TurnRow:
    metadata = dict(json.loads(row[6])) if row[6] else {}
    return TurnRow(row[0], row[1], row[2], row[3], row[4], row[5], metadata, *row[7:11])
