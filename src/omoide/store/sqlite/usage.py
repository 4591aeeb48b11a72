"""What recalls returned together, and how often memories were used: state outside of the audit chain.

``recalled`` is a bounded log, one row a recall, its oldest rows going first. ``memory.access_count`` counts uses,
each halved every ``HALF_LIFE`` days; ``accessed_at`` is when it was last counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import apsw
import numpy as np

from omoide.model.retention import decayed
from omoide.model.time import Micros
from omoide.store.sqlite.slices import portions

KEPT: Final = 20_000
"""Recalls of a namespace that are kept."""
_SCALE: Final = 100
"""``access_count`` is in hundredths, so that it decays in whole numbers."""


class Usage:
    """Reads and writes the log of recalls and the counters of uses."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def log(self, ns: int, at: Micros, recalls: Iterable[Sequence[int]]) -> None:
        """Keep which memories recalls returned together, and drop the oldest beyond ``KEPT``."""
        rows = [(ns, at, np.asarray(ids, "<u4").tobytes()) for ids in recalls]
        self._connection.executemany("INSERT INTO recalled(ns, at, ids) VALUES (?,?,?)", rows)
        self._connection.execute(
            "DELETE FROM recalled WHERE ns = ?1 AND recalled_id <= (SELECT max(recalled_id) FROM recalled) - ?2",
            (ns, 2 * KEPT),
        )

    def together(self, ns: int, least: int) -> list[tuple[int, int, int]]:
        """Return (memory, memory, times) of those that at least so many recalls returned together."""
        rows: Any = self._connection.execute(
            "SELECT ids FROM recalled WHERE ns = ? ORDER BY recalled_id DESC LIMIT ?", (ns, KEPT)
        )
        pairs: Counter[tuple[int, int]] = Counter()
        for (data,) in rows:
            ids = sorted(set(np.frombuffer(data, "<u4").tolist()))
            pairs.update((one, other) for at, one in enumerate(ids) for other in ids[at + 1 :])
        return sorted((one, other, times) for (one, other), times in pairs.items() if times >= least)

    def count(self, uses: Mapping[int, float], at: Micros) -> None:
        """Add uses to the counters of memories."""
        for marks, some in portions(sorted(uses)):
            rows: Any = self._connection.execute(
                f"SELECT id, access_count, accessed_at FROM memory WHERE id IN ({marks})", some
            ).fetchall()
            self._connection.executemany(
                "UPDATE memory SET access_count = ?, accessed_at = ? WHERE id = ?",
                [(round(_SCALE * (uses_of(count, seen, at) + uses[id])), at, id) for id, count, seen in rows],
            )

    def of(self, memory_id: int, now: Micros) -> float:
        """Return what is left of the uses of a memory."""
        row: Any = self._connection.execute(
            "SELECT access_count, accessed_at FROM memory WHERE id = ?", (memory_id,)
        ).fetchone()
        return 0.0 if row is None else uses_of(row[0], row[1], now)

    def settle(self, values: Iterable[tuple[float, int]]) -> None:
        """Write (value, memory)."""
        self._connection.executemany("UPDATE memory SET value = ? WHERE id = ?", values)


def uses_of(access_count: int, accessed_at: Micros | None, now: Micros) -> float:
    """Return what is left of the uses of a memory."""
    return decayed(access_count / _SCALE, accessed_at, now)
