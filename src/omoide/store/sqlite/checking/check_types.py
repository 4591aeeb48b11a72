"""Whether the cells that are computed with hold what their columns are for: SQLite itself lets any value in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw

from omoide.store.sqlite.checking.findings import some

COMPUTED: Final = (
    "memory",
    "version",
    "evidence",
    "link",
    "rejection",
    "idempotency",
    "purged",
    "event",
    "session",
    "turn",
    "segment",
)
"""Tables whose numbers are times, ids and events."""


def findings(conn: apsw.Connection) -> list[str]:
    """Return which columns of numbers hold something else, none when all are sound."""
    return list(some("column {0} of table {1} holds {2} values that are no whole numbers", _wrong(conn)))


def _wrong(conn: apsw.Connection) -> Iterator[tuple[str, str, int]]:
    for table in COMPUTED:
        columns = [row[1] for row in conn.execute(f"PRAGMA table_info({table})") if row[2] == "INTEGER"]
        counts = ", ".join(f"sum(typeof({column}) NOT IN ('integer', 'null'))" for column in columns)
        row: Any = conn.execute(f"SELECT {counts} FROM {table}").fetchone()
        yield from ((column, table, count) for column, count in zip(columns, row, strict=True) if count)
