"""Fuzzy grep: lines that hold something like a text, slips of typing aside, in any script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from omoide.errors import InvalidInputError
from omoide.search import keyword
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Read
from omoide.text.normalize import fold
from omoide.text.tokens import analyze
from omoide.types.history import Lines
from omoide.verbs.asking.asked import Ask
from omoide.verbs.asking.moments import moment_of
from omoide.verbs.context import Context
from omoide.verbs.conversations.grep import Found, shown, some_texts
from omoide.verbs.conversations.history_search import fetched, history_filters

SMALL: Final = 1_500_000
"""Bytes of text up to which every line is compared; beyond, only texts that share a word or a near one."""
CANDIDATES: Final = 192
"""Texts that are compared line by line, at most, where there is more."""
SHORTEST: Final = 3
"""Letters that a word must have to be taken for a misspelling of another."""
_NEAR: Final = 24
"""Words of the store that may stand for one word of the pattern."""


def check_threshold(threshold: object) -> float:
    """Return the least likeness.

    Raises:
        InvalidInputError: not a number from 50 to 100.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 50 <= threshold <= 100:
        raise InvalidInputError(f"threshold must be a number from 50 to 100, not {threshold!r}", value=threshold)
    return float(threshold)


def fuzzy(ctx: Context, ask: Ask, text: str, *, threshold: float, context: int, limit: int) -> Lines:
    """Return the lines most like a text, at most ``limit``, and how many are as like as ``threshold`` asks for."""
    ctx.flush()
    needle = fold(text).strip()
    with ctx.store.read(ask.scope) as tx:
        reasons: list[str] = []
        found: list[Found] = []
        searched = 0
        for at, item, lines in _texts(tx, ask, needle, threshold, reasons):
            searched += 1
            found += _alike(at, item, lines, needle, threshold)
        found.sort(key=lambda each: (-each.score, -each.at, each.item, each.line))
        kept = shown(tx, found[:limit], context)
        return Lines(kept, total=len(found), searched=searched, reasons=reasons)


def _texts(
    tx: Read, ask: Ask, needle: str, threshold: float, reasons: list[str]
) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (time, item, lines) of every text of a small store, of a larger one of those that may hold the needle."""
    small = list[tuple[int, int, bytes]]()
    size = 0
    for rows in some_texts(tx, ask) if _is_small(tx, ask) else ():
        size += sum(len(data) for _, _, data in rows)
        small += rows
    if small or size:
        yield from ((at, item, data.decode("utf-8", "replace").split("\n")) for at, item, data in small)
        return
    for namespace in ask.scope.readable:
        view = tx.view(namespace, HISTORY)
        if view is None:
            continue
        items = _candidates(tx, ask, view, namespace, needle, threshold)
        if len(items) == CANDIDATES:
            reasons.append(f"the {CANDIDATES} likeliest texts were compared line by line")
        for item, hit in fetched(tx, items, None, whole=True).items():
            assert hit.valid_from is not None
            yield int(hit.valid_from.timestamp() * 1e6), item, hit.text.split("\n")


def _is_small(tx: Read, ask: Ask) -> bool:
    total = 0
    for namespace in ask.scope.readable:
        view = tx.view(namespace, HISTORY)
        total += 0 if view is None else view.space.total_length
    return total * 8 < SMALL


def _candidates(tx: Read, ask: Ask, view: SpaceView, namespace: str, needle: str, threshold: float) -> list[int]:
    terms = _near_terms(view, needle, threshold)
    moment = moment_of(tx.now, None, None, None)
    filters = history_filters(tx, view, ask, moment, namespace)
    found = keyword.search(view.postings, terms, CANDIDATES * (1 if filters.judge is None else 8), filters.mask).ords
    ords = found.tolist() if filters.judge is None else filters.judge(sorted(found.tolist()))
    return [int(item) for item in view.columns["item"][np.array(ords[:CANDIDATES], np.int64)]]


def _near_terms(view: SpaceView, needle: str, threshold: float) -> list[tuple[str, float]]:
    """Return the terms of the store that are, or are like, words of the needle, each with its likeness."""
    own = list(dict.fromkeys(analyze(needle)))
    weights = dict.fromkeys(own, 1.0)
    words = [word for word in dict.fromkeys((*own, *needle.split())) if len(word) >= SHORTEST and word.isalnum()]
    vocabulary = view.vocabulary("", SHORTEST, max(map(len, words), default=0) + 3, limit=300_000) if words else []
    for word in words:
        cutoff = max(1, round(len(word) * (1 - threshold / 100)))
        near = process.extract(word, vocabulary, scorer=OSA.distance, score_cutoff=cutoff, limit=_NEAR)
        for term, distance, _ in near:
            weights[term] = max(weights.get(term, 0.0), 1 - float(distance) / max(len(word), 1))
        for term in _beginnings(word, vocabulary):
            weights[term] = max(weights.get(term, 0.0), 0.5)
    return list(weights.items())


def _beginnings(word: str, vocabulary: Sequence[str]) -> list[str]:
    """A slip at the end of a word hides its stem, which is a beginning of it."""
    heads = {word[:size] for size in range(max(4, len(word) - 5), len(word))}
    return [term for term in vocabulary if term in heads] if heads else []


def _alike(at: int, item: int, lines: Sequence[str], needle: str, threshold: float) -> Iterator[Found]:
    for number, line in enumerate(lines):
        found = likeness(needle, line, threshold)
        if found is not None:
            yield Found(at, item, number, found[1], found[2], round(found[0], 1))


def likeness(needle: str, line: str, threshold: float) -> tuple[float, int, int] | None:
    """Return (likeness 0 to 100, start, end) of the stretch of a line most like a folded needle, None below it.

    Stretches are as long as the needle, so that a short line is not taken for a part of it.
    """
    folded = fold(line)
    if 2 * len(folded) < len(needle) or not needle:
        return None
    if len(folded) < len(needle):
        score = float(fuzz.ratio(needle, folded, score_cutoff=threshold))
        return (score, 0, len(line)) if score else None
    best = fuzz.partial_ratio_alignment(needle, folded, score_cutoff=threshold)
    if best is None or best.score < threshold:
        return None
    if len(folded) != len(line):
        return float(best.score), 0, len(line)
    return float(best.score), best.dest_start, best.dest_end
