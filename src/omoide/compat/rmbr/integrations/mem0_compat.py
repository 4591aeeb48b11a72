"""rmbr.integrations.mem0_compat: omoide's mem0 adapter with rmbr's defaults; a search returns at most 10."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from omoide.integrations import mem0_compat
from omoide.model.policy import Policy

__all__ = ["Memory"]


class Memory(mem0_compat.Memory):
    """What rmbr did not take is refused here too, unless omoide's adapter offers it."""

    def __init__(
        self, path: str | os.PathLike[str], *, policy: Policy | None = None, embedder: Any = None,
        dedupe_threshold: float | None = None, max_memories: int | None = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            path, policy=policy, embedder=embedder, dedupe_threshold=dedupe_threshold, max_memories=max_memories,
            **options,
        )  # fmt: skip

    def add(
        self, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        infer: bool = True, **options: Any,
    ) -> dict[str, Any]:  # fmt: skip
        return super().add(
            messages, user_id=user_id, agent_id=agent_id, run_id=run_id, metadata=metadata, infer=infer, **options
        )

    def search(
        self, query: str, *, top_k: int = 10, filters: Mapping[str, Any] | None = None, threshold: float = 0.1,
        rerank: bool = False, **options: Any,
    ) -> dict[str, Any]:  # fmt: skip
        return super().search(query, top_k=top_k, filters=filters, threshold=threshold, rerank=rerank, **options)
