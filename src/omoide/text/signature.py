"""What a text says, regardless of order and small words: a digest for look-ups, a measure for comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b

from omoide.text.language import UNKNOWN, detect
from omoide.text.stems import stem
from omoide.text.stopwords import negations
from omoide.text.tokens import analyze, stop_terms

_DIGIT = re.compile(r"\d")
_CJK_NEGATION = re.compile("[不没沒無无未非否]|ない|なか|なく|ませ|しな|안|못|없|않")
# Two texts that differ in a number or a negation state different things, however many words they share.
_CONTRADICTING = 0.5


def signature(text: str, terms: Iterable[str] | None = None) -> bytes:
    """Return 16 bytes that are equal for texts with the same set of content terms.

    Order, case, accents, inflection, punctuation, repetition and closed-class words of the guessed language do
    not count; numbers and negations do. BLAKE2b-128 of the sorted terms. ``terms``: ``analyze(text)`` if it is known.
    """
    content = content_terms(text, terms)
    return blake2b("\0".join(sorted(content)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def content_terms(text: str, terms: Iterable[str] | None = None) -> frozenset[str]:
    """Return the set of terms of ``text`` that carry its content; all of them if it has only small words."""
    found = frozenset(analyze(text) if terms is None else terms)
    return found - _small_terms(detect(text)) or found


def similarity(a_terms: Iterable[str], b_terms: Iterable[str]) -> float:
    """Return the Jaccard similarity of two term sets, 0 to 1, 1 only for equal sets.

    It is halved when the terms that hold digits differ (v1, v2) or only one side negates.
    """
    a, b = frozenset(a_terms), frozenset(b_terms)
    if not a or not b:
        return float(a == b)
    jaccard = len(a & b) / len(a | b)
    return jaccard * _CONTRADICTING if _telling(a) != _telling(b) else jaccard


def _telling(terms: frozenset[str]) -> frozenset[str]:
    negations_found = terms & _negating_terms() or any(map(_CJK_NEGATION.search, terms))
    return frozenset(filter(_DIGIT.search, terms)) | ({"not"} if negations_found else frozenset())


@cache
def _small_terms(language: str) -> frozenset[str]:
    return frozenset() if language == UNKNOWN else stop_terms(language) - _negating_terms()


@cache
def _negating_terms() -> frozenset[str]:
    return negations() | frozenset(map(stem, negations()))
