from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from omoide.errors import DamagedStoreError
from omoide.search.bm25 import idf, tf_parts
from omoide.search.dense import Lexical, best_of
from omoide.search.maxscore import kth
from omoide.search.postings import Codes, Ords, PostingList, Postings

SIZE = 6000


@dataclass
class Listed:
    """A space whose lists are given; ``read`` are the terms of which the whole list was asked for."""

    lists: dict[str, Postings]
    documents: int = SIZE
    mean_length: float = 9.0
    size: int = SIZE
    read: list[str] = field(default_factory=list)

    def postings(self, term: str) -> PostingList | None:
        found = self.lists.get(term)
        return None if found is None else Noted(found.ords, found.codes, term, self.read)


class Noted(Postings):
    """A list that notes when it is read."""

    def __init__(self, ords: Ords, codes: Codes, term: str, read: list[str]) -> None:
        super().__init__(ords, codes)
        self._term, self._noted = term, read

    def arrays(self) -> tuple[Ords, Codes]:
        self._noted.append(self._term)
        return super().arrays()


def space(seed: int, **shares: float) -> Listed:
    """Return a space in which each term is in such a share of the texts, of few lengths, so that scores tie."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(8, 11, SIZE)
    lists = {}
    for term, share in shares.items():
        ords = np.flatnonzero(draw.random(SIZE) < share)
        codes = draw.integers(1, 3, len(ords)) << 8 | lengths[ords]
        lists[term] = Postings(ords.astype(np.uint32), codes.astype(np.uint16))
    return Listed(lists)


def every(source: Listed) -> Any:
    """Return the BM25 of every entry for all terms, rarest first, added up in doubles."""
    sums, parts = np.zeros(SIZE), tf_parts(source.mean_length)
    for each in sorted(source.lists.values(), key=lambda found: found.count):
        sums[each.ords] += np.float32(idf(SIZE, each.count)) * parts[each.codes]
    return sums.astype(np.float32)


SPACES: dict[str, dict[str, float]] = {
    "one rare word among common ones": {"rare": 0.03, "usual": 0.6, "always": 1.0},
    "too few texts with the rare word": {"rare": 0.002, "usual": 0.6, "always": 1.0},
    "no rare word": {"usual": 0.6, "often": 0.5},
    "only what all texts hold": {"always": 1.0, "still": 1.0},
    "rare words only": {"rare": 0.03, "rarer": 0.01},
    "common words that outweigh": {"some": 0.3, "other": 0.36, "third": 0.4, "last": 0.45},
}


@pytest.mark.parametrize("hidden", [0.0, 0.5, 0.995], ids=["all", "half", "few"])
@pytest.mark.parametrize("name", list(SPACES))
def test_the_best_are_those_of_a_walk_over_everything(name: str, hidden: float) -> None:
    """With the entries that tie with the last of them, the scores digit by digit, whatever is left out."""
    terms = [(term, 1.0) for term in SPACES[name]]
    for seed in range(3):
        source, mask = space(seed, **SPACES[name]), np.random.default_rng(seed).random(SIZE) >= hidden
        whole = every(source)
        expected = best_of(whole, 64, mask, 0.0)
        lexical = Lexical(source, terms, 64)
        found = lexical.best(mask)
        assert found.tolist() == expected.tolist()
        some = np.union1d(found, np.arange(0, SIZE, 37))
        assert np.allclose(lexical.of(some), whole[some], rtol=1e-6, atol=0)
        assert (lexical.of(some)[np.searchsorted(some, found)] == lexical.of(found)).all()


def test_a_word_of_all_texts_is_not_read_where_rare_ones_decide() -> None:
    source = space(1, rare=0.03, always=1.0, still=1.0)
    Lexical(source, [("always", 1.0), ("rare", 1.0), ("still", 1.0)], 64).best(np.ones(SIZE, np.bool_))
    assert source.read == ["rare"]


def test_a_damaged_list_is_named_whichever_way_it_is_read() -> None:
    for broken in ("rare", "always"):
        source = space(1, rare=0.03, always=1.0)
        codes = source.lists[broken].codes
        codes[:] = 0xFFFF
        with pytest.raises(DamagedStoreError):
            Lexical(source, [("rare", 1.0), ("always", 1.0)], 64).best(np.ones(SIZE, np.bool_))


@pytest.mark.parametrize("count", [1, 5, 64, 500, 5999, 6000])
@pytest.mark.parametrize("values", [3, 1 << 20], ids=["ties", "hardly any"])
def test_the_kth_is_that_of_a_sort(count: int, values: int) -> None:
    scores = np.random.default_rng(count).integers(0, values, SIZE).astype(np.float32)
    assert kth(scores, count) == np.sort(scores)[-count]
