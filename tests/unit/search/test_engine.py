from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omoide.search import dense
from omoide.search.columns import pack_flags
from omoide.search.engine import Filters, Pool, Question, accompanied, gather
from omoide.search.postings import PostingList, Postings

SIZE = 12
TERMS = [("cat", 1.0)]
QUERY = np.array([1.0, 0.0], np.float32)


class Source:
    """A space in which entry 5 alone speaks of a cat."""

    documents = SIZE
    mean_length = 4.0
    size = SIZE

    def postings(self, term: str) -> PostingList | None:
        return Postings(np.array([5], np.uint32), np.array([1 << 8 | 4], np.uint16)) if term == "cat" else None


class Cosines:
    """Vectors of some entries, nan for the rest."""

    def __init__(self, *known: int) -> None:
        self._known = np.array(known, np.uint32)

    def every(self, query: Any, size: int) -> Any:
        found = np.full(size, np.nan, np.float32)
        found[self._known] = 0.9 - self._known / 100
        return found

    def search(self, query: Any, m: int, mask: Any) -> Any:
        best = self._known[mask[self._known]][:m]
        return best, self.every(query, SIZE)[best]

    def similarities(self, query: Any, ords: Any) -> Any:
        return self.every(query, SIZE)[ords]


@pytest.fixture(params=["whole", "best"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fact holds for a small space and for a large one."""
    if request.param == "best":
        monkeypatch.setattr("omoide.search.engine.SMALL", 0)
    assert dense.SMALL > SIZE


def found(vectors: Cosines | None, *hidden: int, pool: int = 1, **filters: Any) -> Pool:
    mask = np.ones(SIZE, np.bool_)
    mask[list(hidden)] = False
    question = Question(TERMS, None if vectors is None else QUERY, pool)
    return gather(Source(), vectors, question, Filters(mask, threads(*[1] * SIZE), **filters))


def threads(*numbers: int) -> Any:
    return np.array([pack_flags("observed", "fact", "medium", number) for number in numbers], np.uint32)


def test_what_was_written_next_to_a_candidate_becomes_one() -> None:
    assert found(Cosines(*range(SIZE))).ords.tolist() == [0, 1, 4, 5, 6]


def test_a_hidden_neighbour_stays_hidden() -> None:
    assert found(Cosines(*range(SIZE)), 4, 1).ords.tolist() == [0, 5, 6]


def test_a_neighbour_without_words_or_vector_is_left_out() -> None:
    assert found(Cosines(0, 6)).ords.tolist() == [0, 5, 6]


def test_without_vectors_only_what_has_a_word_of_the_question_is_found() -> None:
    assert found(None).ords.tolist() == [5]


def test_rows_judge_neighbours_too() -> None:
    kept = found(Cosines(*range(SIZE)), judge=lambda ords: [one for one in ords if one != 6])
    assert 6 not in kept.ords.tolist()
    assert 4 in kept.ords.tolist()


def test_both_scores_are_known_of_every_candidate() -> None:
    pool = found(Cosines(*range(SIZE)))
    assert (pool.bm25 > 0).tolist() == [False, False, False, True, False]
    assert pool.cosines.tolist() == pytest.approx([0.9, 0.89, 0.86, 0.85, 0.84])


def test_neighbours_end_with_the_space() -> None:
    everyone = Filters(np.ones(3, np.bool_), threads(4, 4, 4))
    assert accompanied(np.array([0]), everyone).tolist() == [0, 1]
    assert accompanied(np.array([2]), everyone).tolist() == [1, 2]


@pytest.mark.parametrize("numbers", [(4, 5, 4), (0, 0, 0), None])
def test_only_one_thread_has_neighbours(numbers: tuple[int, ...] | None) -> None:
    flags = None if numbers is None else threads(*numbers)
    assert accompanied(np.array([1]), Filters(np.ones(3, np.bool_), flags)).tolist() == [1]
