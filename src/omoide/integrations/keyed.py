"""Entries with a key over memories: what adapters of key-value interfaces share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.memory import Memory
from omoide.model import bitemporal
from omoide.model.records import Claim, Row
from omoide.model.selection import Selection
from omoide.model.time import Micros, to_datetime
from omoide.model.trust import may_replace
from omoide.model.uids import uuid7
from omoide.model.where import parse
from omoide.store.sqlite.transaction import Read, Write
from omoide.types import Hit
from omoide.verbs import gate
from omoide.verbs.drafts import draft_claim
from omoide.verbs.revise import replace_pieces
from omoide.verbs.writing import writing

BLANK = "(blank)"
"""Stands in the store for a text without a visible character."""


@dataclass(frozen=True, slots=True)
class Change:
    """One write: ``text`` None removes the entry."""

    namespace: str
    key: str
    text: str | None
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands; ``seen_at`` is when it was last written or touched."""

    id: int
    namespace: str
    key: str
    text: str
    data: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    seen_at: datetime
    score: float | None = None


class Keyed(Memory):
    """Memories of one door, each under a key that is unique in its namespace.

    The key and the adapter's own data are in the metadata; the key is the source as well, which is indexed.
    """

    # -- writing ---------------------------------------------------------------------------------------

    def apply(self, changes: Iterable[Change]) -> None:
        """Carry out changes in one transaction, the last of each key only.

        Raises:
            InvalidInputError: a text or data that cannot be stored; nothing was changed.
            AccessDeniedError: the policy does not open a namespace.
        """
        last = {(change.namespace, change.key): change for change in changes}
        wanted = [(change, self._claim(change)) for change in last.values()]
        if not wanted:
            return
        ctx = self._ctx
        scopes = [ctx.policy.write_scope(self.namespace, change.namespace) for change, _ in wanted]
        ctx.embedding.prepare([claim for _, claim in wanted if claim is not None], ctx.store)
        with writing(ctx, *scopes) as tx:
            for change, claim in wanted:
                self._change(tx, change, claim)

    def touch(self, entries: Sequence[Entry]) -> None:
        """Note that entries were seen now."""
        if not entries:
            return
        scopes = [self._ctx.policy.write_scope(self.namespace, entry.namespace) for entry in entries]
        with writing(self._ctx, *scopes) as tx:
            for namespace in dict.fromkeys(entry.namespace for entry in entries):
                ids = [entry.id for entry in entries if entry.namespace == namespace]
                for state in tx.memories.many(ids).values():
                    tx.set_state(state, last_seen=tx.now)
                tx.log("seen", namespace, ids)

    def _claim(self, change: Change) -> Claim | None:
        if change.text is None:
            return None
        marks = {"adapter": self._ctx.door, "key": change.key, **change.data}
        text = change.text
        if not text.strip():
            marks["blank"], text = text, BLANK
        return draft_claim(
            text, door_trust=self._ctx.door_trust, metadata=marks, kind="note", source=self._source(change.key)
        )

    def _source(self, key: object) -> str:
        if not isinstance(key, str) or not key:
            raise InvalidInputError(f"a key must be a text that is not empty, not {key!r}", value=key)
        plain = key == key.strip() and "\0" not in key
        return f"{self._ctx.door}:{key if plain else quote(key)}"

    def _change(self, tx: Write, change: Change, claim: Claim | None) -> None:
        row = self._row(tx, change.namespace, change.key)
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

    def entries(self, namespaces: Sequence[str], where: Mapping[str, Any] | None = None) -> list[Entry]:
        """Return the entries of namespaces whose data match, in the order they were made."""
        if not namespaces:
            return []
        self._ctx.flush()
        with self._ctx.store.read(self._ctx.scope(list(namespaces))) as tx:
            rows = [row for name in namespaces for row in tx.selecting.rows(self._all(name, where), order="oldest")]
            return self._entries(tx, rows)

    def found(
        self, query: str, namespaces: Sequence[str], wanted: int, keep: Callable[[Entry], bool],
        where: Mapping[str, Any] | None = None,
    ) -> list[Entry]:  # fmt: skip
        """Return at most ``wanted`` entries that answer a question and that ``keep`` lets through, best first."""
        if not namespaces or wanted <= 0 or not query.strip():
            return []
        conditions = {"adapter": self._ctx.door, **(where or {})}
        k = wanted
        while True:
            hits = self.recall(query, k=k, namespaces=list(namespaces), where=conditions)
            kept = [entry for entry in self._of_hits(hits) if keep(entry)]
            if len(kept) >= wanted or len(hits) < k:
                return kept[:wanted]
            k *= 4

    def homes(self) -> list[str]:
        """Return the namespaces that this handle may read and that hold entries of this door."""
        self._ctx.flush()
        scope = self._ctx.wide_scope()
        with self._ctx.store.read(scope) as tx:
            return [name for name in scope.readable if tx.selecting.rows(self._all(name), limit=1)]

    def _all(self, namespace: str, where: Mapping[str, Any] | None = None) -> Selection:
        return Selection(namespace, where=parse({**(where or {}), "adapter": self._ctx.door}), archived=False)

    def _row(self, tx: Read, namespace: str, key: str) -> Row | None:
        ns = tx.namespaces.id(namespace)
        rows = [] if ns is None else tx.versions.told_by(ns, self._source(key))
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


def entry_of(
    id: int, namespace: str, text: str, metadata: Mapping[str, Any], made: datetime, known: datetime, seen: datetime,
    score: float | None = None,
) -> Entry:  # fmt: skip
    """Return what is stored as an entry: the key and the blank text out of the metadata."""
    data = dict(metadata)
    data.pop("adapter", None)
    key = str(data.pop("key", ""))
    return Entry(id, namespace, key, str(data.pop("blank", text)), data, made, known, seen, score)
