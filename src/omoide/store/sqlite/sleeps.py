"""Rows of consolidation runs: who holds the one that is running, how far it is, what it told."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.time import Micros

_ROW: Final = "run, ns, state, batch, settings, pass, report, holder, expires_at, started_at, ended_at"
RUNNING: Final = "running"
DONE: Final = "done"


class SleepRow(NamedTuple):
    """One run. ``at_pass``: the pass it is in; ``report``: what its passes did so far."""

    run: str
    ns: int
    state: str
    batch: str
    settings: str
    at_pass: str | None
    report: dict[str, Any]
    holder: str | None
    expires_at: int | None
    started_at: Micros
    ended_at: Micros | None


class Sleeps:
    """Reads and writes the ``sleep`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def begin(self, row: SleepRow) -> None:
        """Write a new run."""
        self._connection.execute(
            f"INSERT INTO sleep({_ROW}) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            (*row[:6], json.dumps(row.report), *row[7:]),
        )

    def set(self, run: str, **values: object) -> None:
        """Write some columns of a run; ``at_pass`` and ``report`` by these names."""
        columns = {("pass" if name == "at_pass" else name): value for name, value in values.items()}
        if "report" in columns:
            columns["report"] = json.dumps(columns["report"])
        names = ", ".join(f"{name} = ?" for name in columns)
        self._connection.execute(f"UPDATE sleep SET {names} WHERE run = ?", (*columns.values(), run))

    def get(self, run: str) -> SleepRow | None:
        """Return a run, or None."""
        return self._one("run = ?", run)

    def unfinished(self, ns: int) -> SleepRow | None:
        """Return the run of a namespace that has not ended, or None."""
        return self._one(f"ns = ? AND state = '{RUNNING}' ORDER BY started_at DESC, run DESC LIMIT 1", ns)

    def last(self, ns: int) -> SleepRow | None:
        """Return the run of a namespace that ended last, or None."""
        return self._one(f"ns = ? AND state = '{DONE}' ORDER BY started_at DESC, run DESC LIMIT 1", ns)

    def sessions_since(self, ns: int, at: Micros) -> int:
        """Return how many conversations were taken in, begun or written of in a namespace since a time."""
        found: Any = self._connection.execute(
            "SELECT (SELECT count(*) FROM session WHERE ns = ?1 AND added_at > ?2)"
            " + (SELECT count(DISTINCT source) FROM version WHERE ns = ?1 AND known_from > ?2 AND source IS NOT NULL)",
            (ns, at),
        ).get
        return int(found)

    def _one(self, condition: str, value: object) -> SleepRow | None:
        row: Any = self._connection.execute(f"SELECT {_ROW} FROM sleep WHERE {condition}", (value,)).fetchone()
        return None if row is None else SleepRow._make((*row[:6], json.loads(row[6] or "{}"), *row[7:]))
