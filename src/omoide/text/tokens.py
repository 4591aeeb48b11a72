"""Text to index terms. The same rules serve texts and questions; `query` adds weights to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from operator import add

from omoide.text.identifiers import MAX_TERM, run_terms
from omoide.text.normalize import compatible, fold
from omoide.text.scripts import COUNTER, Piece, clusters, pieces
from omoide.text.stems import plain_stem, stem
from omoide.text.stopwords import every_stop_word, stop_words

ANALYZER_VERSION: int = 1
"""Raised whenever `analyze` gives other terms for some text: an index built before has to be rebuilt."""

Group = tuple[Sequence[str], str]
"""Terms of one kind."""

_CACHE_LIMIT = 32_768
_CACHED_LENGTH = 48
_APOSTROPHES = str.maketrans("’ʼ", "''")
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d)")
_LAST_NUMBER = re.compile(r"\d+$")
_PLAIN_WORD = re.compile(r"([A-Za-z][a-z]{2,30})[.,;:!?]?")
_NUMBERED_WORD = re.compile(r"([A-Za-z][a-z]{0,30})(\d{1,24})", re.ASCII)


def analyze(text: str) -> list[str]:
    """Return the index terms of a text in order, duplicates kept; never raises for a str.

    Words are folded and stemmed; identifiers give their parts and themselves whole; Han, kana, Hangul and
    Southeast Asian scripts give pairs of neighbouring characters and the last character alone, so that every
    single character begins some term. Stop words are kept: which words carry no topic is decided by the question.
    """
    return list(chain.from_iterable(map(_terms_of, text.split())))


def content_length(terms: Sequence[str]) -> int:
    """Return how many of the terms are no stop word in any language: the length that ranks best as BM25's."""
    return len(terms) - sum(map(stop_terms().__contains__, terms))


@cache
def stop_terms(language: str = "") -> frozenset[str]:
    """Return the index terms of the stop words of ``language``, of all languages by default."""
    words = stop_words(language) if language else every_stop_word()
    return words | frozenset(map(stem, words))


def chunk_terms(chunk: str) -> Iterator[Group]:
    """Yield (terms, kind) of a chunk without white space; kind: word, part, identifier, bigram, single, final."""
    if not chunk.isascii():
        chunk = compatible(chunk).translate(_APOSTROPHES)
    for piece in pieces(chunk):
        yield from _piece_terms(piece)
    if "," in chunk:
        for amount in _THOUSANDS.findall(chunk):
            yield (fold(amount.replace(",", "")),), "identifier"


class _Cache(dict[str, tuple[str, ...]]):
    """The terms of chunks that came before."""

    def __missing__(self, chunk: str) -> Sequence[str]:
        return _remember(chunk)


_cache = _Cache()
_terms_of = _cache.__getitem__


def _remember(chunk: str) -> list[str]:
    # The first two give what ``chunk_terms`` gives, without the search for other kinds.
    if plain := _PLAIN_WORD.fullmatch(chunk):
        terms = [plain_stem(plain[1].lower())]
    elif numbered := _NUMBERED_WORD.fullmatch(chunk):
        # Not remembered: numbers are many, and each would take the place of a word.
        return [chunk.lower(), *_terms_of(numbered[1]), numbered[2]]
    else:
        terms = [term for group, _ in chunk_terms(chunk) for term in group]
    if len(chunk) <= _CACHED_LENGTH:
        if len(_cache) >= _CACHE_LIMIT:
            _cache.clear()
        _cache[chunk] = tuple(terms)
    return terms


def _piece_terms(piece: Piece) -> Iterator[Group]:
    if piece.kind == "run":
        for term, kind in run_terms(piece.text):
            yield (term,), kind
        if COUNTER.match(piece.after):
            yield from _counted(piece)
    elif piece.kind in {"symbol", "flag"}:
        yield (piece.text,), "word"
    elif piece.kind == "cluster":
        yield from _pairs(clusters(piece.text))
    else:
        yield from _pairs(piece.text)
        if piece.kind == "hangul" and len(piece.text) > 2:
            yield (piece.text[:MAX_TERM],), "word"


def _counted(piece: Piece) -> Iterator[Group]:
    """Yield a number with the character that counts it: 5月, 2011年, 3층."""
    if number := _LAST_NUMBER.search(piece.text):
        yield (fold(number.group())[-MAX_TERM:] + piece.after,), "identifier"


def _pairs(characters: Sequence[str]) -> Iterator[Group]:
    if len(characters) == 1:
        yield characters, "single"
    else:
        yield list(map(add, characters, characters[1:])), "bigram"
        yield characters[-1:], "final"
