"""Entries with a key over memories: what adapters of key-value interfaces share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import quote

import numpy as np

from omoide.embed.windows import SECTION
from omoide.errors import AccessDeniedError, EmbedderUnavailableError, InvalidInputError, StoreBusyError
from omoide.integrations.diverse import Vector, diverse
from omoide.integrations.entries import BLANK, Change, Entry, entry_of
from omoide.memory import Memory
from omoide.model import bitemporal
from omoide.model.policy import WriteScope
from omoide.model.records import Claim, Row, digest
from omoide.model.selection import Selection
from omoide.model.time import Micros, to_datetime
from omoide.model.trust import may_replace
from omoide.model.uids import uuid7
from omoide.model.where import parse
from omoide.store.sqlite.namespaces import MEMORIES
from omoide.store.sqlite.transaction import Read, Write
from omoide.types import Hit
from omoide.verbs import gate, recall
from omoide.verbs.asking.asked import Ask
from omoide.verbs.drafts import draft_claim
from omoide.verbs.recall import MODEL_PATIENCE
from omoide.verbs.revise import replace_pieces
from omoide.verbs.writing import writing

T = TypeVar("T")

TRIES: Final = 200
"""How often a change is made anew because somebody else wrote meanwhile."""
FIRST_PAGE: Final = 32
"""Entries that are read before it is known how many of them pass a filter."""


class Keyed(Memory):
    """Memories of one door, each under a key that is unique in its namespace.

    The key and the adapter's own data are in the metadata; door and key are the source as well, which is indexed.
    """

    # -- writing ---------------------------------------------------------------------------------------

    def apply(self, changes: Iterable[Change], *, unless: Mapping[str, int] | None = None) -> bool:
        """Carry out changes in one transaction, the last of each key only; return whether that was done.

        ``unless`` maps namespaces to their ``stamp``: nothing is done when one of them has another by now.

        Raises:
            InvalidInputError: a text or data that cannot be stored; nothing was changed.
            AccessDeniedError: the policy does not open a namespace.
        """
        last = {(change.namespace, change.key): change for change in changes}
        wanted = [(change, self._claim(change)) for change in last.values()]
        if not wanted:
            return True
        ctx = self._ctx
        scopes = self._write_scopes(change.namespace for change, _ in wanted)
        ctx.embedding.prepare([claim for _, claim in wanted if claim is not None], ctx.store)
        with writing(ctx, *scopes) as tx:
            if any(_stamp(tx, name) != stamp for name, stamp in (unless or {}).items()):
                return False
            for change, claim in wanted:
                self._change(tx, change, claim)
        return True

    def settle(
        self, namespace: str, attempt: Callable[[list[Entry]], tuple[Sequence[Change], T]], group: str | None = None
    ) -> T:
        """Carry out what ``attempt`` makes of the entries of a namespace, or of a group, and return what it says.

        It is asked again when somebody else wrote to the namespace meanwhile, so that no change is lost.

        Raises:
            StoreBusyError: others wrote every time.
        """
        for _ in range(TRIES):
            stamp, entries = self.snapshot(namespace) if group is None else self.group(namespace, group)
            changes, said = attempt(entries)
            if self.apply(changes, unless={namespace: stamp}):
                return said
        raise StoreBusyError(f"others wrote to {namespace!r} during {TRIES} tries; try again", value=namespace)

    def touch(self, entries: Sequence[Entry]) -> None:
        """Note that entries were seen now."""
        if not entries:
            return
        with writing(self._ctx, *self._write_scopes(entry.namespace for entry in entries)) as tx:
            for namespace in dict.fromkeys(entry.namespace for entry in entries):
                ids = [entry.id for entry in entries if entry.namespace == namespace]
                for state in tx.memories.many(ids).values():
                    tx.set_state(state, last_seen=tx.now)
                tx.log("seen", namespace, ids)

    def _write_scopes(self, namespaces: Iterable[str]) -> list[WriteScope]:
        policy = self._ctx.policy
        return [policy.write_scope(self.namespace, namespace) for namespace in dict.fromkeys(namespaces)]

    def _claim(self, change: Change) -> Claim | None:
        source = self._source(change.key, change.group)
        if change.text is None:
            return None
        marks = {"adapter": self._ctx.door, "key": change.key, **change.data}
        text = change.text
        if not text.replace(SECTION, "").strip():
            marks["blank"], text = text, BLANK
        return draft_claim(text, door_trust=self._ctx.door_trust, metadata=marks, kind="note", source=source)

    def _source(self, key: object, group: str | None = None) -> str:
        if not isinstance(key, str) or not key:
            raise InvalidInputError(f"a key must be a text that is not empty, not {key!r}", value=key)
        name = key if group is None else group
        plain = name == name.strip() and "\0" not in name
        return f"{self._origin}:{name if plain else quote(name)}"

    @property
    def _origin(self) -> str:
        """What sources begin with: the door, in a form that does not say that a tool is where a text comes from."""
        return self._ctx.door.replace(":", "-")

    def _change(self, tx: Write, change: Change, claim: Claim | None) -> None:
        row = self._row(tx, change.namespace, change.was or change.key, change.group)
        if claim is None:
            if row is not None:
                self._end(tx, row)
        elif row is None:
            self._open(tx, change.namespace, claim)
        else:
            self._replace(tx, row, claim)

    def _open(self, tx: Write, namespace: str, claim: Claim) -> None:
        key = gate.admit(tx, namespace, claim)[0]
        state = tx.new_memory(uuid7(tx.now), namespace)
        tx.open_version(
            state, claim, self._ctx.embedding.again(tx, claim), valid_from=tx.now, cause="remember", same=key
        )
        tx.log("remember", namespace, [state.id])

    def _replace(self, tx: Write, row: Row, claim: Claim) -> None:
        self._may_change(row)
        state = tx.memories.get(row.memory_id)
        assert state is not None
        cut = bitemporal.Cut((row,), ())
        replace_pieces(self._ctx, tx, state, cut, claim, row.valid_from, row.valid_to, None, "update")
        tx.set_state(state, last_seen=tx.now, archived=0)
        tx.log("update", row.namespace, [row.memory_id])

    def _end(self, tx: Write, row: Row) -> None:
        self._may_change(row)
        state = tx.memories.get(row.memory_id)
        assert state is not None
        for piece in tx.versions.of_memory(row.memory_id, only_open=True):
            tx.close_version(piece, "forget")
        tx.set_state(state, ended="forget", ended_by=tx.seq)
        tx.log("forget", row.namespace, [row.memory_id])

    def _may_change(self, row: Row) -> None:
        if not may_replace(self._ctx.door_trust, row.claim.trust):
            raise AccessDeniedError(
                f"a door of trust {self._ctx.door_trust!r} may not replace memory {row.memory_id}, which is"
                f" {row.claim.trust}",
                value=row.memory_id,
            )

    # -- reading ---------------------------------------------------------------------------------------

    def entry(self, namespace: str, key: str) -> Entry | None:
        """Return the entry under a key, or None."""
        self._source(key)
        self._ctx.flush()
        with self._ctx.store.read(self._ctx.scope(namespace)) as tx:
            row = self._row(tx, namespace, key)
            return None if row is None else self._entries(tx, [row])[0]

    def group(self, namespace: str, group: str) -> tuple[int, list[Entry]]:
        """Return a namespace's stamp and the entries of a group, in the order they were made."""
        self._ctx.flush()
        with self._ctx.store.read(self._ctx.scope(namespace)) as tx:
            ns = tx.namespaces.id(namespace)
            rows = [] if ns is None else tx.versions.told_by(ns, self._source("-", group))
            mine = [row for row in rows if row.claim.metadata.get("adapter") == self._ctx.door]
            return _stamp(tx, namespace), sorted(self._entries(tx, mine), key=lambda entry: entry.id)

    def snapshot(self, namespace: str) -> tuple[int, list[Entry]]:
        """Return a namespace's stamp and its entries, in the order they were made."""
        self._ctx.flush()
        with self._ctx.store.read(self._ctx.scope(namespace)) as tx:
            rows = tx.selecting.rows(self._all(namespace), order="oldest")
            return _stamp(tx, namespace), self._entries(tx, rows)

    def entries(
        self, namespaces: Sequence[str], where: Mapping[str, Any] | None = None, *,
        keep: Callable[[Entry], bool] = lambda _: True, wanted: int | None = None,
    ) -> list[Entry]:  # fmt: skip
        """Return at most ``wanted`` entries that match and that ``keep`` lets through, in the order they were made.

        Where a wanted number is given, namespace after namespace is read until there are enough.
        """
        if not namespaces:
            return []
        self._ctx.flush()
        found: list[Entry] = []
        with self._ctx.store.read(self._ctx.scope(list(namespaces))) as tx:
            for name in namespaces:
                lacking = None if wanted is None else wanted - len(found)
                if lacking is None or lacking > 0:
                    found += self._first(tx, self._all(name, where), keep, lacking)
        return found

    def found(
        self, query: str, namespaces: Sequence[str], wanted: int, keep: Callable[[Entry], bool],
        where: Mapping[str, Any] | None = None, *, vector: Sequence[float] | None = None, **options: Any,
    ) -> list[Entry]:  # fmt: skip
        """Return at most ``wanted`` entries that answer a question and that ``keep`` lets through, best first.

        ``vector`` is the question as the store's model would embed it; words are not looked at then.
        """
        if not namespaces or wanted <= 0 or (vector is None and not query.strip()):
            return []
        conditions = {"$and": [{"adapter": self._ctx.door}, *([where] if where else [])]}
        k = wanted
        while True:
            hits = self._hits(query, k, list(namespaces), conditions, vector, options)
            kept = [entry for entry in self._of_hits(hits) if keep(entry)]
            if len(kept) >= wanted or len(hits) < k:
                return kept[:wanted]
            k *= 4

    def homes(self, keep: Callable[[str], bool] = lambda _: True, where: Mapping[str, Any] | None = None) -> list[str]:
        """Return the namespaces that this handle may read, that ``keep`` lets through and that hold such entries."""
        self._ctx.flush()
        scope = self._ctx.wide_scope()
        with self._ctx.store.read(scope) as tx:
            return [name for name in scope.readable if keep(name) and tx.selecting.any(self._all(name, where))]

    def various(
        self, query: str, namespaces: Sequence[str], wanted: int, among: int, relevance: float,
        keep: Callable[[Entry], bool] = lambda _: True, where: Mapping[str, Any] | None = None, *,
        vector: Sequence[float] | None = None,
    ) -> list[Entry]:  # fmt: skip
        """Return those of the best ``among`` answers that are the most relevant and the least alike.

        Without a model the best answers are returned.
        """
        found = self.found(query, namespaces, max(wanted, among), keep, where, vector=vector)
        asked = self._ctx.embedding.question(query)[0] if vector is None else np.asarray(vector, np.float32)
        if asked is None:
            return found[:wanted]
        return [found[at] for at in diverse(asked, self._vectors(found), wanted, relevance)]

    def _vectors(self, entries: Sequence[Entry]) -> list[Vector | None]:
        """Return the vector of each entry's text, of its first part when it has several."""
        with self._ctx.store.read(None) as tx:
            found = [tx.vectors_of(digest("text", entry.text)) for entry in entries]
        return [None if vectors is None else np.asarray(vectors[0], np.float32) for vectors in found]

    def vector_of(self, text: str, *, question: bool = False) -> list[float]:
        """Return the vector of a text by the store's model, the mean of its parts when it has several.

        Raises:
            EmbedderUnavailableError: the store has no model.
            EmbedderError: the model failed.
        """
        embedding = self._ctx.embedding
        if not embedding.wait_ready(MODEL_PATIENCE):
            raise EmbedderUnavailableError(f"this store has no model to embed with: {embedding.missing or 'none'}")
        vector = embedding.question(text)[0] if question else None
        made = embedding.embed([text])[0].astype(np.float32).mean(axis=0) if vector is None else vector
        return [float(number) for number in made]

    def now(self) -> datetime:
        """Return the store's present: the clock, or the last known time if that is later."""
        with self._ctx.store.read(None) as tx:
            return to_datetime(tx.now)

    def _hits(
        self, query: str, k: int, namespaces: list[str], where: Mapping[str, Any], vector: Sequence[float] | None,
        options: Mapping[str, Any],
    ) -> Sequence[Hit]:  # fmt: skip
        if vector is None:
            least = "untrusted" if self._ctx.door_trust == "untrusted" else "derived"
            return self.recall(query, k=k, namespaces=namespaces, where=where, **{"trust": least, **options})
        given = np.asarray(vector, np.float32)
        self._check_size(len(given))
        unit = given / max(float(np.linalg.norm(given)), 1e-12)
        scope = self._ctx.scope(namespaces)
        ask = Ask("vector", 4 * k + 16, scope, where=parse(where), use_bm25=False, vector=unit)
        # Nothing but the distance counts, so what ranking adds among near ones is taken out again.
        near = [replace(hit, score=max(0.0, hit.vector_score or 0.0)) for hit in recall.recall(self._ctx, ask)]
        return sorted(near, key=lambda hit: -hit.score)[:k]

    def _check_size(self, size: int) -> None:
        with self._ctx.store.read(None) as tx:
            dimension = tx.dimension
        if dimension not in (None, size):
            raise InvalidInputError(
                f"the question has {size} numbers, the vectors of this store have {dimension}; embed it with"
                f" {self.embedder_name!r}",
                value=size,
            )

    def _first(self, tx: Read, selection: Selection, keep: Callable[[Entry], bool], wanted: int | None) -> list[Entry]:
        limit = None if wanted is None else max(FIRST_PAGE, wanted)
        while True:
            rows = tx.selecting.rows(selection, order="oldest", limit=limit)
            kept = [entry for entry in self._entries(tx, rows) if keep(entry)]
            if limit is None or len(rows) < limit or len(kept) >= (wanted or 0):
                return kept[:wanted]
            limit *= 4

    def _all(self, namespace: str, where: Mapping[str, Any] | None = None) -> Selection:
        conditions = {"$and": [{"adapter": self._ctx.door}, *([where] if where else [])]}
        return Selection(namespace, source_prefix=f"{self._origin}:", where=parse(conditions), archived=False)

    def _row(self, tx: Read, namespace: str, key: str, group: str | None = None) -> Row | None:
        ns = tx.namespaces.id(namespace)
        rows = [] if ns is None else tx.versions.told_by(ns, self._source(key, group))
        mine = [row for row in rows if self._is(row.claim.metadata, key)]
        return mine[-1] if mine else None

    def _is(self, marks: Mapping[str, Any], key: str) -> bool:
        return marks.get("adapter") == self._ctx.door and marks.get("key") == key

    def _of_hits(self, hits: Sequence[Hit]) -> Iterator[Entry]:
        with self._ctx.store.read(None) as tx:
            seen = tx.memories.last_seen([int(hit.id) for hit in hits])
        for hit in hits:
            made, known = hit.created_at, hit.known_from
            assert made is not None
            assert known is not None
            at = to_datetime(seen[int(hit.id)]) if int(hit.id) in seen else known
            yield entry_of(int(hit.id), hit.namespace, hit.text, hit.metadata, made, known, at, hit.score)

    def _entries(self, tx: Read, rows: Sequence[Row]) -> list[Entry]:
        ids = [row.memory_id for row in rows]
        states, seen = tx.memories.many(ids), tx.memories.last_seen(ids)
        return [self._entry(row, states[row.memory_id].created_at, seen.get(row.memory_id)) for row in rows]

    @staticmethod
    def _entry(row: Row, made: Micros, seen: Micros | None) -> Entry:
        known = to_datetime(row.known_from)
        last = known if seen is None else to_datetime(seen)
        return entry_of(
            row.memory_id, row.namespace, row.claim.text, row.claim.metadata, to_datetime(made), known, last
        )


def _stamp(tx: Read, namespace: str) -> int:
    """Return a number that is another once a memory of the namespace was written, changed or ended."""
    ns = tx.namespaces.id(namespace)
    space = None if ns is None else tx.namespaces.space(ns, MEMORIES)
    return -1 if space is None else space.feed
