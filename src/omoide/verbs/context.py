"""What every verb needs to know about the handle it runs on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from omoide.model.policy import Policy, Scope
from omoide.model.records import Voice
from omoide.ports import Reranker
from omoide.store.sqlite.store import SqliteStore
from omoide.types import Trust
from omoide.verbs.asking.uses import Uses
from omoide.verbs.embedding import Embedding
from omoide.verbs.filling import Filler

if TYPE_CHECKING:
    from omoide.verbs.bulk import Buffer


@dataclass(slots=True)
class Context:
    """A handle: one store, one namespace, one policy, one voice."""

    store: SqliteStore
    embedding: Embedding
    filler: Filler
    policy: Policy
    namespace: str
    actor: str | None = None
    door: str = "python"
    door_trust: Trust = "observed"
    dedupe_threshold: float | None = None
    max_memories: int | None = None
    collapse_repeats: bool = True
    reranker: Reranker | None = None
    zone: tzinfo = UTC
    uses: Uses = field(default_factory=Uses)
    # A block of ``bulk`` belongs to the task that opened it: other threads' writes are not held back.
    _block: ContextVar[Buffer | None] = field(default_factory=lambda: ContextVar("bulk", default=None))

    _batch: ContextVar[str | None] = field(default_factory=lambda: ContextVar("batch", default=None))

    @contextmanager
    def within(self, batch: str) -> Iterator[None]:
        """Let what this task writes belong to a batch."""
        before = self._batch.set(batch)
        try:
            yield
        finally:
            self._batch.reset(before)

    @property
    def held_back(self) -> Buffer | None:
        """The writes that ``bulk`` holds back in this process, None outside of it."""
        held = self._block.get()
        return held if held is not None and held.mine else None

    def hold_back(self, buffer: Buffer | None) -> None:
        """Let writes of this task go to ``buffer``, None for no longer."""
        self._block.set(buffer)

    def flush(self) -> None:
        """Write what ``bulk`` holds back, so that what follows sees it."""
        held = self.held_back
        if held is not None:
            held.flush()

    def voice(self, batch: str | None = None) -> Voice:
        """Return who writes through this handle."""
        return Voice(actor=self.actor, door=self.door, trust=self.door_trust, batch=batch or self._batch.get())

    def scope(self, namespaces: str | list[str] | tuple[str, ...] | None) -> Scope:
        """Return the right to read what the caller asks for, as far as the policy allows."""
        return self.policy.scope(self.namespace, namespaces, self.existing)

    def wide_scope(self) -> Scope:
        """Return the right to read every namespace the policy opens, the handle's own first of all."""
        return self.policy.scope(self.namespace, "*", self.existing)

    def existing(self) -> list[str]:
        """Return the namespaces that the store knows."""
        with self.store.read(None) as tx:
            return tx.namespaces.all()
