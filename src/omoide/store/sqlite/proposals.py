"""Proposal rows: changes that passes suggest, and what was decided."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.consolidate import Draft
from omoide.model.records import canonical
from omoide.model.time import Micros

_ROW: Final = (
    "proposal, ns, kind, targets, draft, evidence, state, score, run, made_at, decided_at, decided_by, batch, advice"
)
_MENTIONING: Final = "EXISTS (SELECT 1 FROM json_each(targets) WHERE value = ?)"


class ProposalRow(NamedTuple):
    """One stored proposal; ``draft`` is that of ``Draft`` without kind and targets."""

    id: str
    ns: int
    kind: str
    targets: tuple[int, ...]
    draft: dict[str, Any]
    evidence: tuple[str, ...]
    state: str
    score: float
    run: str | None
    made_at: Micros
    decided_at: Micros | None
    decided_by: str | None
    batch: str | None
    advice: dict[str, Any] | None


class Proposals:
    """Reads and writes the ``proposal`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def add(self, ns: int, draft: Draft, run: str | None, at: Micros) -> bool:
        """Keep a proposal unless it was ever made; say whether it is new. One that had become stale opens again."""
        stored = canonical({
            "reason": draft.reason, "texts": draft.texts, "versions": draft.versions, "change": dict(draft.change),
        })  # fmt: skip
        self._connection.execute(
            "INSERT INTO proposal(ns, proposal, kind, targets, draft, evidence, state, score, run, made_at)"
            " VALUES (?,?,?,?,?,?,'open',?,?,?) ON CONFLICT(ns, proposal) DO UPDATE SET draft = excluded.draft,"
            " evidence = excluded.evidence, state = 'open', score = excluded.score, run = excluded.run,"
            " made_at = excluded.made_at WHERE state = 'stale'",
            (ns, draft.id, draft.kind, canonical(draft.targets), stored, canonical(draft.evidence), draft.score, run,
             at),
        )  # fmt: skip
        return bool(self._connection.changes())

    def get(self, ns: int, proposal: str) -> ProposalRow | None:
        """Return a proposal, or None."""
        found = self._rows("ns = ? AND proposal = ?", (ns, proposal))
        return found[0] if found else None

    def select(self, ns: int, *, state: str | None = None, kind: str | None = None) -> list[ProposalRow]:
        """Return the proposals of a namespace, the surest first."""
        parts = {"ns = ?": ns, "state = ?": state, "kind = ?": kind}
        given = {sql: value for sql, value in parts.items() if value is not None}
        return self._rows(f"{' AND '.join(given)} ORDER BY score DESC, proposal", tuple(given.values()))

    def of_run(self, ns: int, run: str) -> list[ProposalRow]:
        """Return what a run proposed."""
        return self._rows("ns = ? AND run = ? ORDER BY score DESC, proposal", (ns, run))

    def known(self, ns: int, except_run: str | None = None) -> dict[str, str]:
        """Return the state of every proposal by id, leaving out undecided ones of one run and stale ones."""
        rows: Any = self._connection.execute(
            "SELECT proposal, state FROM proposal WHERE ns = ?1 AND state <> 'stale' AND run IS NOT ?2"
            " UNION ALL SELECT proposal, state FROM decision WHERE ns = ?1",
            (ns, except_run),
        )
        return dict(rows)

    def open_counts(self, ns: int, except_run: str | None = None) -> dict[str, int]:
        """Return how many proposals of each kind are open, leaving out those of one run."""
        rows: Any = self._connection.execute(
            "SELECT kind, count(*) FROM proposal WHERE ns = ? AND state = 'open' AND run IS NOT ? GROUP BY kind",
            (ns, except_run),
        )
        return dict(rows)

    def decide(self, ns: int, proposal: str, state: str, *, at: Micros, by: str | None, batch: str | None) -> None:
        """Note what became of a proposal."""
        self._connection.execute(
            "UPDATE proposal SET state = ?, decided_at = ?, decided_by = ?, batch = ? WHERE ns = ? AND proposal = ?",
            (state, at, by, batch, ns, proposal),
        )
        self._connection.execute(
            "INSERT OR REPLACE INTO decision(ns, proposal, state, at) VALUES (?,?,?,?)", (ns, proposal, state, at)
        )

    def set_stale(self, ns: int, proposals: Sequence[str]) -> None:
        """Note that the memories of some open proposals changed since."""
        self._connection.executemany(
            "UPDATE proposal SET state = 'stale' WHERE ns = ? AND proposal = ? AND state = 'open'",
            [(ns, proposal) for proposal in proposals],
        )

    def advise(self, ns: int, proposal: str, advice: dict[str, Any]) -> None:
        """Note what a reasoner thinks of a proposal."""
        self._connection.execute(
            "UPDATE proposal SET advice = ? WHERE ns = ? AND proposal = ?", (canonical(advice), ns, proposal)
        )

    def forget(self, memory_ids: Collection[int]) -> None:
        """Erase what names any of some memories: proposals, and the answers of reasoners."""
        for memory_id in memory_ids:
            self._connection.execute(f"DELETE FROM proposal WHERE {_MENTIONING}", (memory_id,))
            self._connection.execute(
                "DELETE FROM answer WHERE EXISTS (SELECT 1 FROM json_each(about, '$.memories') WHERE value = ?)",
                (memory_id,),
            )

    def _rows(self, condition: str, values: Sequence[Any]) -> list[ProposalRow]:
        rows: Any = self._connection.execute(f"SELECT {_ROW} FROM proposal WHERE {condition}", values)
        return [_row(row) for row in rows]


def _row(row: Sequence[Any]) -> ProposalRow:
    targets, evidence = tuple(json.loads(row[3])), tuple(json.loads(row[5] or "[]"))
    advice = json.loads(row[13]) if row[13] else None
    return ProposalRow._make((*row[:3], targets, json.loads(row[4] or "{}"), evidence, *row[6:13], advice))
