"""Documents written, replaced, removed and erased: rows and index together, inside one write transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from omoide.model.documents import ChunkRow, DocumentRow, Part, Sheet, part_claim
from omoide.model.records import Claim
from omoide.model.time import Micros
from omoide.model.uids import uuid7s
from omoide.search.prepared import Prepared
from omoide.store.sqlite.indexing.document_source import chunk_flags, record
from omoide.store.sqlite.namespaces import DOCUMENTS
from omoide.store.sqlite.transaction import Write

Terms = Callable[[Claim], list[str]]
"""What is searched of a part -> its keyword terms."""
Prepare = Callable[[Claim], Prepared]
"""What is searched of a part -> what the index keeps of it."""


class Cut(NamedTuple):
    """A document ready to be written: what is said of it, its parts, and what the index keeps of each."""

    sheet: Sheet
    parts: Sequence[Part]
    prepared: Sequence[Prepared]


def add(tx: Write, namespace: str, cuts: Sequence[Cut], ids: Sequence[int] | None = None) -> list[DocumentRow]:
    """Write new documents with their parts; ``ids`` were reserved before."""
    ns = tx.ns_of(namespace)
    first = tx.documents.next_ids()[0]
    voice = tx.voice
    numbers = range(first, first + len(cuts)) if ids is None else ids
    rows = [
        DocumentRow(id, uid, namespace, cut.sheet, voice.actor, voice.door, voice.batch, tx.now, None, None)
        for id, uid, cut in zip(numbers, uuid7s(tx.now, len(cuts)), cuts, strict=True)
    ]
    tx.documents.insert(ns, rows)
    _add_parts(tx, ns, list(zip(rows, cuts, strict=True)))
    return rows


def replace_parts(tx: Write, row: DocumentRow, cut: Cut) -> DocumentRow:
    """Put other parts in the place of a document's; the old ones stay for questions about the past.

    A document that was removed is there again.
    """
    ns = tx.ns_of(row.namespace)
    close_parts(tx, row)
    restate(tx, row, cut.sheet)
    back = {"removed_at": None, "batch": tx.voice.batch or row.batch} if row.removed_at is not None else {}
    tx.documents.set(row.document_id, updated_at=tx.now, **back)
    changed = tx.documents.get(row.document_id)
    assert changed is not None
    _add_parts(tx, ns, [(changed, cut)])
    return changed


def restate(tx: Write, row: DocumentRow, sheet: Sheet) -> None:
    """Write what is said of a document; the index follows where trust or project changed."""
    ns = tx.ns_of(row.namespace)
    tx.documents.set_sheet(row.document_id, sheet)
    if (sheet.trust, sheet.project) == (row.sheet.trust, row.sheet.project):
        return
    flags, project = chunk_flags(sheet.trust, row.document_id), tx.projects.ensure(sheet.project)
    for chunk in tx.documents.chunks(row.document_id, removed=True):
        tx.indexer.change(ns, DOCUMENTS, chunk.ord, "flags", flags)
        tx.indexer.change(ns, DOCUMENTS, chunk.ord, "project", project)


def close_parts(tx: Write, row: DocumentRow) -> None:
    """End the current parts of a document, now."""
    ns = tx.ns_of(row.namespace)
    for ord in tx.documents.close_chunks(row.document_id, tx.now):
        tx.indexer.change(ns, DOCUMENTS, ord, "known_to", tx.now)


def remove(tx: Write, row: DocumentRow) -> None:
    """Take a document out of search; questions about the past still find it."""
    close_parts(tx, row)
    tx.documents.set(row.document_id, removed_at=tx.now)


def erase(tx: Write, row: DocumentRow, terms: Terms) -> None:
    """Remove every trace of a document: rows, words, vectors and texts that nothing else refers to."""
    ns = tx.ns_of(row.namespace)
    for chunk in tx.documents.chunks(row.document_id, removed=True):
        tx.indexer.erase(ns, DOCUMENTS, chunk.ord, terms(_claim(chunk.part)))
    for content_id in tx.documents.delete(row.document_id):
        tx.contents.delete_unused(content_id)


def describe(tx: Write, row: DocumentRow, sheet: Sheet, parts: Sequence[ChunkRow]) -> None:
    """Write what is said of a document and the metadata that its parts show."""
    restate(tx, row, sheet)
    tx.documents.set_metadata(parts)


def _add_parts(tx: Write, ns: int, made: Sequence[tuple[DocumentRow, Cut]]) -> None:
    parts = [part for _, cut in made for part in cut.parts]
    contents = tx.contents.ensure_many([part.text for part in parts])
    chunk_id, ord = tx.documents.next_ids()[1], tx.indexer.next_ord(ns, DOCUMENTS)
    chunks: list[ChunkRow] = []
    records: list[tuple[int, ...]] = []
    for row, cut in made:
        document_id, modified = row.document_id, cut.sheet.modified_at
        flags, project = chunk_flags(cut.sheet.trust, document_id), tx.projects.ensure(cut.sheet.project)
        for position, part in enumerate(cut.parts):
            records.append(record(document_id, chunk_id, modified, tx.now, None, flags, project))
            chunks.append(ChunkRow(chunk_id, document_id, ord, position, part, modified, tx.now, None))
            chunk_id, ord = chunk_id + 1, ord + 1
    tx.indexer.add_many(ns, DOCUMENTS, records, [ready for _, cut in made for ready in cut.prepared])
    tx.documents.insert_chunks(ns, chunks, contents)


def revert(tx: Write, row: DocumentRow, times: Sequence[Micros], prepare: Prepare) -> bool:
    """Bring back what a document said before it was replaced or removed at the first of some times.

    Return False, and change nothing, where it was written since the last of them, or nothing is left of that text.
    """
    ns = tx.ns_of(row.namespace)
    chunks = tx.documents.chunks(row.document_id, removed=True)
    touched: set[Micros | None] = {chunk.added_at for chunk in chunks if chunk.removed_at is None} or {row.removed_at}
    parts = _ended(chunks, times[0])
    if not parts or not touched <= set(times):
        return False
    sheet = row.sheet._replace(hash=None, stat=None, title=parts[0].title)
    close_parts(tx, row)
    restate(tx, row, sheet)
    tx.documents.set(row.document_id, updated_at=tx.now, removed_at=None)
    changed = tx.documents.get(row.document_id)
    assert changed is not None
    _add_parts(tx, ns, [(changed, Cut(sheet, parts, [prepare(_claim(part)) for part in parts]))])
    return True


def _ended(chunks: Sequence[ChunkRow], at: Micros) -> list[Part]:
    """Return the parts, in order, that stood together until a time; the latest such where one instant saw several."""
    found: list[Part] = []
    for chunk in reversed([chunk for chunk in chunks if chunk.removed_at == at]):
        found.append(chunk.part)
        if chunk.position == 0:
            break
    return found[::-1]


def _claim(part: Part) -> Claim:
    return part_claim(part.text, part.heading, part.title)
