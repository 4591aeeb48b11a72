"""rmbr.memory: a handle that answers as rmbr's did where programs may depend on it.

Times are ISO 8601 text, every ``remember`` makes a memory of its own however often a text was said,
and ``update`` and ``forget`` return nothing.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from omoide import memory, types
from omoide.compat.rmbr.rerank import Judging
from omoide.errors import InvalidInputError
from omoide.model.policy import Policy
from omoide.types import Hit, Hits

__all__ = ["Hit", "Hits", "Memory", "MemoryRecord"]


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One memory; ``created_at`` is UTC in ISO 8601 with microseconds."""

    id: int
    namespace: str
    text: str
    metadata: dict[str, Any]
    created_at: str


class Memory(memory.Memory):
    """rmbr's ``Memory(path, namespace)``; further options of ``omoide.Memory`` are passed on."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        namespace: str,
        *,
        policy: Policy | None = None,
        embedder: Any = None,
        dedupe_threshold: float | None = None,
        max_memories: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            path,
            namespace,
            policy=policy,
            embedder=embedder,
            dedupe_threshold=dedupe_threshold,
            max_memories=max_memories,
            **{"reranker": Judging(), **options},
        )
        self._ctx.collapse_repeats = False

    def get(self, memory_id: int | None = None, *, id: int | None = None, **options: Any) -> MemoryRecord | None:  # type: ignore[override]
        record = super().get(_either(memory_id, id), **options)
        return None if record is None else _record(record)

    def update(  # type: ignore[override]
        self, memory_id: int | None = None, *, text: str | None = None, metadata: Mapping[str, Any] | None = None,
        id: int | None = None,
    ) -> None:  # fmt: skip
        super().update(_either(memory_id, id), text=text, metadata=metadata)

    def forget(self, memory_id: int | None = None, *, id: int | None = None, **selectors: Any) -> None:  # type: ignore[override]
        super().forget(id if memory_id is None else memory_id, **selectors)

    def list(  # type: ignore[override]
        self, *, limit: int | None = None, where: Mapping[str, Any] | None = None, **options: Any
    ) -> builtins.list[MemoryRecord]:
        return [_record(record) for record in super().list(limit=limit, where=where, **options)]

    def stats(self, namespaces: str | Sequence[str] | None = None, **options: Any) -> dict[str, dict[str, Any]]:
        found = super().stats(namespaces, **options)
        return {name: {key: _plain(value) for key, value in row.items()} for name, row in found.items()}


def _either(memory_id: int | None, id: int | None) -> int:
    """Return the id, by whichever of its two names it was given."""
    found = id if memory_id is None else memory_id
    if found is None:
        raise InvalidInputError("give the id of a memory", value=None)
    return found


def _record(record: types.MemoryRecord) -> MemoryRecord:
    return MemoryRecord(record.id, record.namespace, record.text, record.metadata, _iso(record.created_at))


def _plain(value: Any) -> Any:
    return _iso(value) if isinstance(value, datetime) else value


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
