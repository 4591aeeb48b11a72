"""Documents as answers: which parts may be returned at a time and under a filter, and the hits they become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.model.documents import KIND, ChunkRow, DocumentRow
from omoide.model.selection import Moment
from omoide.model.time import optional_datetime, to_datetime
from omoide.search.columns import Bools
from omoide.search.engine import Filters, Pool
from omoide.search.rank import Ranked
from omoide.store.sqlite.cited import retracted_documents
from omoide.store.sqlite.documents import Chosen
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.namespaces import DOCUMENTS
from omoide.store.sqlite.transaction import Read
from omoide.types import Hit, Provenance
from omoide.verbs.asking.asked import Ask
from omoide.verbs.asking.masks import taken_in, within


def document_filters(tx: Read, view: SpaceView, ask: Ask, moment: Moment, namespace: str) -> Filters:
    """Return which parts of documents may answer; what is asked of beliefs only, no document has."""
    mask = _mask(tx, view, ask, moment)
    hidden = [] if ask.include_retracted else _retracted(tx, namespace, moment)
    if hidden:
        wanted = np.sort(np.array(hidden, np.int64))
        owners = view.columns["owner"]
        mask = mask & (wanted[np.minimum(wanted.searchsorted(owners), len(wanted) - 1)] != owners)
    where = ask.where
    if where is None:
        return Filters(mask, view.columns["flags"])
    return Filters(
        mask,
        view.columns["flags"],
        judge=lambda ords: tx.documents.ords_among(namespace, where, ords),
        everyone=lambda: tx.documents.ords(namespace, where),
    )


def _mask(tx: Read, view: SpaceView, ask: Ask, moment: Moment) -> Bools:
    if _asks_for_beliefs(ask):
        return np.zeros(view.columns.size, np.bool_)
    mask = within(taken_in(tx, view, ask, moment), view.columns["known_from"], ask)
    if ask.project is None:
        return mask
    number = tx.projects.id(ask.project)
    projects = view.columns["project"]
    own: Bools = (projects == 0) | (projects == (0 if number is None else number))
    return mask & own


def _retracted(tx: Read, namespace: str, moment: Moment) -> list[int]:
    ns = tx.namespaces.id(namespace)
    return [] if ns is None else retracted_documents(tx.connection, ns, moment.known_at)


def _asks_for_beliefs(ask: Ask) -> bool:
    parts = (ask.subjects, ask.predicate, ask.tags)
    return any(part is not None for part in parts) or (ask.kinds is not None and KIND not in ask.kinds)


def document_hits(
    tx: Read, ask: Ask, moment: Moment, ranked: Ranked, items: NDArray[Any], pools: Sequence[Pool]
) -> Iterator[Hit]:
    """Yield parts of documents best first, rows fetched a few at a time."""
    bm25 = np.concatenate([pool.bm25 for pool in pools])
    cosines = np.concatenate([pool.cosines for pool in pools])
    for first in range(0, len(ranked.order), ask.k):
        places = ranked.order[first : first + ask.k]
        found = tx.documents.places([int(items[place]) for place in places])
        for place in places:
            row = found.get(int(items[place]))
            if row is None:
                continue
            keyword, cosine = float(bm25[place]), float(cosines[place])
            yield part_hit(
                *row, score=float(ranked.scores[place]), past=moment.past,
                bm25_score=keyword if keyword > 0 else None, vector_score=None if np.isnan(cosine) else cosine,
                explanation=ranked.explained(int(place)),
            )  # fmt: skip


def listed_parts(tx: Read, ask: Ask, moment: Moment, limit: int) -> Iterator[Hit]:
    """Yield parts of documents without a question, the newest document first."""
    if DOCUMENTS not in ask.collections or _asks_for_beliefs(ask):
        return
    for namespace in ask.scope.readable:
        chosen = Chosen(
            namespace,
            moment.known_at if moment.past else None,
            ask.trusts,
            ask.project,
            ask.since,
            ask.until,
            ask.where,
        )
        hidden = set() if ask.include_retracted else set(_retracted(tx, namespace, moment))
        for chunk, document in tx.documents.newest_places(chosen, limit, hidden):
            yield part_hit(chunk, document, score=1.0, explanation={}, past=moment.past)


def part_hit(
    chunk: ChunkRow, document: DocumentRow, *, score: float, explanation: Mapping[str, float], past: bool, **parts: Any
) -> Hit:
    """Return a search answer for a part of a document; its id is the part's."""
    sheet, part = document.sheet, chunk.part
    provenance = Provenance(
        actor=document.actor, door=document.door, ref=sheet.source,
        observed_at=optional_datetime(chunk.modified_at),
        batch=document.batch,
    )  # fmt: skip
    return Hit(
        id=chunk.chunk_id, text=part.text, score=score, metadata=dict(part.metadata), namespace=document.namespace,
        origin="document", document_id=document.document_id, kind=KIND, trust=sheet.trust,
        status="current" if past or chunk.removed_at is None else "past",
        valid_from=to_datetime(chunk.added_at if chunk.modified_at is None else min(chunk.modified_at, chunk.added_at)),
        known_from=to_datetime(chunk.added_at), source=sheet.source, provenance=provenance, project=sheet.project,
        created_at=to_datetime(document.added_at), explanation=explanation, **parts,
    )  # fmt: skip
