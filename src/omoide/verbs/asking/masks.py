"""Which entries of documents and conversations a question lets in: what was taken in by then, as far as trusted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from omoide.model.selection import Moment
from omoide.model.trust import RANK
from omoide.search import columns as col
from omoide.search.columns import ERASED, Bools
from omoide.search.sets import among
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.transaction import Read
from omoide.verbs.asking.asked import Ask


def taken_in(tx: Read, view: SpaceView, ask: Ask, moment: Moment) -> Bools:
    """Return which entries of a space were there at the known time asked for and have a trust that is asked for.

    Neither documents nor conversations have a valid time of their own. The result is not to be changed.
    """
    flags = view.columns["flags"]
    least = min((RANK[trust] for trust in ask.trusts), default=0)
    if moment.past:
        mask: Bools = view.columns.at_time(moment.known_at, moment.known_at)
        mask &= flags & np.uint32(ERASED) == 0
        mask &= col.trust_of(flags) >= least
    else:
        mask = view.current(tx.now, hidden=ERASED, least_trust=least)
    ranks = {RANK[trust] for trust in ask.trusts}
    return mask if ranks == set(range(least, len(RANK))) else mask & among(col.trust_of(flags), ranks)


def within(mask: Bools, times: NDArray[np.int64], ask: Ask) -> Bools:
    """Return the mask narrowed to entries whose time lies in ``[since, until)``; ``mask`` itself is not changed."""
    if ask.since is not None:
        mask = mask & (times >= ask.since)
    return mask if ask.until is None else mask & (times < ask.until)
