"""The order of candidates and their calibrated score, from the formula in ``omoide.search.weights``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
Part = Floats | np.float32
"""A number for each candidate, or the one that all have."""
ADDED: Final = ("recency", "importance", "confidence", "trust", "freshness", "state")
"""Parts of a total beside the match itself."""
_TINY = np.float32(1e-9)
_NOTHING: Final = np.float32(0)


def _lives() -> NDArray[np.float64]:
    """Return the life of a kind and an importance, by ``kind_and_importance_of``."""
    lives = np.full(32, KINDS["fact"].half_life)
    lives[[kind.code for kind in KINDS.values()]] = [kind.half_life for kind in KINDS.values()]
    stretch = np.maximum(weights.LIFE_LEAST, 1 + weights.LIFE_STEP * _STEPS)
    whole: NDArray[np.float64] = (lives * stretch[:, np.newaxis]).ravel()
    return whole


# Tables by the small numbers in ``flags``.
_STEPS: Final = np.arange(16, dtype=np.float32) - np.float32(5)
_IMPORTANCE: Final = (_STEPS * np.float32(weights.IMPORTANCE / 5)).astype(np.float32)
_CONFIDENCE: Final = np.float32(-weights.DOUBT) * flags_of.DOUBTS
_TRUST: Final = np.float32(weights.TRUST) * (np.arange(4, dtype=np.float32) - np.float32(RANK["observed"]))
_LIVES: Final = _lives()
_MOST: Final = float(np.finfo(np.float32).max)


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
    parts: dict[str, Part]
    total: Floats

    def explained(self, row: int) -> Mapping[str, float]:
        """Return the parts of a row's total by name."""
        return Explanation(self.parts, row)


class Explanation(Mapping[str, float]):
    """The parts of one row's total; looked up when they are asked for, since few ask."""

    __slots__ = ("_parts", "_row")

    def __init__(self, parts: Mapping[str, Part], row: int) -> None:
        self._parts, self._row = parts, row

    def __getitem__(self, name: str) -> float:
        part = self._parts[name]
        return float(part[self._row] if isinstance(part, np.ndarray) else part)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def rank(
    pools: Sequence[Pool], columns: Sequence[dict[str, NDArray[Any]]], *, calibration: Calibration, recency: Recency,
    past: bool,
) -> Ranked:  # fmt: skip
    """Return the candidates of ``pools`` best first.

    ``columns`` holds per pool the arrays ``flags``, ``known_from`` and ``ord`` (ascending) of its
    candidates, ``written`` where another ordinal says which of equal ones is newer, and, where they are known,
    ``closeness`` to the mean of the space and ``parts``, the number of vectors of each text. With ``past`` the
    unversioned state does not count.
    """
    bm25 = joined([pool.bm25 for pool in pools])
    cosines = joined([pool.cosines for pool in pools])
    flags = joined([part["flags"] for part in columns])
    since = joined([part["known_from"] for part in columns])
    coverage = _by_pool([pool.coverage for pool in pools], pools)
    best = _by_pool([pool.best_possible for pool in pools], pools)
    fused, parts = _fuse(bm25, _own(cosines, columns, calibration), coverage, best, columns)
    parts |= _boosts(flags, since, recency, past)
    parts |= _standing(flags, since, recency.now)
    total = fused + _sum([parts[name] for name in ADDED])
    parts["total"] = total
    order = _order(total, since, columns)
    return Ranked(order, calibrated(bm25, cosines, coverage, best, calibration), parts, total)


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays one after the other; a single one as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _by_pool(values: Sequence[float], pools: Sequence[Pool]) -> Floats | np.float32:
    """Return the value of the pool of each candidate; of a single pool its value."""
    if len(pools) == 1:
        return np.float32(values[0])
    return np.array(values, np.float32).repeat([len(pool.ords) for pool in pools])


def _sum(parts: Sequence[Part]) -> Part:
    """Return the sum, in the order given; ``_NOTHING`` is left out."""
    return sum((part for part in parts[1:] if part is not _NOTHING), start=parts[0])


def _order(total: Floats, since: NDArray[np.int64], columns: Sequence[dict[str, NDArray[Any]]]) -> NDArray[np.int64]:
    """Return the rows by falling total; of equal ones the later known first, then those written later."""
    order = np.argsort(-total, kind="stable")
    ordered = total.take(order)
    if not (ordered[1:] == ordered[:-1]).any():
        return order
    newest = joined([part.get("written", part["ord"]) for part in columns])
    return np.lexsort((-newest.astype(np.int64), -since, -total))


def _own(cosines: Floats, columns: Sequence[dict[str, NDArray[Any]]], calibration: Calibration) -> Floats:
    """Return the cosines less a share of what all texts of the space have in common, and less luck.

    The nearest of several parts of a long text is nearer than one part by chance alone; the highest of n draws lies
    about ``sqrt(2 ln n)`` deviations above their mean. Where few candidates are long, few could be there by chance.
    """
    common = [part["closeness"] if "closeness" in part else np.zeros(len(part["ord"]), np.float32) for part in columns]
    own: Floats = np.subtract(cosines, np.float32(weights.COMMON) * joined(common), dtype=np.float32)
    if not any("parts" in part for part in columns):
        return own
    parts = [part["parts"] if "parts" in part else np.ones(len(part["ord"]), np.float32) for part in columns]
    draws = joined(parts)
    if share := np.count_nonzero(draws > 1) / max(len(draws), 1):
        luck = np.float32(weights.LUCK * share * (calibration.high - calibration.low))
        own -= luck * np.sqrt(np.log(draws))
    return own


def _fuse(
    bm25: Floats, cosines: Floats, coverage: Floats | np.float32, best: Floats | np.float32,
    columns: Sequence[dict[str, NDArray[Any]]],
) -> tuple[Floats, dict[str, Part]]:  # fmt: skip
    """Return the match itself and its parts."""
    highest = bm25.max(initial=0.0)
    lexical = bm25 / highest if highest > 0 else np.zeros_like(bm25)
    context = _context(lexical, columns)
    words = lexical if context is _NOTHING else lexical + context
    unknown = np.isnan(cosines)
    lacking = bool(unknown.any())
    if not len(bm25) or (lacking and unknown.all()):
        parts = {"lexical": lexical, "context": context, "dense": _NOTHING, "dense_weight": _NOTHING, "fused": words}
        return words, parts
    known = cosines[~unknown] if lacking else cosines
    low, high = known.min(), known.max()
    dense = (cosines - low) / (high - low) if high > low else np.ones_like(cosines)
    if lacking:  # what has no vector yet is judged by its words alone
        dense = np.where(unknown, lexical, dense).astype(np.float32)
    span = weights.DENSE_UNCOVERED - weights.DENSE_COVERED
    # Words that even the best candidate hardly holds say little, however common they are in the space.
    strength = np.minimum(highest / np.maximum(weights.STRONG * best, _TINY), 1)
    weight = np.float32(1)
    if highest > 0:
        weight = (weights.DENSE_COVERED + span * (1 - coverage * strength)).astype(np.float32)
    fused = weight * dense + (1 - weight) * words
    return fused, {"lexical": lexical, "context": context, "dense": dense, "dense_weight": weight, "fused": fused}


def _context(lexical: Floats, columns: Sequence[dict[str, NDArray[Any]]]) -> Part:
    """Return what neighbours lend: ``CONTEXT`` times the better keyword score of those right before and after.

    Neighbours were written one after the other, whatever became of their words since (``place``, else ``ord``), and
    belong to one thread; who has none gets 0. With the better
    one, not the sum, equal neighbours stay equal and a pair keeps its order.
    """
    if not any((part["flags"] & np.uint32(flags_of.THREAD_BITS)).any() for part in columns):
        return _NOTHING
    context: Floats = np.zeros_like(lexical)
    first = 0
    for part in columns:
        here = slice(first, first + len(part["ord"]))
        places = part.get("place", part["ord"]).astype(np.int64)
        own, threads = lexical[here], flags_of.thread_of(part["flags"])
        if part.get("place", part["ord"]) is part["ord"]:
            context[here] = _lent(own, threads, places)
        else:
            order = np.argsort(places, kind="stable")
            context[here][order] = _lent(own[order], threads[order], places[order])
        first = here.stop
    return np.multiply(context, weights.CONTEXT, dtype=np.float32)


def _lent(own: Floats, threads: NDArray[np.uint32], places: NDArray[np.int64]) -> Floats:
    """Return the better score of the two entries beside each, where they are of its thread; places rise."""
    lent: Floats = np.zeros_like(own)
    linked = (np.diff(places) == 1) & (threads[1:] == threads[:-1]) & (threads[1:] != 0)
    lent[1:] = linked * own[:-1]
    lent[:-1] = np.maximum(lent[:-1], linked * own[1:])
    return lent


def _boosts(flags: NDArray[np.uint32], since: NDArray[np.int64], recency: Recency, past: bool) -> dict[str, Part]:
    state: Part = _NOTHING
    if not past and (flags & np.uint32(flags_of.TELLING)).any():
        state = np.zeros(len(flags), np.float32)
        state += weights.PINNED * (flags & flags_of.PINNED != 0)
        state -= weights.DISPUTED * (flags & flags_of.DISPUTED != 0)
        seen = np.minimum(np.log2(np.maximum(flags_of.seen_of(flags), 1)), weights.SEEN_STEPS).astype(np.float32)
        state += weights.SEEN * seen / weights.SEEN_STEPS
    return {"recency": _recency(since, recency), "state": state}


def _standing(flags: NDArray[np.uint32], since: NDArray[np.int64], now: int) -> dict[str, Part]:
    """Return what importance, confidence, trust and freshness add; each kind of memory ages at its own pace."""
    told = flags & np.uint32(flags_of.STANDING)
    if len(told) and (told == told[0]).all():
        importance, confidence, trust, life = _of_one_standing(int(told[0]))
    else:
        importance, confidence, trust, life = _of_standing(told)
    age = np.maximum(now - since, 0) / 1e6
    freshness = (weights.FRESH * np.exp2(-age / life)).astype(np.float32)
    return {"importance": importance, "confidence": confidence, "trust": trust, "freshness": freshness}


def _of_standing(flags: NDArray[np.uint32]) -> tuple[Any, Any, Any, Any]:
    """Return what importance, confidence and trust add, and the life in seconds."""
    return (
        _IMPORTANCE.take(flags_of.importance_of(flags)),
        _CONFIDENCE.take(flags_of.doubts_of(flags)),
        _TRUST.take(flags_of.trust_of(flags)),
        _LIVES.take(flags_of.kind_and_importance_of(flags)),
    )


@lru_cache(64)
def _of_one_standing(flags: int) -> tuple[Any, Any, Any, Any]:
    """Return what ``_of_standing`` does where all are alike, as most memories are."""
    importance, confidence, trust, life = (found[0] for found in _of_standing(np.array([flags], np.uint32)))
    return importance, confidence, trust, life


def _recency(since: NDArray[np.int64], recency: Recency) -> Part:
    if recency.weight == 0 or recency.half_life <= 0:
        return _NOTHING
    age = np.maximum(recency.now - since, 0) / 1e6
    weight = min(max(recency.weight, -_MOST), _MOST)
    return (weight * np.exp2(-age / recency.half_life)).astype(np.float32)


def calibrated(
    bm25: Floats, cosines: Floats, coverage: Floats | np.float32, best_possible: Floats | np.float32,
    calibration: Calibration,
) -> Floats:  # fmt: skip
    """Return how likely each candidate is to answer, 0 to 1, comparable across the questions of a store.

    Two independent witnesses: the share of the best possible keyword score, weighted by how much of the
    question the index knows, and where the cosine lies between unrelated and equal texts. What has no vector
    is judged by its words alone, on a scale on which the same share of the answerable lies below a threshold.
    """
    ideal = best_possible + (best_possible <= 0)
    lexical = np.minimum(np.maximum(bm25 / ideal, 0), 1) * coverage
    near = np.minimum(np.maximum((cosines - calibration.low) / (calibration.high - calibration.low), 0), 1)
    both = 1 - (1 - weights.WITNESS * lexical) * (1 - weights.WITNESS * near)
    unknown = np.isnan(cosines)
    if unknown.any():
        both = np.where(unknown, lexical / (lexical + weights.HALF_ALONE), both)
    scores: Floats = both.astype(np.float32, copy=False)
    return scores
