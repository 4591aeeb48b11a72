"""Document and chunk rows: what was added, cut into parts, and read back as values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.documents import ChunkRow, DocumentRow, Part, Sheet
from omoide.model.filter import Filter
from omoide.model.time import Micros
from omoide.store.sqlite.inserting import insert
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.slices import portions
from omoide.store.sqlite.where_sql import compile_where

_DOCUMENT: Final = (
    "d.document_id, d.uid, d.ns, d.source, d.root, d.hash, d.stat, d.recipe, d.title, d.metadata, d.project, d.trust,"
    " d.size, d.modified_at, d.actor, d.door, d.batch, d.added_at, d.updated_at, d.removed_at"
)
_CHUNK: Final = (
    "c.chunk_id, c.document_id, c.ord, c.position, (SELECT text FROM content WHERE content_id = c.content_id),"
    " c.char_from, c.char_to, c.title, c.heading, c.line_from, c.line_to, c.page, c.metadata, c.modified_at,"
    " c.added_at, c.removed_at"
)
_WIDTH: Final = 16
_PLACES: Final = f"SELECT {_CHUNK}, {_DOCUMENT} FROM chunk c CROSS JOIN document d ON d.document_id = c.document_id"
_INTO: Final = (
    "document(document_id, uid, ns, source, root, hash, stat, recipe, title, metadata, project, trust,"
    " size, modified_at, actor, door, batch, added_at, updated_at)"
)
_UPDATE: Final = (
    "UPDATE document SET source = ?, root = ?, hash = ?, stat = ?, recipe = ?, title = ?, metadata = ?, project = ?,"
    " trust = ?, size = ?, modified_at = ? WHERE document_id = ?"
)
_INTO_CHUNK: Final = (
    "chunk(chunk_id, document_id, ns, ord, content_id, position, char_from, char_to, title, heading,"
    " line_from, line_to, page, metadata, modified_at, added_at)"
)
_KNOWN: Final = (
    "SELECT document_id, source, hash, stat, recipe, metadata, project, trust, title, removed_at FROM document"
    " WHERE ns = ? AND source >= ? AND source < ? AND root IS NOT NULL ORDER BY removed_at IS NULL, document_id"
)


class Known(NamedTuple):
    """What has to be known of the document of a file to see whether the file changed."""

    document_id: int
    source: str
    hash: bytes | None
    stat: str | None
    recipe: str | None
    metadata: str | None
    project: str | None
    trust: str
    title: str | None
    removed_at: Micros | None


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which parts are meant; ``known_at`` None means the current ones."""

    namespace: str
    known_at: Micros | None
    trusts: tuple[str, ...]
    project: str | None
    since: Micros | None
    until: Micros | None
    where: Filter | None

    def condition(self, ns: int | None) -> tuple[str, list[Any]]:
        """Return the condition over ``chunk c`` and ``document d``, and its values."""
        marks = ",".join("?" * len(self.trusts))
        parts: list[tuple[str, list[Any]]] = [("d.ns = ?", [ns]), (f"d.trust IN ({marks})", list(self.trusts))]
        if self.known_at is None:
            parts.append(("c.removed_at IS NULL", []))
        else:
            known = [self.known_at, self.known_at]
            parts.append(("c.added_at <= ? AND (c.removed_at IS NULL OR c.removed_at > ?)", known))
        if self.project is not None:
            parts.append(("(d.project IS NULL OR d.project = ?)", [self.project]))
        if self.since is not None:
            parts.append(("c.added_at >= ?", [self.since]))
        if self.until is not None:
            parts.append(("c.added_at < ?", [self.until]))
        parts.append(compile_where(self.where, "c.metadata"))
        return " AND ".join(sql for sql, _ in parts), [value for _, bound in parts for value in bound]


class Documents:
    """Reads and writes the tables ``document`` and ``chunk``."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces

    # -- documents -------------------------------------------------------------------------------------

    def get(self, document_id: int) -> DocumentRow | None:
        """Return a document, removed ones included, or None."""
        found = self._documents("d.document_id = ?", (document_id,))
        return found[0] if found else None

    def file(self, ns: int, source: str) -> DocumentRow | None:
        """Return the document that a file became, a removed one only when there is no other."""
        condition = "d.ns = ? AND d.source = ? AND d.root IS NOT NULL"
        found = self._documents(condition, (ns, source), "d.removed_at IS NOT NULL, d.document_id DESC LIMIT 1")
        return found[0] if found else None

    def files_below(self, ns: int, prefix: str) -> Iterator[Known]:
        """Yield the documents made of files whose source begins with ``prefix``, current ones after removed ones."""
        rows: Any = self._connection.execute(_KNOWN, (ns, prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)))
        for row in rows:
            yield Known(*row)

    def with_source(self, ns: int, source: str) -> list[int]:
        """Return the ids of all documents of a source, removed ones included."""
        rows = self._connection.execute(
            "SELECT document_id FROM document WHERE ns = ? AND source IS NOT NULL AND trim(source) = ?", (ns, source)
        )
        return [row[0] for row in rows]

    def with_uid(self, ns: int, uid: str) -> int | None:
        """Return the id of a document by its uid, removed or not, None when it is not there."""
        row = self._connection.execute(
            "SELECT document_id FROM document WHERE uid = ? AND ns = ?", (uid, ns)
        ).fetchone()
        return None if row is None else int(row[0])

    def of_batch(self, ns: int, batch: str) -> list[int]:
        """Return the ids of the documents that a batch added."""
        rows = self._connection.execute("SELECT document_id FROM document WHERE batch = ? AND ns = ?", (batch, ns))
        return [row[0] for row in rows]

    def of_namespace(self, ns: int) -> list[int]:
        """Return the ids of all documents of a namespace, removed ones included."""
        return [row[0] for row in self._connection.execute("SELECT document_id FROM document WHERE ns = ?", (ns,))]

    def select(
        self, ns: int, *, where: Filter | None = None, source: str | None = None, removed: bool = False,
        limit: int | None = None,
    ) -> list[DocumentRow]:  # fmt: skip
        """Return documents, newest first, at most ``limit``."""
        sql, bound = compile_where(where, "d.metadata")
        condition, values = f"d.ns = ? AND {sql}", [ns, *bound]
        if not removed:
            condition += " AND d.removed_at IS NULL"
        if source is not None:
            condition, values = condition + " AND d.source = ?", [*values, source]
        tail = "d.document_id DESC" + ("" if limit is None else " LIMIT ?")
        return self._documents(condition, values if limit is None else [*values, limit], tail)

    def next_ids(self) -> tuple[int, int]:
        """Return the number that the next document and the next chunk get; numbers are never used again."""
        rows: Any = self._connection.execute(
            "SELECT name, seq FROM sqlite_sequence WHERE name IN ('document', 'chunk')"
        )
        known: dict[str, int] = dict(rows)
        return known.get("document", 0) + 1, known.get("chunk", 0) + 1

    def reserve(self, count: int) -> int:
        """Set aside ``count`` document ids that no other writer will get; return the first."""
        first = self.next_ids()[0]
        sql = "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'document'"
        if self._connection.execute(f"{sql} RETURNING 1", (first + count - 1,)).fetchone() is None:
            self._connection.execute(
                "INSERT INTO sqlite_sequence(name, seq) VALUES ('document', ?)", (first + count - 1,)
            )
        return first

    def insert(self, ns: int, rows: Sequence[DocumentRow]) -> None:
        """Write documents as they are, their numbers included."""
        sheets: dict[int, tuple[Any, ...]] = {}  # texts that are added together share theirs
        values = []
        for row in rows:
            sheet = sheets.get(id(row.sheet)) or sheets.setdefault(id(row.sheet), _sheet_values(row.sheet))
            values.append((row.document_id, row.uid, ns, *sheet, row.actor, row.door, row.batch, row.added_at,
                           row.updated_at))  # fmt: skip
        insert(self._connection, _INTO, values)

    def set_sheet(self, document_id: int, sheet: Sheet) -> None:
        """Write all that is said of a document."""
        self._connection.execute(_UPDATE, (*_sheet_values(sheet), document_id))

    def set(self, document_id: int, **values: object) -> None:
        """Write single columns."""
        names = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(f"UPDATE document SET {names} WHERE document_id = ?", (*values.values(), document_id))

    def add_batch(self, batch: str, ns: int, at: Micros, actor: str | None, source: str | None) -> None:
        """Record a batch, unless it was recorded by an earlier part of it."""
        self._connection.execute(
            "INSERT OR IGNORE INTO batch(batch, ns, kind, at, actor, source) VALUES (?, ?, 'ingest', ?, ?, ?)",
            (batch, ns, at, actor, source),
        )

    def delete(self, document_id: int) -> list[int]:
        """Erase a document and its parts; return the texts they referred to."""
        contents: Any = self._connection.execute(
            "SELECT DISTINCT content_id FROM chunk WHERE document_id = ?", (document_id,)
        )
        found = [row[0] for row in contents]
        self._connection.execute("DELETE FROM chunk WHERE document_id = ?", (document_id,))
        self._connection.execute("DELETE FROM document WHERE document_id = ?", (document_id,))
        return found

    # -- parts -----------------------------------------------------------------------------------------

    def insert_chunks(self, ns: int, rows: Iterable[ChunkRow], contents: Iterable[int]) -> None:
        """Write many parts, of each the number of its text."""
        values = [_chunk_values(ns, row, content_id) for row, content_id in zip(rows, contents, strict=True)]
        insert(self._connection, _INTO_CHUNK, values)

    def chunks(self, document_id: int, *, removed: bool = False) -> list[ChunkRow]:
        """Return the parts of a document in order, with ``removed`` those that were replaced too."""
        extra = "" if removed else " AND c.removed_at IS NULL"
        rows: Any = self._connection.execute(
            f"SELECT {_CHUNK} FROM chunk c WHERE c.document_id = ?{extra} ORDER BY c.chunk_id", (document_id,)
        )
        return [_chunk(row) for row in rows]

    def count_chunks(self, document_ids: Sequence[int]) -> dict[int, int]:
        """Return how many current parts each document has."""
        return {
            row[0]: row[1]
            for marks, ids in portions(document_ids)
            for row in self._connection.execute(
                f"SELECT document_id, count(*) FROM chunk WHERE document_id IN ({marks}) AND removed_at IS NULL"
                " GROUP BY document_id",
                ids,
            )
        }

    def close_chunks(self, document_id: int, at: Micros) -> list[int]:
        """End the current parts of a document; return their ordinals."""
        rows: Any = self._connection.execute(
            "UPDATE chunk SET removed_at = ? WHERE document_id = ? AND removed_at IS NULL RETURNING ord",
            (at, document_id),
        ).fetchall()
        return sorted(row[0] for row in rows)

    def set_metadata(self, chunks: Iterable[ChunkRow]) -> None:
        """Write the metadata of parts."""
        self._connection.executemany(
            "UPDATE chunk SET metadata = ? WHERE chunk_id = ?",
            [(stored_object(row.part.metadata), row.chunk_id) for row in chunks],
        )

    def places(self, chunk_ids: Sequence[int]) -> dict[int, tuple[ChunkRow, DocumentRow]]:
        """Return parts by number, each with its document."""
        return {
            row[0]: (_chunk(row), self._document(row[_WIDTH:]))
            for marks, ids in portions(chunk_ids)
            for row in self._connection.execute(f"{_PLACES} WHERE c.chunk_id IN ({marks})", ids)
        }

    def newest_places(
        self, chosen: Chosen, limit: int, hidden: Collection[int] = ()
    ) -> list[tuple[ChunkRow, DocumentRow]]:
        """Return parts, those of the newest document first, in their order; none of ``hidden`` documents."""
        condition, values = chosen.condition(self._namespaces.id(chosen.namespace))
        if hidden:
            condition += " AND d.document_id NOT IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(sorted(hidden)))
        rows: Any = self._connection.execute(
            f"{_PLACES} WHERE {condition} ORDER BY d.document_id DESC, c.position LIMIT ?", (*values, limit)
        )
        return [(_chunk(row), self._document(row[_WIDTH:])) for row in rows]

    def ords(self, namespace: str, where: Filter | None) -> list[int]:
        """Return the ordinals of the parts whose metadata match, ascending."""
        sql, bound = compile_where(where, "c.metadata")
        ns = self._namespaces.id(namespace)
        rows = self._connection.execute(
            f"SELECT c.ord FROM chunk c WHERE c.ns = ? AND {sql} ORDER BY c.ord", (ns, *bound)
        )
        return [row[0] for row in rows]

    def ords_among(self, namespace: str, where: Filter | None, ords: Sequence[int]) -> list[int]:
        """Return those of ``ords`` whose metadata match, ascending."""
        sql, bound = compile_where(where, "c.metadata")
        ns = self._namespaces.id(namespace)
        return [
            row[0]
            for marks, part in portions(ords)
            for row in self._connection.execute(
                f"SELECT c.ord FROM chunk c WHERE c.ns = ? AND c.ord IN ({marks}) AND {sql} ORDER BY c.ord",
                (ns, *part, *bound),
            )
        ]

    def _documents(self, condition: str, values: Sequence[Any], order: str = "d.document_id") -> list[DocumentRow]:
        sql = f"SELECT {_DOCUMENT} FROM document d WHERE {condition} ORDER BY {order}"
        rows: Any = self._connection.execute(sql, values)
        return [self._document(row) for row in rows]

    def _document(self, row: Sequence[Any]) -> DocumentRow:
        sheet = Sheet(
            source=row[3], root=row[4], hash=row[5], stat=row[6], recipe=row[7], title=row[8], metadata=_dict(row[9]),
            project=row[10], trust=row[11], size=row[12], modified_at=row[13],
        )  # fmt: skip
        return DocumentRow(row[0], row[1], self._namespaces.name(row[2]), sheet, *row[14:20])


def _sheet_values(sheet: Sheet) -> tuple[Any, ...]:
    return (
        sheet.source, sheet.root, sheet.hash, sheet.stat, sheet.recipe, sheet.title, stored_object(sheet.metadata),
        sheet.project, sheet.trust, sheet.size, sheet.modified_at,
    )  # fmt: skip


def _chunk_values(ns: int, row: ChunkRow, content_id: int) -> tuple[Any, ...]:
    part = row.part
    return (
        row.chunk_id, row.document_id, ns, row.ord, content_id, row.position, part.char_from, part.char_to,
        part.title, part.heading, part.line_from, part.line_to, part.page, stored_object(part.metadata),
        row.modified_at, row.added_at,
    )  # fmt: skip


def _chunk(row: Sequence[Any]) -> ChunkRow:
    part = Part(
        text=row[4], char_from=row[5], char_to=row[6], title=row[7], heading=row[8], line_from=row[9],
        line_to=row[10], page=row[11], metadata=_dict(row[12]),
    )  # fmt: skip
    return ChunkRow(row[0], row[1], row[2], row[3], part, row[13], row[14], row[15])


def stored_object(value: Any) -> str | None:
    """Return an object as it is stored, None for an empty one."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) if value else None


def _dict(text: str | None) -> dict[str, Any]:
    return dict(json.loads(text)) if text else {}
