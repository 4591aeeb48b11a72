"""Texts, each kept once."""

from __future__ import annotations

import hashlib

import apsw


class Contents:
    """Reads and writes the ``content`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def ensure(self, text: str) -> int:
        """Return the number of a text, storing it when it is new."""
        digest = hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
        row = self._connection.execute("SELECT content_id FROM content WHERE hash = ?", (digest,)).fetchone()
        if row is not None:
            return int(row[0])
        self._connection.execute("INSERT INTO content(hash, text) VALUES (?, ?)", (digest, text))
        return self._connection.last_insert_rowid()

    def delete_unused(self, content_id: int) -> bool:
        """Erase a text that no version, chunk, turn or segment refers to any more; say whether it was erased."""
        for table in ("version", "chunk", "turn", "segment"):
            used = self._connection.execute(f"SELECT 1 FROM {table} WHERE content_id = ? LIMIT 1", (content_id,))
            if used.fetchone() is not None:
                return False
        self._connection.execute("DELETE FROM content WHERE content_id = ?", (content_id,))
        return True
