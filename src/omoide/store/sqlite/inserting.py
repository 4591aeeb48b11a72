"""Many new rows of one table, several a statement.

Of a table with ``AUTOINCREMENT`` every statement reads and writes the counter, and every statement has to be begun
and ended, so rows that come together take fewer of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

import apsw

_TOGETHER: Final = 32


def insert(connection: apsw.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of one width; ``into`` names the table and its columns, as in ``content(content_id, hash)``."""
    if not rows:
        return
    width, whole = len(rows[0]), len(rows) - len(rows) % _TOGETHER
    if whole:
        flat = chain.from_iterable
        portions = [tuple(flat(rows[first : first + _TOGETHER])) for first in range(0, whole, _TOGETHER)]
        connection.executemany(_statement(into, width, _TOGETHER), portions)
    if whole < len(rows):
        connection.executemany(_statement(into, width, 1), rows[whole:])


@cache
def _statement(into: str, width: int, count: int) -> str:
    one = f"({','.join('?' * width)})"
    return f"INSERT INTO {into} VALUES {','.join([one] * count)}"
