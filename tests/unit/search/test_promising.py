"""What is looked up after the rare lists of a question are added."""

from __future__ import annotations

import numpy as np

from omoide.search import keyword
from omoide.search.postings import Ords, PostingList, Postings

SIZE = 20_000


class Counted(Postings):
    """A list that counts how many entries were looked up in it."""

    looked_up = 0

    def at(self, ords: Ords) -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
        self.looked_up += len(ords)
        return super().at(ords)


class Source:
    """Two rare terms and one that nearly every entry holds."""

    documents = size = SIZE
    mean_length = 10.0

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self.lists = {f"rare{df}": self._list(random, df) for df in (400, 3_000)}
        self.common = Counted(np.arange(0, SIZE - 10, dtype=np.uint32), np.full(SIZE - 10, 1 << 8 | 10, np.uint16))

    @staticmethod
    def _list(random: np.random.Generator, df: int) -> Postings:
        ords = np.sort(random.choice(SIZE, df, replace=False)).astype(np.uint32)
        lengths = random.integers(5, 30, df).astype(np.uint16)
        codes = (random.integers(1, 4, df) * 256 + lengths).astype(np.uint16)
        return Postings(ords, codes)

    def postings(self, term: str) -> PostingList | None:
        return self.common if term == "common" else self.lists[term]


def test_a_common_word_is_looked_up_for_few_of_the_entries_that_hold_a_rare_one() -> None:
    source = Source()
    terms = [(term, 1.0) for term in ("rare400", "rare3000", "common")]
    found = keyword.search(source, terms, 10)
    assert 0 < source.common.looked_up < 500
    every = np.arange(SIZE, dtype=np.uint32)
    scores = keyword.score(source, terms, every)
    best = np.lexsort((every, scores))[::-1][:10]
    assert found.ords.tolist() == best.tolist()
    assert found.scores.tolist() == scores[best].tolist()
