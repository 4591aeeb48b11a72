"""Exact BM25 top-k over posting lists, whoever stores them.

The lists are taken rarest first (MaxScore: Turtle and Flood, "Query evaluation: strategies and
optimizations", 1995): once the terms still to come cannot lift a new record into the top k, they are only
looked up for the records found so far. The mask is applied before any cut. A list's ``count`` includes the
entries that only history shows, so a term's weight does not depend on the time asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.search.maxscore import Query, kth
from omoide.search.postings import Mask, Ords, PostingList, Postings, PostingsSource, Scores

__all__ = ["KeywordResult", "PostingList", "Postings", "PostingsSource", "explain", "score", "search"]

# So few permitted entries are looked up in the lists, which are then not read.
_FEW: Final = 64


@dataclass(frozen=True, slots=True)
class KeywordResult:
    """The best entries of a space for a weighted bag of terms."""

    ords: Ords
    """Best first; equal scores newest (highest ordinal) first."""
    scores: Scores
    """BM25 of each, above 0, descending."""
    coverage: float
    """Share of the query's idf mass whose terms the space knows, 0.0 to 1.0."""
    best_possible: float
    """BM25 of a text of mean length that holds every known term once; a hit may exceed it up to 2.2-fold."""
    touched: int
    """Postings decoded to answer."""


def search(
    source: PostingsSource, terms: Sequence[tuple[str, float]], k: int, mask: Mask | None = None
) -> KeywordResult:
    """Return the ``k`` best entries that hold any of the terms.

    ``terms`` are pairs of term and weight; weights of a repeated term add up, weights below 1e-6 drop it.
    ``mask`` says which entries may be returned: a flag per ordinal, or a function from ordinals to flags.

    Raises:
        InvalidInputError: the mask is shorter than the space.
        DamagedStoreError: a list that was read cannot be.
    """
    if isinstance(mask, np.ndarray) and len(mask) < source.size:
        raise InvalidInputError(f"the mask has {len(mask)} flags for {source.size} entries", value=len(mask))
    query = Query(source, terms)
    with query.sound():
        ords, scores = _best(*_candidates(query, source.size, k, mask), max(k, 0))
    touched = sum(leg.postings.read for leg in query.legs)
    return KeywordResult(ords, scores, query.coverage, query.best_possible, touched)


def score(source: PostingsSource, terms: Sequence[tuple[str, float]], ords: Ords) -> Scores:
    """Return the BM25 of the given entries, in their order; 0 for one that holds no term."""
    query = Query(source, terms)
    ords = np.asarray(ords, np.uint32)
    order = ords.argsort()
    scores = np.zeros(len(ords), np.float32)
    with query.sound():
        scores[order] = query.look_up(ords[order], scores, 0, None)[1]
    return scores


def explain(source: PostingsSource, terms: Sequence[tuple[str, float]], ords: Ords) -> list[dict[str, float]]:
    """Return, for each of the given entries, what every matched term adds to its score, rarest first."""
    query = Query(source, terms)
    ords = np.asarray(ords, np.uint32)
    order = ords.argsort()
    shares: list[dict[str, float]] = [{} for _ in range(len(ords))]
    for leg in query.legs:
        with query.sound():
            gains = leg.weight * query.parts.take(leg.postings.at(ords[order]))
        for place in gains.nonzero()[0].tolist():
            shares[order[place]][leg.term] = float(gains[place])
    return shares


def _candidates(query: Query, size: int, k: int, mask: Mask | None) -> tuple[Ords, Scores]:
    """Return entries, the ``k`` best among them, and their scores, by the cheapest way."""
    if not query.legs or k < 1:
        return _NO_ORDS, _NO_SCORES
    if isinstance(mask, np.ndarray):
        few = _few(mask, query.total)
        if few is not None:
            return query.look_up(few, np.zeros(len(few), np.float32), 0, k)
    return query.look_up(*query.gather(size, k, mask), k)


def _few(mask: NDArray[np.bool_], postings: int) -> Ords | None:
    """Return the permitted ordinals when looking them up costs less than reading the postings."""
    if postings < _FEW * _FEW or np.count_nonzero(mask) > _FEW:
        return None
    return mask.nonzero()[0].astype(np.uint32)


def _best(ords: Ords, scores: Scores, k: int) -> tuple[Ords, Scores]:
    """Return the ``k`` highest scores above 0, descending, equal ones by descending ordinal."""
    if len(scores) > k:
        keep = scores >= kth(scores, k)
        ords, scores = ords[keep], scores[keep]
    order = np.lexsort((ords, scores))[: -k - 1 : -1]
    scores = scores.take(order)
    hits = np.count_nonzero(scores)
    return ords.take(order[:hits]), scores[:hits]


_NO_ORDS: Final[Ords] = np.zeros(0, np.uint32)
_NO_SCORES: Final[Scores] = np.zeros(0, np.float32)
