"""The two legs of a search over what can be read of an index: a damaged one is left out and named."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.engine import Filters, Pool, Question, gather
from omoide.search.vectors import VectorIndex
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.transaction import Read
from omoide.text.query import Query
from omoide.verbs.asking.wording import weighted_terms
from omoide.verbs.context import Context
from omoide.verbs.embedding import MODEL

Vector = NDArray[Any]


def of_this_model(ctx: Context, tx: Read, vector: Vector | None, reasons: list[str]) -> Vector | None:
    """Return the vector of a question unless the store was given another model since the handle was opened."""
    recorded = tx.noted(MODEL, partial(tx.settings.get, MODEL))
    if vector is None or recorded in (None, ctx.embedding.model_name):
        return vector
    reasons.append(f"the store has vectors of {recorded!r} by now; open it again to search them")
    return None


def search_terms(view: SpaceView, words: Query | None, vector: Vector | None, reasons: list[str], *, past: bool) -> Any:
    """Return the weighted terms of a question, none when only its vector can be used.

    Raises:
        DamagedStoreError: the keyword index cannot be read and there is no vector.
    """
    if words is None:
        return ()
    try:
        return weighted_terms(view, words, past=past)
    except DamagedStoreError as error:
        if vector is None:
            raise
        reasons.append(str(error))
        return ()


def load_vectors(tx: Read, view: SpaceView, vector: Vector, reasons: list[str]) -> VectorIndex | None:
    """Return the vector index of a space, None when there is none or its vectors are damaged."""
    dimension = tx.noted("dimension", lambda: tx.dimension)
    if dimension is None:
        if view.space.documents and not view.space.pending:
            reasons.append("nothing here has a vector yet; the next write or rebuild() begins to make them")
        return None
    if dimension != len(vector):
        reasons.append(f"the embedder gave {len(vector)} numbers, the vectors of the store have {dimension}")
        return None
    try:
        return view.load_vectors(len(vector))
    except DamagedStoreError as error:
        reasons.append(str(error))
        return None


def gather_readable(
    view: SpaceView, vectors: VectorIndex | None, question: Question, filters: Filters, reasons: list[str]
) -> Pool:
    """Search with both legs, or with the one that is not damaged.

    Raises:
        DamagedStoreError: neither can be read.
    """
    if view.damage is not None:
        reasons.append(view.damage)
    try:
        return gather(view.lists(filters.mask), vectors, question, filters)
    except DamagedStoreError as error:
        if vectors is None or not question.terms:
            raise
        reasons.append(str(error))
    with suppress(DamagedStoreError):
        return gather(view.lists(filters.mask), None, question, filters)
    return gather(view.lists(filters.mask), vectors, replace(question, terms=()), filters)
