"""Which statements may not overtake which, for reasons that their vectors do not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from omoide.store.sqlite.shown import Shown
from omoide.text.matter import in_common

SHARED: Final = 0.25
"""Share of the words that two Chinese or Japanese statements about one matter have in common, at least."""
_CORRECTIONS: Final = frozenset({"revise", "update", "supersede"})


def barred(rows: Sequence[Shown | None]) -> NDArray[np.bool_]:
    """Return for every two versions whether the row may not overtake the column.

    Vectors of short Chinese and Japanese sentences lie close together whatever they say, so their words have to
    agree as well. What somebody corrected on purpose is not overtaken by what was said before the correction.
    """
    return np.array([[_barred(lifted, passed) for passed in rows] for lifted in rows], np.bool_)


def _barred(lifted: Shown | None, passed: Shown | None) -> bool:
    if lifted is None or passed is None or lifted is passed:
        return False
    if passed.cause in _CORRECTIONS and passed.known_from >= lifted.known_from:
        return True
    if lifted.predicate and _slot(lifted) == _slot(passed):
        return False
    share = in_common(lifted.text, passed.text)
    return share is not None and share < SHARED


def _slot(row: Shown) -> tuple[str | None, str | None]:
    return row.subject, row.predicate
