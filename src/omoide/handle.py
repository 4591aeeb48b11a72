"""What the faces have in common: one store, one namespace, opened and closed together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import tzinfo
from types import TracebackType
from typing import Any, Self

from omoide.embed.rerank import resolve_reranker
from omoide.embed.resolve import resolve
from omoide.errors import InvalidInputError, StoreClosedError, StoreError
from omoide.faces.notebook import Notebook
from omoide.maintenance import Upkeep
from omoide.model.namespaces import check_namespace
from omoide.model.policy import Policy
from omoide.model.trust import check_trust
from omoide.model.zone import zone_of
from omoide.ports import Clock, Embedder
from omoide.store.sqlite.indexing import codes
from omoide.store.sqlite.store import SqliteStore
from omoide.types import Trust
from omoide.verbs.bulk import Buffer
from omoide.verbs.context import Context
from omoide.verbs.embedding import MODEL, Embedding
from omoide.verbs.filling import Filler
from omoide.verbs.opening import open_store
from omoide.verbs.settling import settle


class Handle(Upkeep, Notebook):
    """One namespace of one store. Safe to use from any number of threads and after a fork."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        settle(cls)

    def __init__(
        self, path: str | os.PathLike[str], namespace: str = "default", *, policy: Policy | None = None,
        embedder: Embedder | Any | None = None, clock: Clock | None = None, actor: str | None = None,
        door: str = "python", door_trust: Trust = "observed", busy_timeout: float = 10.0,
        read_only: bool | None = None, durability: str = "FULL", reranker: Any | None = None,
        timezone: tzinfo | str | None = None,
    ) -> None:  # fmt: skip
        check_namespace(namespace)
        check_trust(door_trust, "door_trust")
        _check_parts(policy, clock)
        zone, judge = zone_of(timezone), resolve_reranker(reranker)
        store = open_store(path, clock=clock, busy_timeout=busy_timeout, read_only=read_only, durability=durability)
        try:
            embedding = _embedding(store, embedder)
        except BaseException:
            store.close()
            raise
        self._ctx = Context(
            store, embedding, Filler(store, embedding), policy or Policy(), namespace, actor=actor, door=door,
            door_trust=door_trust, reranker=judge, zone=zone,
        )  # fmt: skip

    @property
    def namespace(self) -> str:
        """The handle's own namespace."""
        return self._ctx.namespace

    @property
    def policy(self) -> Policy:
        """Who may read and write what."""
        return self._ctx.policy

    @property
    def path(self) -> str:
        """Where the store is."""
        return self._ctx.store.place

    @property
    def embedder_name(self) -> str | None:
        """The model in use, None for keyword search only."""
        return self._ctx.embedding.model_name

    @contextmanager
    def bulk(self) -> Iterator[Buffer]:
        """Hold writes back and commit them together; each is durable when its flush returns.

        Yields an object with ``flush()`` and ``acknowledged``. Leaving by an exception flushes too.
        """
        ctx = self._ctx
        buffer = ctx.held_back or Buffer(ctx)
        ctx.hold_back(buffer)
        buffer.depth += 1
        try:
            yield buffer
        finally:
            buffer.depth -= 1
            try:
                if buffer.mine:
                    buffer.flush()
            finally:
                if buffer.depth == 0:
                    ctx.hold_back(None)

    def close(self) -> None:
        """Write what ``bulk`` holds back and close the store."""
        self._ctx.flush()
        self._ctx.filler.close()
        self._ctx.uses.flush(self._ctx)
        with suppress(StoreError):  # only makes the next opening quicker
            codes.save(self._ctx.store)
        self._ctx.store.close()

    def __enter__(self) -> Self:
        if self._ctx.store.closed:
            raise StoreClosedError("the store was closed; open it again")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_parts(policy: object, clock: object) -> None:
    if not isinstance(policy, Policy | None):
        raise InvalidInputError(f"policy must be a Policy, such as Policy().allow('a', read='b'), not {policy!r}")
    if clock is not None and not callable(getattr(clock, "now", None)):
        raise InvalidInputError(f"clock must have now(), which returns a datetime, not {clock!r}", value=clock)


def _embedding(store: SqliteStore, embedder: Any) -> Embedding:
    """A handle without a choice adopts the model that the store records."""
    with store.read(None) as tx:
        recorded = tx.settings.get(MODEL)
        embedding = Embedding(resolve(embedder, recorded=recorded))
        embedding.check(tx)
    embedding.start()
    return embedding
