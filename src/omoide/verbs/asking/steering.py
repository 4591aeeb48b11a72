"""Time words of a question at work: the named time brings candidates of its own, and what lies near it ranks higher."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.model.records import Row
from omoide.model.selection import Moment
from omoide.model.time import Micros, optional_datetime, to_micros
from omoide.search.engine import Filters, Pool, Question
from omoide.search.rank import Ranked
from omoide.search.steer import inside, nearness, steered
from omoide.search.vectors import VectorIndex
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.transaction import Read
from omoide.text.when import TimeRange, time_ranges
from omoide.types import TimeWords
from omoide.verbs.asking import legs
from omoide.verbs.asking.asked import Ask, Course
from omoide.verbs.context import Context

LOOKED_AT: Final = 64
"""Best candidates whose rows are read for further dates: when it was observed, and dates in the metadata."""
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}.*)?")


def asked_times(ctx: Context, ask: Ask, moment: Moment, now: Micros) -> tuple[TimeRange, ...]:
    """Return the times that the question names, seen from the time it is asked about."""
    if ask.query is None:
        return ()
    clock = min(moment.valid_at, moment.known_at) if moment.past else now
    return time_ranges(ask.query, clock, zone=ctx.zone)


def told_times(when: Sequence[TimeRange]) -> tuple[TimeWords, ...]:
    """Return the times that a question names as users see them."""
    return tuple(
        TimeWords(asked.phrase, optional_datetime(asked.start), optional_datetime(asked.end)) for asked in when
    )


def widened(
    view: SpaceView, vectors: VectorIndex | None, question: Question, filters: Filters, pool: Pool, search: Course
) -> Pool:
    """Return the pool with the best candidates of the named times beside the best of all times."""
    if not search.when:
        return pool
    columns = view.columns
    mask = filters.mask & inside(columns["valid_from"], columns["valid_to"], _spans(search.when))
    if not mask.any():
        return pool
    narrow = Filters(mask, filters.flags, filters.judge, filters.everyone)
    return _merged(pool, legs.gather_readable(view, vectors, question, narrow, search.reasons))


def steer(
    ranked: Ranked, parts: Sequence[Mapping[str, NDArray[Any]]], search: Course, *, rows_of: Read | None
) -> Ranked:
    """Return the ranking steered by the times that the question names, as it is when it names none.

    ``rows_of`` reads further dates of memories.
    """
    if not search.when:
        return ranked
    asked = _spans(search.when)
    starts, ends = (np.concatenate([part[name] for part in parts]) for name in ("valid_from", "valid_to"))
    near = nearness(starts, ends, asked)
    if rows_of is not None:
        items = np.concatenate([part["item"] for part in parts])
        places = [int(place) for place in ranked.order[:LOOKED_AT] if near[place] < 1]
        _raise_to_rows(near, items, places, asked, rows_of)
    return steered(ranked, near)


def _raise_to_rows(
    near: NDArray[np.float32], items: NDArray[Any], places: list[int], asked: list[tuple[Micros, Micros]], tx: Read
) -> None:
    rows = tx.versions.with_states([int(items[place]) for place in places])
    dated = [
        (place, date)
        for place in places
        if (found := rows.get(int(items[place]))) is not None
        for date in _dates(found[0])
    ]
    if dated:
        at, dates = (np.array(column, np.int64) for column in zip(*dated, strict=True))
        np.maximum.at(near, at, nearness(dates, dates + 1, asked))


def _dates(row: Row) -> Iterator[Micros]:
    """Yield when a memory was observed and every ISO 8601 date among the values of its metadata."""
    if row.observed_at is not None:
        yield row.observed_at
    for value in row.claim.metadata.values():
        if isinstance(value, str) and _ISO.fullmatch(value):
            try:
                yield to_micros(value)
            except InvalidInputError:
                continue


def _spans(when: Sequence[TimeRange]) -> list[tuple[Micros, Micros]]:
    return [(asked.start, asked.end) for asked in when]


def _merged(first: Pool, second: Pool) -> Pool:
    ords, places = np.unique(np.concatenate([first.ords, second.ords]), return_index=True)
    bm25 = np.concatenate([first.bm25, second.bm25])[places]
    cosines = np.concatenate([first.cosines, second.cosines])[places]
    return Pool(ords, bm25, cosines, first.coverage, first.best_possible, first.timings)
