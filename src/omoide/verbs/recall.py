"""Recall: what is believed that answers a question, within a scope, a time and a budget."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import EmbedderError, StoreBusyError
from omoide.model.kinds import KINDS, importance_value
from omoide.model.records import Row
from omoide.model.selection import Moment, Selection
from omoide.model.time import FOREVER
from omoide.model.trust import RANK
from omoide.search import columns as col
from omoide.search.columns import ARCHIVED, ERASED, Bools
from omoide.search.engine import Filters, Pool, Question
from omoide.search.sets import among
from omoide.search.weights import POOL, POOL_PER_K
from omoide.store.sqlite.indexing import undone
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.namespaces import DOCUMENTS, HISTORY, MEMORIES
from omoide.store.sqlite.shown import ShownRows
from omoide.store.sqlite.transaction import Read
from omoide.text.query import Query, analyze_query
from omoide.types import Hit, Hits
from omoide.verbs.asking import legs
from omoide.verbs.asking.answers import abstained, answers, merged, patience, reranked, within
from omoide.verbs.asking.asked import Ask, Course
from omoide.verbs.asking.moments import moment_of
from omoide.verbs.asking.names import with_other_names
from omoide.verbs.asking.present import present
from omoide.verbs.asking.steering import asked_times, told_times, widened
from omoide.verbs.context import Context
from omoide.verbs.conversations.history_search import history_filters, listed_history
from omoide.verbs.convert import hit_of
from omoide.verbs.filling import fill
from omoide.verbs.passages.document_search import document_filters, listed_parts

MODEL_PATIENCE: Final = 15.0
"""Seconds that a recall without ``budget_ms`` waits for a model that is loading."""
INLINE: Final = 64
"""Pending entries that a recall without ``budget_ms`` embeds before it searches."""
_TRIES: Final = 20
_PAUSE: Final = 0.01
"""Seconds between the tries to embed them while somebody else writes."""


def recall(ctx: Context, ask: Ask) -> Hits:
    """Return the best hits, best first; a question of None lists, a blank one returns nothing."""
    ctx.flush()
    if ask.k <= 0 or (ask.query is not None and not ask.query.strip()):
        return Hits()
    if ask.query is None:
        return _list(ctx, ask)
    hits = find(ctx, ask, ask.query)
    if ask.as_of is None and ask.valid_at is None and ask.known_at is None:
        ctx.uses.recalled(ctx, hits)
    return hits


def _list(ctx: Context, ask: Ask) -> Hits:
    """Everything that holds, importance first, then freshness."""
    rows: list[tuple[tuple[int, ...], Row]] = []
    with ctx.store.read(ask.scope) as tx:
        moment = moment_of(tx.now, ask.as_of, ask.valid_at, ask.known_at)
        limit = ask.k if ask.max_tokens is None else ask.k + patience(ask)
        for namespace in ask.scope.readable if MEMORIES in ask.collections else ():
            rows += _listed(tx, ask.selection(namespace, moment), limit)
        rows.sort(key=lambda keyed: keyed[0])
        shown = ShownRows(tx.connection).many([row.version_id for _, row in rows[:limit]])
        search = Course(ask.k)
        hits = (
            hit_of(found, tx.namespaces.name(found.ns), tx.now, score=1.0, explanation={}, past=moment.past)
            for found in shown
            if found is not None
        )
        others = listed_parts(tx, ask, moment, limit), listed_history(tx, ask, moment, limit)
        kept = list(within(ask, search, chain(hits, *others)))
        kept = present(tx, kept, past=moment.past)
    return Hits(kept, truncated=search.truncated)


def _listed(tx: Read, selection: Selection, limit: int) -> list[tuple[tuple[int, ...], Row]]:
    """Return the first rows of a namespace with what they are sorted by; what an undo wrote again is no fresher.

    Such a row only sinks, so that without one among the first ones the order stands.
    """
    rows = tx.selecting.rows(selection, order="important", limit=limit)
    taken_back = _undone(tx, selection.namespace, rows)
    if taken_back is not None and len(rows) == limit:
        rows = tx.selecting.rows(selection, order="important", limit=limit + len(taken_back.doubles))
    keyed: list[tuple[tuple[int, ...], Row]] = []
    for row in rows:
        known, version = row.known_from, row.version_id
        if taken_back is not None:
            known, version = taken_back.first_written(row.ord, known, version)
        keyed.append(((-importance_value(row.claim.importance), -known, -version), row))
    return keyed


def _undone(tx: Read, namespace: str, rows: Sequence[Row]) -> undone.Undone | None:
    ns = tx.namespaces.id(namespace)
    space = None if ns is None else tx.namespaces.space(ns, MEMORIES)
    if ns is None or space is None or space.undone is None:
        return None
    written = undone.touches(tx.connection, ns, (row.opened_by for row in rows))
    return undone.find(tx.connection, space.space) if written else None


def find(ctx: Context, ask: Ask, query: str) -> Hits:
    """Return the best hits for a question that is not blank; no use is counted."""
    started = time.perf_counter()
    search = Course(max(POOL, POOL_PER_K * ask.k))
    patient = ask.use_vectors and ask.budget_ms is None
    if patient:
        ctx.embedding.wait_ready(MODEL_PATIENCE)
    vector = _vector(ctx, ask, query, search)
    words = analyze_query(query) if ask.use_bm25 else None
    search.language = None if words is None else words.language
    search.reasons += ctx.store.behind
    reasons = list(search.reasons)
    hits = _search(ctx, ask, words, vector, search)
    if patient and 0 < search.pending <= INLINE and _caught_up(ctx):
        search = search.again(search.pool, reasons)
        hits = _search(ctx, ask, words, vector, search)
    while len(hits) < ask.k and search.used_up:
        search = search.again(8 * search.pool, reasons)
        hits = _search(ctx, ask, words, vector, search)
    hits = abstained(ask, search, hits)
    search.timings["total_ms"] = (time.perf_counter() - started) * 1000
    if search.pending:
        ctx.filler.nudge()
    return Hits(
        hits, timings=search.timings, degraded=bool(search.reasons), reasons=dict.fromkeys(search.reasons),
        truncated=search.truncated, below_threshold=search.below,
        abstained=ask.abstain and not hits, when=told_times(search.when),
    )  # fmt: skip


def _search(
    ctx: Context, ask: Ask, words: Query | None, vector: NDArray[np.float32] | None, search: Course
) -> list[Hit]:
    with ctx.store.read(ask.scope) as tx:
        vector = legs.of_this_model(ctx, tx, vector, search.reasons)
        moment = moment_of(tx.now, ask.as_of, ask.valid_at, ask.known_at)
        search.when = asked_times(ctx, ask, moment, tx.now)
        words = with_other_names(tx, ask, words)
        streams: list[Iterator[Hit]] = []
        for collection in ask.collections:
            places = [(namespace, collection) for namespace in ask.scope.readable]
            found = [_pool(tx, ask, moment, place, words, vector, search) for place in places]
            sides = [leg for leg in found if leg is not None and len(leg[1].ords)]
            if sides:
                streams.append(answers(ctx, tx, ask, moment, collection, sides, search))
        hits = list(within(ask, search, reranked(ctx, ask, merged(streams), search)))
        return present(tx, hits, past=moment.past)


def _caught_up(ctx: Context) -> bool:
    """Embed the few entries that wait for it; return whether a second search is worth its time."""
    if ctx.store.read_only or not ctx.embedding.ready:
        return False
    for _ in range(_TRIES):
        try:
            fill(ctx.store, ctx.embedding, INLINE, wait=False)
        except StoreBusyError:  # most often the filler of this handle, at the same entries
            time.sleep(_PAUSE)
        except EmbedderError:  # they stay pending, and the answer says so
            return False
        else:
            return True
    return False


def pending_reason(count: int) -> str:
    """Return how an answer says that entries have no vector yet."""
    return f"{count} entries have no vector yet"


def _vector(ctx: Context, ask: Ask, query: str, search: Course) -> NDArray[np.float32] | None:
    if not ask.use_vectors or ask.vector is not None:
        return ask.vector if ask.use_vectors else None
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
    tx: Read, ask: Ask, moment: Moment, place: tuple[str, str], words: Query | None,
    vector: NDArray[np.float32] | None, search: Course,
) -> tuple[SpaceView, Pool] | None:  # fmt: skip
    namespace, collection = place
    view = tx.view(namespace, collection)
    if view is None:
        return None
    terms = legs.search_terms(view, words, vector, search.reasons, past=moment.past)
    question = Question(terms, vector, search.pool)
    vectors = None if vector is None else legs.load_vectors(tx, view, vector, search.reasons)
    if vector is not None and view.space.pending:
        search.pending += view.space.pending
        search.reasons.append(pending_reason(view.space.pending))
    if collection == DOCUMENTS:
        filters = document_filters(tx, view, ask, moment, namespace)
    elif collection == HISTORY:
        filters = history_filters(tx, view, ask, moment, namespace)
    else:
        filters = _filters(tx, view, ask, moment, ask.selection(namespace, moment))
    pool = legs.gather_readable(view, vectors, question, filters, search.reasons)
    pool = widened(view, vectors, question, filters, pool, search)
    for name, took in pool.timings.items():
        search.timings[name] = search.timings.get(name, 0.0) + took
    search.full = search.full or len(pool.ords) >= search.pool
    return view, pool


def _filters(tx: Read, view: SpaceView, ask: Ask, moment: Moment, selection: Selection) -> Filters:
    mask = _mask(tx, view, ask, moment, selection)
    if not selection.needs_rows:
        return Filters(mask, view.columns["flags"])
    return Filters(
        mask,
        view.columns["flags"],
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
        mask = mask & among(col.trust_of(flags), ranks)
    if ask.kinds is not None:
        mask = mask & among(col.kind_of(flags), [KINDS[kind].code for kind in ask.kinds])
    if ask.project is not None:
        number = tx.projects.id(ask.project)
        projects = view.columns["project"]
        mask = mask & ((projects == 0) | (projects == (0 if number is None else number)))
    return mask
