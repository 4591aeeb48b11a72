"""From candidates to hits: ranked, collapsed, cut to what was asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import isnan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.embed.judged import checked_scores
from omoide.errors import RerankerError
from omoide.model.records import SESSION, canonical
from omoide.model.selection import Moment
from omoide.search.engine import Pool
from omoide.search.rank import Ranked, Recency, joined, rank
from omoide.search.updates import BEST, LIFT, Told, in_time
from omoide.search.weights import ABSTAIN_BELOW, calibration_of
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.namespaces import DOCUMENTS, HISTORY, MEMORIES
from omoide.store.sqlite.shown import Shown, ShownRows
from omoide.store.sqlite.transaction import Read
from omoide.text.budget import estimate_tokens
from omoide.text.language import detect
from omoide.text.tense import tense_of
from omoide.text.tokens import analyze
from omoide.types import Hit
from omoide.verbs.asking.asked import Ask, Course
from omoide.verbs.asking.overtaking import bars
from omoide.verbs.asking.steering import steer
from omoide.verbs.context import Context
from omoide.verbs.conversations.history_search import behind, history_hits
from omoide.verbs.convert import hit_of
from omoide.verbs.passages.document_search import document_hits

_READ: Final = ("flags", "known_from", "valid_from", "valid_to", "item")
PASSED_OVER: Final = 64
"""Hits that may fail to fit into a token budget before the search for one that fits ends."""
RERANKED: Final = 32
"""Hits that a reranker is asked to judge, or ``k`` if that is more."""


def answers(
    ctx: Context, tx: Read, ask: Ask, moment: Moment, collection: str, sides: list[tuple[SpaceView, Pool]],
    search: Course,
) -> Iterator[Hit]:  # fmt: skip
    """Return the hits of one collection in all namespaces together, best first."""
    sides = [(view, _similar_enough(ask, pool, search)) for view, pool in sides]
    pools = [pool for _, pool in sides]
    parts = [
        {
            **{name: view.columns[name].take(pool.ords) for name in _READ},
            "ord": pool.ords,
            "place": view.columns.places(pool.ords) if collection == MEMORIES else pool.ords,
            **_likeness(view, pool),
        }
        for view, pool in sides
    ]
    parts = [
        part if view.undone is None else view.undone.originals(part)
        for (view, _), part in zip(sides, parts, strict=True)
    ]
    clock = min(moment.valid_at, moment.known_at) if moment.past else tx.now
    ranked = rank(
        pools, parts, calibration=calibration_of(ctx.embedding.model_name),
        recency=Recency(clock, ask.recency_weight, ask.half_life), past=moment.past,
    )  # fmt: skip
    rows = ShownRows(tx.connection)
    if collection == MEMORIES:
        ranked = _in_time(ctx, rows, ask, sides, parts, ranked, search.language)
    ranked = steer(ranked, parts, search, rows_of=tx if collection == MEMORIES else None)
    items = joined([part["item"] for part in parts])
    if collection == DOCUMENTS:
        return document_hits(tx, ask, moment, ranked, items, pools)
    if collection == HISTORY:
        return history_hits(tx, ask, behind(ranked, parts), items, pools)
    return _hits(tx, rows, ask, moment, ranked, items, pools, collapse=ctx.collapse_repeats)


def merged(streams: Sequence[Iterator[Hit]]) -> Iterator[Hit]:
    """Return the hits of several collections by their calibrated score, each collection in its own order."""
    return streams[0] if len(streams) == 1 else _by_score(streams)


def _by_score(streams: Sequence[Iterator[Hit]]) -> Iterator[Hit]:
    heads = [(hit, stream) for stream in streams for hit in islice(stream, 1)]
    while heads:
        best = max(range(len(heads)), key=lambda place: heads[place][0].score)
        hit, stream = heads[best]
        yield hit
        heads[best : best + 1] = [(after, stream) for after in islice(stream, 1)]


def reranked(ctx: Context, ask: Ask, hits: Iterator[Hit], search: Course) -> Iterator[Hit]:
    """Return the best hits in the order of the reranker, whose value becomes their score; the rest as they were.

    Without ``ask.rerank``, or when the reranker fails, all stay as they were.
    """
    return _judged(ctx, ask, hits, search) if ask.rerank else hits


def _judged(ctx: Context, ask: Ask, hits: Iterator[Hit], search: Course) -> Iterator[Hit]:
    assert ctx.reranker is not None
    assert ask.query is not None
    best = list(islice(hits, max(RERANKED, ask.k)))
    started = time.perf_counter()
    try:
        scores = checked_scores(ctx.reranker, ask.query, [hit.text for hit in best])
    except RerankerError as error:
        search.reasons.append(f"not reranked: {error}")
        yield from chain(best, hits)
        return
    finally:
        search.timings["rerank_ms"] = (time.perf_counter() - started) * 1000
    order = sorted(range(len(best)), key=lambda place: -scores[place])
    yield from (replace(best[place], score=scores[place]) for place in order)
    yield from hits


def _in_time(
    ctx: Context, rows: ShownRows, ask: Ask, sides: Sequence[tuple[SpaceView, Pool]],
    parts: Sequence[dict[str, NDArray[Any]]], ranked: Ranked, language: str | None,
) -> Ranked:  # fmt: skip
    """Return the ranking with statements about one matter in the order of their time that the question asks for."""
    assert ask.query is not None
    tense = tense_of(ask.query, language or detect(ask.query))
    best = ranked.order[:BEST]
    if not LIFT[tense] or len(best) < 2:
        return ranked
    space = np.repeat(np.arange(len(sides)), [len(pool.ords) for _, pool in sides]).take(best)
    shown: list[Shown | None] = []

    def barred(lifted: int, passed: int) -> bool:
        if not shown:
            said = joined([part.get("said", part["item"]) for part in parts])
            shown.extend(rows.many(said.take(best).tolist()))
        return bars(shown[lifted], shown[passed])

    def alike(_: NDArray[Any]) -> NDArray[np.float32]:
        return _alike(sides, parts, best, space)

    told = _told(sides, parts, best, space.tolist())
    return in_time(ranked, told, tense, calibration_of(ctx.embedding.model_name), alike, barred)


def _alike(
    sides: Sequence[tuple[SpaceView, Pool]], parts: Sequence[dict[str, NDArray[Any]]], best: NDArray[np.int64],
    space: NDArray[np.int64],
) -> NDArray[np.float32]:  # fmt: skip
    """Return the cosine of every two of the best candidates, nan across namespaces and without a vector."""
    ords = joined([part["ord"] for part in parts]).take(best)
    known = [view.vectors if "closeness" in part else None for (view, _), part in zip(sides, parts, strict=True)]
    if len(sides) == 1 and known[0] is not None:
        return known[0].alike(ords)
    near = np.full((len(best), len(best)), np.nan, np.float32)
    for number, vectors in enumerate(known):
        own = (space == number).nonzero()[0]
        if vectors is not None and len(own) > 1:
            near[np.ix_(own, own)] = vectors.alike(ords.take(own))
    return near


def _told(
    sides: Sequence[tuple[SpaceView, Pool]], parts: Sequence[dict[str, NDArray[Any]]], best: NDArray[np.int64],
    space: Sequence[int],
) -> list[Told]:  # fmt: skip
    """Return what is known of the times of the best candidates; ``space`` are the numbers of their sides.

    What was restored is no later statement, and its time is as little told as before.
    """
    places, starts, known = (
        joined([part[name] for part in parts]).take(best).tolist() for name in ("place", "valid_from", "known_from")
    )
    born = [sides[side][0].columns["known_from"].item(place) for side, place in zip(space, places, strict=True)]
    return [
        Told(start, place, start not in (knew, first))
        for start, place, knew, first in zip(starts, places, known, born, strict=True)
    ]


def _likeness(view: SpaceView, pool: Pool) -> dict[str, NDArray[np.float32]]:
    """Return what the cosines of a pool owe to the space and to the lengths of its texts; nothing without vectors."""
    if view.vectors is None or np.isnan(pool.cosines).all():
        return {}
    likeness = {"closeness": view.vectors.closeness(pool.ords)}
    if view.vectors.several:
        likeness["parts"] = view.vectors.parts(pool.ords)
    return likeness


def _similar_enough(ask: Ask, pool: Pool, search: Course) -> Pool:
    if ask.min_similarity is None:
        return pool
    keep = np.nan_to_num(pool.cosines, nan=-2.0) >= ask.min_similarity
    search.below += int((~keep).sum())
    return Pool(pool.ords[keep], pool.bm25[keep], pool.cosines[keep], pool.coverage, pool.best_possible, pool.timings)


def _hits(
    tx: Read, rows: ShownRows, ask: Ask, moment: Moment, ranked: Ranked, items: NDArray[Any], pools: Sequence[Pool], *,
    collapse: bool,
) -> Iterator[Hit]:  # fmt: skip
    """Yield hits best first, rows fetched a few at a time.

    With ``collapse`` each fact answers once: a later row with the same words, in the same order, about the same
    thing is left out. Metadata tell facts apart, but for the session they were told in.
    """
    told: dict[tuple[object, ...], list[str]] = {}
    bm25, cosines = joined([pool.bm25 for pool in pools]), joined([pool.cosines for pool in pools])
    step = ask.k
    for first in range(0, len(ranked.order), step):
        places = ranked.order[first : first + step]
        found = rows.many(items.take(places).tolist())
        columns = (values.take(places).tolist() for values in (ranked.scores, bm25, cosines))
        for place, row, score, keyword, cosine in zip(places.tolist(), found, *columns, strict=True):
            if row is None or (collapse and _repeats(row, told)):
                continue
            yield hit_of(
                row, tx.namespaces.name(row.ns), tx.now, score=score, explanation=ranked.explained(place),
                past=moment.past, bm25_score=keyword if keyword > 0 else None,
                vector_score=None if isnan(cosine) else cosine,
            )  # fmt: skip


def _repeats(row: Shown, told: dict[tuple[object, ...], list[str]]) -> bool:
    """Say whether a row repeats one that was told; if not, count it among them.

    Equal sets of words are found by digest; only then are the words compared, since their order can matter.
    """
    text = row.text
    metadata = json.loads(row.metadata) if row.metadata else {}
    own = {key: value for key, value in metadata.items() if key != SESSION}
    about = row.ns, row.subject, row.predicate, canonical(own) if own else ""
    same_words = told.setdefault((*about, row.gist or text), [])
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
            cost = cost_of(hit)
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


def cost_of(hit: Hit) -> int:
    """Return about how many tokens a hit takes."""
    return estimate_tokens(f"{hit.subject or ''} {hit.predicate or ''} {hit.text}")


def abstained(ask: Ask, search: Course, hits: list[Hit]) -> list[Hit]:
    """Return the hits, with ``abstain`` only those that are likely to answer."""
    if not ask.abstain:
        return hits
    kept = [hit for hit in hits if hit.score >= ABSTAIN_BELOW]
    search.below += len(hits) - len(kept)
    return kept
