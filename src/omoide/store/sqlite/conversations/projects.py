"""Numbers for the names of projects, so that a column can filter by them."""

from __future__ import annotations

import apsw


class Projects:
    """Reads and writes the ``project`` table; 0 stands for no project."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def id(self, name: str | None) -> int | None:
        """Return the number of a project, or None when nothing was written for it."""
        if name is None:
            return 0
        row = self._connection.execute("SELECT project FROM project WHERE name = ?", (name,)).fetchone()
        return None if row is None else int(row[0])

    def ensure(self, name: str | None) -> int:
        """Return the number of a project, making it when it is new."""
        known = self.id(name)
        if known is None:
            self._connection.execute("INSERT INTO project(name) VALUES (?)", (name,))
            known = self._connection.last_insert_rowid()
        return known
