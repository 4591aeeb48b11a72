"""A handful of texts ranked by BM25 over the terms alone, without a store."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import pytest

from omoide.text.query import QueryTerm, analyze_query
from omoide.text.tokens import analyze, content_length

Ranker = Callable[[str, list[str]], list[str]]


def _matching(term: QueryTerm, vocabulary: set[str]) -> list[str]:
    if term.kind == "prefix":
        return [known for known in vocabulary if known.startswith(term.text)]
    return [term.text] if term.text in vocabulary else []


def _rank(question: str, texts: list[str]) -> list[str]:
    documents = [Counter(analyze(text)) for text in texts]
    lengths = [content_length(analyze(text)) for text in texts]
    mean = sum(lengths) / len(lengths) or 1
    vocabulary = set().union(*documents)
    scores = dict.fromkeys(texts, 0.0)
    for term in analyze_query(question).terms:
        for known in _matching(term, vocabulary):
            holders = sum(known in document for document in documents)
            idf = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
            for text, document, length in zip(texts, documents, lengths, strict=True):
                frequency = document[known]
                norm = 1.2 * (0.25 + 0.75 * length / mean)
                scores[text] += term.weight * idf * frequency / (frequency + norm)
    return [text for text, score in sorted(scores.items(), key=lambda item: -item[1]) if score > 0]


@pytest.fixture
def rank() -> Ranker:
    """Return a function that gives the texts a question finds, best first."""
    return _rank
