"""Which statements may not overtake which, for reasons that their vectors do not know."""

from __future__ import annotations

from typing import Final

from omoide.store.sqlite.shown import Shown
from omoide.text.matter import in_common, words_of

SHARED: Final = 0.25
"""Share of the words that two Chinese or Japanese statements about one matter have in common, at least."""
_CORRECTIONS: Final = frozenset({"revise", "update", "supersede"})


def bars(lifted: Shown | None, passed: Shown | None) -> bool:
    """Say whether a version may not overtake another.

    Vectors of short Chinese and Japanese sentences lie close together whatever they say, so their words have to
    agree as well. What somebody corrected on purpose is not overtaken by what was said before the correction.
    """
    if lifted is None or passed is None:
        return False
    if passed.cause in _CORRECTIONS and passed.known_from >= lifted.known_from:
        return True
    if lifted.predicate and _slot(lifted) == _slot(passed):
        return False
    share = in_common(words_of(lifted.text), words_of(passed.text))
    return share is not None and share < SHARED


def _slot(row: Shown) -> tuple[str | None, str | None]:
    return row.subject, row.predicate
