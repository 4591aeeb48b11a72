"""Batches: what one ingest, import, consolidation or session wrote under one id, and what happened to it since."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import apsw

from omoide.model.time import Micros
from omoide.store.sqlite.slices import portions

_WRITTEN: Final = "SELECT DISTINCT memory_id FROM version WHERE batch = ?"
_TOUCHED: Final = "SELECT DISTINCT memory_id FROM version WHERE {} IN ({})"


class Batches:
    """Reads and writes the ``batch`` table, and follows batches through events, versions and evidence."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def begin(self, batch: str, ns: int, kind: str, at: Micros, actor: str | None, source: str | None) -> None:
        """Record a batch, unless it is recorded."""
        self._connection.execute(
            "INSERT OR IGNORE INTO batch(batch, ns, kind, at, actor, source) VALUES (?,?,?,?,?,?)",
            (batch, ns, kind, at, actor, source),
        )

    def spaces(self, batch: str) -> list[int]:
        """Return the namespaces that a batch wrote to, ascending."""
        rows: Any = self._connection.execute(
            "SELECT ns FROM batch WHERE batch = ?1 UNION SELECT ns FROM event WHERE batch = ?1 AND ns IS NOT NULL"
            " ORDER BY ns",
            (batch,),
        )
        return [row[0] for row in rows]

    def close(self, batch: str, at: Micros) -> None:
        """Note that a batch was undone."""
        self._connection.execute("UPDATE batch SET undone_at = ? WHERE batch = ?", (at, batch))

    def is_undone(self, batch: str) -> bool:
        """Say whether a batch was undone."""
        row = self._connection.execute("SELECT undone_at FROM batch WHERE batch = ?", (batch,)).fetchone()
        return row is not None and row[0] is not None

    def touched(self, batch: str, events: Iterable[int]) -> list[int]:
        """Return the memories of which a batch, by its events, wrote or ended a version, ascending."""
        found = {row[0] for row in self._connection.execute(_WRITTEN, (batch,))}
        for marks, seqs in portions(sorted(events)):
            for column in ("opened_by", "closed_by"):
                found |= {row[0] for row in self._connection.execute(_TOUCHED.format(column, marks), seqs)}
        return sorted(found)

    def lasting(self, events: Collection[int]) -> set[int]:
        """Return those of some events that are neither an undo nor part of a batch that was undone."""
        kept: set[int] = set()
        for marks, seqs in portions(sorted(events)):
            rows: Any = self._connection.execute(
                f"SELECT seq FROM event WHERE seq IN ({marks}) AND op <> 'undo' AND (batch IS NULL OR batch NOT IN"
                " (SELECT batch FROM batch WHERE undone_at IS NOT NULL))",
                seqs,
            )
            kept |= {row[0] for row in rows}
        return kept

    def support(self, memory_id: int, batch: str) -> set[int]:
        """Return the events by which something apart from a batch supports a memory."""
        rows: Any = self._connection.execute(
            "SELECT event FROM evidence WHERE memory_id = ? AND cause IN ('repeat', 'confirm')"
            " AND withdrawn_at IS NULL AND (batch IS NULL OR batch <> ?)",
            (memory_id, batch),
        )
        return {row[0] for row in rows}

    def repeats(self, batch: str, ns: int) -> dict[int, int]:
        """Return how often a batch said again what memories of a namespace say."""
        rows: Any = self._connection.execute(
            "SELECT e.memory_id, sum(e.cause = 'repeat') FROM evidence e JOIN memory m ON m.id = e.memory_id"
            " WHERE e.batch = ? AND m.ns = ? AND e.withdrawn_at IS NULL GROUP BY e.memory_id",
            (batch, ns),
        )
        return {row[0]: row[1] for row in rows}

    def withdraw(self, memory_id: int, batch: str, at: Micros) -> None:
        """Mark what a batch brought in support of a memory as withdrawn."""
        self._connection.execute(
            "UPDATE evidence SET withdrawn_at = ? WHERE memory_id = ? AND batch = ? AND withdrawn_at IS NULL",
            (at, memory_id, batch),
        )

    def release(self, events: Iterable[int], ns: int, at: Micros) -> None:
        """Lift the rejections that some events made in a namespace."""
        for marks, seqs in portions(sorted(events)):
            self._connection.execute(
                f"UPDATE rejection SET lifted_at = ? WHERE ns = ? AND lifted_at IS NULL AND event IN ({marks})",
                (at, ns, *seqs),
            )
