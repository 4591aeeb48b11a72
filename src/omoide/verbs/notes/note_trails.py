"""Answers that others lead to: the memories at the ends of the links of what was found, within bounds."""

from __future__ import annotations

import time
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from omoide.errors import InvalidInputError
from omoide.model.records import Row
from omoide.store.sqlite.notes import Notes, SeenRow
from omoide.store.sqlite.shown import ShownRows
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.relating import Relating
from omoide.types import Hit, Hits
from omoide.vault.links import Names
from omoide.vault.store import VaultStore
from omoide.verbs.asking.answers import cost_of, within
from omoide.verbs.asking.asked import Ask, Course
from omoide.verbs.asking.moments import moment_of
from omoide.verbs.asking.present import present
from omoide.verbs.context import Context
from omoide.verbs.convert import hit_of
from omoide.verbs.notes.note_links import READ, read_note

DEEPEST: Final = 3
"""Links that may lie between a hit and what it leads to."""
MOST: Final = 200
"""Links of one question that are followed."""
SECONDS: Final = 0.05
"""How long links are followed, whatever there is to read."""
_FADES: Final = 0.5
"""What is left of the score of a hit after each link."""
_RELATED: Final = frozenset(("derived", "supersedes", "conflict", "related"))
CUT: Final = "not all links were followed: there are too many of them"

_KNOWN: Final[weakref.WeakKeyDictionary[VaultStore, tuple[int, _Paths]]] = weakref.WeakKeyDictionary()


def check_depth(links: object) -> int:
    """Return a number of links from a hit.

    Raises:
        InvalidInputError: it is none from 0 to 3.
    """
    if isinstance(links, bool) or not isinstance(links, int) or not 0 <= links <= DEEPEST:
        raise InvalidInputError(f"links must be a whole number from 0 to {DEEPEST}, not {links!r}", value=links)
    return links


def along(ctx: Context, ask: Ask, hits: Hits, depth: int) -> Hits:
    """Return hits and behind them what they lead to, at most as many again as were asked for, nearest first.

    Followed are links in notes, either way only from where they are written, and what was derived from, took the
    place of, or is in conflict with a hit. What is led to has to pass every filter of the question, and to fit into
    what is left of its tokens. What was not followed for want of time is told in ``reasons``.
    """
    starts = [hit for hit in hits if hit.origin == "memory" and isinstance(hit.id, int)]
    if not depth or not starts:
        return hits
    search, room = Course(ask.k), ask
    if ask.max_tokens is not None:
        room = replace(ask, max_tokens=ask.max_tokens - sum(cost_of(hit) for hit in hits))
    with ctx.store.read(ask.scope) as tx:
        trail = _Trail(ctx, tx, ask)
        found = list(within(room, search, trail.walk(starts, depth)))
        hits.extend(present(tx, found, past=trail.moment.past))
    hits.truncated = hits.truncated or search.truncated
    if trail.cut:
        hits.degraded, hits.reasons = True, (*hits.reasons, CUT)
    return hits


class _Trail:
    """One walk along links."""

    def __init__(self, ctx: Context, tx: Read, ask: Ask) -> None:
        self._tx, self._ask, self._shown = tx, ask, ShownRows(tx.connection)
        self.moment = moment_of(tx.now, ask.as_of, ask.valid_at, ask.known_at)
        self._paths = _paths(ctx.store, tx) if isinstance(ctx.store, VaultStore) else None
        self._end = time.monotonic() + SECONDS
        self._left = MOST
        self.cut = False

    def walk(self, starts: Sequence[Hit], depth: int) -> Iterator[Hit]:
        """Yield what hits lead to, by the number of links between, then by how many of them lead there."""
        scores = {hit.id: hit.score for hit in starts if isinstance(hit.id, int)}
        known, edge = set(scores), list(scores)
        for steps in range(1, depth + 1):
            led: dict[int, list[int]] = {}
            for source, target in self._links(edge):
                if target not in known:
                    led.setdefault(target, []).append(source)
            ranked = Counter({target: len(sources) for target, sources in led.items()})
            edge = [target for target, _ in ranked.most_common()]
            known.update(edge)
            scores |= {target: _FADES * max(scores[source] for source in led[target]) for target in edge}
            for found in filter(None, self._shown.many([row.version_id for row in self._answers(edge)])):
                yield hit_of(
                    found, self._tx.namespaces.name(found.ns), self._tx.now, score=scores[found.memory_id],
                    explanation={"linked_from": led[found.memory_id][0], "links": steps}, past=self.moment.past,
                )  # fmt: skip

    def _links(self, sources: Sequence[int]) -> Iterator[tuple[int, int]]:
        for source in sources:
            for target in dict.fromkeys((*self._related(source), *self._noted(source))):
                if self._left <= 0 or time.monotonic() > self._end:
                    self.cut = True
                    return
                self._left -= 1
                yield source, target

    def _related(self, id: int) -> Iterator[int]:
        for link in self._tx.relations.links(id):
            if link.kind in _RELATED and link.ended_at is None:
                yield link.to_id if link.from_id == id else link.from_id

    def _noted(self, id: int) -> Iterable[int]:
        return () if self._paths is None else self._paths.links_of(self._tx, id)

    def _answers(self, ids: Sequence[int]) -> Iterator[Row]:
        """Yield the pieces of memories that pass the filters of the question, in the order of the memories."""
        rows = [row for id in ids for row in self._tx.versions.of_memory(id)]
        passed: set[tuple[str, int]] = set()
        for namespace in self._ask.scope.readable:
            ords = [row.ord for row in rows if row.namespace == namespace]
            selection = self._ask.selection(namespace, self.moment)
            passed |= {(namespace, ord) for ord in (self._tx.selecting.ords_among(selection, ords) if ords else ())}
        seen: set[int] = set()
        for row in rows:
            if (row.namespace, row.ord) in passed and row.memory_id not in seen:
                seen.add(row.memory_id)
                yield row


class _Paths:
    """Which notes there are, by name, and which memories they say."""

    def __init__(self, store: VaultStore, rows: Iterable[SeenRow]) -> None:
        self._root, self._names = store.root, Names()
        self._read = READ.setdefault(store, {})
        self._of: dict[str, SeenRow] = {}
        self._uids: dict[str, str] = {}
        for row in rows:
            known = self._read.get(row.path)
            self._names.add(row.path, known.aliases if known is not None and known.hash == row.hash else ())
            if row.uid is not None:
                self._of[row.uid], self._uids[row.path] = row, row.uid

    def links_of(self, tx: Read, id: int) -> list[int]:
        """Return the memories to which the note of a memory leads."""
        state = tx.memories.get(id)
        row = None if state is None else self._of.get(state.uid)
        if row is None:
            return []
        known = self._read.get(row.path)
        if known is None or known.hash != row.hash:
            known = self._read[row.path] = read_note(self._root / row.path, row.hash)
        paths = dict.fromkeys(path for link in known.links if (path := self._names.resolve(row.path, link)) is not None)
        uids = [self._uids[path] for path in paths if path in self._uids]
        ids = Relating(tx.connection).ids_of(uids)
        return [ids[uid] for uid in uids if uid in ids]


def _paths(store: VaultStore, tx: Read) -> _Paths:
    notes = Notes(tx.connection)
    turn = notes.turn
    known = _KNOWN.get(store)
    if known is None or known[0] != turn:
        known = _KNOWN[store] = turn, _Paths(store, notes.seen())
    return known[1]
