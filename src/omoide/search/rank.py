"""The order of candidates and their calibrated score, from the formula in ``omoide.search.weights``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.model.kinds import KINDS
from omoide.model.trust import RANK
from omoide.search import columns as flags_of
from omoide.search import weights
from omoide.search.engine import Pool
from omoide.search.weights import Calibration

Floats = NDArray[np.float32]
ADDED: Final = ("recency", "importance", "confidence", "trust", "freshness", "state")
"""Parts of a total beside the match itself."""
_TINY = np.float32(1e-9)
_OBSERVED: Final = np.float32(RANK["observed"])
_LIVES: Final = np.full(32, KINDS["fact"].half_life)
_LIVES[[kind.code for kind in KINDS.values()]] = [kind.half_life for kind in KINDS.values()]


@dataclass(frozen=True, slots=True)
class Recency:
    """How much the age of a candidate counts: ``weight`` at age 0, half of it after ``half_life`` seconds."""

    now: int
    weight: float = 0.0
    half_life: float = 604_800.0


@dataclass(slots=True)
class Ranked:
    """Candidates of all spaces in one table; ``order`` lists the rows best first."""

    order: NDArray[np.int64]
    scores: Floats
    parts: dict[str, Floats]


def rank(
    pools: Sequence[Pool], columns: Sequence[dict[str, NDArray[Any]]], *, calibration: Calibration, recency: Recency,
    past: bool,
) -> Ranked:  # fmt: skip
    """Return the candidates of ``pools`` best first.

    ``columns`` holds per pool the arrays ``flags``, ``known_from`` and ``ord`` (ascending) of its
    candidates, and ``closeness`` to the mean of the space where that is known. With ``past`` the unversioned
    state does not count.
    """
    bm25 = np.concatenate([pool.bm25 for pool in pools])
    cosines = np.concatenate([pool.cosines for pool in pools])
    flags = np.concatenate([part["flags"] for part in columns])
    since = np.concatenate([part["known_from"] for part in columns])
    coverage = np.concatenate([np.full(len(pool.ords), pool.coverage, np.float32) for pool in pools])
    best = np.concatenate([np.full(len(pool.ords), pool.best_possible, np.float32) for pool in pools])
    parts = _fuse(bm25, _own(cosines, columns), coverage, best, columns)
    parts |= _boosts(flags, since, recency, past)
    parts |= _standing(flags, since, recency.now)
    total = parts["fused"] + sum(parts[name] for name in ADDED)
    parts["total"] = total
    newest = np.concatenate([part["ord"] for part in columns])
    order = np.lexsort((-newest.astype(np.int64), -since, -total))
    return Ranked(order, calibrated(bm25, cosines, coverage, best, calibration), parts)


def _own(cosines: Floats, columns: Sequence[dict[str, NDArray[Any]]]) -> Floats:
    """Return the cosines less a share of what every text of the space has in common with all of them."""
    common = [part.get("closeness", np.zeros(len(part["ord"]), np.float32)) for part in columns]
    return np.subtract(cosines, np.float32(weights.COMMON) * np.concatenate(common), dtype=np.float32)


def _fuse(
    bm25: Floats, cosines: Floats, coverage: Floats, best: Floats, columns: Sequence[dict[str, NDArray[Any]]]
) -> dict[str, Floats]:
    highest = bm25.max(initial=0.0)
    lexical = bm25 / highest if highest > 0 else np.zeros_like(bm25)
    context = _context(lexical, columns)
    known = ~np.isnan(cosines)
    if not known.any():
        none = np.zeros_like(bm25)
        return {"lexical": lexical, "context": context, "dense": none, "dense_weight": none, "fused": lexical + context}
    low, high = cosines[known].min(), cosines[known].max()
    dense = (cosines - low) / (high - low) if high > low else np.ones_like(cosines)
    # What has no vector yet is judged by its words alone.
    dense = np.where(known, dense, lexical).astype(np.float32)
    span = weights.DENSE_UNCOVERED - weights.DENSE_COVERED
    # Words that even the best candidate hardly holds say little, however common they are in the space.
    strength = np.minimum(highest / np.maximum(weights.STRONG * best, _TINY), 1)
    weight = (weights.DENSE_COVERED + span * (1 - coverage * strength)).astype(np.float32)
    if highest <= 0:
        weight = np.ones_like(bm25)
    fused = weight * dense + (1 - weight) * (lexical + context)
    return {"lexical": lexical, "context": context, "dense": dense, "dense_weight": weight, "fused": fused}


def _context(lexical: Floats, columns: Sequence[dict[str, NDArray[Any]]]) -> Floats:
    """Return what neighbours lend: ``CONTEXT`` times the better keyword score of those right before and after.

    Neighbours were written one after the other and belong to one thread; who has none gets 0. With the better
    one, not the sum, equal neighbours stay equal and a pair keeps its order.
    """
    context: Floats = np.zeros_like(lexical)
    first = 0
    if not any((part["flags"] & np.uint32(flags_of.THREAD_BITS)).any() for part in columns):
        return context
    for part in columns:
        here = slice(first, first + len(part["ord"]))
        own, lent = lexical[here], context[here]
        threads = flags_of.thread_of(part["flags"])
        linked = (np.diff(part["ord"].astype(np.int64)) == 1) & (threads[1:] == threads[:-1]) & (threads[1:] != 0)
        lent[1:] = linked * own[:-1]
        lent[:-1] = np.maximum(lent[:-1], linked * own[1:])
        first = here.stop
    return np.multiply(context, weights.CONTEXT, dtype=np.float32)


def _boosts(flags: NDArray[np.uint32], since: NDArray[np.int64], recency: Recency, past: bool) -> dict[str, Floats]:
    steps = _steps(flags)
    importance = (steps * np.float32(weights.IMPORTANCE / 5)).astype(np.float32)
    state = np.zeros(len(flags), np.float32)
    if not past and (flags & np.uint32(flags_of.TELLING)).any():
        state += weights.PINNED * (flags & flags_of.PINNED != 0)
        state -= weights.DISPUTED * (flags & flags_of.DISPUTED != 0)
        seen = np.minimum(np.log2(np.maximum(flags_of.seen_of(flags), 1)), weights.SEEN_STEPS).astype(np.float32)
        state += weights.SEEN * seen / weights.SEEN_STEPS
    return {"recency": _recency(since, recency), "importance": importance, "state": state}


def _standing(flags: NDArray[np.uint32], since: NDArray[np.int64], now: int) -> dict[str, Floats]:
    """Return what confidence, trust and freshness add; each kind of memory ages at its own pace."""
    confidence = np.float32(-weights.DOUBT) * flags_of.doubt_of(flags)
    trust = np.float32(weights.TRUST) * (flags_of.trust_of(flags).astype(np.float32) - _OBSERVED)
    lives = _LIVES[flags_of.kind_of(flags)] * np.maximum(weights.LIFE_LEAST, 1 + weights.LIFE_STEP * _steps(flags))
    age = np.maximum(now - since, 0) / 1e6
    freshness = (weights.FRESH * np.exp2(-age / lives)).astype(np.float32)
    return {"confidence": confidence, "trust": trust, "freshness": freshness}


def _steps(flags: NDArray[np.uint32]) -> Floats:
    return flags_of.importance_of(flags).astype(np.float32) - np.float32(5)


def _recency(since: NDArray[np.int64], recency: Recency) -> Floats:
    if recency.weight == 0 or recency.half_life <= 0:
        return np.zeros(len(since), np.float32)
    age = np.maximum(recency.now - since, 0) / 1e6
    return (recency.weight * np.exp2(-age / recency.half_life)).astype(np.float32)


def calibrated(
    bm25: Floats, cosines: Floats, coverage: Floats, best_possible: Floats, calibration: Calibration
) -> Floats:
    """Return how likely each candidate is to answer, 0 to 1, comparable across the questions of a store.

    Two independent witnesses: the share of the best possible keyword score, weighted by how much of the
    question the index knows, and where the cosine lies between unrelated and equal texts. What has no vector
    is judged by its words alone, on a scale on which the same share of the answerable lies below a threshold.
    """
    ideal = np.where(best_possible > 0, best_possible, 1.0)
    lexical = np.clip(bm25 / ideal, 0, 1) * coverage
    near = np.clip((cosines - calibration.low) / (calibration.high - calibration.low), 0, 1)
    both = 1 - (1 - weights.WITNESS * lexical) * (1 - weights.WITNESS * near)
    alone = lexical / (lexical + weights.HALF_ALONE)
    return np.where(np.isnan(cosines), alone, both).astype(np.float32)
