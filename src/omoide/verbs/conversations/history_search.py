"""Conversations as answers: which turns and segments may be returned, and the hits that they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.model.history import KIND, SegmentRow, SessionRow, TurnRow, turn_name
from omoide.model.segments import TURN
from omoide.model.selection import Moment
from omoide.model.time import optional_datetime, to_datetime
from omoide.search.columns import ARCHIVED, Bools
from omoide.search.engine import Filters, Pool
from omoide.search.rank import Ranked
from omoide.store.sqlite.cited import retracted_history
from omoide.store.sqlite.conversations.history_rows import Listed
from omoide.store.sqlite.indexing.history_source import item_of_segment, item_of_turn, split_items
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Read
from omoide.text.excerpt import excerpt
from omoide.text.normalize import fold
from omoide.types import Hit, Provenance
from omoide.verbs.asking.asked import Ask
from omoide.verbs.asking.masks import taken_in, within

BEHIND: Final = np.float32(0.25)
"""What an archived segment loses in the ranking: about a quarter of the best match."""
WHOLE: Final = 2400
"""Characters up to which a hit carries a text whole; a longer one is shown around what matched."""
MOST: Final = 2**62


def history_filters(tx: Read, view: SpaceView, ask: Ask, moment: Moment, namespace: str) -> Filters:
    """Return which turns and segments may answer; what is asked of beliefs only, none of them has."""
    mask = _mask(tx, view, ask, moment)
    hidden = [] if ask.include_retracted else _hidden(tx, namespace, moment)
    if hidden:
        mask = mask & ~np.isin(view.columns["owner"], np.array(hidden, np.int64))
        items = np.array([item for item in hidden if item % 2 == 0], np.int64)
        mask = mask & ~np.isin(view.columns["item"], items)
    wanted = wanted_of(ask)
    if not wanted.needs_rows:
        return Filters(mask, view.columns["flags"])
    return Filters(
        mask,
        view.columns["flags"],
        judge=lambda ords: tx.said.ords_among(namespace, wanted, ords),
        everyone=lambda: tx.said.ords(namespace, wanted),
    )


def wanted_of(ask: Ask) -> Any:
    """Return what rows have to tell, with what every recall may ask for."""
    return ask.wanted._replace(
        where=ask.where if ask.wanted.where is None else ask.wanted.where,
        tags=ask.tags if ask.wanted.tags is None else ask.wanted.tags,
    )


def _hidden(tx: Read, namespace: str, moment: Moment) -> list[int]:
    ns = tx.namespaces.id(namespace)
    return [] if ns is None else retracted_history(tx.connection, ns, moment.known_at)


def _mask(tx: Read, view: SpaceView, ask: Ask, moment: Moment) -> Bools:
    if _asks_for_beliefs(ask):
        return np.zeros(view.columns.size, np.bool_)
    mask = within(taken_in(tx, view, ask, moment), view.columns["valid_from"], ask)
    if ask.project is None:
        return mask
    number = tx.projects.id(ask.project)
    own: Bools = view.columns["project"] == (-1 if number is None else number)
    return mask & (own if ask.wanted.exact_project else own | (view.columns["project"] == 0))


def _asks_for_beliefs(ask: Ask) -> bool:
    about = ask.subjects is not None or ask.predicate is not None
    return about or (ask.kinds is not None and KIND not in ask.kinds)


def behind(ranked: Ranked, parts: Sequence[dict[str, NDArray[Any]]]) -> Ranked:
    """Return the ranking with archived segments put back by ``BEHIND``."""
    archived = np.concatenate([part["flags"] for part in parts]) & np.uint32(ARCHIVED) != 0
    if not archived.any():
        return ranked
    total = ranked.total - BEHIND * archived
    since = np.concatenate([part["known_from"] for part in parts])
    order = np.lexsort((-since, -total))
    return Ranked(order, ranked.scores, ranked.parts | {"archived": -BEHIND * archived, "total": total}, total)


def history_hits(tx: Read, ask: Ask, ranked: Ranked, items: NDArray[Any], pools: Sequence[Pool]) -> Iterator[Hit]:
    """Yield turns and segments best first, rows fetched a few at a time."""
    bm25 = np.concatenate([pool.bm25 for pool in pools])
    cosines = np.concatenate([pool.cosines for pool in pools])
    for first in range(0, len(ranked.order), ask.k):
        places = ranked.order[first : first + ask.k]
        found = fetched(tx, [int(items[place]) for place in places], ask.query)
        for place in places:
            hit = found.get(int(items[place]))
            if hit is None:
                continue
            keyword, cosine = float(bm25[place]), float(cosines[place])
            yield replace(
                hit, score=float(ranked.scores[place]), bm25_score=keyword if keyword > 0 else None,
                vector_score=None if np.isnan(cosine) else cosine,
                explanation=ranked.explained(int(place)),
            )  # fmt: skip


def listed_history(tx: Read, ask: Ask, moment: Moment, limit: int) -> Iterator[Hit]:
    """Yield turns and segments without a question: the most important first, then the freshest."""
    if HISTORY not in ask.collections or _asks_for_beliefs(ask):
        return
    for namespace in ask.scope.readable:
        listed = Listed(
            tx.namespaces.id(namespace), moment.known_at if moment.past else None, ask.trusts, ask.project, ask.since,
            ask.until, wanted_of(ask),
        )  # fmt: skip
        hidden = set() if ask.include_retracted else set(_hidden(tx, namespace, moment))
        rows = tx.said.listed(listed, limit + (10_000 if hidden else 0))
        items = [item_of_segment(number) if saved else item_of_turn(number) for saved, number in rows]
        found = fetched(tx, items, None, hidden)
        yield from (found[item] for item in items if item in found)


def fetched(
    tx: Read, items: Sequence[int], query: str | None, hidden: set[int] | None = None, *, whole: bool = False
) -> dict[int, Hit]:
    """Return the hits of items of the index that are there, but for those of ``hidden`` owners.

    Long texts are cut to what answers ``query`` unless ``whole``.
    """
    most = MOST if whole else WHOLE
    turns, segments = split_items(items)
    out = hidden or set()
    found: dict[int, Hit] = {}
    rows, saved = tx.turns.many(turns), tx.segments.many(segments)
    sessions = _sessions(
        tx, [*(row.session_id for row in rows.values()), *(row.session_id for row, _ in saved.values())]
    )
    lasts = {session_id: tx.turns.last_number(session_id) for session_id in {row.session_id for row in rows.values()}}
    for turn_id, turn in rows.items():
        if item_of_turn(turn.session_id) not in out:
            session = sessions[turn.session_id]
            found[item_of_turn(turn_id)] = turn_hit(turn, session, lasts[turn.session_id], query, most)
    for number, (row, text) in saved.items():
        owned = row.session_id is not None and item_of_turn(row.session_id) in out
        if not owned and item_of_segment(number) not in out:
            session_row = None if row.session_id is None else sessions.get(row.session_id)
            found[item_of_segment(number)] = segment_hit(row, text, session_row, query, most)
    return found


def _sessions(tx: Read, ids: Sequence[int | None]) -> dict[int, SessionRow]:
    found = {session_id: tx.sessions.get(session_id) for session_id in set(ids) if session_id is not None}
    return {session_id: row for session_id, row in found.items() if row is not None}


def turn_hit(turn: TurnRow, session: SessionRow, of: int, query: str | None, most: int) -> Hit:
    """Return a search answer for a turn; ``metadata`` say where in its session it stands."""
    text, place = _shown(turn.text, query, most)
    at = turn.added_at if turn.at is None else min(turn.at, turn.added_at)
    return Hit(
        id=turn_name(session.name, turn.number), text=text, score=1.0, namespace=session.namespace,
        metadata={
            **turn.metadata, "session": session.name, "role": turn.role, "turn": turn.number, "turns": of, **place
        },
        origin="history", kind=TURN, trust=turn.trust, valid_from=to_datetime(at),
        known_from=to_datetime(turn.added_at), source=session.name, project=session.project,
        provenance=Provenance(None, session.host, session.path, optional_datetime(turn.at), (), turn.batch),
        created_at=to_datetime(turn.added_at),
    )  # fmt: skip


def segment_hit(row: SegmentRow, text: str, session: SessionRow | None, query: str | None, most: int) -> Hit:
    """Return a search answer for a segment; ``abstract`` is its summary, ``metadata`` tell which lines are shown."""
    shown, place = _shown(text, query, most)
    told = {"session": None if session is None else session.name, "domain": row.domain, "replaced_by": row.replaced_by}
    metadata = {**row.metadata, **{name: value for name, value in told.items() if value is not None}, **place}
    at = to_datetime(row.at)
    return Hit(
        id=row.segment_id, text=shown, score=1.0, metadata=metadata, namespace=row.namespace, origin="history",
        abstract=row.summary, kind=row.kind, tags=row.tags, trust=row.trust,
        status="archived" if row.archived else "current", valid_from=at, known_from=at,
        source=row.segment_id if session is None else session.name, project=row.project, importance=row.importance,
        provenance=Provenance(row.actor, row.door, row.segment_id, None, (), row.batch), created_at=at,
    )  # fmt: skip


def _shown(text: str, query: str | None, most: int) -> tuple[str, dict[str, int]]:
    """Return a text, a long one cut to the lines around what matched, and which lines these are."""
    if len(text) <= most:
        return text, {}
    cut = excerpt(text, fold(query or ""), most)
    return cut.text, {"line_from": cut.first, "line_to": cut.last, "lines": cut.of}
