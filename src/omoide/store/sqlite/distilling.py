"""How far conversations were distilled into memories, and what reasoners answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from omoide.model.records import SESSION, canonical
from omoide.model.time import Micros


class Open(NamedTuple):
    """A conversation with turns that were not distilled: its number, name, and its last turn."""

    session_id: int
    name: str
    last: int


class Distilling:
    """Reads and writes ``distilled`` and ``answer``."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def upto(self, ns: int, session: bytes) -> tuple[int, int]:
        """Return the last turn of a conversation that was distilled, 0 for none, and how often it failed since."""
        row: Any = self._connection.execute(
            "SELECT upto, failures FROM distilled WHERE ns = ? AND session = ?", (ns, session)
        ).fetchone()
        return (0, 0) if row is None else (row[0], row[1])

    def advance(self, ns: int, session: bytes, upto: int, at: Micros) -> None:
        """Note that a conversation was distilled up to a turn."""
        self._put(ns, session, upto, at, 0)

    def failed(self, ns: int, session: bytes, at: Micros) -> None:
        """Note that distilling what comes next failed; it stays to be done."""
        upto, failures = self.upto(ns, session)
        self._put(ns, session, upto, at, failures + 1)

    def captured(self, ns: int) -> list[Open]:
        """Return the conversations of History that have turns, oldest first."""
        rows: Any = self._connection.execute(
            "SELECT s.session_id, s.name, max(t.number) FROM session s JOIN turn t ON t.session_id = s.session_id"
            " WHERE s.ns = ? AND t.number IS NOT NULL GROUP BY s.session_id ORDER BY s.session_id",
            (ns,),
        )
        return [Open(*row) for row in rows]

    def remembered(self, ns: int) -> list[tuple[str, list[int]]]:
        """Return (session, memories) of the turns that are kept as memories, by session and in their order."""
        rows: Any = self._connection.execute(
            f"SELECT metadata ->> '{SESSION}', memory_id FROM version WHERE ns = ? AND known_to IS NULL"
            f" AND metadata ->> '{SESSION}' IS NOT NULL AND metadata ->> 'role' IS NOT NULL AND trust <> 'untrusted'"
            " ORDER BY memory_id",
            (ns,),
        )
        found: dict[str, list[int]] = {}
        for session, memory_id in rows:
            found.setdefault(str(session), []).append(memory_id)
        return list(found.items())

    def archive(
        self, ns: int, *, run: str | None, at: Micros, reasoner: str, asked: bytes, status: str,
        memories: Sequence[int], sessions: Sequence[int], text: str | None,
    ) -> None:  # fmt: skip
        """Keep an answer, what it was about, and whether it could be used."""
        about = canonical({"memories": list(memories), "sessions": list(sessions)})
        self._connection.execute(
            "INSERT INTO answer(ns, run, at, reasoner, asked, status, about, text) VALUES (?,?,?,?,?,?,?,?)",
            (ns, run, at, reasoner, asked, status, about, text),
        )

    def answers(self, ns: int) -> list[dict[str, Any]]:
        """Return the kept answers, oldest first."""
        rows: Any = self._connection.execute(
            "SELECT run, at, reasoner, status, about, text FROM answer WHERE ns = ? ORDER BY answer_id", (ns,)
        )
        names = ("run", "at", "reasoner", "status", "about", "text")
        return [{**dict(zip(names, row, strict=True)), "about": json.loads(row[4])} for row in rows]

    def forget_sessions(self, session_ids: Sequence[int]) -> None:
        """Erase the answers about some conversations."""
        for session_id in session_ids:
            self._connection.execute(
                "DELETE FROM answer WHERE EXISTS (SELECT 1 FROM json_each(about, '$.sessions') WHERE value = ?)",
                (session_id,),
            )

    def _put(self, ns: int, session: bytes, upto: int, at: Micros, failures: int) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO distilled(ns, session, upto, at, failures) VALUES (?,?,?,?,?)",
            (ns, session, upto, at, failures),
        )
