"""The words of a question as a namespace spells them: prefixes expanded, typos caught."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final

from omoide.store.sqlite.indexing.view import SpaceView
from omoide.text.query import Query, QueryTerm

_EXPANSIONS: Final = 64
_VOCABULARY: Final = 50_000
_WHOLE_VOCABULARY: Final = 20_000
_TYPO_WEIGHT: Final = 0.7
_MAX_TYPOS: Final = 2


def weighted_terms(view: SpaceView, query: Query, *, past: bool = False) -> list[tuple[str, float]]:
    """Return the index terms to look up in a space and their weights.

    A typo is looked for only when most of the question's words are unknown to the space, so that the
    usual question never reads the vocabulary. ``past``: words that only history holds count as known.
    """
    postings = view.postings
    plain = [term for term in query.terms if term.kind != "prefix"]
    postings.prefetch(term.text for term in plain)
    unknown = [term for term in plain if postings.postings(term.text) is None]
    terms = [(term.text, term.weight) for term in plain]
    more = list(chain.from_iterable(_expanded(view, term) for term in query.terms if term.kind == "prefix"))
    words = [term for term in unknown if term.kind == "word"]
    if words and 2 * len(unknown) >= len(plain):
        more += chain.from_iterable(_respelled(view, term) for term in words[:_MAX_TYPOS])
    if view.undone is not None and not past:
        more = [(term, weight) for term, weight in more if postings.postings(term) is not None]
    return terms + more


def _expanded(view: SpaceView, term: QueryTerm) -> Iterable[tuple[str, float]]:
    return [(found, term.weight) for found in view.vocabulary(term.text, limit=_EXPANSIONS)]


def _respelled(view: SpaceView, term: QueryTerm) -> Iterable[tuple[str, float]]:
    from omoide.text.typos import suggestions  # the comparison library is loaded for a typo only

    def candidates(first: str, shortest: int, longest: int) -> Iterable[str]:
        return view.vocabulary(first, shortest, longest, limit=_VOCABULARY if first else _WHOLE_VOCABULARY)

    return [(word, term.weight * _TYPO_WEIGHT / slips) for word, slips in suggestions(term.text, candidates)]
