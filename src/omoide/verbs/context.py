"""What every verb needs to know about the handle it runs on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from omoide.model.policy import Policy, Scope
from omoide.model.records import Voice
from omoide.ports import Reranker
from omoide.store.sqlite.store import SqliteStore
from omoide.types import Trust
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
    buffer: Buffer | None = field(default=None)

    @property
    def held_back(self) -> Buffer | None:
        """The writes that ``bulk`` holds back in this process, None outside of it."""
        return self.buffer if self.buffer is not None and self.buffer.mine else None

    def flush(self) -> None:
        """Write what ``bulk`` holds back, so that what follows sees it."""
        held = self.held_back
        if held is not None:
            held.flush()

    def voice(self, batch: str | None = None) -> Voice:
        """Return who writes through this handle."""
        return Voice(actor=self.actor, door=self.door, trust=self.door_trust, batch=batch)

    def own_scope(self) -> Scope:
        """Return the right to read the handle's own namespace."""
        return self.policy.scope(self.namespace, None, self.existing)

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
