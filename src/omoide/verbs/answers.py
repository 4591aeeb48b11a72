"""From candidates to hits: ranked, collapsed, cut to what was asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.model.records import Row, State
from omoide.model.selection import Moment
from omoide.model.time import Micros
from omoide.search.engine import Pool
from omoide.search.rank import Ranked, Recency, rank
from omoide.search.weights import ABSTAIN_BELOW, calibration_of
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.view import SpaceView
from omoide.text.budget import estimate_tokens
from omoide.text.tokens import analyze
from omoide.types import Hit
from omoide.verbs.asked import Ask, Course
from omoide.verbs.context import Context
from omoide.verbs.convert import hit_of

PASSED_OVER: Final = 64
"""Hits that may fail to fit into a token budget before the search for one that fits ends."""
RERANKED: Final = 32
"""Hits that a reranker is asked to judge, or ``k`` if that is more."""


def answers(
    ctx: Context, tx: Read, ask: Ask, moment: Moment, sides: list[tuple[SpaceView, Pool]], search: Course
) -> list[Hit]:
    """Return the hits of all namespaces together, best first, within ``k`` and ``max_tokens``."""
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
    hits = _hits(tx, ask, moment, ranked, items, pools, collapse=ctx.collapse_repeats)
    return list(within(ask, search, _reranked(ctx, ask, hits, search) if ask.rerank else hits))


def _reranked(ctx: Context, ask: Ask, hits: Iterator[Hit], search: Course) -> Iterator[Hit]:
    """Yield the best hits in the order of the reranker, whose value becomes their score; the rest as they were."""
    assert ctx.reranker is not None
    assert ask.query is not None
    best = list(islice(hits, max(RERANKED, ask.k)))
    started = time.perf_counter()
    scores = [float(score) for score in ctx.reranker.score(ask.query, [hit.text for hit in best])]
    search.timings["rerank_ms"] = (time.perf_counter() - started) * 1000
    order = sorted(range(len(best)), key=lambda place: -scores[place])
    yield from (replace(best[place], score=scores[place]) for place in order)
    yield from hits


def _similar_enough(ask: Ask, pool: Pool, search: Course) -> Pool:
    if ask.min_similarity is None:
        return pool
    keep = np.nan_to_num(pool.cosines, nan=-2.0) >= ask.min_similarity
    search.below += int((~keep).sum())
    return Pool(pool.ords[keep], pool.bm25[keep], pool.cosines[keep], pool.coverage, pool.best_possible, pool.timings)


def _hits(
    tx: Read, ask: Ask, moment: Moment, ranked: Ranked, items: NDArray[Any], pools: Sequence[Pool], *, collapse: bool
) -> Iterator[Hit]:
    """Yield hits best first, rows fetched a few at a time.

    With ``collapse`` each fact answers once: a later row with the same words, in the same order, about the same
    thing is left out.
    """
    told: dict[tuple[object, ...], list[str]] = {}
    bm25 = np.concatenate([pool.bm25 for pool in pools])
    cosines = np.concatenate([pool.cosines for pool in pools])
    step = ask.k
    for first in range(0, len(ranked.order), step):
        places = ranked.order[first : first + step]
        rows = tx.versions.with_states([int(items[place]) for place in places])
        for place in places:
            found = rows.get(int(items[place]))
            if found is None or (collapse and _repeats(found[0], told)):
                continue
            yield _hit(tx.now, moment, *found, int(place), ranked, bm25, cosines)


def _hit(
    now: Micros,
    moment: Moment,
    row: Row,
    state: State,
    place: int,
    ranked: Ranked,
    bm25: NDArray[Any],
    cosines: NDArray[Any],
) -> Hit:
    keyword, cosine = float(bm25[place]), float(cosines[place])
    explanation = {name: float(values[place]) for name, values in ranked.parts.items()}
    return hit_of(
        row, state, now, score=float(ranked.scores[place]), explanation=explanation,
        past=moment.past, bm25_score=keyword if keyword > 0 else None,
        vector_score=None if np.isnan(cosine) else cosine,
    )  # fmt: skip


def _repeats(row: Row, told: dict[tuple[object, ...], list[str]]) -> bool:
    """Say whether a row repeats one that was told; if not, count it among them.

    Equal sets of words are found by digest; only then are the words compared, since their order can matter.
    """
    text = row.claim.text
    same_words = told.setdefault((row.namespace, row.claim.subject, row.claim.predicate, row.gist or text), [])
    if any(analyze(text) == analyze(other) for other in same_words):
        return True
    same_words.append(text)
    return False


def patience(ask: Ask) -> int:
    """Return how many hits may fail to fit into the token budget."""
    return max(PASSED_OVER, 4 * ask.k)


def within(ask: Ask, search: Course, hits: Iterator[Hit]) -> Iterator[Hit]:
    """Yield up to ``k`` hits that fit into ``max_tokens``; one that does not fit is passed over.

    After ``patience`` of them nothing more is looked at.
    """
    left, count, tries = ask.max_tokens, 0, patience(ask)
    for hit in hits:
        if left is not None:
            cost = estimate_tokens(f"{hit.subject or ''} {hit.predicate or ''} {hit.text}")
            if cost > left:
                search.truncated = True
                tries -= 1
                if not tries:
                    return
                continue
            left -= cost
        yield hit
        count += 1
        if count == ask.k:
            return


def abstained(ask: Ask, search: Course, hits: list[Hit]) -> list[Hit]:
    """Return the hits, with ``abstain`` only those that are likely to answer."""
    if not ask.abstain:
        return hits
    kept = [hit for hit in hits if hit.score >= ABSTAIN_BELOW]
    search.below += len(hits) - len(kept)
    return kept
