"""Documents that a ``bulk`` block holds back, written together at its flush."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from omoide.model.collecting import uncollected
from omoide.model.documents import Part, Sheet
from omoide.model.policy import WriteScope
from omoide.store.sqlite import document_writing
from omoide.store.sqlite.transaction import Write
from omoide.verbs.context import Context
from omoide.verbs.passages.documents import new_batch, prepared

_FIRST_RESERVED: Final = 16
_RESERVED: Final = 1024


class HeldDocuments:
    """Documents with the ids that they will have; ``parts`` counts what is held back of them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._held: dict[str, list[tuple[int, Sheet, Sequence[Part]]]] = {}
        self._scopes: dict[str, WriteScope] = {}
        self._next, self._last, self._block = 0, -1, _FIRST_RESERVED
        self.batch = new_batch(ctx)
        self.parts = 0

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))

    def hold(self, scope: WriteScope, cut: Sequence[tuple[Sheet, Sequence[Part]]]) -> list[int]:
        """Hold documents back and return their ids."""
        self._scopes[scope.namespace] = scope
        held = self._held.setdefault(scope.namespace, [])
        ids = [self._reserve() for _ in cut]
        held += [(id, sheet, parts) for id, (sheet, parts) in zip(ids, cut, strict=True)]
        self.parts += sum(len(parts) for _, parts in cut)
        return ids

    def write(self) -> None:
        """Write what is held back, one transaction a namespace; when it returns, all of it is durable."""
        ctx = self._ctx
        for namespace, held in list(self._held.items()):
            cuts = prepared(ctx, [(sheet, parts) for _, sheet, parts in held])
            tx: Write | None = None
            try:
                with uncollected(), ctx.store.write(ctx.voice(self.batch), self._scopes[namespace]) as tx:
                    tx.has_model = ctx.embedding.record(tx)
                    tx.documents.add_batch(self.batch, tx.ns_of(namespace), tx.now, ctx.actor, None)
                    rows = document_writing.add(tx, namespace, cuts, [id for id, _, _ in held])
                    tx.log("add", namespace, [row.document_id for row in rows])
            finally:
                if tx is not None and tx.committed:  # also where a vault could not be told of it at once
                    self.parts -= sum(len(parts) for _, _, parts in held)
                    del self._held[namespace]

    def _reserve(self) -> int:
        if self._next > self._last:
            with self._ctx.store.write(self._ctx.voice()) as tx:
                self._next = tx.documents.reserve(self._block)
            self._last = self._next + self._block - 1
            self._block = min(4 * self._block, _RESERVED)
        self._next += 1
        return self._next - 1
