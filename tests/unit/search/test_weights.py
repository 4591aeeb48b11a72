from __future__ import annotations

import pytest

from omoide.search import weights
from omoide.search.weights import COSINES, DEFAULT_COSINES, calibration_of


def test_a_calibration_serves_all_builds_of_its_model() -> None:
    assert calibration_of("multilingual-e5-small-q4i8-v1") is COSINES["multilingual-e5-small"]


@pytest.mark.parametrize("name", [None, "", "openai:text-embedding-3-small", "fake-embedder", "small-multilingual-e5"])
def test_other_models_have_the_default_calibration(name: str | None) -> None:
    assert calibration_of(name) is DEFAULT_COSINES


def test_boosts_are_smaller_than_what_a_question_decides() -> None:
    """All boosts together move an entry less than a tenth of the distance between the best and the worst match."""
    highest = weights.IMPORTANCE + weights.PINNED + weights.SEEN
    lowest = weights.IMPORTANCE + weights.DISPUTED
    assert highest < 0.1
    assert lowest < 0.1


def test_neighbours_count_less_than_words_of_its_own() -> None:
    assert 0 < weights.CONTEXT < 1


def test_meaning_counts_more_the_fewer_words_are_known() -> None:
    assert 0.5 <= weights.DENSE_COVERED < weights.DENSE_UNCOVERED <= 1


def test_unrelated_texts_lie_below_equal_ones() -> None:
    for calibration in (*COSINES.values(), DEFAULT_COSINES):
        assert 0 < calibration.low < calibration.high <= 1
