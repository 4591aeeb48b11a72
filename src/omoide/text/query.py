"""A question as weighted index terms: what to look up, in which way, and how much each counts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from omoide.text.language import UNKNOWN, detect, latin_language
from omoide.text.stems import stem
from omoide.text.stopwords import LATIN_LANGUAGES, asking_words, is_grammatical
from omoide.text.tokens import chunk_terms, stop_terms

Kind = Literal["word", "bigram", "single", "identifier", "prefix"]

_CACHED_LENGTH = 48
_LATIN = re.compile("[A-Za-z]")

MAX_TERMS = 96
MAX_CHARACTERS = 8_192
# A name that matches whole says more than one of its parts; "please recommend" says little about the topic.
_WEIGHTS: dict[str, float] = {"part": 0.6, "single": 0.6}
_ASKING_WEIGHT = 0.5
# A short question is about every character in it; in a long one lone characters are rests of numbers and names.
_MAX_TERMS_WITH_PREFIXES = 3


class QueryTerm(NamedTuple):
    """One index term to look up; ``prefix`` means every term of the vocabulary that begins with ``text``."""

    text: str
    kind: Kind
    weight: float


@dataclass(frozen=True, slots=True)
class Query:
    """What a question asks the keyword index for; ``terms`` are unique, in the order of the question."""

    terms: tuple[QueryTerm, ...]
    language: str
    truncated: bool


def analyze_query(text: str, *, max_terms: int = MAX_TERMS, stop_words: bool = False) -> Query:
    """Return the terms of a question; none for a blank one. Never raises for a str.

    Closed-class words of the guessed language are dropped unless nothing else is left or ``stop_words`` is true.
    Only the first 8,192 characters are read, and at most ``max_terms`` terms kept, see
    `_most_telling`. ``truncated`` says that either cut took something away.
    """
    language = detect(text)
    found = _occurrences(text[:MAX_CHARACTERS])
    if not stop_words:
        found = _topical(found, _stop_terms_for(text, language)) or found
    kinds = dict(reversed(found))
    kept = _most_telling(found, max_terms)
    prefixes = len(kept) <= _MAX_TERMS_WITH_PREFIXES
    terms = tuple(_term(term, kinds[term], language, prefixes) for term in kept)
    return Query(terms, language, truncated=len(kept) < len(kinds) or len(text) > MAX_CHARACTERS)


def _occurrences(text: str) -> list[tuple[str, str]]:
    return [found for chunk in text.split() for found in _asked(chunk)]


def _asked(chunk: str) -> tuple[tuple[str, str], ...]:
    return _cached_chunk(chunk) if len(chunk) <= _CACHED_LENGTH else _terms_of(chunk)


def _terms_of(chunk: str) -> tuple[tuple[str, str], ...]:
    # The last character of a stretch is in the pair before it.
    return tuple((term, kind) for group, kind in chunk_terms(chunk) if kind != "final" for term in group)


_cached_chunk = lru_cache(4096)(_terms_of)


def _stop_terms_for(text: str, language: str) -> frozenset[str]:
    if language in LATIN_LANGUAGES:
        return stop_terms(language)
    # Words in Latin letters inside a text of another script have a language of their own.
    guest = latin_language(text) if _LATIN.search(text) else UNKNOWN
    return frozenset().union(*(stop_terms(code) for code in (language, guest) if code != UNKNOWN))


def _topical(found: list[tuple[str, str]], stops: frozenset[str]) -> list[tuple[str, str]]:
    return [(term, kind) for term, kind in found if term not in stops or kind not in {"word", "part"}]


def _most_telling(found: list[tuple[str, str]], limit: int) -> list[str]:
    """Choose at most ``limit`` terms: the repeated first, those of grammar last, then what is near an end.

    The end counts twice: who pastes a long text asks after it more often than before it.
    """
    order = list(dict.fromkeys(term for term, _ in found))
    if len(order) <= limit:
        return order
    counts = Counter(term for term, _ in found)

    def rank(position: int) -> tuple[int, bool, int]:
        term = order[position]
        return -counts[term], is_grammatical(term), min(2 * position, len(order) - 1 - position)

    return [order[position] for position in sorted(sorted(range(len(order)), key=rank)[:limit])]


def _term(term: str, kind: str, language: str, prefixes: bool) -> QueryTerm:
    weight = _WEIGHTS.get(kind, 1.0)
    if kind == "single" and prefixes:
        return QueryTerm(term, "prefix", 1.0)
    if term in _asking_terms(language):
        weight *= _ASKING_WEIGHT
    return QueryTerm(term, "word" if kind == "part" else kind, weight)  # type: ignore[arg-type]


@cache
def _asking_terms(language: str) -> frozenset[str]:
    return frozenset(map(stem, asking_words(language)))
