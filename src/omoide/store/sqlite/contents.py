"""Texts, each kept once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import apsw

_MARKS: Final = 500


def digest_of(text: str) -> bytes:
    """Return what stands for a text in the table."""
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()


class Contents:
    """Reads and writes the ``content`` table."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def ensure(self, text: str) -> int:
        """Return the number of a text, storing it when it is new."""
        digest = digest_of(text)
        row = self._connection.execute("SELECT content_id FROM content WHERE hash = ?", (digest,)).fetchone()
        if row is not None:
            return int(row[0])
        self._connection.execute("INSERT INTO content(hash, text) VALUES (?, ?)", (digest, text))
        return self._connection.last_insert_rowid()

    def ensure_many(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of many texts, storing those that are new."""
        digests = [digest_of(text) for text in texts]
        known: dict[bytes, int] = {}
        for first in range(0, len(digests), _MARKS):
            part = digests[first : first + _MARKS]
            marks = ",".join("?" * len(part))
            rows: Any = self._connection.execute(f"SELECT hash, content_id FROM content WHERE hash IN ({marks})", part)
            known.update(rows)
        fresh = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        last: Any = self._connection.execute("SELECT ifnull(max(content_id), 0) FROM content").get
        numbered = list(enumerate(fresh.items(), last + 1))
        self._connection.executemany(
            "INSERT INTO content(content_id, hash, text) VALUES (?, ?, ?)",
            [(number, digest, text) for number, (digest, text) in numbered],
        )
        known.update((digest, number) for number, (digest, _) in numbered)
        return [known[digest] for digest in digests]

    def delete_unused(self, content_id: int) -> bool:
        """Erase a text that no version, chunk, turn or segment refers to any more; say whether it was erased."""
        for table in ("version", "chunk", "turn", "segment"):
            used = self._connection.execute(f"SELECT 1 FROM {table} WHERE content_id = ? LIMIT 1", (content_id,))
            if used.fetchone() is not None:
                return False
        self._connection.execute("DELETE FROM content WHERE content_id = ?", (content_id,))
        return True
