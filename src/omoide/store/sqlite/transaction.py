"""What one transaction can see and do: the tables of a connection at one known time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import AccessDeniedError, DamagedStoreError
from omoide.model.clock import micros_of
from omoide.model.policy import Scope, WriteScope
from omoide.model.records import Claim, Row, State, Voice
from omoide.model.time import FOREVER, Micros
from omoide.ports import Clock
from omoide.search.prepared import Prepared
from omoide.store.sqlite.aliases import Aliases
from omoide.store.sqlite.batches import Batches
from omoide.store.sqlite.citations import Citations
from omoide.store.sqlite.contents import Contents
from omoide.store.sqlite.conversations.history_rows import Said
from omoide.store.sqlite.conversations.projects import Projects
from omoide.store.sqlite.conversations.segments import Segments
from omoide.store.sqlite.conversations.sessions import Sessions
from omoide.store.sqlite.conversations.turns import Turns
from omoide.store.sqlite.documents import Documents
from omoide.store.sqlite.events import Events
from omoide.store.sqlite.flags import flags_of, fresh_flags
from omoide.store.sqlite.indexing.indexer import Indexer
from omoide.store.sqlite.indexing.sources import SOURCES
from omoide.store.sqlite.indexing.vectors import StoredVectors, layout
from omoide.store.sqlite.indexing.view import SpaceView
from omoide.store.sqlite.indexing.views import Views
from omoide.store.sqlite.memories import Memories
from omoide.store.sqlite.namespaces import MEMORIES, Namespaces
from omoide.store.sqlite.relations import Relations
from omoide.store.sqlite.sealing import Sealing
from omoide.store.sqlite.selecting import Selecting
from omoide.store.sqlite.settings import Settings
from omoide.store.sqlite.slices import portions
from omoide.store.sqlite.versions import Versions

T = TypeVar("T")


class Tables:
    """The tables of one connection, made once for its life."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.settings = Settings(connection)
        self.namespaces = Namespaces(connection)
        self.projects = Projects(connection)
        self.contents = Contents(connection)
        self.memories = Memories(connection, self.namespaces)
        self.versions = Versions(connection, self.namespaces)
        self.documents = Documents(connection, self.namespaces)
        self.sessions = Sessions(connection, self.namespaces)
        self.turns = Turns(connection)
        self.segments = Segments(connection, self.namespaces)
        self.said = Said(connection, self.namespaces)
        self.selecting = Selecting(connection, self.namespaces, self.versions)
        self.relations = Relations(connection)
        self.aliases = Aliases(connection)
        self.batches = Batches(connection)
        self.citations = Citations(connection)
        self.events = Events(connection)
        self.sealing = Sealing(connection)
        self.indexer = Indexer(connection, self.namespaces)
        self.views = Views(connection, self.namespaces)


@dataclass(frozen=True, slots=True)
class Pending:
    """An entry that waits for its vector."""

    ns: int
    collection: str
    ord: int
    claim: Claim


class Fresh(NamedTuple):
    """A new memory that says what nothing in its namespace says."""

    id: int
    uid: str
    claim: Claim
    prepared: Prepared
    same: bytes
    valid_from: Micros
    valid_to: Micros
    observed_at: Micros | None
    pinned: bool


class Peek:
    """Single look-ups that need no consistent view."""

    def __init__(self, tables: Tables) -> None:
        self.connection = tables.connection
        self.settings = tables.settings

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector of this store has, None before the first."""
        known = self.settings.get("dimension")
        return None if known is None else int(known)

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the vectors (parts, dimension) that some entry has for an embedded text, or None."""
        found = self.connection.execute(
            "SELECT space, slot, parts FROM entry WHERE key = ? AND slot >= 0 LIMIT 1", (key,)
        ).fetchone()
        dimension = self.dimension if found is not None else None
        if found is None or dimension is None:
            return None
        slots = np.arange(found[1], found[1] + found[2])
        try:
            return StoredVectors(self.connection, found[0], layout(dimension)).read_slots(slots)
        except DamagedStoreError:
            return None  # the text is embedded again

    def vectors_of_many(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[Any]]:
        """Return the vectors of those embedded texts that some entry has them for."""
        found: dict[bytes, NDArray[Any]] = {}
        if self.dimension is None:
            return found
        wanted = list(dict.fromkeys(keys))
        for marks, some in portions(wanted):
            rows: Any = self.connection.execute(
                f"SELECT DISTINCT key FROM entry WHERE key IN ({marks}) AND slot >= 0", some
            ).fetchall()
            for (key,) in rows:
                vectors = self.vectors_of(key)
                if vectors is not None:
                    found[key] = vectors
        return found


class Read(Peek):
    """A consistent view of the store; ``now`` is the larger of the clock and the last known time.

    ``alone``: it is the whole transaction, and nothing is written in it.
    """

    def __init__(self, tables: Tables, clock: Clock | None, scope: Scope | None, *, alone: bool = False) -> None:
        super().__init__(tables)
        self._tables = tables
        self._readable = None if scope is None else frozenset(scope.readable)
        self.namespaces = tables.namespaces
        self.projects = tables.projects
        self.memories = tables.memories
        self.versions = tables.versions
        self.documents = tables.documents
        self.sessions = tables.sessions
        self.turns = tables.turns
        self.segments = tables.segments
        self.said = tables.said
        self.selecting = tables.selecting
        self.relations = tables.relations
        self.aliases = tables.aliases
        self.batches = tables.batches
        self.citations = tables.citations
        self.events = tables.events
        self.last = tables.events.last()
        self.now: Micros = max(micros_of(clock), self.last[1])
        self._notes = tables.views.notes() if alone else None

    def noted(self, key: Hashable, ask: Callable[[], T]) -> T:
        """Return what ``ask`` tells about the store, asked once as long as nothing is written."""
        if self._notes is None:
            return ask()
        if key not in self._notes:
            self._notes[key] = ask()
        found: T = self._notes[key]
        return found

    def view(self, namespace: str, collection: str = MEMORIES) -> SpaceView | None:
        """Return the search side of a namespace's collection, or None when it is empty.

        Raises:
            AccessDeniedError: the namespace is outside the scope of this read.
        """
        if self._readable is not None and namespace not in self._readable:
            raise AccessDeniedError(f"namespace {namespace!r} is outside the scope of this read", value=namespace)
        ns = self.namespaces.id(namespace)
        return None if ns is None else self._tables.views.find(ns, collection, self._notes)

    def loaded_views(self) -> list[SpaceView]:
        """Return what searches have loaded; the caller brings it in step."""
        return self._tables.views.loaded()

    def pending(self, limit: int) -> list[Pending]:
        """Return entries whose vector is still to come, with what they say."""
        found: list[tuple[int, str, int]] = self.connection.execute(  # type: ignore[assignment]
            "SELECT s.ns, s.collection, e.ord FROM entry e JOIN space s ON s.space = e.space"
            " WHERE e.slot IS NULL AND s.pending > 0 LIMIT ?",
            (limit,),
        ).fetchall()
        return [
            Pending(ns, collection, ord, claim)
            for ns, collection, ord in found
            for _, claim in SOURCES[collection].claims(self.connection, ns, ord, ord + 1)
        ]


class Write(Read):
    """The one write path: rows, index and audit event in one transaction.

    ``now`` is the known time of everything written; ``seq`` the number of the event being made.
    """

    def __init__(self, tables: Tables, clock: Clock | None, voice: Voice, scopes: Sequence[WriteScope]) -> None:
        super().__init__(tables, clock, None)
        self.voice = voice
        self.committed = False
        self._writable = frozenset(scope.namespace for scope in scopes)
        self.contents = tables.contents
        self.indexer = tables.indexer
        self.indexer.begin()
        self._next_version: int | None = None
        self._seals: list[bytes] = []
        self._sealing = tables.sealing
        self._sealing.begin()
        self._before = self.last[0]

    @property
    def has_model(self) -> bool:
        """Whether the store has a model, so that entries without a vector are pending."""
        return self.indexer.wanted

    @has_model.setter
    def has_model(self, wanted: bool) -> None:
        self.indexer.wanted = wanted

    @property
    def seq(self) -> int:
        """The number of the event that this transaction writes next."""
        return self.last[0] + 1

    def log(self, op: str, namespace: str | None, targets: Sequence[int]) -> int:
        """Append the audit event of what was just done and return its number."""
        ns = None if namespace is None else self.namespaces.ensure(namespace, self.now)
        seals = b"".join(self._seals) + self._sealing.take()
        self._seals.clear()
        self.last = self.events.append(
            self.last, at=self.now, ns=ns, voice=self.voice, op=op, targets=targets, seals=seals
        )
        return self.last[0]

    def ns_of(self, namespace: str) -> int:
        """Return the number of a namespace that this write may change, making it when it is new.

        Raises:
            AccessDeniedError: the namespace is outside the scope of this write.
        """
        self._require(namespace)
        return self.namespaces.ensure(namespace, self.now)

    def live_count(self, namespace: str) -> int:
        """Return how many memories of a namespace count towards a cap."""
        return self.indexer.count_live(self.namespaces.ensure(namespace, self.now), MEMORIES, 0)

    def new_memory(self, uid: str, namespace: str, *, pinned: bool = False, id: int | None = None) -> State:
        """Make a memory without versions."""
        self._require(namespace)
        ns = self.namespaces.ensure(namespace, self.now)
        memory_id = self.memories.insert(uid, ns, self.now, pinned=pinned, id=id)
        state = State(memory_id, uid, namespace, self.now, pinned, False, None, 1, None, None)
        self.indexer.count_live(ns, MEMORIES, int(state.live))
        return state

    def open_version(
        self, state: State, claim: Claim, prepared: Prepared, *, valid_from: Micros, valid_to: Micros = FOREVER,
        observed_at: Micros | None = None, cause: str, same: bytes, known_from: Micros | None = None,
        voice: Voice | None = None, origin: Mapping[str, Any] | None = None,
    ) -> Row:  # fmt: skip
        """Write a version, known from now, and its index entry."""
        self._require(state.namespace)
        ns = self.namespaces.ensure(state.namespace, self.now)
        speaker = voice or self.voice
        version_id = self._version_id()
        known = self.now if known_from is None else known_from
        record = (
            valid_from, valid_to, known, FOREVER, state.id, version_id, flags_of(claim, state),
            self.projects.ensure(claim.project),
        )  # fmt: skip
        row = Row(
            version_id, state.id, state.namespace, self.indexer.add(ns, MEMORIES, record, prepared), claim, valid_from,
            valid_to, known, FOREVER, speaker.actor, speaker.door, observed_at, speaker.batch, cause, self.seq, None,
            None, origin,
        )  # fmt: skip
        content_id, born = self.contents.ensure(claim.text), (state.uid, state.created_at)
        seal = self.versions.insert(row, ns=ns, content_id=content_id, same=same, gist=prepared.gist, born=born)
        self._seals.append(seal)
        return row

    def open_fresh(self, namespace: str, batch: Sequence[Fresh]) -> None:
        """Write many new memories, each with its one version; their ids were reserved."""
        self._require(namespace)
        ns = self.namespaces.ensure(namespace, self.now)
        contents = self.contents.ensure_many([each.claim.text for each in batch])
        self.memories.insert_many(ns, self.now, [(each.id, each.uid, each.pinned) for each in batch])
        self.indexer.count_live(ns, MEMORIES, sum(not each.pinned for each in batch))
        rows = [
            (self._fresh_row(ns, namespace, each), content_id, each.same, each.prepared.gist, (each.uid, self.now))
            for each, content_id in zip(batch, contents, strict=True)
        ]
        self._seals.append(self.versions.insert_many(ns, rows))

    def _fresh_row(self, ns: int, namespace: str, each: Fresh) -> Row:
        claim, version_id = each.claim, self._version_id()
        flags = fresh_flags(claim, pinned=each.pinned)
        record = (
            each.valid_from, each.valid_to, self.now, FOREVER, each.id, version_id, flags,
            self.projects.ensure(claim.project),
        )  # fmt: skip
        return Row(
            version_id, each.id, namespace, self.indexer.add(ns, MEMORIES, record, each.prepared), claim,
            each.valid_from, each.valid_to, self.now, FOREVER, self.voice.actor, self.voice.door, each.observed_at,
            self.voice.batch, "remember", self.seq, None, None,
        )  # fmt: skip

    def close_version(self, row: Row, cause: str) -> None:
        """End a version in known time, now."""
        self._require(row.namespace)
        ns = self.namespaces.ensure(row.namespace, self.now)
        self._seals.append(self.versions.close(row, self.now, self.seq, cause))
        self.indexer.change(ns, MEMORIES, row.ord, "known_to", self.now)

    def set_state(self, state: State, **values: object) -> State:
        """Write unversioned state and carry it to the flags of the open versions."""
        self._require(state.namespace)
        marks = {"pinned": state.pinned, "archived": state.archived, "disputed": state.disputed}
        self.memories.set(state.id, **values)
        if "changed_at" not in values and any(name in values and values[name] != mark for name, mark in marks.items()):
            self.memories.mark(state.id, self.now)
        changed = self.memories.get(state.id)
        assert changed is not None
        ns = self.namespaces.ensure(state.namespace, self.now)
        self.indexer.count_live(ns, MEMORIES, int(changed.live) - int(state.live))
        for row in self.versions.of_memory(state.id, only_open=True):
            self.indexer.change(ns, MEMORIES, row.ord, "flags", flags_of(row.claim, changed))
        return changed

    def erase_memory(self, memory_id: int, rows: Sequence[tuple[Row, list[str]]]) -> None:
        """Remove a memory, its versions (each with its terms), and all that hangs on it."""
        for row, terms in rows:
            self._require(row.namespace)
            ns = self.namespaces.ensure(row.namespace, self.now)
            self.indexer.erase(ns, MEMORIES, row.ord, terms)
        state = self.memories.get(memory_id)
        if state is not None and state.live:
            self.indexer.count_live(self.namespaces.ensure(state.namespace, self.now), MEMORIES, -1)
        for content_id in self.versions.delete_of(memory_id):
            self.contents.delete_unused(content_id)
        self.relations.delete_of(memory_id)
        self.memories.delete(memory_id)

    def is_pending(self, entry: Pending) -> bool:
        """Say whether an entry still lacks its vector."""
        space = self.namespaces.space(entry.ns, entry.collection)
        row = self.connection.execute(
            "SELECT slot FROM entry WHERE space = ? AND ord = ?", (space.space if space else -1, entry.ord)
        ).fetchone()
        return row is not None and row[0] is None

    def flush(self) -> None:
        """Write what the indexer has collected."""
        assert not self._seals, "a version was written and no event tells of it"
        self.indexer.flush()

    def finish(self) -> None:
        """Write what is still held back; the last step before the commit, or before a look at what changed.

        Rows that were sealed after the last event become part of it; where there is none, one says that something
        was begun: a namespace or a batch without any content yet.
        """
        self.flush()
        if self._sealing.waiting and self.last[0] > self._before:
            self.last = self.events.amend(self.last, self._sealing.take())
        elif self._sealing.waiting:
            self.log("begin", None, ())

    def _require(self, namespace: str) -> None:
        if namespace not in self._writable:
            raise AccessDeniedError(f"namespace {namespace!r} is outside the scope of this write", value=namespace)

    def _version_id(self) -> int:
        if self._next_version is None:
            self._next_version = self.versions.next_id()
        self._next_version += 1
        return self._next_version - 1
