"""Statements about one matter in the order of their time, as far as the question asks for it.

For a question about the present, a later statement among the best few takes its place just before an earlier
one that is about the same, if it answers nearly as well: at most ``LIFT[tense]`` behind. For a question about
how things were before, an earlier one takes its place before a later one in the same way. Later means valid
from a later moment; in the same moment, written at least ``APART`` entries later, so not the direct reply.
About the same means vectors that are ``SAME`` of the way from unrelated to equal where both were dated by who
told them, ``SURE`` where the store dated one of them itself: the order in which texts arrive says less. Without
vectors the nearness of dated scores decides alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from omoide.search.rank import Floats, Ranked
from omoide.search.weights import Calibration

Alike = Callable[[NDArray[Any]], Floats]
"""Returns the similarity of every two of some rows, nan where it is unknown."""

Barred = Callable[[int, int], bool]
"""Says whether the first of two may not overtake the second; they are numbered as among the best."""

LIFT: Final = {"now": 0.4, "present": 0.3, "unsaid": 0.1, "past": 0.0, "earlier": 0.4}
BEST: Final = 5
"""Hits that change places: which five are the best stays as it was."""
SAME: Final = 0.62
SURE: Final = 1.1
APART: Final = 2
_STEP: Final = 1e-4


class Told(NamedTuple):
    """Of one of the best: from when it is valid, its place among what was written, whether its time was told."""

    start: int
    place: int
    dated: bool


def in_time(
    ranked: Ranked, told: Sequence[Told], tense: str, calibration: Calibration, alike: Alike, barred: Barred
) -> Ranked:
    """Return the ranking with statements about one matter in the order that ``tense`` asks for.

    ``told`` is of the first ``BEST`` of the ranking; ``barred`` is asked where their vectors would let one overtake
    another. So few are looked at one by one, which costs less than arrays of them.
    """
    best, earlier = ranked.order[:BEST], tense == "earlier"
    total = ranked.total.take(best).tolist()
    near_by = [
        (lifted, passed)
        for lifted, own in enumerate(told)
        for passed, other in enumerate(told)
        if 0 <= total[passed] - total[lifted] <= LIFT[tense] and (_later(other, own) if earlier else _later(own, other))
    ]
    if not near_by or not LIFT[tense]:
        return ranked
    near = alike(best).tolist()
    wanted = [
        (lifted, passed)
        for lifted, passed in near_by
        if _one_matter(near[lifted][passed], calibration, told[lifted].dated and told[passed].dated)
        and not barred(lifted, passed)
    ]
    return _lifted(ranked, _gains(total, wanted, _turns(told, earlier=earlier)))


def _later(one: Told, other: Told) -> bool:
    return one.start > other.start or (one.start == other.start and one.place >= other.place + APART)


def _one_matter(cosine: float, calibration: Calibration, both_dated: bool) -> bool:
    near = (cosine - calibration.low) / (calibration.high - calibration.low)
    return not near < SAME if both_dated else near >= SURE


def _turns(told: Sequence[Told], *, earlier: bool) -> list[int]:
    """Return the turn of each in the order of time that is asked for, the first to pass the others last."""
    turns = [0] * len(told)
    for turn, number in enumerate(sorted(range(len(told)), key=lambda each: told[each][:2])):
        turns[number] = len(told) - 1 - turn if earlier else turn
    return turns


def _gains(total: Sequence[float], wanted: Sequence[tuple[int, int]], turns: Sequence[int]) -> dict[int, float]:
    """Return what lifts each just above the best that it passes."""
    targets: dict[int, float] = {}
    for lifted, passed in wanted:
        targets[lifted] = max(total[passed], targets.get(lifted, total[passed]))
    return {number: target - total[number] + _STEP * (1 + turns[number]) for number, target in targets.items()}


def _lifted(ranked: Ranked, gains: dict[int, float]) -> Ranked:
    if not gains:
        return replace(ranked, parts={**ranked.parts, "update": np.float32(0)})
    best = ranked.order[:BEST]
    part = np.zeros_like(ranked.total)
    part[best[list(gains)]] = list(gains.values())
    total = ranked.total + part
    order = ranked.order.copy()
    order[: len(best)] = best[np.argsort(-total[best], kind="stable")]
    return replace(ranked, order=order, parts={**ranked.parts, "update": part, "total": total}, total=total)
