from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omoide.search.rank import Ranked
from omoide.search.updates import BEST, LIFT, Told, in_time
from omoide.search.weights import Calibration

PLAIN = Calibration(0.0, 1.0)


def order(total: list[float], starts: list[int], tense: str = "now", near: float = 0.9, **given: Any) -> list[int]:
    values = np.array(total, np.float32)
    ranked = Ranked(np.argsort(-values, kind="stable"), values, {"total": values}, values)
    count = len(total)
    places, dated = given.get("ords", range(0, 10 * count, 10)), given.get("dated", [True] * count)
    told = [Told(*each) for each in zip(starts, places, dated, strict=True)]
    best = [told[number] for number in ranked.order[:BEST].tolist()]
    alike = np.full((len(best), len(best)), near, np.float32)
    barred = bool(given.get("barred", False))
    return in_time(ranked, best, tense, PLAIN, lambda _: alike, lambda *_: barred).order.tolist()


@pytest.mark.parametrize(
    "tense, first", [("now", 1), ("present", 1), ("unsaid", 0), ("past", 0), ("earlier", 0)], ids=list(LIFT)
)
def test_the_tense_decides(tense: str, first: int) -> None:
    """A later statement that is 0.2 behind comes first where the question is about the present."""
    assert order([1.0, 0.8], [1, 2], tense)[0] == first


def test_before_lifts_the_earlier() -> None:
    assert order([1.0, 0.8], [2, 1], "earlier") == [1, 0]


def test_another_matter_keeps_its_place() -> None:
    assert order([1.0, 0.8], [1, 2], near=0.3) == [0, 1]


def test_undated_ones_must_be_nearly_equal() -> None:
    assert order([1.0, 0.8], [1, 2], dated=[True, False]) == [0, 1]
    assert order([1.0, 0.8], [1, 2], dated=[True, False], near=1.2) == [1, 0]


def test_without_vectors_only_dated_ones_change_places() -> None:
    assert order([1.0, 0.8], [1, 2], near=float("nan")) == [1, 0]
    assert order([1.0, 0.8], [1, 2], near=float("nan"), dated=[False, False]) == [0, 1]


def test_in_one_moment_the_direct_reply_is_no_update() -> None:
    assert order([1.0, 0.8], [1, 1], ords=[4, 5]) == [0, 1]
    assert order([1.0, 0.8], [1, 1], ords=[4, 6]) == [1, 0]


def test_which_five_are_the_best_stays() -> None:
    found = order([1.0, 0.99, 0.98, 0.97, 0.96, 0.95], [1, 2, 3, 4, 5, 6])
    assert sorted(found[:5]) == [0, 1, 2, 3, 4]
    assert found[0] == 4


def test_what_is_barred_overtakes_nothing() -> None:
    assert order([1.0, 0.8], [1, 2], barred=True) == [0, 1]
