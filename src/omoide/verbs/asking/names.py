"""A question that names a subject asks for it under each of its names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from omoide.store.sqlite.transaction import Read
from omoide.text.lookalikes import name_key
from omoide.text.query import Query, analyze_query
from omoide.verbs.asking.asked import Ask

_READ: Final = 400
"""Characters of a question in which names are looked for."""
_WORDS: Final = 4
_SIGNS: Final = 8
"""How long a name is looked for: words where words are spaced, signs where they are not."""
_WORD: Final = re.compile(r"\S+")
_EDGES: Final = " \t.,;:!?\"'()[]{}<>«»“”‘’…。、？！「」『』（）"
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff々〆ー]+")


def renames(tx: Read, ns: int) -> bool:
    """Say whether any subject of a namespace has another name."""
    return tx.noted(("renames", ns), partial(tx.aliases.any, ns))


def with_other_names(tx: Read, ask: Ask, words: Query | None) -> Query | None:
    """Return the terms of a question, with those of the other names of the subjects it names."""
    if words is None or ask.query is None:
        return words
    spaces = [ns for ns in map(tx.namespaces.id, ask.scope.readable) if ns is not None and renames(tx, ns)]
    if not spaces:
        return words
    asked = set(_possible_names(name_key(ask.query[:_READ])))
    others: dict[str, None] = {}
    for ns in spaces:
        spoken = tx.aliases.among(ns, sorted(asked))
        others |= dict.fromkeys(name for each in spoken for name in tx.aliases.names(ns, each) if name not in spoken)
    return analyze_query(" ".join([ask.query, *others])) if others else words


def _possible_names(text: str) -> Iterator[str]:
    """Yield every stretch of a question that could be a name."""
    found = [word.group().strip(_EDGES) for word in _WORD.finditer(text)]
    for first in range(len(found)):
        for last in range(first + 1, min(first + _WORDS, len(found)) + 1):
            name = " ".join(found[first:last])
            yield name
            yield name.removesuffix("'s")
    for run in _UNSPACED.finditer(text):
        signs = run.group()
        for first in range(len(signs)):
            yield from (signs[first:last] for last in range(first + 1, min(first + _SIGNS, len(signs)) + 1))
