"""What the store says about itself."""

from __future__ import annotations

from typing import Final

import apsw

ANALYZER: Final = "analyzer"
"""The key under which a store keeps which version of the text analysis made its keyword index."""


class Settings:
    """Reads and writes the ``setting`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> str | None:
        """Return a setting, or None."""
        row = self._connection.execute("SELECT value FROM setting WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set(self, key: str, value: str) -> None:
        """Write a setting."""
        self._connection.execute("INSERT OR REPLACE INTO setting(key, value) VALUES (?, ?)", (key, value))

    def delete(self, key: str) -> None:
        """Remove a setting."""
        self._connection.execute("DELETE FROM setting WHERE key = ?", (key,))
