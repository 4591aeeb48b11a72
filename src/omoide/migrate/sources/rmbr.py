"""rmbr 0.2: one SQLite file with memories and documents in namespaces, and a cache of vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.migrate.reading import json_object, moment
from omoide.migrate.source import Source
from omoide.migrate.sqlite_file import Database, Row
from omoide.migrate.telling import DOOR, uid_of
from omoide.migrate.values import Brought, Edit, said
from omoide.model.carried import CarriedDocument
from omoide.model.documents import Part, Sheet
from omoide.model.records import digest
from omoide.types.reports import LeftOut

PINNED: Final = "_pinned"
_MEMORY: Final = ("id", "namespace", "text", "metadata", "created_at")
_DOCUMENT: Final = ("id", "namespace", "source", "metadata", "added_at")
_CHUNKS: Final = "SELECT text, metadata FROM chunks WHERE document_id = ? ORDER BY chunk_index, id"
_EMBEDDED: Final = "SELECT content_hash, model FROM embed_cache ORDER BY rowid LIMIT 1"
_FIRST: Final = (
    "SELECT * FROM (SELECT 'm', id, created_at, namespace FROM memories ORDER BY id LIMIT 1)"
    " UNION ALL SELECT * FROM (SELECT 'd', id, added_at, namespace FROM documents ORDER BY id LIMIT 1)"
)
_SCOPES: Final = (
    "SELECT namespace, sum(n) AS n FROM (SELECT namespace, count(*) AS n FROM memories GROUP BY namespace"
    " UNION ALL SELECT namespace, count(*) FROM documents GROUP BY namespace) GROUP BY namespace ORDER BY namespace"
)
_VECTOR: Final = "SELECT vector FROM embed_cache WHERE content_hash = ? AND model = ?"
_REMEMBERED: Final = 2000


class Rmbr(Source):
    """An rmbr store. It has no name of its own: the first text that it ever embedded stands for it."""

    name = "rmbr"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = Database(path)
        self._file.need(self.name, "memories", "documents", "chunks")
        first = self._file.rows(_EMBEDDED) if "embed_cache" in self._file.tables else []
        first = first or self._file.rows(_FIRST)
        self._store = digest("rmbr", *(str(value) for row in first for value in row.values())).hex()[:16]
        self._model: str | None = None
        self._dimension: int | None = None
        self._texts: dict[bytes, str] = {}

    def scopes(self) -> Mapping[str, int]:
        """Return its namespaces."""
        return {str(row["namespace"]): int(row["n"]) for row in self._file.rows(_SCOPES)}

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its memories as they are now; an update there is an edit here."""
        for row in self._file.stream("memories", _MEMORY):
            ref = f"rmbr:memory/{row['id']}"
            try:
                yield self._memory(row, ref)
            except InvalidInputError as error:
                yield LeftOut(ref, error.message)

    def _memory(self, row: Row, ref: str) -> Brought:
        metadata = json_object(row["metadata"])
        pinned = bool(metadata.pop(PINNED, False))
        claim = said(row["text"], metadata=metadata, source=ref)
        self._note(claim.text)
        edit = Edit(moment(row["created_at"]), claim, ref)
        key = (self._store, "memory", str(row["id"]))
        return Brought(key, (edit,), scope=str(row["namespace"]), live=True, pinned=pinned)

    def documents(self) -> Iterator[CarriedDocument | LeftOut]:
        """Yield its documents, each with the chunks it was cut into."""
        for row in self._file.stream("documents", _DOCUMENT):
            ref = f"rmbr:document/{row['id']}"
            try:
                yield self._document(row, ref)
            except InvalidInputError as error:
                yield LeftOut(ref, error.message)

    def _document(self, row: Row, ref: str) -> CarriedDocument:
        chunks = [chunk for chunk in self._file.rows(_CHUNKS, (row["id"],)) if str(chunk["text"]).strip()]
        if not chunks:
            raise InvalidInputError("the document has no text")
        parts = tuple(Part(str(chunk["text"]), metadata=json_object(chunk["metadata"])) for chunk in chunks)
        for part in parts:
            self._note(part.text)
        text = "\n".join(part.text for part in parts)
        sheet = Sheet(
            source=row["source"] or ref, hash=digest("text", text), metadata=json_object(row["metadata"]),
            size=len(text.encode("utf-8", "replace")),
        )  # fmt: skip
        added = moment(row["added_at"])
        return CarriedDocument(
            uid=uid_of(self.name, (self._store, "document", str(row["id"]))), namespace=str(row["namespace"]),
            sheet=sheet, actor=None, door=DOOR, batch=None, added_at=added or 0, updated_at=None, removed_at=None,
            parts=parts,
        )  # fmt: skip

    # -- vectors ---------------------------------------------------------------------------------------

    def use_model(self, name: str | None, dimension: int | None) -> None:
        """Take its vectors over when they are of the store's own model."""
        self._model = None
        if name is None or "embed_cache" not in self._file.tables:
            return
        models = [str(row["model"]) for row in self._file.rows("SELECT DISTINCT model FROM embed_cache")]
        self._model = name if name in models else None
        self._dimension = dimension

    def _note(self, text: str) -> None:
        """Remember under which key the store looks for the vector of a text."""
        if self._model is not None:
            while len(self._texts) >= _REMEMBERED:
                self._texts.pop(next(iter(self._texts)))
            self._texts[digest("text", text)] = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the cached vector of a text that was read a moment ago, of length 1, as half floats (1, dimension)."""
        content = self._texts.get(key)
        if content is None:
            return None
        found = self._file.rows(_VECTOR, (content, self._model))
        vector = np.frombuffer(found[0]["vector"], "<f4") if found else np.zeros(0, "<f4")
        length = float(np.linalg.norm(vector))
        if not len(vector) or self._dimension not in (None, len(vector)) or not np.isfinite(length) or not length:
            return None
        return (vector / length).astype(np.float16)[None, :]
