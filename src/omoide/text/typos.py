"""Words of the vocabulary that a mistyped query term may have meant; asked only for terms that match nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

from rapidfuzz import process
from rapidfuzz.distance import OSA

Vocabulary = Iterable[str] | Callable[[str, int, int], Iterable[str]]
"""All terms, or a function of (first letter or "", shortest, longest length) that gives those that fit."""

_SHORTEST = 4
_MAX_CANDIDATES = 300_000
_NO_TYPO = re.compile(r"[\d_./:@+#]")


def allowed_distance(term: str) -> int:
    """Return how many slips a term may hold: none under 4 letters or with digits, 1 under 8 letters, else 2."""
    if len(term) < _SHORTEST or _NO_TYPO.search(term):
        return 0
    return 1 if len(term) < 8 else 2


def suggestions(term: str, vocabulary: Vocabulary, *, limit: int = 3) -> list[tuple[str, int]]:
    """Return up to ``limit`` (word, distance) pairs nearest to ``term``, best first; none if nothing is near.

    Distance is optimal string alignment: an inserted, dropped, changed or swapped letter is one slip. Words that
    begin like ``term`` are tried first and the rest only when none of them is near. At most 300,000 words are read.
    """
    slips = allowed_distance(term)
    if not slips or not term:
        return []
    shortest, longest = len(term) - slips, len(term) + slips
    if callable(vocabulary):
        near = _nearest(term, vocabulary(term[0], shortest, longest), slips, limit)
        return near or _nearest(term, vocabulary("", shortest, longest), slips, limit)
    words = [word for word in islice(vocabulary, _MAX_CANDIDATES) if shortest <= len(word) <= longest]
    near = _nearest(term, [word for word in words if word[0] == term[0]], slips, limit)
    return near or _nearest(term, words, slips, limit)


def _nearest(term: str, words: Iterable[str], slips: int, limit: int) -> list[tuple[str, int]]:
    candidates = list(islice(words, _MAX_CANDIDATES))
    found = process.extract(term, candidates, scorer=OSA.distance, score_cutoff=slips, limit=None)
    near = {(int(distance), abs(len(word) - len(term)), word) for word, distance, _ in found if word != term}
    return [(word, distance) for distance, _, word in sorted(near)[:limit]]
