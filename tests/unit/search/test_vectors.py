"""The vector index: exact while small, the same answers from codes when large."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from omoide.errors import InvalidInputError
from omoide.search import vectors_part
from omoide.search.half import to_single
from omoide.search.vectors import EXACT, VectorIndex
from omoide.search.vectors_exact import CHUNK, dots
from omoide.search.vectors_part import PART, BytePart, new_part

DIMENSION = 16
NOTHING = np.iinfo(np.uint32).max


def unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def clustered(count: int, seed: int = 0, dimension: int = DIMENSION) -> Any:
    """Return unit vectors around a few hundred centres and a common mean, as float16."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(2, count // 100), dimension))
    rows = centres[random.integers(len(centres), size=count)] + 0.7 * random.standard_normal((count, dimension))
    return unit(rows + random.standard_normal(dimension)).astype(np.float16)


def query_near(rows: Any, seed: int) -> Any:
    random = np.random.default_rng(seed)
    row = rows[random.integers(len(rows))].astype(np.float32)
    return unit((row + 0.1 * random.standard_normal(len(row)))[np.newaxis])[0].astype(np.float32)


def indexed(rows: Any, ords: Any = None, **options: Any) -> VectorIndex:
    index = VectorIndex(rows.shape[1], read_slots=lambda slots: rows[slots], **options)
    index.add(0, np.arange(len(rows)) if ords is None else ords, rows)
    return index


def coded(rows: Any, ords: Any = None) -> VectorIndex:
    """Return an index that is coded beyond ``EXACT`` by whatever codes there are."""
    return indexed(rows, ords, exact=EXACT)


def settled(index: VectorIndex) -> VectorIndex:
    """Return the index after enough searches to have coded everything it wants to code."""
    while index.waiting:
        index.search(np.ones(index.dimension, np.float32), 1)
    return index


def true_best(rows: Any, query: Any, m: int, allowed: Any = None) -> tuple[list[int], Any]:
    """Return what a comparison with every row finds; row number and ordinal are the same."""
    sims = dots(rows, query)
    numbers = np.arange(len(rows)) if allowed is None else np.flatnonzero(allowed)
    order = numbers[np.lexsort((numbers, -sims[numbers]))][:m]
    return order.tolist(), sims[order]


class TestSmall:
    def test_the_best_come_back_in_order_with_their_similarities(self) -> None:
        rows = clustered(500)
        query = query_near(rows, 1)
        ords, sims = indexed(rows).search(query, 10)
        expected, similarity = true_best(rows, query, 10)
        assert ords.tolist() == expected
        assert np.array_equal(sims, similarity)
        assert [ords.dtype.name, sims.dtype.name] == ["uint32", "float32"]

    def test_a_similarity_is_the_dot_product_with_the_stored_half_precision_vector(self) -> None:
        row = np.random.default_rng(3).standard_normal((1, DIMENSION)).astype(np.float32)
        index = VectorIndex(DIMENSION, read_slots=lambda slots: row[slots].astype(np.float16))
        index.add(0, np.array([5]), row)
        query = np.full(DIMENSION, 0.25, np.float32)
        _, sims = index.search(query, 1)
        assert sims[0] == pytest.approx(float(row[0].astype(np.float16).astype(np.float64) @ query), rel=1e-6)

    def test_a_mask_restricts_before_the_cut(self) -> None:
        rows = clustered(500)
        query = query_near(rows, 2)
        mask = np.zeros(500, np.bool_)
        mask[[3, 77, 140, 499]] = True
        ords, _ = indexed(rows).search(query, 10, mask)
        assert ords.tolist() == true_best(rows, query, 10, mask)[0]
        assert len(ords) == 4

    def test_an_entry_beyond_the_mask_is_not_let_in(self) -> None:
        rows = clustered(20)
        ords, _ = indexed(rows).search(query_near(rows, 1), 20, np.ones(12, np.bool_))
        assert sorted(ords.tolist()) == list(range(12))

    def test_an_empty_mask_lets_nothing_in(self) -> None:
        rows = clustered(20)
        assert not len(indexed(rows).search(query_near(rows, 1), 5, np.empty(0, np.bool_))[0])

    def test_an_entry_with_several_slots_comes_back_once_with_its_best(self) -> None:
        rows = clustered(30)
        index = indexed(rows, np.repeat(np.arange(10), 3))
        query = query_near(rows, 4)
        ords, sims = index.search(query, 10)
        best = dots(rows, query).reshape(10, 3).max(axis=1)
        assert sorted(ords.tolist()) == list(range(10))
        assert np.array_equal(sims, best[ords])

    def test_enough_come_back_when_one_entry_has_almost_all_slots(self) -> None:
        rows = clustered(400)
        index = indexed(rows, np.where(np.arange(400) < 395, 0, np.arange(400)))
        ords, _ = index.search(rows[0].astype(np.float32), 6)
        assert sorted(ords.tolist()) == [0, 395, 396, 397, 398, 399]

    def test_equal_similarities_are_ordered_by_ordinal(self) -> None:
        rows = np.repeat(clustered(1), 50, axis=0)
        ords, _ = indexed(rows, np.arange(50)[::-1].copy()).search(rows[0].astype(np.float32), 7)
        assert ords.tolist() == list(range(7))

    def test_an_erased_slot_is_never_returned(self) -> None:
        rows = clustered(50)
        index = indexed(rows)
        index.erase(np.array([7, 9]))
        ords, _ = index.search(rows[7].astype(np.float32), 50)
        assert sorted(ords.tolist()) == [number for number in range(50) if number not in (7, 9)]
        assert np.isnan(index.similarities(rows[7].astype(np.float32), np.array([7, 9]))).all()

    def test_a_slot_that_was_erased_in_the_store_is_never_returned(self) -> None:
        rows = clustered(5)
        ords = np.array([0, NOTHING, 2, 3, NOTHING], np.uint32)
        found, _ = indexed(rows, ords).search(rows[1].astype(np.float32), 5)
        assert sorted(found.tolist()) == [0, 2, 3]

    def test_similarities_are_those_of_search_and_nan_without_a_vector(self) -> None:
        rows = clustered(60)
        index = indexed(rows, np.arange(60) // 2)
        query = query_near(rows, 8)
        ords, sims = index.search(query, 5)
        found = index.similarities(query, np.append(ords, 9999))
        assert np.array_equal(found[:5], sims)
        assert np.isnan(found[5])

    def test_nothing_is_found_in_an_empty_index(self) -> None:
        index = VectorIndex(DIMENSION, read_slots=lambda slots: clustered(1)[slots])
        query = np.ones(DIMENSION, np.float32)
        assert [len(part) for part in index.search(query, 5)] == [0, 0]
        assert np.isnan(index.similarities(query, np.array([0]))).all()

    def test_nothing_is_found_when_nothing_is_asked_for(self) -> None:
        rows = clustered(5)
        assert not len(indexed(rows).search(query_near(rows, 1), 0)[0])

    def test_single_additions_answer_as_one(self) -> None:
        rows = clustered(CHUNK + 70)
        index = VectorIndex(DIMENSION, read_slots=lambda slots: rows[slots])
        for slot in range(len(rows)):
            index.add(slot, np.array([slot]), rows[slot : slot + 1])
        query = query_near(rows, 3)
        together = indexed(rows).search(query, 20)
        assert np.array_equal(index.search(query, 20)[0], together[0])
        assert np.array_equal(index.search(query, 20)[1], together[1])

    @pytest.mark.parametrize("query", [np.ones(15), np.ones((1, 16)), np.full(16, np.nan), np.full(16, np.inf)])
    def test_a_query_of_another_shape_or_without_a_value_is_refused(self, query: Any) -> None:
        with pytest.raises(InvalidInputError):
            indexed(clustered(3)).search(query, 1)

    def test_slots_are_appended_without_gap_or_repeat(self) -> None:
        rows = clustered(4)
        index = indexed(rows)
        for first in (3, 5):
            with pytest.raises(InvalidInputError):
                index.add(first, np.array([9]), rows[:1])

    def test_vectors_of_another_dimension_are_refused(self) -> None:
        with pytest.raises(InvalidInputError):
            indexed(clustered(4)).add(4, np.array([9]), clustered(1, dimension=8))

    def test_the_callers_array_is_not_written_to(self) -> None:
        rows = clustered(CHUNK)
        before = rows.copy()
        index = indexed(rows)
        index.erase(np.array([3, 900]))
        index.search(query_near(rows, 1), 3)
        assert np.array_equal(rows, before)


@pytest.fixture(params=["turbovec", "bytes"])
def coder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with each way to code vectors, the second as where turbovec has no wheel."""
    if request.param == "bytes":
        monkeypatch.setitem(sys.modules, "turbovec", None)
    elif pytest.importorskip("turbovec") is None:
        pytest.skip("turbovec is not installed")
    return str(request.param)


@pytest.mark.usefixtures("coder")
class TestLarge:
    COUNT = EXACT + 3 * CHUNK + 100

    @pytest.fixture
    def rows(self) -> Any:
        return clustered(self.COUNT)

    def test_the_first_search_after_a_load_is_exact(self, rows: Any) -> None:
        index = coded(rows)
        for seed in range(3):
            query = query_near(rows, seed)
            assert coded(rows).search(query, 10)[0].tolist() == true_best(rows, query, 10)[0]
        assert index.size == self.COUNT

    def test_almost_all_true_neighbours_are_found_from_codes(self, rows: Any) -> None:
        index = settled(coded(rows))
        assert self.recall(index, rows, None) >= 0.995

    def test_almost_all_true_neighbours_are_found_under_a_mask(self, rows: Any) -> None:
        index = settled(coded(rows))
        mask = np.random.default_rng(5).random(len(rows)) < 0.1
        assert self.recall(index, rows, mask) >= 0.995

    def recall(self, index: VectorIndex, rows: Any, mask: Any) -> float:
        hits = 0
        for seed in range(40):
            query = query_near(rows, seed)
            found, sims = index.search(query, 10, mask)
            assert np.array_equal(sims, dots(rows, query)[found])
            hits += len(set(found.tolist()) & set(true_best(rows, query, 10, mask)[0]))
        return hits / 400

    def test_a_narrow_mask_is_answered_exactly(self, rows: Any) -> None:
        index = settled(coded(rows))
        mask = np.zeros(len(rows), np.bool_)
        mask[np.random.default_rng(6).choice(len(rows), 100, replace=False)] = True
        query = query_near(rows, 3)
        assert index.search(query, 20, mask)[0].tolist() == true_best(rows, query, 20, mask)[0]

    def test_every_allowed_entry_comes_back_when_all_are_asked_for(self, rows: Any) -> None:
        index = settled(coded(rows))
        mask = np.arange(len(rows)) % 3 == 0
        ords, sims = index.search(query_near(rows, 3), len(rows), mask)
        assert sorted(ords.tolist()) == np.flatnonzero(mask).tolist()
        assert (np.diff(sims) <= 0).all()

    def test_enough_come_back_when_one_entry_has_almost_all_slots(self, rows: Any) -> None:
        index = settled(coded(rows, np.where(np.arange(len(rows)) % 1000, 0, np.arange(len(rows)))))
        ords, _ = index.search(rows[1].astype(np.float32), 6)
        assert len(ords) == 6
        assert 0 in ords.tolist()

    def test_an_erased_slot_is_never_returned(self, rows: Any) -> None:
        index = settled(coded(rows))
        query = query_near(rows, 3)
        best = index.search(query, 10)[0]
        index.erase(best.astype(np.int64))
        assert not set(index.search(query, 200)[0].tolist()) & set(best.tolist())
        assert np.isnan(index.similarities(query, best)).all()

    def test_similarities_are_exact_on_both_sides_of_the_codes(self, rows: Any) -> None:
        index = settled(coded(rows))
        query = query_near(rows, 3)
        ords = np.array([0, self.COUNT - 1, 5000, 17, self.COUNT - 90])
        assert np.array_equal(index.similarities(query, ords), dots(rows, query)[ords])

    def test_additions_after_coding_are_found_at_once(self, rows: Any) -> None:
        more = np.concatenate([rows, clustered(50, seed=9)])
        index = VectorIndex(DIMENSION, read_slots=lambda slots: more[slots], exact=EXACT)
        index.add(0, np.arange(len(rows)), rows)
        settled(index)
        index.add(len(rows), np.arange(len(rows), len(more)), more[len(rows) :])
        for slot in range(len(rows), len(more)):
            assert index.search(more[slot].astype(np.float32), 1)[0].tolist() == [slot]

    def test_threads_find_what_one_finds(self, rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        index = settled(coded(rows))
        mask = np.arange(len(rows)) % 3 > 0
        query = query_near(rows, 3)
        alone = index.search(query, 20, mask)
        monkeypatch.setattr("omoide.search.vectors_coded._THREADED", 1)
        together = index.search(query, 20, mask)
        assert [part.tolist() for part in together] == [part.tolist() for part in alone]

    def test_copies_of_one_vector_can_be_coded(self) -> None:
        rows = np.repeat(clustered(1), EXACT + CHUNK, axis=0)
        index = settled(coded(rows))
        assert index.search(rows[0].astype(np.float32), 3)[0].tolist() == [0, 1, 2]

    def test_a_dimension_that_is_no_multiple_of_eight_is_coded_too(self) -> None:
        rows = clustered(EXACT + CHUNK, dimension=13)
        index = settled(coded(rows))
        query = query_near(rows, 3)
        assert index.search(query, 5)[0].tolist() == true_best(rows, query, 5)[0]

    def test_a_bulk_addition_leaves_a_bounded_number_uncoded(self) -> None:
        rows = clustered(3 * CHUNK + 10)
        index = indexed(rows, cold=CHUNK)
        assert index.uncoded < 2 * CHUNK


class TestCodes:
    def test_bytes_are_within_half_a_step_of_the_vector(self) -> None:
        rows = to_single(clustered(300))
        part = BytePart(DIMENSION)
        part.append(rows)
        query = rows[7].copy()
        scores, numbers = part.search(query, 300, None)
        step = np.abs(rows).max(axis=1)[numbers] / 127
        assert (np.abs(scores - dots(rows, query)[numbers]) <= 0.5 * step * np.abs(query).sum() + 1e-6).all()

    def test_bytes_grow_without_losing_rows(self) -> None:
        rows = to_single(clustered(CHUNK * 3))
        part = BytePart(DIMENSION)
        for start in range(0, len(rows), CHUNK):
            part.append(rows[start : start + CHUNK])
        assert part.size == len(rows)
        assert [part.search(rows[n], 1, None)[1][0] for n in (0, CHUNK, 3 * CHUNK - 1)] == [0, CHUNK, 3 * CHUNK - 1]

    def test_a_zero_vector_can_be_coded(self) -> None:
        part = BytePart(DIMENSION)
        part.append(np.zeros((2, DIMENSION), np.float32))
        assert part.search(np.ones(DIMENSION, np.float32), 2, None)[0].tolist() == [0, 0]

    def test_without_turbovec_bytes_are_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "turbovec", None)
        part = new_part(DIMENSION, to_single(clustered(10)))
        assert part.codec == vectors_part.BYTES_CODEC
        assert part.dump() is None

    def test_a_full_part_is_searched_on_the_callers_thread(self) -> None:
        assert PART // 32 < 1024


def test_the_parts_of_every_entry_are_counted() -> None:
    index = indexed(clustered(6), np.asarray([0, 1, 1, 3, 3, 3]))
    assert index.parts(np.asarray([0, 1, 2, 3])).tolist() == [1, 2, 1, 3]


def test_halves_become_singles_exactly() -> None:
    halves = np.arange(65_536, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)]
    assert np.array_equal(to_single(finite).view(np.uint32), finite.astype(np.float32).view(np.uint32))
