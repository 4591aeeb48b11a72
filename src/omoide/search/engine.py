"""One search of one space: two legs, one pool, both scores known for every candidate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.search import keyword
from omoide.search.columns import THREAD_BITS, Bools, thread_of
from omoide.search.dense import SMALL, Lexical, best_of
from omoide.search.keyword import PostingsSource
from omoide.search.sets import union, unique
from omoide.search.weights import ACCOMPANIED, CHECKED

Ords = NDArray[np.uint32]
Floats = NDArray[np.float32]
Judge = Callable[[Sequence[int]], list[int]]


class Vectors(Protocol):
    """The vector side of a space."""

    def search(self, query: Floats, m: int, mask: Bools | None) -> tuple[Ords, Floats]:
        """Return the ``m`` nearest permitted entries and their cosines, descending."""
        ...

    def every(self, query: Floats, size: int) -> Floats | None:
        """Return the cosine of every entry below ``size``, nan without a vector, or None to be asked otherwise."""
        ...

    def similarities(self, query: Floats, ords: Ords) -> Floats:
        """Return the cosine of each entry, nan where it has no vector."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: weighted terms for the keyword leg, a unit vector for the vector leg, or one of them."""

    terms: Sequence[tuple[str, float]] = ()
    vector: Floats | None = None
    pool: int = 64


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be returned.

    ``mask`` is judged on columns, whose ``flags`` tell threads; ``judge`` returns which of some entries pass what
    only rows tell; ``everyone`` returns all entries that pass, for the case that few of the best do.
    """

    mask: Bools
    flags: NDArray[np.uint32] | None = None
    judge: Judge | None = None
    everyone: Callable[[], list[int]] | None = None


@dataclass(slots=True)
class Pool:
    """Candidates of one space with both scores; ``cosines`` nan where unknown."""

    ords: Ords
    bm25: Floats
    cosines: Floats
    coverage: float = 0.0
    best_possible: float = 0.0
    timings: dict[str, float] = field(default_factory=dict)


def gather(source: PostingsSource, vectors: Vectors | None, question: Question, filters: Filters) -> Pool:
    """Return the union of the best of both legs, every filter applied before the cut."""
    if filters.judge is None:
        return _gather(source, vectors, question, filters)
    wide = Question(question.terms, question.vector, max(question.pool, CHECKED))
    pool = _gather(source, vectors, wide, filters)
    passed = np.asarray(filters.judge(pool.ords.tolist()), dtype=np.uint32)
    exhausted = len(pool.ords) < wide.pool
    if exhausted or len(passed) >= question.pool or filters.everyone is None:
        return _only(pool, passed)
    mask = np.zeros(len(filters.mask), dtype=np.bool_)
    mask[filters.everyone()] = True
    return _gather(source, vectors, question, Filters(mask & filters.mask, filters.flags))


def _gather(source: PostingsSource, vectors: Vectors | None, question: Question, filters: Filters) -> Pool:
    gathering = _gather_whole if source.size <= SMALL else _gather_best
    return gathering(source, vectors, question, filters)


def _gather_whole(source: PostingsSource, vectors: Vectors | None, question: Question, filters: Filters) -> Pool:
    clock = _Stopwatch()
    lexical = Lexical(source, question.terms, question.pool)
    found = lexical.best(filters.mask)
    clock.lap("bm25_ms")
    found, cosines = _beside(vectors, question, filters, found, source.size)
    clock.lap("ann_ms")
    ords = found.astype(np.uint32)
    pool = Pool(ords, lexical.of(found), cosines, lexical.coverage, lexical.best_possible, clock.laps)
    return _matching(pool)


def _beside(
    vectors: Vectors | None, question: Question, filters: Filters, found: NDArray[np.intp], size: int
) -> tuple[NDArray[np.intp], Floats]:
    """Return entries with the nearest ones and those accompanied beside them, and the cosines of all."""
    if vectors is None or question.vector is None:
        return found, np.full(len(found), np.nan, np.float32)
    every = vectors.every(question.vector, size)
    if every is None:
        near, sims = vectors.search(question.vector, question.pool, filters.mask)
        if len(near):
            found = accompanied(np.concatenate([found, near.astype(np.intp)]), filters)
        ords = found.astype(np.uint32)
        return found, _filled(ords, near, sims, lambda lacking: _cosines(vectors, question, lacking))
    nearest = best_of(every, question.pool, filters.mask, -np.inf)
    if len(nearest):
        found = accompanied(np.concatenate([found, nearest]), filters)
    return found, every.take(found)


def _gather_best(source: PostingsSource, vectors: Vectors | None, question: Question, filters: Filters) -> Pool:
    clock = _Stopwatch()
    lexical = keyword.search(source, question.terms, question.pool, filters.mask)
    clock.lap("bm25_ms")
    near, cosines = _nearest(vectors, question, filters.mask)
    clock.lap("ann_ms")
    ords = union(lexical.ords, near).astype(np.uint32)
    if len(near):
        heads = np.concatenate([lexical.ords[:ACCOMPANIED], near[:ACCOMPANIED]])
        ords = union(ords, accompanied(heads, filters)).astype(np.uint32)
    pool = Pool(
        ords=ords,
        bm25=_filled(ords, lexical.ords, lexical.scores, lambda rest: keyword.score(source, question.terms, rest)),
        cosines=_filled(ords, near, cosines, lambda lacking: _cosines(vectors, question, lacking)),
        coverage=lexical.coverage,
        best_possible=lexical.best_possible,
    )
    pool = _matching(pool)
    clock.lap("fusion_ms")
    pool.timings = clock.laps
    return pool


def accompanied(ords: NDArray[np.integer[Any]], filters: Filters) -> NDArray[np.intp]:
    """Return the ordinals, ascending, with the permitted ones right before and after each from the same thread.

    What was said next to a good match often is the answer that names none of the question's words.
    """
    own = ords.astype(np.intp)
    if filters.flags is None or not (filters.flags[own] & np.uint32(THREAD_BITS)).any():
        return unique(own)
    size = min(len(filters.mask), len(filters.flags))
    found = [own]
    for step in (-1, 1):
        inside = own[(own + step >= 0) & (own + step < size)]
        threads = thread_of(filters.flags[inside])
        near = inside + step
        found.append(near[(threads != 0) & (threads == thread_of(filters.flags[near])) & filters.mask[near]])
    return unique(np.concatenate(found))


def _matching(pool: Pool) -> Pool:
    """Leave out what has neither a word of the question nor a vector."""
    keep = (pool.bm25 > 0) | ~np.isnan(pool.cosines)
    return pool if keep.all() else _only(pool, pool.ords[keep])


def _nearest(vectors: Vectors | None, question: Question, mask: Bools) -> tuple[Ords, Floats]:
    if vectors is None or question.vector is None:
        return np.empty(0, np.uint32), np.empty(0, np.float32)
    return vectors.search(question.vector, question.pool, mask)


def _cosines(vectors: Vectors | None, question: Question, ords: Ords) -> Floats:
    if vectors is None or question.vector is None:
        return np.full(len(ords), np.nan, np.float32)
    return vectors.similarities(question.vector, ords)


def _filled(ords: Ords, known: Ords, scores: Floats, compute: Callable[[Ords], Floats]) -> Floats:
    """Return the score of each of ``ords`` (ascending): as a leg found it, else computed."""
    filled = np.empty(len(ords), np.float32)
    places = np.searchsorted(ords, known)
    lacking = np.ones(len(ords), np.bool_)
    lacking[places] = False
    filled[places] = scores
    if lacking.any():
        filled[lacking] = compute(ords[lacking])
    return filled


def _only(pool: Pool, ords: Ords) -> Pool:
    keep = np.zeros(len(pool.ords), np.bool_)
    keep[np.searchsorted(pool.ords, ords)] = True
    return Pool(pool.ords[keep], pool.bm25[keep], pool.cosines[keep], pool.coverage, pool.best_possible, pool.timings)


class _Stopwatch:
    """Milliseconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + (now - self._last) * 1000
        self._last = now
