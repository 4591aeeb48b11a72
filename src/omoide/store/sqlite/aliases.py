"""The names of subjects: which of them stand for one subject, and what it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import apsw

from omoide.model.time import Micros
from omoide.store.sqlite.slices import portions
from omoide.text.lookalikes import name_key

_GROUP: Final = """
WITH RECURSIVE part(name) AS (
  SELECT ?2
  UNION SELECT a.about FROM part CROSS JOIN alias a ON a.ns = ?1 AND a.name = part.name
  UNION SELECT a.name FROM part CROSS JOIN alias a ON a.ns = ?1 AND a.about = part.name
)
SELECT name FROM part ORDER BY name"""
_PUT: Final = """
INSERT INTO alias(ns, name, subject, about, at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT(ns, name) DO UPDATE SET subject = ?3, about = ?4, at = ?5 WHERE subject <> ?3"""
_SPELLING: Final = "SELECT subject FROM version WHERE ns = ? AND about = ? ORDER BY version_id LIMIT 1"


class Aliases:
    """Reads and writes the ``alias`` table.

    A row says that ``name`` stands for the subject called ``subject``, whose own key is ``about``; both keys are
    those of ``name_key``. A subject with other names has a row for its own name too. Names that lead to each other,
    over however many rows, are one subject; rows that two stores wrote apart can be put together one by one.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def any(self, ns: int) -> bool:
        """Say whether any subject of a namespace has another name."""
        return self._connection.execute("SELECT 1 FROM alias WHERE ns = ? LIMIT 1", (ns,)).fetchone() is not None

    def title(self, ns: int, name: str) -> str:
        """Return what the subject that ``name`` stands for is called; ``name`` itself when it has no other."""
        title, key = name, name_key(name)
        seen: set[str] = set()
        while key not in seen:
            seen.add(key)
            row: Any = self._connection.execute(
                "SELECT subject, about FROM alias WHERE ns = ? AND name = ?", (ns, key)
            ).fetchone()
            if row is not None:
                title, key = row
        return title

    def names(self, ns: int, name: str) -> tuple[str, ...]:
        """Return the name keys of the subject that ``name`` stands for, that of ``name`` first."""
        key = name_key(name)
        if not self.any(ns):
            return (key,)
        rows: Any = self._connection.execute(_GROUP, (ns, key))
        return tuple(dict.fromkeys((key, *(row[0] for row in rows))))

    def among(self, ns: int, names: Sequence[str]) -> list[str]:
        """Return those of some name keys that stand for a subject with other names."""
        return [
            row[0]
            for marks, part in portions(names)
            for row in self._connection.execute(
                f"SELECT name FROM alias WHERE ns = ? AND name IN ({marks})", (ns, *part)
            )
        ]

    def all(self, ns: int) -> dict[str, str]:
        """Return what each name key stands for, of all subjects that have other names."""
        rows: Any = self._connection.execute("SELECT name, subject, about FROM alias WHERE ns = ? ORDER BY name", (ns,))
        known = {name: (subject, about) for name, subject, about in rows}
        return {name: _end_of(known, name) for name in known}

    def join(self, ns: int, name: str, subject: str, at: Micros) -> None:
        """Let ``name``, with every other name of its subject, stand for ``subject``."""
        about = name_key(subject)
        for key in sorted({*self.names(ns, name), *self.names(ns, subject), about}):
            self._connection.execute(_PUT, (ns, key, subject, about, at))

    def part(self, ns: int, name: str, at: Micros) -> bool:
        """Let ``name`` stand for itself again; return whether it stood for something else."""
        key, title = name_key(name), self.title(ns, name)
        if name_key(title) == key:
            return False
        for other in set(self.names(ns, key)) - {key}:
            self._connection.execute(_PUT, (ns, other, title, name_key(title), at))
        row: Any = self._connection.execute(_SPELLING, (ns, key)).fetchone()
        self._connection.execute(_PUT, (ns, key, name if row is None else row[0], key, at))
        return True


def _end_of(known: dict[str, tuple[str, str]], name: str) -> str:
    """Follow a name to the subject that stands for itself."""
    title, key = known[name]
    seen = {name}
    while key in known and key not in seen:
        seen.add(key)
        title, key = known[key]
    return title
