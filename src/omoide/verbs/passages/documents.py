"""Documents added as texts, looked up, described anew and deleted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from omoide.model.collecting import collected, uncollected
from omoide.model.documents import DocumentRow, Part, Sheet, deleted_document, part_claim
from omoide.model.filter import Filter
from omoide.model.policy import Scope, WriteScope
from omoide.model.records import Claim
from omoide.model.time import optional_datetime, to_datetime
from omoide.model.uids import uuid7
from omoide.store.sqlite import document_writing
from omoide.store.sqlite.document_writing import Cut
from omoide.store.sqlite.indexing.rebuild import sweep
from omoide.store.sqlite.namespaces import DOCUMENTS
from omoide.store.sqlite.transaction import Read
from omoide.text.tokens import analyze
from omoide.types import Document, Ingested, IngestResult, Provenance
from omoide.verbs.context import Context
from omoide.verbs.drafts import embedded_text, searched_text
from omoide.verbs.passages.document_parts import Recipe, parts_of, place_of, stitched, stored_recipe
from omoide.verbs.writing import writing

TOGETHER: Final = 8192
"""Texts written in one transaction, if they are short."""
FEW: Final = 64
"""Texts that are not worth waiting for a model that is loading: their vectors are made in a moment."""
MODEL_PATIENCE: Final = 15.0
"""Seconds that more texts, or files, wait for it; what is written without has its vectors pending."""
LETTERS_TOGETHER: Final = 8_000_000
"""Characters of texts written in one transaction, unless one text has more."""


class Given(NamedTuple):
    """One text to add; ``position`` is its place among those that were given."""

    position: int
    text: str
    source: str | None
    metadata: Mapping[str, Any]


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds by stage of one ingest."""

    started: float = field(default_factory=time.perf_counter)
    laps: dict[str, float] = field(default_factory=lambda: {"chunk_ms": 0.0, "embed_ms": 0.0, "store_ms": 0.0})
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        """Count the time since the last lap for a stage."""
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + (now - self._last) * 1000
        self._last = now

    def timings(self, documents: int) -> dict[str, float]:
        """Return the laps, the total and how many documents a second were written."""
        total = (time.perf_counter() - self.started) * 1000
        return {**self.laps, "total_ms": total, "docs_per_second": documents / max(total / 1000, 1e-9)}


def add_texts(
    ctx: Context, scope: WriteScope, given: Sequence[Given], recipe: Recipe, model: Sheet, failed: Sequence[Ingested]
) -> IngestResult:
    """Write texts as new documents, a bounded number in each transaction; ``model`` is what they have in common."""
    if not given:
        return IngestResult(files=failed)
    if len(given) > FEW:
        ctx.embedding.wait_ready(MODEL_PATIENCE)
    watch, batch = Stopwatch(), new_batch(ctx)
    ids: list[int] = []
    refused = list(failed)
    for some in _portions(given):
        with uncollected():
            made, batch = _add_portion(ctx, scope, some, recipe, model, batch, refused, watch)
        ids += made
    return IngestResult(ids, files=refused, timings=watch.timings(len(ids)), batch=batch)


def _add_portion(
    ctx: Context, scope: WriteScope, some: Sequence[Given], recipe: Recipe, model: Sheet, batch: str,
    refused: list[Ingested], watch: Stopwatch,
) -> tuple[list[int], str]:  # fmt: skip
    """Write some texts; return their ids and their batch. Nothing that it made is left for the collector to walk."""
    with collected() if callable(recipe.splitter) else nullcontext():
        cut = [(_sheet_of(model, each), parts_of(each.text, recipe, each.metadata)) for each in some]
    refused += [_partless(each) for each, (_, parts) in zip(some, cut, strict=True) if not parts]
    watch.lap("chunk_ms")
    if ctx.held_back is not None:
        return ctx.held_back.add_documents(scope, [each for each in cut if each[1]])
    cuts = prepared(ctx, [each for each in cut if each[1]])
    watch.lap("embed_ms")
    with writing(ctx, scope, batch=batch) as tx:
        tx.documents.add_batch(batch, tx.ns_of(scope.namespace), tx.now, ctx.actor, None)
        rows = document_writing.add(tx, scope.namespace, cuts)
        ids = [row.document_id for row in rows]
        tx.log("add", scope.namespace, ids)
    watch.lap("store_ms")
    return ids, batch


def _sheet_of(model: Sheet, given: Given) -> Sheet:
    if given.source is model.source and given.metadata == model.metadata:
        return model
    return model._replace(source=given.source, metadata=given.metadata)


def _partless(given: Given) -> Ingested:
    reason = "the splitter returned no part with text in it"
    return Ingested(given.source, "failed", code="empty", reason=reason, position=given.position)


def _portions(given: Sequence[Given]) -> Iterator[list[Given]]:
    held: list[Given] = []
    letters = 0
    for each in given:
        if held and (len(held) == TOGETHER or letters + len(each.text) > LETTERS_TOGETHER):
            yield held
            held, letters = [], 0
        held.append(each)
        letters += len(each.text)
    if held:
        yield held


def new_batch(ctx: Context) -> str:
    """Return the id of a new batch, or of the one that this task is writing."""
    with ctx.store.read(None) as tx:
        return ctx.voice().batch or uuid7(tx.now)


def prepared(ctx: Context, cuts: Sequence[tuple[Sheet, Sequence[Part]]]) -> list[Cut]:
    """Return documents ready to be written, embedded outside of the write lock."""
    embedded: list[str] = []
    searched: list[str] = []
    for part in (part for _, parts in cuts for part in parts):
        if part.heading is None and part.title is None:
            embedded.append(part.text)
            searched.append(part.text)
        else:
            claim = claim_of(part)
            embedded.append(embedded_text(claim))
            searched.append(searched_text(claim))
    ready = iter(ctx.embedding.prepare_parts(embedded, searched, ctx.store))
    return [Cut(sheet, parts, [next(ready) for _ in parts]) for sheet, parts in cuts]


def claim_of(part: Part) -> Claim:
    """Return what is searched of a part."""
    return part_claim(part.text, part.heading, part.title)


def terms_of(claim: Claim) -> list[str]:
    """Return the keyword terms of what is searched of a part."""
    return analyze(searched_text(claim))


def get(ctx: Context, document_id: int) -> Document | None:
    """Return a document with its text, or None when there is none here."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        row = _readable(ctx, tx, document_id)
        if row is None or row.removed_at is not None:
            return None
        chunks = tx.documents.chunks(document_id)
    return document_of(row, len(chunks), stitched(chunks))


def list_documents(
    ctx: Context, scope: Scope, *, where: Filter | None, source: str | None, removed: bool, limit: int | None
) -> list[Document]:
    """Return documents without their texts, newest first."""
    ctx.flush()
    found: list[Document] = []
    with ctx.store.read(scope) as tx:
        for namespace in scope.readable:
            ns = tx.namespaces.id(namespace)
            rows = (
                [] if ns is None else tx.documents.select(ns, where=where, source=source, removed=removed, limit=limit)
            )
            counts = tx.documents.count_chunks([row.document_id for row in rows])
            found += [document_of(row, counts.get(row.document_id, 0)) for row in rows]
    found.sort(key=lambda document: -document.id)
    return found if limit is None else found[:limit]


def document_of(row: DocumentRow, chunks: int, text: str | None = None) -> Document:
    """Return a stored document as users see it."""
    sheet = row.sheet
    return Document(
        id=row.document_id, namespace=row.namespace, source=sheet.source, title=sheet.title,
        metadata=dict(sheet.metadata), chunks=chunks, added_at=to_datetime(row.added_at), text=text, uid=row.uid,
        updated_at=optional_datetime(row.updated_at), modified_at=optional_datetime(sheet.modified_at),
        removed_at=optional_datetime(row.removed_at), size=sheet.size, trust=sheet.trust, project=sheet.project,
        provenance=Provenance(row.actor, row.door, sheet.source, optional_datetime(sheet.modified_at), (), row.batch),
    )  # fmt: skip


def update(ctx: Context, document_id: int, *, text: str | None, metadata: dict[str, Any] | None) -> None:
    """Replace the text of a document, its metadata, or both; one that is not there is left alone.

    Raises:
        AccessDeniedError: it may be read but not written.
    """
    ctx.flush()
    with ctx.store.read(None) as read:
        row = _readable(ctx, read, document_id)
    if row is None or row.removed_at is not None or (text is None and metadata is None):
        return
    scope = ctx.policy.write_scope(ctx.namespace, row.namespace)
    if text is None:
        assert metadata is not None
        _describe(ctx, scope, row, metadata)
        return
    described = row.sheet.metadata if metadata is None else metadata
    sheet = row.sheet._replace(metadata=described, hash=None, stat=None, size=None)
    recipe = stored_recipe(sheet.recipe)
    parts = parts_of(
        text, recipe, sheet.metadata, title=sheet.title, path=sheet.source, placed=sheet.root is not None
    )  # fmt: skip
    (cut,) = prepared(ctx, [(sheet, parts)])
    with writing(ctx, scope) as tx:
        current = tx.documents.get(document_id)
        if current is not None:
            document_writing.replace_parts(tx, current, cut)
            tx.log("replace", row.namespace, [document_id])


def _describe(ctx: Context, scope: WriteScope, row: DocumentRow, metadata: dict[str, Any]) -> None:
    with writing(ctx, scope) as tx:
        current = tx.documents.get(row.document_id)
        if current is None:
            return
        parts = []
        for chunk in tx.documents.chunks(row.document_id):
            part = chunk.part
            own = {key: value for key, value in part.metadata.items() if key not in current.sheet.metadata}
            placed = current.sheet.root is not None
            place = place_of(part.heading, part.page, part.line_from, part.line_to, placed=placed)
            parts.append(chunk._replace(part=part._replace(metadata={**own, **place, **metadata})))
        document_writing.describe(tx, current, current.sheet._replace(metadata=metadata), parts)
        tx.log("describe", row.namespace, [row.document_id])


def delete(ctx: Context, document_id: int) -> None:
    """Erase a document for good: rows, words, vectors and texts; one that is not there is left alone.

    A mark without any text stays, so that no older copy or export brings it back; adding the file again does.

    Raises:
        AccessDeniedError: it may be read but not written.
    """
    ctx.flush()
    with ctx.store.read(None) as read:
        row = _readable(ctx, read, document_id)
    if row is None:
        return
    scope = ctx.policy.write_scope(ctx.namespace, row.namespace)
    sweep(ctx.store)  # an index that a rebuild left behind holds words too
    with writing(ctx, scope) as tx:
        current = tx.documents.get(document_id)
        if current is not None:
            tx.relations.mark_purged(tx.ns_of(row.namespace), [deleted_document(current.uid)], tx.now, tx.seq)
            document_writing.erase(tx, current, terms_of)
            tx.log("delete", row.namespace, [document_id])
    ctx.embedding.forget_texts()


def stats(ctx: Context, scope: Scope) -> dict[str, dict[str, Any]]:
    """Return per namespace how many documents and parts are searched, since when, and what is still pending."""
    ctx.flush()
    with ctx.store.read(scope) as tx:
        return {name: _namespace_stats(tx, name) for name in scope.readable}


def _namespace_stats(tx: Read, namespace: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "namespace": namespace, "documents": 0, "chunks": 0, "oldest": None, "newest": None, "pending_vectors": 0,
        "embedder": tx.settings.get("embedder"),
    }  # fmt: skip
    view = tx.view(namespace, DOCUMENTS)
    if view is None:
        return found
    owners = np.unique(view.columns["owner"][view.current(tx.now)])
    found["chunks"] = int(np.count_nonzero(view.current(tx.now)))
    found["documents"], found["pending_vectors"] = len(owners), view.space.pending
    if len(owners):
        ends = [tx.documents.get(int(owners[place])) for place in (0, -1)]
        found["oldest"], found["newest"] = (to_datetime(end.added_at) for end in ends if end is not None)
    return found


def _readable(ctx: Context, tx: Read, document_id: int) -> DocumentRow | None:
    row = tx.documents.get(document_id)
    return row if row is not None and ctx.policy.can_read(ctx.namespace, row.namespace) else None
