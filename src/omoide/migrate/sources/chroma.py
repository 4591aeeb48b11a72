"""Chroma on disk (also what MemPalace keeps its words in): texts with their metadata, in collections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError
from omoide.migrate.reading import json_object, moment
from omoide.migrate.source import Source
from omoide.migrate.sqlite_file import Database, file_in
from omoide.migrate.values import Brought, Edit, said
from omoide.types.reports import LeftOut

FILE: Final = "chroma.sqlite3"
_TEXT: Final = "chroma:document"
_DATES: Final = ("created_at", "filed_at", "timestamp", "date")
"""Under which keys of the metadata programs keep when something was said."""
_ENTRIES: Final = """
SELECT e.id AS position, e.embedding_id, e.created_at, c.name AS collection,
  (SELECT json_group_object(m.key, CASE WHEN m.string_value IS NOT NULL THEN m.string_value
     WHEN m.bool_value IS NOT NULL THEN json(CASE WHEN m.bool_value THEN 'true' ELSE 'false' END)
     WHEN m.int_value IS NOT NULL THEN m.int_value ELSE m.float_value END)
   FROM embedding_metadata m WHERE m.id = e.id) AS metadata
FROM embeddings e JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection
WHERE e.id > ? ORDER BY e.id LIMIT ?"""
_SCOPES: Final = """
SELECT c.name, count(*) AS n FROM embeddings e JOIN segments s ON s.id = e.segment_id
JOIN collections c ON c.id = s.collection GROUP BY c.name ORDER BY c.name"""


class Entry(NamedTuple):
    """One entry of a collection."""

    id: str
    collection: str
    text: str | None
    metadata: dict[str, Any]
    added: object


def entries_of(database: Database) -> Iterator[Entry | LeftOut]:
    """Yield the entries of all collections."""
    for row in database.paged(_ENTRIES):
        try:
            metadata = json_object(row["metadata"])
        except InvalidInputError as error:
            yield LeftOut(f"chroma:{row['embedding_id']}", error.message)
            continue
        text = metadata.pop(_TEXT, None)
        yield Entry(str(row["embedding_id"]), str(row["collection"]), text, metadata, row["created_at"])


class Chroma(Source):
    """A folder of Chroma, or its database. Collections are scopes."""

    name = "chroma"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = Database(file_in(path, FILE))
        self._file.need(self.name, "collections", "segments", "embeddings", "embedding_metadata")

    def scopes(self) -> Mapping[str, int]:
        """Return its collections."""
        return {str(row["name"]): int(row["n"]) for row in self._file.rows(_SCOPES)}

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its entries."""
        for entry in entries_of(self._file):
            if isinstance(entry, LeftOut):
                yield entry
                continue
            ref = f"chroma:{entry.collection}/{entry.id}"
            try:
                claim = said(entry.text, metadata=entry.metadata, source=entry.metadata.get("source") or ref)
                edit = Edit(_when(entry), claim, ref)
            except InvalidInputError as error:
                yield LeftOut(ref, error.message)
                continue
            yield Brought((entry.collection, entry.id), (edit,), scope=entry.collection, live=True)


def _when(entry: Entry) -> int | None:
    """Return when an entry was said, by its metadata, else when it was added."""
    for name in _DATES:
        try:
            at = moment(entry.metadata.get(name))
        except InvalidInputError:
            continue
        if at is not None:
            return at
    return moment(entry.added)
