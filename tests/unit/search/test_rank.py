from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from omoide.search.columns import pack_flags, state_bits
from omoide.search.engine import Pool
from omoide.search.rank import ADDED, Ranked, Recency, calibrated, rank
from omoide.search.weights import ABSTAIN_BELOW, COSINES, DEFAULT_COSINES

NAN = float("nan")
DAY = 86_400_000_000
E5 = COSINES["multilingual-e5-small"]


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def pool(
    bm25: Sequence[float], cosines: Sequence[float], ords: Sequence[int] | None = None, coverage: float = 1.0
) -> Pool:
    places = range(0, 10 * len(bm25), 10) if ords is None else ords
    return Pool(np.array(list(places), np.uint32), floats(*bm25), floats(*cosines), coverage, max([*bm25, 1.0]))


def told(thread: int) -> int:
    return pack_flags("observed", "fact", "medium", thread)


def columns_of(candidates: Pool, **given: Any) -> dict[str, Any]:
    count = len(candidates.ords)
    plain: dict[str, Any] = {
        "flags": np.full(count, told(1), np.uint32),
        "known_from": np.zeros(count, np.int64),
        "ord": candidates.ords,
    }
    return plain | {name: np.asarray(value, plain[name].dtype) for name, value in given.items()}


def ranked(*pools: Pool, past: bool = False, recency: Recency | None = None, **given: Any) -> Ranked:
    columns = [columns_of(each, **given) for each in pools]
    return rank(pools, columns, calibration=E5, recency=recency or Recency(0), past=past)


def order(*pools: Pool, **given: Any) -> list[int]:
    return ranked(*pools, **given).order.tolist()


def test_words_alone_decide_without_vectors() -> None:
    assert order(pool([1.0, 3.0, 2.0], [NAN, NAN, NAN])) == [1, 2, 0]


def test_meaning_alone_decides_without_words() -> None:
    assert order(pool([0.0, 0.0, 0.0], [0.80, 0.90, 0.85])) == [1, 2, 0]


def test_both_witnesses_beat_one() -> None:
    assert order(pool([5.0, 0.0, 4.5], [0.78, 0.88, 0.87]))[0] == 2


def test_the_nearest_of_many_parts_has_to_be_nearer_than_a_whole_text() -> None:
    candidates = pool([0.0, 0.0, 0.0], [0.850, 0.845, 0.95])
    columns = columns_of(candidates) | {"parts": np.asarray([8, 1, 8], np.float32)}
    assert rank([candidates], [columns], calibration=E5, recency=Recency(0), past=False).order.tolist() == [2, 1, 0]


def test_an_entry_without_a_vector_keeps_its_place_by_words() -> None:
    """The best of the words stays first while its vector is not there yet."""
    assert order(pool([5.0, 1.0, 1.0], [NAN, 0.84, 0.82]))[0] == 0


@pytest.mark.parametrize("coverage, first", [(1.0, 0), (0.0, 1)])
def test_meaning_weighs_more_when_the_index_knows_few_of_the_words(coverage: float, first: int) -> None:
    assert order(pool([5.0, 0.8, 0.0], [0.825, 0.85, 0.80], coverage=coverage))[0] == first


def test_equals_come_newest_first() -> None:
    equal = pool([1.0, 1.0, 1.0], [0.8, 0.8, 0.8])
    assert order(equal, known_from=[5, 9, 7]) == [1, 2, 0]
    assert order(equal) == [2, 1, 0]


def test_equal_neighbours_stay_equal() -> None:
    """The one in the middle of three equal entries has two neighbours and gains nothing by it."""
    assert order(pool([1.0, 1.0, 1.0], [0.8, 0.8, 0.8], ords=[4, 5, 6])) == [2, 1, 0]


def test_what_was_written_next_to_a_good_match_comes_before_a_stranger() -> None:
    near = pool([5.0, 1.0, 1.1], [NAN] * 3, ords=[4, 5, 9])
    apart = pool([5.0, 1.0, 1.1], [NAN] * 3, ords=[4, 7, 9])
    assert order(near) == [0, 1, 2]
    assert order(apart) == [0, 2, 1]


def test_only_one_thread_lends_context() -> None:
    near = pool([5.0, 1.0, 1.1], [NAN] * 3, ords=[4, 5, 9])
    assert order(near, flags=[told(7), told(7), told(8)]) == [0, 1, 2]
    assert order(near, flags=[told(7), told(8), told(8)]) == [0, 2, 1]
    assert order(near, flags=[told(0), told(0), told(0)]) == [0, 2, 1]


def test_a_pair_keeps_its_order() -> None:
    """However much context counts, the worse of two neighbours does not overtake the better."""
    assert order(pool([1.0, 0.999], [NAN, NAN], ords=[0, 1])) == [0, 1]


def test_spaces_lend_each_other_no_context() -> None:
    first, second = pool([5.0], [NAN], ords=[4]), pool([1.0, 1.1], [NAN, NAN], ords=[5, 9])
    assert order(first, second) == [0, 2, 1]


def test_importance_decides_between_equals() -> None:
    flags = [pack_flags("observed", "fact", level) for level in ("low", "critical", "medium")]
    assert order(pool([1.0] * 3, [0.8] * 3), flags=flags) == [1, 2, 0]


def test_importance_does_not_lift_a_poor_match() -> None:
    flags = [pack_flags("observed", "fact", level) for level in ("low", "critical")]
    assert order(pool([5.0, 1.0], [0.88, 0.80]), flags=flags) == [0, 1]


def state(**given: Any) -> int:
    bits = {"pinned": False, "archived": False, "disputed": False, "seen": 1} | given
    return pack_flags("observed", "fact", "medium") | state_bits(**bits)


def test_state_decides_between_equals_today_and_not_in_the_past() -> None:
    flags = [state(disputed=True), state(pinned=True), state(), state(seen=9)]
    equal = pool([1.0] * 4, [0.8] * 4)
    assert order(equal, flags=flags) == [1, 3, 2, 0]
    assert order(equal, flags=flags, past=True) == [3, 2, 1, 0]


def test_recency_counts_as_asked() -> None:
    close = pool([1.0, 0.9], [NAN, NAN])
    known_from = [0, 1_000 * DAY]
    now = Recency(1_000 * DAY, weight=0.5, half_life=86_400.0)
    assert order(close, known_from=known_from) == [0, 1]
    assert order(close, known_from=known_from, recency=now) == [1, 0]


def test_the_parts_add_up() -> None:
    found = ranked(pool([5.0, 1.0, 0.0], [0.85, NAN, 0.9], ords=[4, 5, 6], coverage=0.5))
    parts = found.parts
    total = parts["fused"] + sum(parts[name] for name in ADDED)
    mixed = parts["dense_weight"] * parts["dense"] + (1 - parts["dense_weight"]) * (parts["lexical"] + parts["context"])
    assert total == pytest.approx(parts["total"])
    assert mixed == pytest.approx(parts["fused"])
    assert (np.diff(found.total[found.order]) <= 0).all()


def scores(bm25: float, cosine: float, coverage: float = 1.0, best: float = 10.0, calibration: Any = E5) -> float:
    return float(calibrated(floats(bm25), floats(cosine), floats(coverage), floats(best), calibration)[0])


def test_a_score_does_not_depend_on_the_other_candidates() -> None:
    alone = ranked(pool([2.0], [0.85]))
    among = rank(
        [Pool(np.array([0, 10], np.uint32), floats(2.0, 1.0), floats(0.85, 0.95), 1.0, 2.0)],
        [columns_of(pool([2.0, 1.0], [0.85, 0.95]))], calibration=E5, recency=Recency(0), past=False,
    )  # fmt: skip
    assert alone.scores[0] == pytest.approx(among.scores[0])


def test_scores_lie_between_none_and_one() -> None:
    assert scores(0.0, E5.low) == 0
    assert scores(0.0, NAN) == 0
    assert 0.9 < scores(10.0, E5.high) < 1
    assert 0.9 < scores(30.0, NAN) < 1


@pytest.mark.parametrize("cosine", [NAN, 0.8, 0.84])
def test_more_words_score_higher(cosine: float) -> None:
    found = [scores(value, cosine) for value in (0.0, 1.0, 4.0, 8.0)]
    assert found == sorted(set(found))


@pytest.mark.parametrize("bm25", [0.0, 3.0])
def test_nearer_meaning_scores_higher(bm25: float) -> None:
    found = [scores(bm25, value) for value in (0.78, 0.82, 0.86, 0.9)]
    assert found == sorted(set(found))


def test_words_of_a_question_that_the_index_hardly_knows_count_little() -> None:
    assert scores(10.0, 0.8, coverage=0.05) < scores(10.0, 0.8, coverage=0.9)


def test_unrelated_is_below_the_threshold_and_equal_above() -> None:
    """With the default model, an unknown model, and with words alone."""
    for calibration in (E5, DEFAULT_COSINES):
        assert scores(0.0, calibration.low + 0.02, calibration=calibration) < ABSTAIN_BELOW
        assert scores(0.0, calibration.high, calibration=calibration) > ABSTAIN_BELOW
    assert scores(8.0, 0.0, calibration=DEFAULT_COSINES) > ABSTAIN_BELOW
    assert scores(0.3, NAN, coverage=0.5) < ABSTAIN_BELOW
    assert scores(2.0, NAN) > ABSTAIN_BELOW


@pytest.mark.parametrize("best_possible, first", [(2.0, 0), (20.0, 1)])
def test_words_that_nobody_really_holds_count_less(best_possible: float, first: int) -> None:
    """A text that shares a scrap of the question wins over the meaning only when that scrap is most of it."""
    found = pool([2.0, 0.0, 0.0], [0.832, 0.86, 0.80])
    found.best_possible = best_possible
    assert order(found)[0] == first
