"""What the index of a vault knows of its files, read in a moment: no numpy, no values of ours."""

from __future__ import annotations

from pathlib import Path

from omoide.beside.places import database_of
from omoide.store.sqlite.connection import connect, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATIENCE = 0.5
"""Seconds to wait for an index that is held."""


class Noted:
    """Files by path: ``seen`` with state and hash, ``held`` in quarantine with their states. ``logs``: as JSON."""

    __slots__ = ("held", "logs", "seen")

    def __init__(self, seen: dict[str, tuple[str | None, bytes]], held: dict[str, str | None], logs: str) -> None:
        self.seen, self.held, self.logs = seen, held, logs


def noted(root: str) -> Noted | None:
    """Return what is known of the files of a vault; None where there is no index.

    Raises:
        StoreError: it cannot be read; see its subclasses.
    """
    file = database_of(root)
    if not Path(file).is_file():
        return None
    connection = connect(file, read_only=True, busy_timeout=PATIENCE)
    try:
        with translated(file):
            seen: Any = connection.execute("SELECT path, stat, hash FROM note_stat").fetchall()
            held: Any = connection.execute("SELECT path, stat FROM quarantine").fetchall()
            logs: Any = connection.execute("SELECT value FROM journal WHERE key = 'logs'").fetchone()
    finally:
        connection.close()
    return Noted({row[0]: (row[1], row[2]) for row in seen}, dict(held), str(logs[0]) if logs else "{}")
