"""Citations: which memories cite what, and what was last found about it. The finding is state, not belief."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

import apsw

from omoide.model.records import digest
from omoide.model.time import Micros
from omoide.store.sqlite.slices import portions

Status = Literal["current", "stale", "unresolved"]
_WORST_FIRST: Final[tuple[Status, ...]] = ("stale", "unresolved", "current")
_PAGE: Final = """
SELECT memory_id, cites, project, max(known_from) FROM version
WHERE memory_id > ? AND ns = ? AND cites IS NOT NULL AND known_to IS NULL
GROUP BY memory_id, cites, project ORDER BY memory_id LIMIT ?"""


@dataclass(frozen=True, slots=True)
class Citing:
    """A memory that is believed, what it cites, and since when."""

    memory_id: int
    cites: tuple[str, ...]
    project: str | None
    since: Micros


@dataclass(frozen=True, slots=True)
class Finding:
    """What a look at one citation found, in which place (a repository or folder), and what the file held."""

    memory_id: int
    cite: str
    status: Status
    place: bytes
    mark: bytes | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is kept of the last look at a citation."""

    status: Status
    place: bytes
    mark: bytes | None
    at: Micros


class Citations:
    """Reads and writes the ``citation`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def after(self, ns: int, memory_id: int, count: int) -> list[Citing]:
        """Return the memories of a namespace after an id that cite something, at least ``count`` while there are."""
        rows: list[Any] = self._connection.execute(_PAGE, (memory_id, ns, count)).fetchall()
        if len(rows) == count:  # the last memory may have more rows
            last = rows[-1][0]
            more: list[Any] = self._connection.execute(_PAGE.replace("> ?", "= ?"), (last, ns, -1)).fetchall()
            rows = [*(row for row in rows if row[0] != last), *more]
        return [Citing(row[0], tuple(json.loads(row[1])), row[2], row[3]) for row in rows]

    def put(self, finding: Finding, at: Micros) -> None:
        """Keep what was found about a citation."""
        self._connection.execute(
            "INSERT OR REPLACE INTO citation(memory_id, cite, status, place, mark, at) VALUES (?,?,?,?,?,?)",
            (finding.memory_id, cite_key(finding.cite), finding.status, finding.place, finding.mark, at),
        )

    def of(self, memory_ids: Sequence[int]) -> dict[int, dict[bytes, Known]]:
        """Return by memory and citation key what was last found."""
        found: dict[int, dict[bytes, Known]] = {}
        for marks, ids in portions(memory_ids):
            rows: Any = self._connection.execute(
                f"SELECT memory_id, cite, status, place, mark, at FROM citation WHERE memory_id IN ({marks})", ids
            )
            for memory_id, cite, *known in rows:
                found.setdefault(memory_id, {})[cite] = Known(*known)
        return found


@lru_cache(4096)
def cite_key(cite: str) -> bytes:
    """Return what stands for a citation, so that a finding repeats no text."""
    return digest("cite", cite)


def worst(cites: Sequence[str], found: Mapping[bytes, Known]) -> Status | None:
    """Return the worst finding about some citations: stale, unresolved, current; None when none was looked at."""
    statuses = {found[key].status for key in map(cite_key, cites) if key in found}
    return next((status for status in _WORST_FIRST if status in statuses), None)
