"""Which statements may not overtake which, for reasons that their vectors do not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.store.sqlite.shown import Shown
from omoide.text.matter import in_common, words_of

SHARED: Final = 0.25
"""Share of the words that two Chinese or Japanese statements about one matter have in common, at least."""
_CORRECTIONS: Final = frozenset({"revise", "update", "supersede"})


def barred(rows: Sequence[Shown | None]) -> NDArray[np.bool_]:
    """Return for every two versions whether the row may not overtake the column.

    Vectors of short Chinese and Japanese sentences lie close together whatever they say, so their words have to
    agree as well. What somebody corrected on purpose is not overtaken by what was said before the correction.
    """
    told = [(row, words_of(row.text)) for row in rows if row is not None]
    found = np.zeros((len(rows), len(rows)), np.bool_)
    own = np.flatnonzero([row is not None for row in rows])
    found[np.ix_(own, own)] = [[_barred(*lifted, *passed) for passed in told] for lifted in told]
    return found


def _barred(lifted: Shown, words: frozenset[str], passed: Shown, others: frozenset[str]) -> bool:
    if lifted is passed:
        return False
    if passed.cause in _CORRECTIONS and passed.known_from >= lifted.known_from:
        return True
    if lifted.predicate and _slot(lifted) == _slot(passed):
        return False
    share = in_common(words, others)
    return share is not None and share < SHARED


def _slot(row: Shown) -> tuple[str | None, str | None]:
    return row.subject, row.predicate
