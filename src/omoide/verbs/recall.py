"""Recall: what is believed that answers a question, within a scope, a time and a budget."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import EmbedderError, StoreBusyError
from omoide.model.filter import Filter
from omoide.model.kinds import KINDS, importance_value
from omoide.model.policy import Scope
from omoide.model.records import Row, State
from omoide.model.selection import Moment, Selection
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import RANK
from omoide.search import columns as col
from omoide.search.columns import ARCHIVED, ERASED, Bools
from omoide.search.engine import Filters, Pool, Question
from omoide.search.rank import Ranked, Recency, rank
from omoide.search.weights import ABSTAIN_BELOW, POOL, POOL_PER_K, calibration_of
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.view import SpaceView
from omoide.text.budget import estimate_tokens
from omoide.text.query import Query, analyze_query
from omoide.text.signature import signature
from omoide.types import Hit, Hits
from omoide.verbs import legs
from omoide.verbs.context import Context
from omoide.verbs.convert import hit_of
from omoide.verbs.drafts import Moment as Given
from omoide.verbs.filling import fill
from omoide.verbs.moments import moment_of

MODEL_PATIENCE: Final = 15.0
"""Seconds that a recall without ``budget_ms`` waits for a model that is loading."""
INLINE: Final = 64
"""Pending entries that a recall without ``budget_ms`` embeds before it searches."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One recall, its arguments checked."""

    query: str | None
    k: int
    scope: Scope
    where: Filter | None = None
    subjects: tuple[str, ...] | None = None
    predicate: str | None = None
    kinds: tuple[str, ...] | None = None
    trusts: tuple[str, ...] = ("derived", "observed", "stated")
    tags: tuple[str, ...] | None = None
    project: str | None = None
    as_of: Given | None = None
    valid_at: Given | None = None
    known_at: Given | None = None
    since: Micros | None = None
    until: Micros | None = None
    include_archived: bool = False
    include_retracted: bool = False
    use_bm25: bool = True
    use_vectors: bool = True
    min_similarity: float | None = None
    recency_weight: float = 0.0
    half_life: float = 604_800.0
    budget_ms: float | None = None
    max_tokens: int | None = None
    abstain: bool = False
    rerank: bool = False

    def selection(self, namespace: str, moment: Moment) -> Selection:
        """Return the part of the question that rows decide."""
        whole = self.since is None and self.until is None
        return Selection(
            namespace=namespace, moment=moment if whole else None, subjects=self.subjects, predicate=self.predicate,
            kinds=self.kinds, trusts=self.trusts, tags=self.tags, project=self.project, where=self.where,
            since=self.since, until=self.until, archived=self.include_archived or moment.past,
            retracted=self.include_retracted,
        )  # fmt: skip


@dataclass(slots=True)
class _Search:
    """What one recall gathers on its way."""

    timings: dict[str, float] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    below: int = 0
    pending: int = 0
    truncated: bool = False


def recall(ctx: Context, ask: Ask) -> Hits:
    """Return the best hits, best first; a question of None lists, a blank one returns nothing."""
    ctx.flush()
    if ask.k <= 0 or (ask.query is not None and not ask.query.strip()):
        return Hits()
    if ask.query is None:
        return _list(ctx, ask)
    return _find(ctx, ask, ask.query)


def _list(ctx: Context, ask: Ask) -> Hits:
    """Everything that holds, importance first, then freshness."""
    rows: list[Row] = []
    with ctx.store.read(ask.scope) as tx:
        moment = moment_of(tx.now, ask.as_of, ask.valid_at, ask.known_at)
        for namespace in ask.scope.readable:
            selection = ask.selection(namespace, moment)
            limit = None if ask.max_tokens is not None else ask.k
            rows += tx.selecting.rows(selection, order="important", limit=limit)
        rows.sort(key=lambda row: (-importance_value(row.claim.importance), -row.known_from, -row.version_id))
        states = tx.memories.many([row.memory_id for row in rows[: max(ask.k, 1000)]])
        search = _Search()
        hits = (
            hit_of(row, states[row.memory_id], tx.now, score=1.0, explanation={}, past=moment.past)
            for row in rows
            if row.memory_id in states
        )
        kept = list(_within(ask, search, hits))
    return Hits(kept, truncated=search.truncated)


def _find(ctx: Context, ask: Ask, query: str) -> Hits:
    started = time.perf_counter()
    search = _Search()
    if ask.use_vectors and ask.budget_ms is None:
        _catch_up(ctx, ask)
    vector = _vector(ctx, ask, query, search)
    words = analyze_query(query) if ask.use_bm25 else None
    with ctx.store.read(ask.scope) as tx:
        vector = legs.of_this_model(ctx, tx, vector, search.reasons)
        moment = moment_of(tx.now, ask.as_of, ask.valid_at, ask.known_at)
        found = [_pool(tx, ask, moment, namespace, words, vector, search) for namespace in ask.scope.readable]
        sides = [leg for leg in found if leg is not None and len(leg[1].ords)]
        hits = _answers(ctx, tx, ask, moment, sides, search) if sides else []
    hits = _abstained(ask, search, hits)
    search.timings["total_ms"] = (time.perf_counter() - started) * 1000
    if search.pending:
        ctx.filler.nudge()
    return Hits(
        hits, timings=search.timings, degraded=bool(search.reasons), reasons=dict.fromkeys(search.reasons),
        truncated=search.truncated, below_threshold=search.below,
        abstained=ask.abstain and not hits,
    )  # fmt: skip


def _catch_up(ctx: Context, ask: Ask) -> None:
    """Without a time budget, wait for the model to load and embed the few entries that wait for it."""
    if not ctx.embedding.wait_ready(MODEL_PATIENCE) or ctx.store.read_only:
        return
    with ctx.store.read(ask.scope) as tx:
        pending = sum(tx.pending_in(namespace) for namespace in ask.scope.readable)
    if 0 < pending <= INLINE:
        with suppress(StoreBusyError, EmbedderError):  # they stay pending, and the answer says so
            fill(ctx.store, ctx.embedding, INLINE, wait=False)


def _vector(ctx: Context, ask: Ask, query: str, search: _Search) -> NDArray[np.float32] | None:
    if not ask.use_vectors:
        return None
    started = time.perf_counter()
    if ask.budget_ms is not None and ctx.embedding.expected_ms() >= ask.budget_ms:
        search.reasons.append("the time budget left no room for the vector search")
        return None
    vector, reason = ctx.embedding.question(query)
    if vector is None and reason is None and not ask.use_bm25:
        reason = "this handle has no embedder, and the keyword search was left out"
    search.timings["embed_ms"] = (time.perf_counter() - started) * 1000
    if ask.budget_ms is not None and search.timings["embed_ms"] > ask.budget_ms:
        vector, reason = None, "the time budget left no room for the vector search"
    if reason is not None:
        search.reasons.append(reason)
    return vector


def _pool(
    tx: Read, ask: Ask, moment: Moment, namespace: str, words: Query | None, vector: NDArray[np.float32] | None,
    search: _Search,
) -> tuple[SpaceView, Pool] | None:  # fmt: skip
    view = tx.view(namespace)
    if view is None:
        return None
    terms = legs.search_terms(view, words, vector, search.reasons)
    question = Question(terms, vector, max(POOL, POOL_PER_K * ask.k))
    vectors = None if vector is None else legs.load_vectors(tx, view, vector, search.reasons)
    if vector is not None and view.space.pending:
        search.pending += view.space.pending
        search.reasons.append(f"{view.space.pending} entries have no vector yet")
    selection = ask.selection(namespace, moment)
    filters = _filters(tx, view, ask, moment, selection)
    pool = legs.gather_readable(view, vectors, question, filters, search.reasons)
    for name, took in pool.timings.items():
        search.timings[name] = search.timings.get(name, 0.0) + took
    return view, pool


def _filters(tx: Read, view: SpaceView, ask: Ask, moment: Moment, selection: Selection) -> Filters:
    mask = _mask(tx, view, ask, moment, selection)
    if not selection.needs_rows:
        return Filters(mask)
    return Filters(
        mask,
        judge=lambda ords: tx.selecting.ords_among(selection, ords),
        everyone=lambda: tx.selecting.ords(selection),
    )


def _mask(tx: Read, view: SpaceView, ask: Ask, moment: Moment, selection: Selection) -> Bools:
    columns = view.columns
    least = min(RANK[trust] for trust in ask.trusts) if ask.trusts else 0
    if ask.include_retracted:
        mask = np.zeros(columns.size, np.bool_)
        mask[tx.selecting.ords(selection)] = True
        return mask
    if selection.moment is None:
        mask = _in_window(columns, ask)
        mask &= col.trust_of(columns["flags"]) >= least
    elif moment.past:
        mask = columns.at_time(moment.valid_at, moment.known_at)
        mask &= columns["flags"] & np.uint32(ERASED) == 0
        mask &= col.trust_of(columns["flags"]) >= least
    else:
        mask = view.current(tx.now, hidden=ERASED if ask.include_archived else ARCHIVED | ERASED, least_trust=least)
    return _narrowed(tx, view, ask, mask, least)


def _in_window(columns: col.Columns, ask: Ask) -> Bools:
    hidden = np.uint32(ERASED if ask.include_archived else ARCHIVED | ERASED)
    mask: Bools = (columns["known_to"] == FOREVER) & (columns["flags"] & hidden == 0)
    if ask.since is not None:
        mask &= columns["valid_to"] > ask.since
    if ask.until is not None:
        mask &= columns["valid_from"] < ask.until
    return mask


def _narrowed(tx: Read, view: SpaceView, ask: Ask, mask: Bools, least: int) -> Bools:
    """Apply what the columns can tell; ``mask`` itself is not changed."""
    flags = view.columns["flags"]
    ranks = {RANK[trust] for trust in ask.trusts}
    if ranks != set(range(least, 4)):
        mask = mask & np.isin(col.trust_of(flags), list(ranks))
    if ask.kinds is not None:
        mask = mask & np.isin(col.kind_of(flags), [KINDS[kind].code for kind in ask.kinds])
    if ask.project is not None:
        number = tx.projects.id(ask.project)
        projects = view.columns["project"]
        mask = mask & ((projects == 0) | (projects == (0 if number is None else number)))
    return mask


def _answers(
    ctx: Context, tx: Read, ask: Ask, moment: Moment, sides: list[tuple[SpaceView, Pool]], search: _Search
) -> list[Hit]:
    sides = [(view, _similar_enough(ask, pool, search)) for view, pool in sides]
    pools = [pool for _, pool in sides]
    parts = [
        {
            "flags": view.columns["flags"][pool.ords],
            "known_from": view.columns["known_from"][pool.ords],
            "item": view.columns["item"][pool.ords],
            "ord": pool.ords,
        }
        for view, pool in sides
    ]
    clock = min(moment.valid_at, moment.known_at) if moment.past else tx.now
    ranked = rank(
        pools, parts, calibration=calibration_of(ctx.embedding.model_name),
        recency=Recency(clock, ask.recency_weight, ask.half_life), past=moment.past,
    )  # fmt: skip
    items = np.concatenate([part["item"] for part in parts])
    hits = _hits(tx, ask, moment, ranked, items, pools)
    return list(_within(ask, search, _distinct(hits) if ctx.collapse_repeats else hits))


def _similar_enough(ask: Ask, pool: Pool, search: _Search) -> Pool:
    if ask.min_similarity is None:
        return pool
    keep = np.nan_to_num(pool.cosines, nan=-2.0) >= ask.min_similarity
    search.below += int((~keep).sum())
    return Pool(
        pool.ords[keep], pool.bm25[keep], pool.cosines[keep], pool.coverage, pool.best_possible, pool.timings
    )


def _hits(
    tx: Read, ask: Ask, moment: Moment, ranked: Ranked, items: NDArray[Any], pools: Sequence[Pool]
) -> Iterator[Hit]:
    """Yield hits best first, rows fetched a few at a time."""
    bm25 = np.concatenate([pool.bm25 for pool in pools])
    cosines = np.concatenate([pool.cosines for pool in pools])
    step = ask.k + 3
    for first in range(0, len(ranked.order), step):
        places = ranked.order[first : first + step]
        rows = tx.versions.by_ids([int(items[place]) for place in places])
        states = tx.memories.many([row.memory_id for row in rows.values()])
        for place in places:
            row = rows.get(int(items[place]))
            if row is not None:
                yield _hit(tx.now, moment, row, states[row.memory_id], int(place), ranked, bm25, cosines)


def _hit(
    now: Micros, moment: Moment, row: Row, state: State, place: int, ranked: Ranked, bm25: NDArray[Any],
    cosines: NDArray[Any],
) -> Hit:
    keyword, cosine = float(bm25[place]), float(cosines[place])
    explanation = {name: float(values[place]) for name, values in ranked.parts.items()}
    return hit_of(
        row, state, now, score=float(ranked.scores[place]), explanation=explanation,
        past=moment.past, bm25_score=keyword if keyword > 0 else None,
        vector_score=None if np.isnan(cosine) else cosine,
    )  # fmt: skip


def _distinct(hits: Iterator[Hit]) -> Iterator[Hit]:
    """Let each fact answer once: a later hit with the same words about the same thing is left out."""
    seen: set[object] = set()
    for hit in hits:
        key = (hit.namespace, hit.subject, hit.predicate, signature(hit.text) or hit.text)
        if key not in seen:
            seen.add(key)
            yield hit


def _within(ask: Ask, search: _Search, hits: Iterator[Hit]) -> Iterator[Hit]:
    """Yield up to ``k`` hits that fit into ``max_tokens``; one that does not fit is passed over."""
    left, count = ask.max_tokens, 0
    for hit in hits:
        if left is not None:
            cost = estimate_tokens(f"{hit.subject or ''} {hit.predicate or ''} {hit.text}")
            if cost > left:
                search.truncated = True
                continue
            left -= cost
        yield hit
        count += 1
        if count == ask.k:
            return


def _abstained(ask: Ask, search: _Search, hits: list[Hit]) -> list[Hit]:
    if not ask.abstain:
        return hits
    kept = [hit for hit in hits if hit.score >= ABSTAIN_BELOW]
    search.below += len(hits) - len(kept)
    return kept
