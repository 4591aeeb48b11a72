"""Exact BM25 top-k over lists in memory."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from omoide.errors import DamagedStoreError, InvalidInputError
from omoide.search import scratch
from omoide.search.bm25 import K1, LENGTHS, MAX_TF, B, idf, length_code, posting_code, tf_parts
from omoide.search.keyword import Postings, explain, score, search
from omoide.search.postings import Codes, Ords


class Texts:
    """A source of posting lists made from texts given as words."""

    def __init__(self, texts: Sequence[str]) -> None:
        words = [text.split() for text in texts]
        self.documents = self.size = len(texts)
        self.mean_length = sum(map(len, words)) / len(texts) if texts else 0.0
        entries: dict[str, list[tuple[int, int]]] = {}
        for number, each in enumerate(words):
            for term, tf in Counter(each).items():
                entries.setdefault(term, []).append((number, posting_code(tf, len(each))))
        self.lists = {term: list_of(pairs) for term, pairs in entries.items()}

    def postings(self, term: str) -> Postings | None:
        return self.lists.get(term)


def list_of(pairs: list[tuple[int, int]]) -> Postings:
    ords, codes = zip(*pairs, strict=True)
    return Postings(np.array(ords, np.uint32), np.array(codes, np.uint16))


def question(text: str) -> list[tuple[str, float]]:
    return [(term, 1.0) for term in text.split()]


class TestCodes:
    @pytest.mark.parametrize("length", [0, 1, 11, 127, 128])
    def test_lengths_up_to_128_are_kept_exactly(self, length: int) -> None:
        assert LENGTHS[length_code(length)] == length

    def test_longer_texts_keep_their_length_within_four_percent(self) -> None:
        for length in range(129, 1_000_000, 977):
            assert 0.96 < LENGTHS[length_code(length)] / length < 1.04

    def test_a_longer_text_never_has_a_lower_code(self) -> None:
        codes = [length_code(length) for length in [*range(5_000), *range(5_000, 2_000_000, 1_009)]]
        assert codes == sorted(codes)
        assert codes[-1] == 255

    def test_every_code_stands_for_the_length_that_gives_it(self) -> None:
        assert [length_code(length) for length in LENGTHS] == list(range(256))

    def test_term_frequency_saturates_at_fifteen(self) -> None:
        assert posting_code(400, 10) == posting_code(MAX_TF, 10) < posting_code(MAX_TF, 11)

    def test_the_table_is_the_formula(self) -> None:
        expected = 3 * (K1 + 1) / (3 + K1 * (1 - B + B * 20 / 12.5))
        assert tf_parts(12.5)[posting_code(3, 20)] == pytest.approx(expected, rel=1e-6)

    def test_a_term_in_every_text_still_weighs_something(self) -> None:
        assert 0 < idf(1000, 1000) < idf(1000, 999) < idf(1000, 1) < idf(1000, 0)
        assert idf(10, 30) > 0


class TestRanking:
    def test_a_rare_term_outweighs_a_common_one(self) -> None:
        source = Texts(["red common", "common blue", "common green", "rare"])
        result = search(source, question("common rare"), 4)
        assert result.ords.tolist()[0] == 3
        assert result.scores.tolist() == sorted(result.scores.tolist(), reverse=True)

    def test_a_score_is_bm25(self) -> None:
        source = Texts(["a a b", "b c", "c d e f"])
        result = search(source, question("a"), 5)
        part = 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / 3))
        assert result.scores.tolist() == pytest.approx([math.log(1 + 2.5 / 1.5) * part])

    def test_equal_scores_are_answered_newest_first(self) -> None:
        source = Texts(["same text"] * 7)
        assert search(source, question("same"), 3).ords.tolist() == [6, 5, 4]

    def test_weights_scale_and_repeated_terms_add_up(self) -> None:
        source = Texts(["a b", "c d", "e f"])
        once = search(source, [("a", 1.0)], 1).scores
        twice = search(source, [("a", 0.5), ("a", 1.5)], 1).scores
        assert twice.tolist() == pytest.approx((2 * once).tolist())

    def test_a_term_without_weight_matches_nothing(self) -> None:
        source = Texts(["a b", "c d"])
        assert search(source, [("a", 0.0), ("b", -1.0), ("c", 1e-9)], 5).ords.tolist() == []

    @pytest.mark.parametrize("k", [0, -1])
    def test_no_hits_are_returned_when_none_are_asked_for(self, k: int) -> None:
        assert search(Texts(["a"]), question("a"), k).ords.tolist() == []

    def test_an_empty_space_answers_nothing(self) -> None:
        result = search(Texts([]), question("a b"), 5)
        assert (result.ords.tolist(), result.coverage, result.best_possible, result.touched) == ([], 0.0, 0.0, 0)

    def test_a_question_without_terms_answers_nothing(self) -> None:
        assert search(Texts(["a"]), [], 5).ords.tolist() == []

    def test_statistics_that_say_zero_do_not_stop_an_answer(self) -> None:
        source = Texts(["a b"])
        source.documents, source.mean_length = 0, 0.0
        assert search(source, question("a"), 5).ords.tolist() == [0]


class TestMask:
    texts = Texts([f"common {'rare' if number % 5 == 0 else 'other'}" for number in range(200)])

    def test_as_many_hits_come_back_as_the_mask_permits(self) -> None:
        mask = np.zeros(200, np.bool_)
        mask[[3, 50, 199]] = True
        assert search(self.texts, question("common rare"), 10, mask).ords.tolist() == [50, 199, 3]

    def test_a_function_masks_like_flags(self) -> None:
        flags = np.arange(200) % 3 == 0
        by_flags = search(self.texts, question("common rare"), 20, flags)
        by_call = search(self.texts, question("common rare"), 20, lambda ords: ords % 3 == 0)
        assert by_flags.ords.tolist() == by_call.ords.tolist()
        assert by_flags.scores.tolist() == by_call.scores.tolist()

    def test_a_mask_that_permits_nothing_answers_nothing(self) -> None:
        assert search(self.texts, question("common"), 5, np.zeros(200, np.bool_)).ords.tolist() == []

    def test_flags_for_fewer_entries_than_the_space_has_are_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="199 flags for 200 entries"):
            search(self.texts, question("common"), 5, np.ones(199, np.bool_))

    def test_a_few_permitted_entries_of_long_lists_are_found(self) -> None:
        source = Texts(["common word"] * 5_000)
        mask = np.zeros(5_000, np.bool_)
        mask[[7, 4_000]] = True
        assert search(source, question("common absent"), 10, mask).ords.tolist() == [4_000, 7]


class TestScore:
    def test_given_entries_are_scored_in_their_order(self) -> None:
        source = Texts(["a b", "a a a c", "d", "a"])
        found = search(source, question("a b"), 4)
        scores = score(source, question("a b"), found.ords[::-1].copy())
        assert scores.tolist() == found.scores[::-1].tolist()

    def test_an_entry_without_any_term_scores_zero(self) -> None:
        source = Texts(["a b", "c"])
        assert score(source, question("a zebra"), np.array([1], np.uint32)).tolist() == [0.0]

    def test_no_entries_have_no_scores(self) -> None:
        assert score(Texts(["a"]), question("a"), np.zeros(0, np.uint32)).tolist() == []

    def test_the_parts_of_an_explanation_add_up_to_the_score(self) -> None:
        source = Texts(["a b c", "b c d", "c d e"])
        found = search(source, question("a b c zebra"), 3)
        shares = explain(source, question("a b c zebra"), found.ords)
        assert [sum(each.values()) for each in shares] == pytest.approx(found.scores.tolist())
        assert [sorted(each) for each in shares] == [["a", "b", "c"], ["b", "c"], ["c"]]


class TestCalibration:
    source = Texts(["a b", "a c", "a d", "e f"])

    def test_coverage_is_full_when_every_term_is_known(self) -> None:
        assert search(self.source, question("a b"), 1).coverage == 1.0

    def test_coverage_is_none_when_no_term_is_known(self) -> None:
        assert search(self.source, question("zebra yak"), 1).coverage == 0.0

    def test_an_unknown_term_counts_with_its_idf(self) -> None:
        known, unknown = idf(4, 1), idf(4, 0)
        assert search(self.source, question("b zebra"), 1).coverage == pytest.approx(known / (known + unknown))

    def test_a_text_of_mean_length_with_every_term_once_reaches_the_best_possible(self) -> None:
        result = search(self.source, question("a b"), 1)
        assert result.scores[0] == pytest.approx(result.best_possible)


class TestWork:
    def test_a_common_list_is_not_read_when_rare_terms_have_settled_the_top(self) -> None:
        source = Texts(["common"] * 50_000)
        pairs = [(number, posting_code(1, 1)) for number in range(0, 50_000, 1_000)]
        source.lists["rare"] = list_of(pairs)
        common = Reluctant(source.lists["common"])
        source.lists["common"] = common
        assert len(search(source, question("common rare"), 10).ords) == 10
        assert common.asked_for <= len(pairs)

    def test_a_space_larger_than_the_scratch_gets_a_larger_one(self) -> None:
        for size in (10, 5_000, 100):
            assert search(Texts(["word"] * size), question("word"), 1).ords.tolist() == [size - 1]


class Reluctant(Postings):
    """A list that refuses to be read whole."""

    def __init__(self, postings: Postings) -> None:
        super().__init__(*postings.arrays())
        self.asked_for = 0

    def arrays(self) -> tuple[Ords, Codes]:
        raise AssertionError("the whole list was read")

    def at(self, ords: Ords) -> Codes:
        self.asked_for += len(ords)
        return super().at(ords)


class TestScratch:
    def test_a_search_inside_a_mask_does_not_disturb_the_one_outside(self) -> None:
        outer, inner = Texts(["a b", "a", "b"]), Texts(["a x", "y"])

        def mask(ords: np.ndarray) -> np.ndarray:
            search(inner, question("a x"), 2)
            return np.ones(len(ords), np.bool_)

        expected = search(outer, question("a b"), 3).scores.tolist()
        assert search(outer, question("a b"), 3, mask).scores.tolist() == expected

    def test_a_search_that_fails_leaves_no_sums_behind(self) -> None:
        source = Texts(["a b", "a", "b"])
        expected = search(source, question("a b"), 3).scores.tolist()

        def mask(ords: np.ndarray) -> np.ndarray:
            if len(mask_calls) == 1:
                raise RuntimeError
            mask_calls.append(len(ords))
            return np.ones(len(ords), np.bool_)

        mask_calls: list[int] = []
        with pytest.raises(RuntimeError):
            search(source, question("a b"), 3, mask)
        assert search(source, question("a b"), 3).scores.tolist() == expected

    def test_threads_do_not_share_sums(self) -> None:
        kept: dict[int, object] = {}

        def borrow_twice(name: int) -> None:
            array = scratch.borrow(10)
            scratch.give_back(array)
            kept[name] = scratch.borrow(10)

        threads = [threading.Thread(target=borrow_twice, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({id(array) for array in kept.values()}) == 4


class TestDamage:
    @pytest.mark.parametrize(
        "broken",
        [
            pytest.param(([0, 9], [256, 256]), id="ordinal beyond the space"),
            pytest.param(([0, 1], [256, 60_000]), id="code that means nothing"),
        ],
    )
    def test_a_list_that_cannot_be_is_an_error(self, broken: tuple[list[int], list[int]]) -> None:
        source = Texts(["a", "a"])
        source.lists["a"] = Strict(*broken)
        with pytest.raises(DamagedStoreError):
            search(source, question("a"), 5)


class Strict(Postings):
    """A list whose ordinals must be below 2."""

    def __init__(self, ords: list[int], codes: list[int]) -> None:
        super().__init__(np.array(ords, np.uint32), np.array(codes, np.uint16))

    def verify(self) -> None:
        if self.ords[-1] > 1:
            raise DamagedStoreError("beyond the space")
        super().verify()
